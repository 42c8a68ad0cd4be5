/* reader: the protobuf wire format, one piece at a time, strictly: every varint in its shortest form.
 *
 * Any thread; reads the caller's bytes in place, never beyond them, and allocates nothing. The format:
 * https://protobuf.dev/programming-guides/encoding/ */
#ifndef COLLIDED_WIRE_READER_H
#define COLLIDED_WIRE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader {
	const uint8_t *at, *end;
};

/* The numbers are those on the wire; 3 and 4 (groups), 6 and 7 are refused. */
enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* One field: its tag, and its value: `varint`, or `value`, which spans the bytes of any other type. */
struct wire_field {
	uint32_t number; /* 1 .. 2^25 - 1 */
	enum wire_type type;
	uint64_t varint;
	struct reader value;
};

struct reader reader_of(const uint8_t *bytes, size_t count);
bool reader_at_end(const struct reader *reader);
size_t reader_left(const struct reader *reader);

/* NULL when read, else a static text that says what is wrong; *out is then not written. */
const char *reader_varint(struct reader *reader, uint64_t *out);
/* Reads only a tag. */
const char *reader_tag(struct reader *reader, uint32_t *number, enum wire_type *type);
/* Reads the value that follows a tag: field->type is given, the value is set. */
const char *reader_value(struct reader *reader, struct wire_field *field);

#endif
