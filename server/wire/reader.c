#include "wire/reader.h"

const char *
reader_long_varint(struct reader *reader, uint64_t *out)
{
	size_t left = reader_left(reader);
	uint64_t value = 0;

	for (size_t i = 0; i < READER_VARINT_BYTES_MAX; i++) {
		if (i == left)
			return "ends inside a varint";
		uint8_t byte = reader->at[i];
		if (i == READER_VARINT_BYTES_MAX - 1 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << (7 * i);
		if ((byte & 0x80) != 0)
			continue;
		if (i > 0 && byte == 0)
			return "has a varint that is longer than needed";
		reader->at += i + 1;
		*out = value;
		return NULL;
	}
	return "has a varint of more than 64 bits";
}

const char *
reader_tag_misfit(uint64_t tag, size_t bytes)
{
	if (bytes > WIRE_TAG_BYTES_MAX)
		return "has a field number that is too large";
	if (tag >> 3 == 0)
		return "has a field with number 0";
	return (tag & 7) == 3 || (tag & 7) == 4 ? "has a group" : "has a field of a wire type that does not exist";
}
