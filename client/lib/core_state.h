/* core_state: what is in a collide_core, for the files that make it up: core.c (requests, bytes), core_events.c and
 * core_world_events.c (replies). */
#ifndef COLLIDE_CLIENT_LIB_CORE_STATE_H
#define COLLIDE_CLIENT_LIB_CORE_STATE_H

#include "client/lib/bytes.h"
#include "client/lib/collide.h"
#include "client/lib/part.h"
#include "client/lib/pending.h"
#include "client/lib/world_view.h"
#include "collide/v1/collide.pb-c.h"

struct core_texts {
	char client_name[128], client_version[128]; /* of the greatest length that the protocol allows */
};

struct collide_core {
	struct core_texts texts;
	uint8_t *token;
	size_t token_bytes;
	size_t frame_bytes_max;
	struct bytes input, output;
	uint64_t bytes_sent, bytes_received;
	uint64_t last_request_id;
	struct pending_table pending;
	bool failed;
	collide_record_fn record; /* may be NULL */
	void *record_context;

	/* What the latest event points to. */
	Collide__V1__ServerMessage *message;
	struct pending *finished;
	void *event_owner; /* of the request that it is about; NULL: none */
	struct collide_welcome welcome;
	struct collide_done done;
	struct part_view part;
	struct world_view world;
	struct collide_error error;
};

/* The bit of a kind of request. */
#define REQUEST_BIT(kind) (UINT64_C(1) << COLLIDE__V1__CLIENT_MESSAGE__REQUEST_##kind)

/* How a kind of reply is handled. */
struct reply_kind {
	uint64_t answers; /* bits: kinds of requests */
	bool in_parts;    /* more may follow, and `event` ends the request; otherwise this one does */
	/* Turns core->message into an event. false: there is none. */
	bool (*event)(struct collide_core *core, struct pending *pending, struct collide_event *event);
};

/* Turns core->message, a whole message, into an event. false: there is none. */
bool event_from_message(struct collide_core *core, struct collide_event *event);
/* NULL: this kind is not one about worlds. */
const struct reply_kind *world_reply_find(Collide__V1__ServerMessage__ReplyCase reply);

/* Both end the conversation, and are true: the first with core->error, which the caller has set. */
bool event_failed(struct collide_core *core, struct collide_event *event);
bool event_malformed(struct collide_core *core, struct collide_event *event, const char *what);
/* What became of a part of `what`: true if *event is the end of the conversation. false: it is whole, or more follows. */
bool event_of_part(struct collide_core *core, enum merge_result result, const char *what, struct collide_event *event);
/* Keeps the request's memory until the next event: this one may point into it. */
void pending_finish(struct collide_core *core, struct pending *pending);

#endif
