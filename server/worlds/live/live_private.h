/* live_private: what the parts of a live world share. */
#ifndef COLLIDED_WORLDS_LIVE_LIVE_PRIVATE_H
#define COLLIDED_WORLDS_LIVE_LIVE_PRIVATE_H

#include "base/arena.h"
#include "base/memory.h"
#include "worlds/clock/step_queue.h"
#include "worlds/clock/tick_clock.h"
#include "worlds/clock/tick_times.h"
#include "worlds/commands/change_log.h"
#include "worlds/commands/force_list.h"
#include "worlds/commands/owner_list.h"
#include "worlds/commands/waiting.h"
#include "worlds/history/checked_ticks.h"
#include "worlds/history/definitions.h"
#include "worlds/history/finals.h"
#include "worlds/history/journal.h"
#include "worlds/history/past.h"
#include "worlds/history/recent.h"
#include "worlds/live/draft.h"
#include "worlds/live/encoder.h"
#include "worlds/live/inbox.h"
#include "worlds/live/live_world.h"
#include "worlds/live/seat_list.h"
#include "worlds/paths/path_tick.h"
#include "worlds/rate.h"

/* Between stats that are told although nothing else is. */
#define STATS_EVERY_NS 100000000

/* Made from a scene or bytes. */
struct world_start {
	uint64_t hash;
	struct ledger ledger; /* of all below */
	struct world *world;
	struct wall_map *map; /* held; NULL: none */
	struct force_list forces;
	struct owner_list owners;
};

/* A reader that is to go over from one encoder to another. */
struct steer {
	struct steer *next;
	uint32_t from, to; /* their numbers */
	uint64_t reader;
};

/* A question about a moment that waits for its turn. */
struct moment_ask {
	struct moment_ask *next;
	struct answer *answer; /* to be told */
	uint64_t asker, round; /* the account that asks, and in which round it is answered */
	uint64_t tick;
	bool has_tick;
	double time;
};

/* Batches for ticks that have been made (LATE_RESIMULATE). */
struct late {
	struct waiting waiting; /* until the next tick is made */
	uint64_t from;          /* ticks from this one on are to be made again then; 0: none */
	struct rate ticks;      /* that may be made again */
	uint64_t remade;        /* ticks, in all */
	uint64_t tick_ns;       /* what one took of late; 0: none was made again yet */
	uint64_t present;       /* made last, while the world is before it */
	bool changed;           /* the past, since readers were told of the present */
};

/* Units (base/pause.h) of a batch that has no rows, or is refused. */
#define BATCH_UNITS 32

struct live_world {
	/* Immutable. */
	const struct worlds_limits *limits;
	const struct scene_limits *scene_limits;
	char map_name[WORLDS_NAME_BYTES_MAX + 1];
	void *owner;
	uint64_t (*cpu_ns)(void);
	/* live_encoders_end_newest and _sacrifice: batches and steps, which encoders of commands make again, need not know them. */
	bool (*end_newest)(struct live_world *world);
	bool (*sacrifice)(struct live_world *world);
	void (*long_ahead)(void);
	struct live_check_share *check_share; /* NULL: never under check */
	char check_name[WORLDS_NAME_BYTES_MAX + 1];

	/* The loop pushes, the worker takes. */
	struct inbox inbox;

	/* The worker that has the world, from here on. */
	struct ledger ledger;
	struct world_policy policy;
	uint64_t epoch;
	struct world *world; /* the engine's */
	struct wall_map *map;
	uint64_t tick;      /* made last */
	const char *failed; /* a tick could not be made: static reason. Then the engine's world can only be destroyed */
	bool past_lost;     /* and it was one made again: the history is of no use either */

	struct post *posts; /* taken and not yet seen to: for want of memory */
	struct tick_clock clock;
	struct tick_times times;
	/* Of the turn. */
	uint64_t now_ns;
	struct workspace *workspace; /* lent; NULL: none */
	const struct workers *helpers;

	struct waiting waiting;
	struct late late;
	struct seat_list seats;
	struct step_queue steps;
	struct force_list forces;
	struct owner_list owners;
	struct change_log changes;
	struct journal journal;
	struct recent_states recent;
	struct finals finals;
	struct past past;
	bool checking;                /* it is under self-check: */
	struct checked_ticks checked; /* its last ticks */
	struct live_check *check;     /* NULL: it never was */
	struct moment_ask *moments;   /* those that are asked for, by their rounds */
	uint64_t moments_round;       /* that of the last one that was begun */
	uint64_t moments_ns;          /* CPU time at which a turn began with them */
	struct arena arena;           /* for one batch */

	struct encoder *encoders;
	struct memory_spare spare;          /* set aside while something is made for readers */
	struct steer *steers, **steers_end; /* that wait for both of their encoders, oldest first */
	bool steers_left;                   /* the quantum for them was over */
	struct path_tick paths;             /* what readers of paths have */
	bool paths_kept;                    /* there are such */
	uint64_t paths_told;                /* number of the log's next entry for them */
	struct tick_observer observer;      /* all 0: none */
	bool walls_move;                    /* some segment does */
	bool fresh;                         /* it has had no turn: what takes long, the loop does not do */
	uint64_t clock_changes;             /* counts changes of clock and rate */
	uint64_t late_ns;                   /* how late the last tick began */
	uint64_t grid_hash_tick, grid_hash; /* the last one that hash_every asks for; 0: none yet */

	struct draft draft;
	bool batches_lost;        /* some seat may have */
	uint64_t batches;         /* that took effect */
	uint64_t hash_tick, hash; /* the latest hash */
	uint64_t told_ns;         /* when stats were told, */
	uint64_t told_tick;       /* and of which tick, */
	bool told_failed;         /* and whether it had failed */
	bool ended;
};

/* So much of its memory readers leave to the world: what they are told must not cost it a tick. */
#define LIVE_READERS_LEAVE_PART 8

/* What is allocated for readers from here on, until live_readers_leave, leaves that to the world. Gives what that needs. */
static inline int64_t
live_readers_enter(struct live_world *world)
{
	int64_t most = world->ledger.most;

	world->ledger.most = most - most / LIVE_READERS_LEAVE_PART;
	world->ledger.leaves = true;
	world->spare = memory_spare_set((struct memory_spare){ 0 });
	return most;
}

static inline void
live_readers_leave(struct live_world *world, int64_t most)
{
	world->ledger.most = most;
	world->ledger.leaves = false;
	(void)memory_spare_set(world->spare);
	memory_refusal_forget();
}

/* Whether the world has that memory left. */
static inline bool
live_readers_fit(const struct live_world *world)
{
	uint64_t most = (uint64_t)world->ledger.most;

	return most == 0 || ledger_used(&world->ledger) <= most - most / LIVE_READERS_LEAVE_PART;
}

/* world_start.c: without a world so far. NULL without memory. */
struct world_start *world_start_empty(uint64_t memory_bytes_max);
/* Takes the start's world, forces and owners, and what they have allocated. */
void live_start_take(struct live_world *world, struct world_start *start);

/* live_fail.c */
/* The world stands still from now on; static reason. What waits is refused. */
void live_fail(struct live_world *world, const char *reason);
extern const char live_failed_text[];

/* live_posts.c: sees to what is in the inbox, in order. False: without memory for some of it; the rest waits. */
bool live_posts_take(struct live_world *world);

/* live_snapshot.c, live_restore.c: answered. False: no memory; nothing has happened. */
bool live_snapshot(struct live_world *world, const struct post *post);
bool live_restore(struct live_world *world, struct post *post);

/* live_batches.c */
/* A batch from the loop; *post NULL: it is kept. False: no memory; nothing has happened. */
bool live_batch_add(struct live_world *world, struct post **post);
/* Those of the next tick take effect. */
void live_batches_apply(struct live_world *world);
/* All that wait are refused for that reason. False: no memory for some of it. */
bool live_batches_refuse(struct live_world *world, enum status status, const char *reason, const char *text);
/* One of the journal, in the state in which it took effect. False: no memory. */
bool live_batch_again(struct live_world *world, const struct batch *batch);
/* Decides one that has come to its turn. `late`: in a tick that is made again. False: no memory to tell it; it has taken effect
 * in vain then. *effective: it has taken effect. */
bool live_batch_decide(struct live_world *world, const struct batch *batch, bool late, bool *effective);
/* One of the journal in a tick that is made again. False: it is impossible now, and the verdict says why. */
bool live_batch_remake(struct live_world *world, const struct batch *batch, struct verdict *verdict);
/* One of a mirror, in its tick: it takes effect, or is idle. */
void live_mirrored_make(struct live_world *world, struct batch *batch);
/* The seat has one batch less that waits. */
void live_seat_step(struct live_world *world, uint32_t seat);
/* Those that there was no memory for, where none of their seat waits any more. False: no memory to tell. */
bool live_batches_lose(struct live_world *world);
/* The seat has ended: its circles belong to none once none of its batches waits. */
void live_seat_end(struct live_world *world, uint32_t seat);

/* live_encoders.c */
/* An option set that has readers, or has none any more. False: no memory. */
bool live_encoder_set(struct live_world *world, const struct post *post);
void live_key_ask(struct live_world *world, uint32_t encoder);
/* A tick was made: its rows, and updates that are due. */
void live_encoders_tick(struct live_world *world, const struct tick_report *report);
/* Keys that no due tick will bring. */
void live_encoders_flush(struct live_world *world);
/* Another state: they begin anew. */
void live_encoders_restart(struct live_world *world);
/* There is no memory for what some of them are to tell, or for any: these end with the next function. */
void live_finals_fail(struct live_world *world);
void live_encoders_fail(struct live_world *world);
/* The newest one ends, for want of memory. False: there is none. Batches call it by world->end_newest. */
bool live_encoders_end_newest(struct live_world *world);
/* For what there was no memory is to be tried once more without readers: whether there were some, which have ended. */
bool live_encoders_sacrifice(struct live_world *world); /* by world->sacrifice */
/* Those that have failed end, and the newest ones as long as the world has less memory left than readers leave to it. The loop
 * is told. */
void live_encoders_give_way(struct live_world *world);
/* From now on an allocation that would be refused ends all readers, and what is kept to answer questions. Gives what was set
 * before (memory_spare_set). */
struct memory_spare live_spare_set(struct live_world *world);
void live_encoders_finish(struct live_world *world);

/* live_walls.c: whether some segment moves, after segments have changed. */
void live_walls_look(struct live_world *world);

/* applied.c: to readers of commands. */
/* A batch has taken effect; or has not, after all. */
void live_applied_tell(struct live_world *world, const struct batch *batch);
void live_undone_tell(struct live_world *world, const struct batch *batch);
/* Circles of the seat belong to none, before the next tick. */
void live_seat_ended_tell(struct live_world *world, uint32_t seat);

/* live_steers.c */
/* A reader goes over at the next tick after which the second encoder has an update. False: no memory. */
bool live_steer_add(struct live_world *world, const struct post *post);
/* Those that can now, for a quantum; the rest later. Without memory for one it stays. `flush`: and those that no tick will
 * bring that far. */
void live_steers_make(struct live_world *world, bool flush);
/* Those of an encoder that ends; NULL: all. */
void live_steers_drop(struct live_world *world, const struct encoder *encoder);

/* live_paths.c. Without memory those that read paths have failed. */
/* Begins or ends to follow the paths, as encoders need it. */
void live_paths_follow(struct live_world *world);
/* Between a tick's commands and its step. `edited`: some have had effect, or forces act. */
void live_paths_begin(struct live_world *world, bool edited);
/* After the step. */
void live_paths_make(struct live_world *world, const struct tick_report *report);
/* Another state. */
void live_paths_restart(struct live_world *world);
void live_paths_fail(struct live_world *world);

/* live_again.c: in another world, which has the live one's place for a time (live_moment_swap). False: no memory. */
bool live_moment_restore(const struct live_world *world, const struct journal_state *state, struct world_moment *out);
/* Puts what the world is in the place of another moment. */
void live_moment_swap(struct live_world *world, struct world_moment *moment);
/* The batches of the next tick, and its forces. *batch: the next of the journal. */
bool live_batches_again(struct live_world *world, const struct batch **batch);
bool live_step_again(struct live_world *world, struct tick_report *report);
/* All ticks up to that one. */
bool live_ticks_again(struct live_world *world, const struct batch **batch, uint64_t tick);

/* live_moments.c */
/* Waits for its turn. False: no memory; nothing has happened. */
bool live_moment_ask(struct live_world *world, const struct post *post);
/* Answers what waits, for a quantum; the rest later. */
void live_moments_make(struct live_world *world);
/* Forgets what waits. */
void live_moments_drop(struct live_world *world);
/* All that wait are refused for that reason. */
void live_moments_refuse(struct live_world *world, enum status status, const char *reason, const char *text);
/* Gives back what was not asked for lately. */
void live_past_idle(struct live_world *world);

/* live_history.c */
/* Up to this tick nothing is made again. */
uint64_t live_final_tick(const struct live_world *world);
/* Whether a batch may take effect in this tick, which has been made. Counts the ticks that are to be made again for it. */
bool live_late_takes(struct live_world *world, uint64_t tick);

/* live_rollback.c */
/* Makes ticks again for those that have come late. False: the world has failed. */
bool live_rollback(struct live_world *world);

/* live_mirrored.c: of a mirror's world. */
/* A batch, or without bytes the end of a seat, for exactly that tick, which may have been made. False: no memory; nothing has
 * happened. */
bool live_mirrored_add(struct live_world *world, const struct post *post);
/* A batch that has taken effect, or waits to, has not, after all. */
void live_undo(struct live_world *world, const struct post *post);
/* Nothing up to this tick will be made again. */
void live_forget(struct live_world *world, uint64_t tick);
/* A copy of the world as it was after a tick. False: no memory, or the history does not reach back so far. */
STATUS_MUST_USE bool live_mirrored_at(struct live_world *world, uint64_t tick, struct world_moment *out);
/* The hash of the state after a tick. False: as above. */
STATUS_MUST_USE bool live_mirrored_hash(struct live_world *world, uint64_t tick, uint64_t *hash);

/* live_check.c: the self-check. */
/* Whether it is under check from now on. */
void live_check_choose(struct live_world *world);
/* A batch, or the end of a seat, takes effect in the next tick. */
void live_check_batch(struct live_world *world, const struct batch *batch);
/* There is another state: after a tick that was made again, or where it begins. */
void live_check_note(struct live_world *world);
/* The same after a new tick, which is left to be checked. */
void live_check_tick(struct live_world *world);
/* It has another past. */
void live_check_restart(struct live_world *world);
void live_check_finish(struct live_world *world);

/* live_tick.c: makes the next tick. False: the world has failed. */
bool live_tick(struct live_world *world, uint64_t late_ns);

/* live_step.c: of a new tick, or of one that is made again. False: the world has failed. */
/* Before the step. */
bool live_forces_act(struct live_world *world);
bool live_step(struct live_world *world, struct tick_report *report);
/* Circles that have ended belong to none, and nothing acts on them. False: no memory. */
bool live_ends_follow(struct live_world *world, const struct tick_report *report);
/* The hash of the present state, which becomes the latest. */
uint64_t live_hash(struct live_world *world);

#endif
