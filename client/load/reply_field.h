/* reply_field: the fields of a message, one after the other, without unpacking it. Any thread; borrows the bytes. */
#ifndef COLLIDE_LOAD_REPLY_FIELD_H
#define COLLIDE_LOAD_REPLY_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct field {
	uint64_t number;
	unsigned wire;
	uint64_t value; /* of a varint; the length of bytes; the bits of a fixed field */
	const uint8_t *bytes;
};

/* Reads the field at *at, and moves *at behind it. false: it is cut short, or is none. */
bool field_read(const uint8_t **at, const uint8_t *end, struct field *field);

#endif
