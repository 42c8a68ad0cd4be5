#include "client/load/reply_field.h"

/* Varints are least significant group first. false: cut short or over 64 bits. */
static bool
varint_read(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool
fixed_read(const uint8_t **at, const uint8_t *end, size_t count, uint64_t *value)
{
	*value = 0;
	if ((size_t)(end - *at) < count)
		return false;
	for (size_t i = 0; i < count; i++)
		*value |= (uint64_t)(*at)[i] << 8 * i;
	*at += count;
	return true;
}

bool
field_read(const uint8_t **at, const uint8_t *end, struct field *field)
{
	uint64_t tag;
	if (!varint_read(at, end, &tag) || tag >> 3 == 0)
		return false;
	field->number = tag >> 3;
	field->wire = (unsigned)(tag & 7);
	switch (field->wire) {
	case WIRE_VARINT: return varint_read(at, end, &field->value);
	case WIRE_FIXED64: return fixed_read(at, end, 8, &field->value);
	case WIRE_FIXED32: return fixed_read(at, end, 4, &field->value);
	case WIRE_BYTES:
		if (!varint_read(at, end, &field->value) || (uint64_t)(end - *at) < field->value)
			return false;
		field->bytes = *at;
		*at += field->value;
		return true;
	default: return false;
	}
}
