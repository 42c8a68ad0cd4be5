/* text: a growing string. One thread at a time; owns its memory. A failed append is remembered. */
#ifndef COLLIDE_CLI_TEXT_H
#define COLLIDE_CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *characters; /* not terminated by a zero */
	size_t count, capacity;
	bool failed;
};

void text_finish(struct text *text);
void text_append(struct text *text, const char *string);
void text_append_bytes(struct text *text, const char *bytes, size_t count);
/* At most 120 characters per call; more would be cut. */
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "1,234,567"; returns `to`. */
enum { DIGITS_GROUPED_BYTES = 32 };
char *digits_grouped(uint64_t value, char to[DIGITS_GROUPED_BYTES]);

#endif
