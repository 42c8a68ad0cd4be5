/* core: limits of the conversation, and what its files share. Its functions are the collide_core_ ones of collide.h. */
#ifndef COLLIDE_CLIENT_LIB_CORE_H
#define COLLIDE_CLIENT_LIB_CORE_H

#include "client/lib/batch.h"
#include "client/lib/pending.h"
#include "client/lib/request_append.h"

/* Bytes of one message from the server. Frames have about Limits.frame_bytes_max, far below this. The limit is for lengths that
 * are noise (from an HTTP server, say), which would be waited for. Over it: MALFORMED_REPLY. */
#define CORE_MESSAGE_BYTES_MAX (256u * 1024 * 1024)

/* Bytes of one frame's joined tables unless the options say otherwise: over 20 million contacts, which no honest server
 * reaches. Over it: FRAME_TOO_LARGE. */
#define CORE_FRAME_BYTES_MAX ((size_t)4 * 1024 * 1024 * 1024)

/* Bytes of space offered per read: few system calls for large frames, little memory for an idle connection. */
#define CORE_RECEIVE_BYTES ((size_t)64 * 1024)

/* An empty request of the kind. */
static inline Collide__V1__ClientMessage
core_envelope(Collide__V1__ClientMessage__RequestCase kind)
{
	Collide__V1__ClientMessage message;
	collide__v1__client_message__init(&message);
	message.request_case = kind;
	return message;
}

/* Appends `message`, which is complete but for its id, or `body` if there is one. Returns its id, 0 on failure. */
uint64_t core_begin(struct collide_core *core, Collide__V1__ClientMessage *message, const struct request_body *body,
                    struct collide_error *error);
/* Appends a message that has no reply. */
bool core_tell(struct collide_core *core, const Collide__V1__ClientMessage *message, struct collide_error *error);
/* Appends Commands, or ManyCommands if there are several. With `ask`, of one batch, it is a request: the result is its id.
 * Otherwise it has no reply, and the result is 1. 0 on failure. */
uint64_t core_batches(struct collide_core *core, const struct batch_place *places, size_t count, bool ask,
                      struct collide_error *error);

/* As collide_core_subscribe. `coded`: of COLLIDE_STREAM_COMMANDS, batches come in WorldUpdate.coded. */
uint64_t core_subscribe(struct collide_core *core, const struct collide_interest *interest, bool coded,
                        struct collide_error *error);

/* Gives a request that is under way an owner, NULL at first; and that of the request which the latest event is about. */
void core_request_own(struct collide_core *core, uint64_t request_id, void *owner);
/* Gives a Subscribe that is under way what takes its updates, part by part, before they become events. */
void core_request_follow(struct collide_core *core, uint64_t request_id, struct core_follow follow);
void *core_event_owner(const struct collide_core *core);

/* Appends a request with a large part. Returns its id, 0 on failure. core_work.c has the requests. */
uint64_t core_begin_body(struct collide_core *core, const struct request_body *body, struct collide_error *error);

#endif
