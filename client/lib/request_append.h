/* request_append: appends framed ClientMessages to a queue of bytes.
 *
 * One thread at a time; owns nothing. Columns are read where the caller has them and copied once, into the output. */
#ifndef COLLIDE_CLIENT_LIB_REQUEST_APPEND_H
#define COLLIDE_CLIENT_LIB_REQUEST_APPEND_H

#include "client/lib/bytes.h"
#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

/* Appends a small message. false: it is over body_bytes_max (0: only the framing's limit counts), or no memory. */
bool request_append(struct bytes *out, const Collide__V1__ClientMessage *message, uint32_t body_bytes_max,
                    struct collide_error *error);
/* A request with a large part that is packed, or copied, straight into the output. */
struct request_body {
	uint32_t field;                    /* of ClientMessage */
	const struct collide_scene *scene; /* NULL: none */
	uint32_t scene_field;              /* of the request */
	const ProtobufCMessage *rest;      /* all other fields of the request; NULL: none */
	const void *message;               /* the request itself, serialized; NULL: not given that way */
	size_t message_bytes;
};

bool request_append_body(struct bytes *out, uint64_t request_id, const struct request_body *body, uint32_t body_bytes_max,
                         struct collide_error *error);

/* The parts of which requests are made. Space for a message of body_bytes, with its length already written in front; the body
 * goes to the result. NULL: over body_bytes_max, or no memory. */
uint8_t *message_begin(struct bytes *out, size_t body_bytes, uint32_t body_bytes_max, struct collide_error *error);
/* A varint of at most 10 bytes; the result is how many it has. */
size_t varint_write(uint8_t *to, uint64_t value);
size_t varint_bytes(uint64_t value);
/* The tag and length of a field of so many bytes, which go to the result; and what all of that takes. */
uint8_t *tag_write(uint8_t *to, uint32_t field, size_t bytes);
size_t field_bytes(uint32_t field, size_t bytes);

/* Columns as protobuf-c needs them; columns_are_there (borrow.h) tells whether they can be read. */
void circles_borrow(const struct collide_circles *circles, Collide__V1__CircleColumns *out);
void segments_borrow(const struct collide_segments *segments, Collide__V1__SegmentColumns *out);

/* All of a Simulate but its scene. */
void request_simulate_fill(const struct collide_simulation *simulation, Collide__V1__Simulate *out);

/* Messages that borrow their contents. */
struct request_pairs {
	Collide__V1__Pairs pairs;
	Collide__V1__CircleColumns a, circles;
	Collide__V1__SegmentColumns segments;
};

/* false: *error says that a column has a count but no values, or that b is missing or given twice. */
bool request_pairs_fill(const struct collide_pairs *pairs, struct request_pairs *out, struct collide_error *error);

struct request_detect {
	Collide__V1__Detect detect;
	struct request_pairs pairs;
};

struct request_respond {
	Collide__V1__Respond respond;
	Collide__V1__PushOut push_out;
	Collide__V1__Bounce bounce;
	struct request_pairs pairs;
};

struct request_query {
	Collide__V1__WorldMoment moment;
	Collide__V1__Query query;
	Collide__V1__Casts casts;
	Collide__V1__InCircles in_circles;
	Collide__V1__InBoxes in_boxes;
	Collide__V1__InSegments in_segments;
	Collide__V1__Nearest nearest;
	Collide__V1__Moves moves;
	Collide__V1__Asker askers[6];
};

/* All of a Query but its scene. */
bool request_query_fill(const struct collide_questions *questions, struct request_query *out, struct collide_error *error);

/* Fill *error and return false. */
bool request_null_column(struct collide_error *error);
bool request_bad_argument(struct collide_error *error, const char *text);

/* All of a Detect but its scene. */
bool request_detect_fill(const struct collide_detection *detection, struct request_detect *out, struct collide_error *error);
bool request_respond_fill(const struct collide_response *response, struct request_respond *out, struct collide_error *error);

#endif
