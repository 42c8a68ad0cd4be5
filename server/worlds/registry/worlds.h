/* worlds: all worlds on the server: their names, secrets, seats and readers. The loop's side of what server/worlds/live ticks.
 *
 *     session -- worlds_attach, worlds_batch, ... --> registry -- posts --> live world, on its worker
 *     session <- struct worlds_upward --------------- registry <- news ---- its turns
 *
 * Loop only, but for maps (map_store.h). It knows no socket, thread or clock: above is struct worlds_upward, what replies go
 * to; outside is struct worlds_host, what gives live worlds their turns. So all of it runs in one thread of a test, from one
 * seed.
 *
 * A world ends when it is destroyed, or unused for its policy's time. Its entry is gone with its live world's last news. An
 * entry owns its seats and subscriptions; a client (struct worlds_client, one a connection) has lists of those that are its
 * own.
 *
 * Functions that return a status either have given a reply, or will, or return why not in *problem. Without memory a reply may
 * be missing; then the session ends the connection, since a conversation must have no hole. */
#ifndef COLLIDED_WORLDS_REGISTRY_WORLDS_H
#define COLLIDED_WORLDS_REGISTRY_WORLDS_H

#include "base/shared_bytes.h"
#include "scene/scene.h"
#include "wire/commands_peek.h"
#include "worlds/live/live_world.h"
#include "worlds/registry/map_store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The outside. No function calls back into the registry. */
struct worlds_host {
	/* The world gets turns from now on, the first one soon: as work of the account, if it is no due tick. Gives what the next
	 * two know it by; NULL without memory, and nothing has happened. After the turn that ends it, the host destroys it. */
	void *(*start)(void *context, struct live_world *world, void *account);
	/* It has a post that is not to wait for its next tick. */
	void (*want)(void *task);
	/* So much CPU time a second is reserved for its due ticks. */
	void (*reserve)(void *task, uint64_t ns_per_s);
	/* What a turn that was due has cost on average, of late, with all that is around it; 0: it is not known. */
	uint64_t (*turn_ns)(void *task);
	/* When its first tick is to be due, so that those of many worlds are spread: after now_ns, by no more than one tick. */
	uint64_t (*first_due_ns)(void *task, uint32_t tick_hz, uint64_t now_ns);
	uint64_t (*now_ns)(void);
	uint64_t (*cpu_ns)(void); /* of the calling thread */
	void (*long_ahead)(void); /* within a turn: what follows takes long, so that others' ticks are to go first; may be NULL */
	void (*random)(uint8_t *out, size_t count);
	uint32_t cores; /* that tick worlds */
	void *context;
};

/* What a host says of a recording, for its log. */
struct recording_line {
	const char *world, *file; /* world "": it has ended */
	uint64_t epoch, first_tick, tick, bytes;
	const char *ended; /* the reason; NULL: it has begun */
	const char *text;  /* what the system says, or "" */
};

/* Where recordings go: files that are written beside the loop. `recording` is what worlds_on_file is given. `open` is NULL if
 * there are none. No function waits for a disk, and none calls back into the registry. */
struct worlds_files {
	/* A new file of a name that is good (recordings.c), charged to the account. What becomes of it comes by worlds_on_file.
	 * NULL without memory. */
	void *(*open)(void *context, const char *name, const void *account, void *recording);
	/* At its end: `front`, at most WORLDS_FILE_FRONT_BYTES_MAX, and the block, of which a hold is taken. False: no memory. */
	bool (*append)(void *file, const uint8_t *front, size_t front_count, struct shared_bytes *block);
	/* Bytes that were given and are not written. */
	uint64_t (*waiting)(void *file);
	/* Once all is written the file ends. Not to be used any more. */
	void (*close)(void *file);
	void (*tell)(void *context, const struct recording_line *line);
	void *context;
};

/* Upward: what becomes of replies, and what is charged. `client` and `account` are what worlds_client_init was given. */
struct worlds_upward {
	/* One reply, to be sent with others when the loop is through. `final`: the request is over. */
	void (*reply)(void *client, const Collide__V1__ServerMessage *message, bool final);
	/* The same from bytes that others get too. `field`: of the reply in ServerMessage. Its body is `front`, then the block, of
	 * which the callee takes a hold of its own if it needs one. */
	void (*reply_shared)(void *client, uint64_t request_id, uint32_t field, const uint8_t *front, size_t front_count,
	                     struct shared_bytes *block);
	/* To worlds_moment: its space, held by the callee from then on; or NULL, and why. */
	void (*moment)(void *client, uint64_t request_id, struct shared_space *space, const struct wire_problem *problem);
	/* To worlds_fork: the bytes of its state, of which the callee takes a hold of its own; or NULL, and why. */
	void (*state)(void *client, uint64_t request_id, struct shared_bytes *state, const struct wire_problem *problem);
	/* A final reply: an Error. */
	void (*refuse)(void *client, uint64_t request_id, const struct wire_problem *problem);
	/* Something that was promised cannot be said for want of memory: the conversation ends, as it must have no hole. */
	void (*fail)(void *client);
	/* Bytes that the client's system has not taken. */
	size_t (*waiting)(void *client);
	/* Whether the client may be sent more now: little waits for it. */
	bool (*has_room)(void *client);
	void (*account_hold)(void *account);
	void (*account_release)(void *account);
	void (*account_charge)(void *account, uint64_t before_bytes, uint64_t bytes);
	/* Whether the account may take so many bytes more; else the problem says why not. */
	enum status (*account_check)(const void *account, uint64_t bytes, struct wire_problem *problem);
};

struct worlds_options {
	struct worlds_limits limits;
	const struct scene_limits *scene_limits; /* borrowed */
	struct worlds_host host;
	const struct worlds_upward *upward;
	struct worlds_files files;
	struct map_store *maps;
	struct live_check_share *check_share; /* which of them are under self-check (live_check.h); NULL: none. Borrowed */
	uint64_t epoch_first;                 /* another for each process that ever ran: its instance_id, say */
};

struct worlds;

struct worlds_limits worlds_limits_default(void);
/* NULL without memory. */
struct worlds *worlds_create(const struct worlds_options *options);
/* Every live world has ended or is not given turns any more: what is left of them, the host destroys. NULL is fine. */
void worlds_destroy(struct worlds *worlds);

/* Any thread. */
struct map_store *worlds_maps(const struct worlds *worlds);

/* The part of a connection that has to do with worlds; the caller's memory. */
struct worlds_client {
	struct worlds *worlds;
	void *context, *account;
	struct seat **seats; /* ascending by handle: each batch of a message finds one */
	size_t seat_count, seat_room;
	struct subscription *subscriptions;
	struct ask *asks;            /* requests that a world has yet to answer */
	struct delivery *deliveries; /* snapshots of which parts are yet to be sent, oldest first */
	/* Updates that the client's system may not have taken yet (sendings.c); in a list while there are any. */
	struct worlds_client *next_sending;
	struct sending *sendings;
	size_t sending_count, sending_room;
	size_t ask_count;     /* of both */
	size_t record_count;  /* of these, Record and EndRecord */
	size_t done_count;    /* CommandsDone that are yet to be sent */
	size_t lasting_count; /* of seats and subscriptions */
	uint32_t handle_next;
};

void worlds_client_init(struct worlds_client *client, struct worlds *worlds, void *context, void *account);
/* What was told so far has been sent, as far as systems took it (struct worlds_upward.waiting): the delays of those that they
 * took whole are counted. */
void worlds_on_sent(struct worlds *worlds);
/* The connection is gone. Seats stay for their time. */
void worlds_client_gone(struct worlds_client *client);
/* Whether it has a request under way with this id, one that lasts among them. */
bool worlds_client_has_request(struct worlds_client *client, uint64_t request_id);
/* Ends that request: with Detached, and the seat stays for its time; with Unsubscribed; or with an Error CANCELLED. False:
 * there is none. */
bool worlds_client_cancel(struct worlds_client *client, uint64_t request_id);
/* Requests that will have a reply soon, apart from those that last. */
size_t worlds_client_asks(const struct worlds_client *client);
/* Of these the ones that count in Limits.requests_in_flight_max: batches of commands have a limit of their own. */
size_t worlds_client_in_flight(const struct worlds_client *client);
/* Sends on what waits for room (has_room). True: there is more, and room for it; to be called again soon. */
bool worlds_client_deliver(struct worlds_client *client);
/* Whether it has seats or subscriptions, or its account has worlds. */
bool worlds_client_lasts(const struct worlds_client *client);
/* Whether it has subscriptions, for which bytes may wait that do not stop its commands. */
bool worlds_client_reads(const struct worlds_client *client);

/* ---- CreateWorld and CreateMap: made by a worker, entered by the loop. */

/* What a worker has made of a CreateWorld. */
struct world_wish;
/* On a worker. Problems name their fields. */
STATUS_MUST_USE enum status world_wish_create(const struct worlds *worlds, const Collide__V1__CreateWorld *message,
                                              struct arena *arena, struct world_wish **out, struct wire_problem *problem);
void world_wish_destroy(struct world_wish *wish);
size_t world_wish_memory_bytes(const struct world_wish *wish);
/* On the loop: enters the world, or finds the one of the same ticket; appends a WorldInfo with its secrets to `out`. Takes of
 * the wish what it needs; the caller destroys the rest. */
STATUS_MUST_USE enum status worlds_add(struct worlds *worlds, void *account, struct world_wish *wish, uint64_t request_id,
                                       struct buffer *out, struct wire_problem *problem);

/* The same of ForkWorld, in three steps. A worker reads the message; the loop asks the world for its state, which comes by
 * struct worlds_upward.state; a worker makes the new world of it. Then worlds_add enters it. */
STATUS_MUST_USE enum status fork_wish_create(const Collide__V1__ForkWorld *message, struct world_wish **out,
                                             struct wire_problem *problem);
STATUS_MUST_USE enum status worlds_fork(struct worlds_client *client, uint64_t request_id, struct world_wish *wish,
                                        struct wire_problem *problem);
void fork_wish_give(struct world_wish *wish, struct shared_bytes *state);
bool fork_wish_has_state(const struct world_wish *wish);
STATUS_MUST_USE enum status fork_wish_make(const struct worlds *worlds, struct world_wish *wish, struct wire_problem *problem);

/* The same of RestoreWorld: the reply comes later, to the client. */
struct restore_wish;
STATUS_MUST_USE enum status restore_wish_create(const struct worlds *worlds, const Collide__V1__RestoreWorld *message,
                                                struct arena *arena, struct restore_wish **out, struct wire_problem *problem);
void restore_wish_destroy(struct restore_wish *wish);
size_t restore_wish_memory_bytes(const struct restore_wish *wish);
STATUS_MUST_USE enum status worlds_restore(struct worlds_client *client, struct restore_wish *wish, uint64_t request_id,
                                           struct wire_problem *problem);

/* ---- Answered on the loop. */

STATUS_MUST_USE enum status worlds_end(struct worlds_client *client, uint64_t request_id,
                                       const Collide__V1__DestroyWorld *message, struct wire_problem *problem);
STATUS_MUST_USE enum status worlds_set(struct worlds_client *client, uint64_t request_id, const Collide__V1__SetWorld *message,
                                       struct wire_problem *problem);
STATUS_MUST_USE enum status worlds_list(struct worlds_client *client, uint64_t request_id,
                                        const Collide__V1__ListWorlds *message, struct wire_problem *problem);
STATUS_MUST_USE enum status worlds_drop_map(struct worlds_client *client, uint64_t request_id,
                                            const Collide__V1__DropMap *message, struct wire_problem *problem);
STATUS_MUST_USE enum status worlds_snapshot(struct worlds_client *client, uint64_t request_id,
                                            const Collide__V1__SnapshotWorld *message, struct wire_problem *problem);
STATUS_MUST_USE enum status worlds_attach(struct worlds_client *client, uint64_t request_id, const Collide__V1__Attach *message,
                                          struct wire_problem *problem);
STATUS_MUST_USE enum status worlds_detach(struct worlds_client *client, uint64_t request_id, const Collide__V1__Detach *message,
                                          struct wire_problem *problem);
STATUS_MUST_USE enum status worlds_step(struct worlds_client *client, uint64_t request_id,
                                        const Collide__V1__StepWorld *message, struct wire_problem *problem);
/* The shapes of a world at a moment, for a request of the client that goes on with them: it is told by struct
 * worlds_upward.moment. */
STATUS_MUST_USE enum status worlds_moment(struct worlds_client *client, uint64_t request_id,
                                          const Collide__V1__WorldMoment *message, struct wire_problem *problem);
/* A request that waits for its moment, or for the state of a fork, has ended: it is not told any more. */
void worlds_forget(struct worlds_client *client, uint64_t request_id);
STATUS_MUST_USE enum status worlds_subscribe(struct worlds_client *client, uint64_t request_id,
                                             const Collide__V1__Subscribe *message, struct wire_problem *problem);
STATUS_MUST_USE enum status worlds_steer(struct worlds_client *client, uint64_t request_id, const Collide__V1__Steer *message,
                                         struct wire_problem *problem);
/* Of a subscription that is not there any more: nothing happens. */
void worlds_credit(struct worlds_client *client, const Collide__V1__Credit *message);

STATUS_MUST_USE enum status worlds_record(struct worlds_client *client, uint64_t request_id, const Collide__V1__Record *message,
                                          struct wire_problem *problem);
STATUS_MUST_USE enum status worlds_end_record(struct worlds_client *client, uint64_t request_id,
                                              const Collide__V1__EndRecord *message, struct wire_problem *problem);

/* One batch, as its message says and not unpacked; request_id 0: Acks tell. What is wrong with it is an outcome of its seat.
 * Otherwise than STATUS_OK: there is no such handle, or no memory. */
STATUS_MUST_USE enum status worlds_batch(struct worlds_client *client, uint64_t request_id, const struct commands_peek *batch,
                                         struct wire_problem *problem);

/* ---- From outside. */

/* News of turns, oldest first; takes them. */
void worlds_on_news(struct worlds *worlds, struct news *news);
/* What became of the file of a recording. It begins once, if it does, and ends once, after which `recording` is gone. */
struct worlds_file_news {
	bool ended;
	const char *reason; /* static. Of an end: NULL: whole, as it was closed. NAME_TAKEN, RECORD_BYTES, RECORD_FILES or DISK */
	const char *text;   /* what the system says; borrowed; "": nothing */
	uint64_t bytes;     /* in it */
};
void worlds_on_file(void *recording, const struct worlds_file_news *news);
/* All recordings end: their files are closed. What becomes of them is still to be told, and after that worlds are destroyed. */
void worlds_close_files(struct worlds *worlds);
/* Every 100 ms or so: what has been unused for its time ends; readers that have caught up get a key. */
void worlds_on_time(struct worlds *worlds);
/* No new worlds from now on. */
void worlds_drain(struct worlds *worlds);
/* All worlds end. */
void worlds_end_all(struct worlds *worlds);
size_t worlds_count(const struct worlds *worlds);
/* Whether some have yet to end: they have had no last turn, or its news have not come. */
bool worlds_are_ending(const struct worlds *worlds);

#endif
