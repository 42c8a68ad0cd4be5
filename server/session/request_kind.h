/* request_kind: the table of the kinds of requests, one row for each field of the oneof in ClientMessage.
 *
 * All that depends on the kind is in its row; everything else asks the row. Immutable, any thread. A field without a row is
 * refused (UNKNOWN_REQUEST), and tests/session/test_session_kinds.c fails. */
#ifndef COLLIDED_SESSION_REQUEST_KIND_H
#define COLLIDED_SESSION_REQUEST_KIND_H

#include "base/arena.h"
#include "wire/wire.h"

struct request;
struct session;

struct request_kind {
	const char *name; /* "SIMULATE", in counters */

	/* Not NULL: the loop answers it at once, while workers may all be busy. The message is gone afterwards. */
	void (*answer)(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *message);

	/* The same of what the loop only looks at from outside, and does not unpack; `bytes` are those of the whole message. */
	void (*receive)(struct session *session, uint64_t request_id, const uint8_t *bytes, size_t count);
	bool may_lack_id; /* request_id may be 0: it has no reply of its own */

	/* Else it is a job for a worker, with a deadline of the client's choice unless these are NULL. */
	const char *deadline_field; /* as an Error names it: "simulate.deadline_ms" */
	uint32_t (*deadline_ms)(const Collide__V1__ClientMessage *message);

	/* What the worker does, in one of two ways. The message is gone afterwards. Otherwise than STATUS_OK: request->problem
	 * says why, and nothing else is left behind. */

	/* 1. The whole reply in one step, appended to request->out: for what takes no longer than reading the message and its
	 * Scene does. A deadline is looked at before it, not within. */
	enum status (*reply)(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena);

	/* 2. Slice by slice (request_work.h). `create` makes request->work of the message. */
	enum status (*create)(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena);
	/* One slice of replies into request->out; sets request->finished with the final reply. */
	void (*run)(struct request *request);
	/* Not NULL: `run` only finishes it, and what the work is made for is done on the loop, for a session that is there. Appends
	 * the final reply to request->out, or has it come later, in which case nothing is appended. Otherwise than STATUS_OK:
	 * request->problem says why. */
	enum status (*enter)(struct session *session, struct request *request);
	/* Not NULL: asked on the loop after each slice that is not the last. True: the work waits for something from elsewhere,
	 * which is asked for. session_wake goes on with it. */
	bool (*waits)(struct session *session, struct request *request);
	/* Of the work. */
	void (*release)(void *work);
	size_t (*memory_bytes)(const void *work);
};

/* What the front of a message says, before its body is looked at. */
struct request_envelope {
	uint64_t id;
	uint32_t field; /* of the oneof in ClientMessage */
	const struct request_kind *kind;
};

/* The row of a field of ClientMessage; NULL: it is not a request that this server knows. */
const struct request_kind *request_kind_find(uint32_t field);

#endif
