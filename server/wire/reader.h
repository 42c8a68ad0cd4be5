/* reader: the protobuf wire format, one piece at a time, strictly: every varint in its shortest form.
 *
 * Any thread; reads the caller's bytes in place, never beyond them, and allocates nothing. In the header, because it is what
 * most of the time of reading a request goes to. The format: https://protobuf.dev/programming-guides/encoding/ */
#ifndef COLLIDED_WIRE_READER_H
#define COLLIDED_WIRE_READER_H

#include "wire/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READER_VARINT_BYTES_MAX 10 /* 64 bits in groups of 7 */
#define READER_DOUBLE_BYTES 9      /* with a tag of one */

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

static inline struct reader
reader_of(const uint8_t *bytes, size_t count)
{
	/* An empty message may come without a pointer, and NULL + 0 is not C. */
	return (struct reader){ .at = bytes, .end = count == 0 ? bytes : bytes + count };
}

static inline bool
reader_at_end(const struct reader *reader)
{
	return reader->at == reader->end;
}

static inline size_t
reader_left(const struct reader *reader)
{
	return reader->at == reader->end ? 0 : (size_t)(reader->end - reader->at);
}

/* One of more than one byte, or none. */
const char *reader_long_varint(struct reader *reader, uint64_t *out);

/* NULL when read, else a static text that says what is wrong; *out is then not written. */
static inline const char *
reader_varint(struct reader *reader, uint64_t *out)
{
	if (reader->at == reader->end || *reader->at >= 0x80)
		return reader_long_varint(reader, out);
	*out = *reader->at++;
	return NULL;
}

/* What is wrong with a tag that is no good. */
const char *reader_tag_misfit(uint64_t tag, size_t bytes);

/* Reads only a tag. */
static inline const char *
reader_tag(struct reader *reader, uint32_t *number, enum wire_type *type)
{
	const unsigned types = 1u << WIRE_VARINT | 1u << WIRE_FIXED64 | 1u << WIRE_BYTES | 1u << WIRE_FIXED32;
	const uint8_t *before = reader->at;
	uint64_t tag;
	const char *wrong = reader_varint(reader, &tag);

	if (wrong)
		return wrong;
	if (reader->at - before > WIRE_TAG_BYTES_MAX || tag >> 3 == 0 || (types >> (tag & 7) & 1) == 0)
		return reader_tag_misfit(tag, (size_t)(reader->at - before));
	*number = (uint32_t)(tag >> 3);
	*type = (enum wire_type)(tag & 7);
	return NULL;
}

/* Takes `count` bytes out of the reader. */
static inline const char *
reader_span(struct reader *reader, uint64_t count, struct reader *out)
{
	if (count > reader_left(reader))
		return "ends inside a field";
	*out = reader_of(reader->at, (size_t)count);
	reader->at = out->end;
	return NULL;
}

/* Reads the value that follows a tag: field->type is given, the value is set. */
static inline const char *
reader_value(struct reader *reader, struct wire_field *field)
{
	uint64_t count;

	switch (field->type) {
	case WIRE_VARINT: return reader_varint(reader, &field->varint);
	case WIRE_FIXED64: return reader_span(reader, 8, &field->value);
	case WIRE_FIXED32: return reader_span(reader, 4, &field->value);
	case WIRE_BYTES: break;
	}
	const char *wrong = reader_varint(reader, &count);
	return wrong ? wrong : reader_span(reader, count, &field->value);
}

#endif
