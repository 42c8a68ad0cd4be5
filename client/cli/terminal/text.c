#include "client/cli/terminal/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_BYTES_MAX = 121, CAPACITY_FIRST = 4096 };

void
text_finish(struct text *text)
{
	free(text->characters);
	*text = (struct text){ 0 };
}

static bool
text_reserve(struct text *text, size_t more)
{
	if (text->capacity - text->count >= more)
		return true;
	size_t capacity = text->capacity == 0 ? CAPACITY_FIRST : text->capacity;
	while (capacity - text->count < more)
		capacity *= 2;
	char *characters = realloc(text->characters, capacity);
	if (!characters) {
		text->failed = true;
		return false;
	}
	text->characters = characters;
	text->capacity = capacity;
	return true;
}

void
text_append(struct text *text, const char *string)
{
	text_append_bytes(text, string, strlen(string));
}

void
text_append_bytes(struct text *text, const char *bytes, size_t count)
{
	if (count == 0 || !text_reserve(text, count))
		return;
	memcpy(text->characters + text->count, bytes, count);
	text->count += count;
}

void
text_format(struct text *text, const char *format, ...)
{
	char scratch[FORMAT_BYTES_MAX];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(scratch, sizeof scratch, format, arguments);
	va_end(arguments);
	text_append(text, scratch);
}

char *
digits_grouped(uint64_t value, char to[DIGITS_GROUPED_BYTES])
{
	char digits[24];
	int count = snprintf(digits, sizeof digits, "%" PRIu64, value), out = 0;
	for (int i = 0; i < count; i++) {
		if (i > 0 && (count - i) % 3 == 0)
			to[out++] = ',';
		to[out++] = digits[i];
	}
	to[out] = '\0';
	return to;
}
