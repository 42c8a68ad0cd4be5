/* checked_ticks: what a self-check needs of a world's last ticks: their states in memory, and the batches that made them.
 *
 * The worker that has the world notes them. A tick that was noted is not written any more, and counted: another thread may make
 * it again while the world goes on. What is in it is charged to no world, but refused where the process has no room. Without
 * memory the ticks begin anew. */
#ifndef COLLIDED_WORLDS_HISTORY_CHECKED_TICKS_H
#define COLLIDED_WORLDS_HISTORY_CHECKED_TICKS_H

#include "physics/keep.h"
#include "physics/wall_map.h"
#include "worlds/commands/batch.h"
#include "worlds/commands/force_list.h"
#include "worlds/commands/owner_list.h"
#include "worlds/limits.h"

#include <stdatomic.h>

/* The world as bytes, from which others are made that return to its states: up to the next edit of segments. */
struct checked_base {
	atomic_uint holders;
	struct wall_map *map; /* held; NULL: none */
	size_t count;
	uint8_t snapshot[];
};

struct checked_tick;

/* Memory of ticks that no thread needs any more, of one world: as large as it takes, for the next. Freed by the last of all
 * that hold it: the world, and each tick in use. */
struct checked_spares {
	atomic_uint holders;
	_Atomic(struct checked_tick *) first; /* any thread gives, the world's takes all at once */
};

/* A tick: the batches that took effect at its start, and the state after it. */
struct checked_tick {
	atomic_uint holders;
	uint64_t tick, hash;
	struct world_kept *kept;
	struct force_list forces;
	struct owner_list owners;
	struct batch *batches; /* copies, in their order */
	struct checked_base *base;
	struct checked_spares *spares;
	struct checked_tick *next; /* among these */
};

/* A state, and the ticks after it up to one that is to be the same when they are made again. */
struct checked_span {
	struct checked_tick *ticks[WORLDS_CHECK_TICKS + 1];
};

struct checked_ticks {
	struct checked_tick *ticks[WORLDS_CHECK_TICKS + 1]; /* one after the other */
	size_t count;
	struct batch *batches, **batches_end; /* of the next tick, so far */
	struct checked_spares *spares;        /* held; NULL: there are none yet */
	struct checked_tick *unused;          /* taken from these */
	bool lost;                            /* there was no memory for one of them */
};

void checked_ticks_init(struct checked_ticks *checked);
void checked_ticks_finish(struct checked_ticks *checked);
/* Forgets all. Their memory stays for those to come. */
void checked_ticks_clear(struct checked_ticks *checked);
/* Forgets what is after a tick. */
void checked_ticks_cut(struct checked_ticks *checked, uint64_t tick);
/* A batch, or the end of a seat, takes effect in the next tick. Copies it. */
void checked_ticks_batch(struct checked_ticks *checked, const struct batch *batch);
/* After a tick. `hash`: of the world's state. */
void checked_ticks_note(struct checked_ticks *checked, struct world *world, uint64_t hash, const struct force_list *forces,
                        const struct owner_list *owners);
/* The last ticks, for another thread. NULL: there are too few, or no memory. */
struct checked_span *checked_ticks_span(const struct checked_ticks *checked);

/* Any thread. NULL is fine. */
void checked_span_free(struct checked_span *span);
struct checked_base *checked_base_hold(struct checked_base *base);
void checked_base_release(struct checked_base *base);

#endif
