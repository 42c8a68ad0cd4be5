/* rules: what collide.proto says of a field beyond its type: how many elements, how many bytes, whether text.
 *
 * Any thread; static data. */
#ifndef COLLIDED_WIRE_RULES_H
#define COLLIDED_WIRE_RULES_H

#include "wire/wire.h"

struct wire_rule {
	uint32_t count_max; /* elements of a repeated field; UINT32_MAX: no rule */
	uint32_t bytes_max; /* of a bytes or string field, each element; UINT32_MAX: no rule */
	bool text;          /* must be UTF-8 without control characters */
};

struct wire_rule wire_rule_of(const ProtobufCMessageDescriptor *message, const ProtobufCFieldDescriptor *field,
                              const struct wire_limits *limits);

/* Whether the bytes are UTF-8 (RFC 3629: shortest forms, no surrogates, nothing over U+10FFFF) without control characters. */
bool wire_text_is_valid(const uint8_t *bytes, size_t count);

#endif
