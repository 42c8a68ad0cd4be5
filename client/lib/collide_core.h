/* collide_core.h: the protocol without input and output. A part of collide.h, which includes it: include that.
 *
 * Requests become bytes to send, bytes received become events. */
#ifndef COLLIDE_CORE_H
#define COLLIDE_CORE_H

#ifndef COLLIDE_H
#error "include collide.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum collide_event_kind {
	COLLIDE_EVENT_NONE = 0, /* nothing until more bytes come */
	COLLIDE_EVENT_WELCOME,
	COLLIDE_EVENT_PONG,
	COLLIDE_EVENT_CANCEL_DONE,
	COLLIDE_EVENT_DESCRIBED,
	COLLIDE_EVENT_FRAME,
	COLLIDE_EVENT_SIMULATE_DONE,
	COLLIDE_EVENT_DETECTED,  /* a part; the final reply if its `more` is false */
	COLLIDE_EVENT_RESPONDED, /* the same */
	COLLIDE_EVENT_QUERIED,   /* the same */
	COLLIDE_EVENT_SNAPSHOT,  /* of a simulation, or the reply about a world; its parts have been joined */
	COLLIDE_EVENT_MAP_INFO,
	COLLIDE_EVENT_WORLD_INFO,
	COLLIDE_EVENT_WORLDS,
	COLLIDE_EVENT_ATTACHED,
	COLLIDE_EVENT_ACKS,
	COLLIDE_EVENT_DETACHED, /* the final reply to an Attach */
	COLLIDE_EVENT_DETACH_DONE,
	COLLIDE_EVENT_COMMANDS_DONE,
	COLLIDE_EVENT_STEPPED,
	COLLIDE_EVENT_WORLD_UPDATE, /* its parts have been joined */
	COLLIDE_EVENT_UNSUBSCRIBED, /* the final reply to a Subscribe */
	COLLIDE_EVENT_STEERED,
	COLLIDE_EVENT_RECORDED,
	COLLIDE_EVENT_MAP_SEGMENTS, /* part by part, up to one without more */
	COLLIDE_EVENT_DRAINING,     /* of no request: the server is about to end; worlds that are to live are to be handed over */
	COLLIDE_EVENT_ERROR,        /* the final reply to request_id, or with 0 about the whole connection */
	COLLIDE_EVENT_FAILED,       /* the input is not collide.v1, or no memory: the conversation is over */
};

struct collide_event {
	enum collide_event_kind kind;
	uint64_t request_id;
	union {
		const struct collide_welcome *welcome;
		struct {
			const void *bytes;
			size_t count;
		} data;     /* PONG's payload, DESCRIBED's schema */
		bool found; /* CANCEL_DONE, DETACH_DONE */
		const struct collide_frame *frame;
		const struct collide_done *done;
		const struct collide_detected *detected;
		const struct collide_responded *responded;
		const struct collide_queried *queried;
		const struct collide_snapshot *snapshot;
		const struct collide_map_info *map_info;
		const struct collide_world_info *world_info;
		const struct collide_worlds *worlds;
		const struct collide_attached *attached;
		const struct collide_acks *acks;
		const struct collide_detached *detached; /* DETACHED, UNSUBSCRIBED */
		const struct collide_commands_done *commands_done;
		const struct collide_stepped *stepped;
		const struct collide_world_update *world_update;
		const struct collide_steered *steered;
		const struct collide_recorded *recorded;
		const struct collide_map_segments *map_segments;
		uint32_t grace_ms;                 /* DRAINING: how long ticks go on */
		const struct collide_error *error; /* ERROR, FAILED */
	} as;
};

/* `options` may be NULL; its timeouts have no meaning here. NULL without memory. */
COLLIDE_MUST_USE struct collide_core *collide_core_create(const struct collide_options *options);
void collide_core_destroy(struct collide_core *core);

/* Each appends one request to the output and returns its id, 0 on failure. Hello comes first; it may be followed at once. */
COLLIDE_MUST_USE uint64_t collide_core_hello(struct collide_core *core, struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_ping(struct collide_core *core, const void *payload, size_t count,
                                            struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_simulate(struct collide_core *core, const struct collide_simulation *simulation,
                                                struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_detect(struct collide_core *core, const struct collide_detection *detection,
                                              struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_respond(struct collide_core *core, const struct collide_response *response,
                                               struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_query(struct collide_core *core, const struct collide_questions *questions,
                                             struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_create_map(struct collide_core *core, const struct collide_map_creation *creation,
                                                  struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_drop_map(struct collide_core *core, const char *name, struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_get_map(struct collide_core *core, const struct collide_map_key *key,
                                               struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_create_world(struct collide_core *core, const struct collide_world_creation *creation,
                                                    struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_destroy_world(struct collide_core *core, const struct collide_world_key *key,
                                                     struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_set_world(struct collide_core *core, const struct collide_world_key *key,
                                                 const struct collide_world_setting *setting, struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_list_worlds(struct collide_core *core, const struct collide_world_filter *filter,
                                                   struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_snapshot_world(struct collide_core *core, const struct collide_world_key *key,
                                                      const struct collide_world_moment *moment, struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_restore_world(struct collide_core *core, const struct collide_world_key *key,
                                                     const void *snapshot, size_t snapshot_bytes, struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_record_world(struct collide_core *core, const struct collide_world_key *key,
                                                    const struct collide_recording *recording, struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_end_recording(struct collide_core *core, const struct collide_world_key *key,
                                                     struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_fork_world(struct collide_core *core, const struct collide_world_key *key,
                                                  const struct collide_world_fork *fork, struct collide_error *error);
/* For programs that keep their own account of batches. struct collide_seat (collide_seats.h) does it for others. */
COLLIDE_MUST_USE uint64_t collide_core_attach(struct collide_core *core, const struct collide_attachment *attachment,
                                              struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_detach(struct collide_core *core, uint32_t handle, struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_step_world(struct collide_core *core, uint32_t handle, const struct collide_step *step,
                                                  struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_subscribe(struct collide_core *core, const struct collide_interest *interest,
                                                 struct collide_error *error);
/* `ask`: it is answered by COMMANDS_DONE, and the result is its request's id. Otherwise the seat's Acks tell of it, and the
 * result is 1. */
COLLIDE_MUST_USE uint64_t collide_core_commands(struct collide_core *core, const struct collide_numbers *numbers,
                                                const struct collide_batch *batch, bool ask, struct collide_error *error);
/* Another region (NULL: all) and `every` (0: as it is) for the subscription of that request. */
COLLIDE_MUST_USE uint64_t collide_core_steer(struct collide_core *core, uint64_t subscription,
                                             const struct collide_region *region, uint32_t every, struct collide_error *error);
/* Has no reply. */
COLLIDE_MUST_USE bool collide_core_credit(struct collide_core *core, uint64_t subscription, uint32_t updates,
                                          struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_cancel(struct collide_core *core, uint64_t target_request_id,
                                              struct collide_error *error);
COLLIDE_MUST_USE uint64_t collide_core_describe(struct collide_core *core, struct collide_error *error);

/* Bytes to send; valid until the next call. collide_core_sent is told how many were sent. */
const void *collide_core_output(const struct collide_core *core, size_t *count);
void collide_core_sent(struct collide_core *core, size_t count);

/* Space for received bytes, at least 64 KiB; NULL without memory. collide_core_received is told how many came. */
void *collide_core_input(struct collide_core *core, size_t *room);
void collide_core_received(struct collide_core *core, size_t count);

/* The next event in *event; false if there is none until more bytes come (event->kind is then COLLIDE_EVENT_NONE). After
 * COLLIDE_EVENT_FAILED each call gives that again: a loop is to end with it. */
bool collide_core_next(struct collide_core *core, struct collide_event *event);

/* From now on calls `record` with each whole message, its length in front: as it joins the output (`sent`), and as it is taken
 * from the input. The bytes are valid during the call, which must not call the core. NULL ends it. Written to a file one after
 * another, the messages are a recording. */
typedef void (*collide_record_fn)(void *context, bool sent, const void *bytes, size_t count);
void collide_core_record(struct collide_core *core, collide_record_fn record, void *context);

/* Bytes sent and received so far. */
void collide_core_traffic(const struct collide_core *core, uint64_t *sent, uint64_t *received);

#ifdef __cplusplus
}
#endif

#endif
