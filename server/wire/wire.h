/* wire: bytes to validated messages and back. Knows protobuf, nothing of physics or sockets.
 *
 * Any thread; the arena and buffer given decide the owner. Untrusted bytes enter here: every message is first scanned without
 * allocating (tables made from the descriptors), then unpacked into an arena with a cumulative budget. */
#ifndef COLLIDED_WIRE_WIRE_H
#define COLLIDED_WIRE_WIRE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/status.h"

#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was wrong with a request. `reason` is a static stable name, `field` may be empty. */
struct wire_problem {
	enum status status;
	const char *reason;
	char field[160];
	char text[200];
	uint32_t retry_after_ms;
};

/* Fills *problem; printf-like for the text. Returns `status` for convenience. */
enum status wire_problem_set(struct wire_problem *problem, enum status status, const char *reason, const char *field,
                             const char *text_format, ...) __attribute__((format(printf, 5, 6)));

/* Reads only the envelope: the request id (0 if absent) and which request it holds, without looking inside; O(number of
 * top-level fields). For the loop, which must decide without unpacking. *field is the number of the field that holds the
 * request (COLLIDE__V1__CLIENT_MESSAGE__REQUEST_...). 0: there is none. A number that the schema does not know as a request is
 * one of a later version, as far as one can tell. false if the envelope itself is malformed. */
bool wire_request_peek(const uint8_t *bytes, size_t count, uint64_t *request_id, uint32_t *field);
/* Whether a field of ClientMessage is one of the requests of its oneof. */
bool wire_request_is_known(uint32_t field);

struct wire_limits {
	uint32_t hand_written_max; /* elements of Scene.circles and of Scene.segments */
	uint32_t circles_max;      /* rows of columns */
	uint32_t segments_max;
};

/* Scans and unpacks one ClientMessage into the arena; *out lives as long as the arena's contents. On failure *problem says
 * why: INVALID_ARGUMENT (reason MALFORMED, UNKNOWN_FIELD, FIELD_TWICE...), RESOURCE_EXHAUSTED (LIMIT or MEMORY). */
STATUS_MUST_USE enum status wire_request_unpack(struct arena *arena, const struct wire_limits *limits, const uint8_t *bytes,
                                                size_t count, const Collide__V1__ClientMessage **out,
                                                struct wire_problem *problem);

/* The same of another message's bytes, which stand in the field `path` of what was sent: "commands", say. Fields in *problem
 * begin with it. */
STATUS_MUST_USE enum status wire_message_unpack(struct arena *arena, const ProtobufCMessageDescriptor *descriptor,
                                                const struct wire_limits *limits, const char *path, const uint8_t *bytes,
                                                size_t count, const ProtobufCMessage **out, struct wire_problem *problem);

/* Appends one message with its length in front. On failure (no memory) buffer->failed is set. */
void wire_reply_append(struct buffer *buffer, const Collide__V1__ServerMessage *message);
/* Appends an Error reply. */
void wire_error_append(struct buffer *buffer, uint64_t request_id, const struct wire_problem *problem);
/* Appends what goes before the body of a reply: the length of all, the id, the tag and length of the reply's field in
 * ServerMessage (COLLIDE__V1__SERVER_MESSAGE__REPLY_...). The body, which is the same for every asker, is to follow. */
void wire_envelope_append(struct buffer *buffer, uint64_t request_id, uint32_t reply_field, size_t body_bytes);
/* Appends a Described reply but for its last bytes, which are those of wire_descriptor_set. */
void wire_described_begin(struct buffer *buffer, uint64_t request_id);

/* Where a frame's columns of bodies are in its buffer, for a caller that writes them in place: at any address, aligned or not.
 */
struct wire_body_room {
	bool turns; /* asked for: angle and spin too */
	bool tagged;
	uint8_t *id, *x, *y, *vx, *vy;
	uint8_t *angle, *spin; /* NULL unless `turns` */
	uint8_t *tag;          /* NULL unless `tagged` */
};

/* One Frame (or part) in columns, borrowed; a NULL column or a count of 0 leaves it out. Enums and flags in wire numbers. */
struct wire_frame {
	uint64_t tick;
	double time;
	uint64_t hash;
	bool more;
	size_t body_count;
	/* Not NULL: the body columns below are not looked at. Room for them is made in the buffer; untouched if there is no memory.
	 * It is to be filled with fixed32 and doubles, as they are in memory, before the buffer is used again. */
	struct wire_body_room *body_room;
	const uint32_t *body_id;
	const double *body_x, *body_y, *body_vx, *body_vy;
	const double *body_angle, *body_spin; /* NULL: left out */
	const uint64_t *body_tag;             /* the same */
	size_t contact_count;
	const uint64_t *contact_tick;
	const double *contact_time;
	const uint32_t *contact_a, *contact_b;
	const uint8_t *contact_feature, *contact_flags;
	const double *contact_values[19]; /* point_x .. b_spin_after in the order of ContactColumns fields 7..25; NULL: left out */
	size_t path_change_count;
	const uint64_t *path_tick;
	const double *path_time;
	const uint32_t *path_body;
	const uint8_t *path_kind;
	const double *path_vector_x, *path_vector_y;
	size_t shortfall_count;
	const uint64_t *shortfall_tick;
	const uint32_t *shortfall_body;
	const uint8_t *shortfall_flag;
	const double *shortfall_amount;
	size_t pair_event_count;
	const uint64_t *pair_event_tick;
	const double *pair_event_time;
	const uint8_t *pair_event_kind;
	const uint32_t *pair_event_a, *pair_event_b;
	const uint8_t *pair_event_feature;
	const double *pair_event_values[6]; /* approach_speed .. point_y in the order of PairEventColumns fields 7..12 */
	const uint64_t *pair_event_tags[2]; /* of a and b; both NULL: left out */
	size_t piece_count;                 /* Frame.paths */
	const uint64_t *piece_tick;
	const double *piece_time;
	const uint32_t *piece_body;
	const double *piece_values[6]; /* x .. ay in the order of PathColumns fields 4..9 */
	size_t moving_count;           /* Frame.moving_segments */
	const uint32_t *moving_id;
	const double *moving_values[4]; /* x1 .. y2 in the order of MovingSegmentColumns fields 2..5 */
	size_t end_count;
	const uint64_t *end_tick;
	const double *end_time;
	const uint32_t *end_body;
	const uint8_t *end_reason;
	const uint64_t *end_tag;
	const double *end_values[4];       /* x .. vy in the order of EndColumns fields 6..9 */
	const Collide__V1__Energy *energy; /* NULL: none */
	const Collide__V1__Momentum *momentum;
	uint64_t events, collisions, clusters, clips, asleep;
};

/* The hot encoder: appends a ServerMessage with this Frame, length in front; byte for byte what protobuf-c would pack. */
void wire_frame_append(struct buffer *buffer, uint64_t request_id, const struct wire_frame *frame);
/* The body of that alone, which may follow any number of envelopes. */
void wire_frame_body_append(struct buffer *buffer, const struct wire_frame *frame);
/* The body of a WorldUpdate with this frame, behind what `head` has, which has none. */
void wire_update_body_append(struct buffer *buffer, const Collide__V1__WorldUpdate *head, const struct wire_frame *frame);
/* Appends a field that is a message, to be one of those of another. */
void wire_field_append(struct buffer *buffer, uint32_t number, const ProtobufCMessage *message);
/* As wire_frame_append, of a SimulateDone. */
void wire_done_append(struct buffer *buffer, uint64_t request_id, const Collide__V1__SimulateDone *done);

/* A serialized FileDescriptorSet of collide.proto; static. */
const uint8_t *wire_descriptor_set(size_t *count);

#endif
