/* limits: the fixed bounds of what the wire layer accepts and of what it is built for. Those that a server may configure are
 * in struct wire_limits (wire/wire.h); all that a client can meet are announced in collide.proto. */
#ifndef COLLIDED_WIRE_LIMITS_H
#define COLLIDED_WIRE_LIMITS_H

/* Fields of one ClientMessage, at any depth, that its schema does not have. Enough for the few settings that a newer client
 * may add; each costs an allocation on unpacking. Over it: INVALID_ARGUMENT, UNKNOWN_FIELD. */
#define WIRE_UNKNOWN_FIELDS_MAX 8
/* Bytes of a tag. Four hold field numbers below 2^25, far beyond the schema's. Over it: INVALID_ARGUMENT, MALFORMED. */
#define WIRE_TAG_BYTES_MAX 4
/* Messages inside each other: ClientMessage, Simulate, Scene, CircleColumns. A test proves it from the descriptors. */
#define WIRE_DEPTH_MAX 4
/* Fields of one message type, so that a 64-bit set remembers which were seen. A test proves it from the descriptors. */
#define WIRE_FIELDS_MAX 40
/* Bytes of the struct of one message, so that a set of fixed size remembers which oneofs were seen. A test proves it. */
#define WIRE_MESSAGE_BYTES_MAX 1024

/* Bytes and elements that collide.proto states for a field. Over one: RESOURCE_EXHAUSTED, LIMIT. */
#define WIRE_CLIENT_NAME_BYTES_MAX 128 /* a name and a version go to the log */
#define WIRE_CLIENT_VERSION_BYTES_MAX 128
#define WIRE_TOKEN_BYTES_MAX 1024 /* room for a signed token */
#define WIRE_FEATURES_MAX 16      /* elements; far more than version 1 has (none) */
#define WIRE_FEATURE_BYTES_MAX 64 /* a name */
#define WIRE_IGNORED_MAX 64u      /* ids of a Query's lists, each: looked through for every shape that comes into question */
#define WIRE_RELATIONS_MAX 2080u  /* of a Scene: pairs of 64 groups */
#define WIRE_PING_BYTES_MAX 64    /* a clock and a counter; more would make the loop copy for nothing */

#endif
