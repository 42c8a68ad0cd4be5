/* live_world: a world on the server: the engine's state, and the list of batches of commands since, each with its tick (the
 * journal). Everything else follows from these two.
 *
 * It belongs to one thread at a time, which gives it turns (live_world_turn). The loop only puts posts into its inbox
 * (live_world_post), and reads the news that its turns bring. It knows no thread, socket or clock: time is an argument. So many
 * worlds, seats and readers run in one thread of a test, from one seed (tests/worlds).
 *
 * A turn takes the inbox, then makes at most one tick that is due by the server's clock, or ticks that POST_STEP asked for, up
 * to LIVE_WORLD_TURN_NS of CPU time. A tick begins with its batches, in their order, each as a whole or not at all, and with
 * forces. Then come world_step and the journal, now and then a state for the history, and updates of encoders that have one
 * due. Long work in it asks base/pause.h; nothing is ever given up for it, so the question must answer false.
 *
 * What can go wrong: a batch that cannot be is refused alone. A tick that cannot be made fails the world: it stands, answers,
 * and can be given another state. Without memory for the outcome of a batch the world fails as well. What readers are
 * told must not have holes: without memory for it they end, and the world goes on. They leave an eighth of its memory to it,
 * and give theirs up within a tick that needs it (live_encoders.c). What the engine itself keeps for reports of paths stays
 * until the tick is over. */
#ifndef COLLIDED_WORLDS_LIVE_LIVE_WORLD_H
#define COLLIDED_WORLDS_LIVE_LIVE_WORLD_H

#include "base/memory.h"
#include "physics/physics.h"
#include "physics/wall_map.h"
#include "scene/scene.h"
#include "worlds/news.h"
#include "worlds/policy.h"
#include "worlds/post.h"

/* CPU time after which a turn that makes ticks for POST_STEP ends, to be continued in the next: a quantum. */
#define LIVE_WORLD_TURN_NS 1000000

struct live_world;
struct live_check_share;

/* Where a world begins, or goes on from: made by any worker from a Scene or a snapshot's bytes, before the world is there. */
struct world_start;

/* Of a CreateWorld's scene. `map`: held by the start from then on; NULL: none. Problems name their field from `path` down. */
STATUS_MUST_USE enum status world_start_scene(struct arena *arena, const Collide__V1__Scene *scene,
                                              const struct scene_limits *limits, struct wall_map *map, const char *path,
                                              struct world_start **out, struct wire_problem *problem);
/* What bytes of SnapshotWorld (a WorldState), or of an engine's snapshot, say before anything is made of them. That is the map
 * that they need ("": none), and dt (0: an engine's snapshot has none). The handover (NULL: none) lives in the arena. The bytes
 * may be anything. */
struct start_bytes {
	char map[WORLDS_NAME_BYTES_MAX + 1];
	uint64_t map_hash;
	double dt;
	const Collide__V1__Handover *handover;
};
STATUS_MUST_USE enum status start_bytes_read(struct arena *arena, const uint8_t *bytes, size_t count, const char *path,
                                             struct start_bytes *out, struct wire_problem *problem);
/* Of such bytes. */
STATUS_MUST_USE enum status world_start_bytes(struct arena *arena, const uint8_t *bytes, size_t count,
                                              const struct scene_limits *limits, struct wall_map *map, const char *path,
                                              struct world_start **out, struct wire_problem *problem);
void world_start_destroy(struct world_start *start);
/* Its circles belong to no seat. */
void world_start_disown(struct world_start *start);
/* Bytes that it holds. */
size_t world_start_memory_bytes(const struct world_start *start);
uint64_t world_start_tick(const struct world_start *start);
size_t world_start_circles(const struct world_start *start);
size_t world_start_segments(const struct world_start *start);
/* The least id above those of all circles; 2^32: none is left. */
uint64_t world_start_id_next(const struct world_start *start);

struct live_world_options {
	const struct worlds_limits *limits; /* borrowed, as all here */
	const struct scene_limits *scene_limits;
	struct world_policy policy;
	uint64_t epoch;
	const char *map_name;                 /* "": none; copied */
	const char *name;                     /* of the world; copied: what a self-check tells it by */
	void *owner;                          /* for the loop: news.owner */
	uint64_t base_ns;                     /* when the first tick is due, by the server's clock */
	uint64_t (*cpu_ns)(void);             /* CPU time of this thread, to measure ticks by */
	void (*long_ahead)(void);             /* what this turn does next takes long; NULL: nothing has to know */
	struct live_check_share *check_share; /* which worlds are under self-check (live_check.h); NULL: none */
};

/* Takes the start. NULL without memory: the start is the caller's still. */
struct live_world *live_world_create(const struct live_world_options *options, struct world_start *start);
/* How it is. No turn is under way. */
void live_world_stats(struct live_world *world, struct world_stats *stats);
/* With what is in its inbox. No turn is under way. */
void live_world_destroy(struct live_world *world);

/* A post, all 0 but for its kind and count, charged to none. NULL without memory. */
struct post *post_create(enum post_kind kind, size_t count);
/* With what it holds. NULL is fine. */
void post_free(struct post *post);
/* Any one thread (the loop); takes the post. */
void live_world_post(struct live_world *world, struct post *post);
/* Whether posts wait. Any thread. */
bool live_world_has_post(const struct live_world *world);

/* What looks at each new tick from within: not at those that are made again. The engine's world is not to be changed. */
struct tick_observer {
	/* Between the tick's commands and its step. `edited`: definitions or places may be others than after the step before. */
	void (*begun)(void *context, const struct world *world, bool edited);
	/* After it. The report is valid during the call. */
	void (*made)(void *context, struct world *world, const struct tick_report *report);
	void *context;
};

/* From the next tick on, with reports of `events` (bits of enum world_event) besides those of its policy. No turn is under way.
 * False: no memory for reports. */
STATUS_MUST_USE bool live_world_observe(struct live_world *world, const struct tick_observer *observer, unsigned events);

/* What is to be done with a world after its turn. */
enum turn_next {
	TURN_REST,  /* nothing, until there is a post that wants a turn */
	TURN_AT,    /* its next tick is due then */
	TURN_SOON,  /* it has more to do now, beside others */
	TURN_ENDED, /* after POST_END */
};

struct live_turn {
	enum turn_next next;
	uint64_t due_ns;   /* of TURN_AT; may have passed already: a tick to catch up */
	struct news *news; /* NULL: it brought nothing to tell */
};

/* One turn at the time now_ns. `workspace` is lent for it and not touched afterwards; NULL: the world's own memory. `helpers`:
 * as world_workers_set; NULL: none. The world enters its own ledger (base/memory.h) for the turn. */
struct live_turn live_world_turn(struct live_world *world, uint64_t now_ns, struct workspace *workspace,
                                 const struct workers *helpers);

#endif
