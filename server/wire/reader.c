#include "wire/reader.h"

#include "wire/limits.h"

#define VARINT_BYTES_MAX 10 /* 64 bits in groups of 7 */

struct reader
reader_of(const uint8_t *bytes, size_t count)
{
	/* An empty message may come without a pointer, and NULL + 0 is not C. */
	return (struct reader){ .at = bytes, .end = count == 0 ? bytes : bytes + count };
}

bool
reader_at_end(const struct reader *reader)
{
	return reader->at == reader->end;
}

size_t
reader_left(const struct reader *reader)
{
	return reader->at == reader->end ? 0 : (size_t)(reader->end - reader->at);
}

const char *
reader_varint(struct reader *reader, uint64_t *out)
{
	size_t left = reader_left(reader);
	uint64_t value = 0;

	for (size_t i = 0; i < VARINT_BYTES_MAX; i++) {
		uint8_t byte;

		if (i == left) {
			return "ends inside a varint";
		}
		byte = reader->at[i];
		if (i == VARINT_BYTES_MAX - 1 && byte > 1) {
			break;
		}
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if ((byte & 0x80) != 0) {
			continue;
		}
		if (i > 0 && byte == 0) {
			return "has a varint that is longer than needed";
		}
		reader->at += i + 1;
		*out = value;
		return NULL;
	}
	return "has a varint of more than 64 bits";
}

const char *
reader_tag(struct reader *reader, uint32_t *number, enum wire_type *type)
{
	struct reader before = *reader;
	uint64_t tag;
	const char *wrong = reader_varint(reader, &tag);

	if (wrong != NULL) {
		return wrong;
	}
	if (reader->at - before.at > WIRE_TAG_BYTES_MAX) {
		return "has a field number that is too large";
	}
	if (tag >> 3 == 0) {
		return "has a field with number 0";
	}
	switch (tag & 7) {
	case WIRE_VARINT:
	case WIRE_FIXED64:
	case WIRE_BYTES:
	case WIRE_FIXED32:
		*number = (uint32_t)(tag >> 3);
		*type = (enum wire_type)(tag & 7);
		return NULL;
	case 3:
	case 4: return "has a group";
	default: return "has a field of a wire type that does not exist";
	}
}

/* Takes `count` bytes out of the reader. */
static const char *
reader_span(struct reader *reader, uint64_t count, struct reader *out)
{
	if (count > reader_left(reader)) {
		return "ends inside a field";
	}
	*out = reader_of(reader->at, (size_t)count);
	reader->at = out->end;
	return NULL;
}

const char *
reader_value(struct reader *reader, struct wire_field *field)
{
	uint64_t count;
	const char *wrong;

	switch (field->type) {
	case WIRE_VARINT: return reader_varint(reader, &field->varint);
	case WIRE_FIXED64: return reader_span(reader, 8, &field->value);
	case WIRE_FIXED32: return reader_span(reader, 4, &field->value);
	case WIRE_BYTES: break;
	}
	wrong = reader_varint(reader, &count);
	return wrong != NULL ? wrong : reader_span(reader, count, &field->value);
}
