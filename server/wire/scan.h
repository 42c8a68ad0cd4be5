/* scan: reads a whole message without allocating and decides whether it may be unpacked.
 *
 * Any thread. Driven by protobuf-c's descriptors and the rules of collide.proto, so a new field needs no code here. What
 * passes costs the unpacker memory in proportion to its bytes, and the unpacker cannot fail on it for want of form. What can
 * go wrong is in the problem: MALFORMED, WRONG_TYPE, UNKNOWN_FIELD, FIELD_TWICE, BAD_FIELD (all INVALID_ARGUMENT), LIMIT
 * (RESOURCE_EXHAUSTED). */
#ifndef COLLIDED_WIRE_SCAN_H
#define COLLIDED_WIRE_SCAN_H

#include "wire/wire.h"

enum scan_depth {
	SCAN_WHOLE,    /* look into every sub-message */
	SCAN_ENVELOPE, /* only the top-level fields: O(their number), which is small in anything accepted */
};

STATUS_MUST_USE enum status wire_scan(const ProtobufCMessageDescriptor *message, const struct wire_limits *limits,
                                      enum scan_depth depth, const uint8_t *bytes, size_t count, struct wire_problem *problem);

#endif
