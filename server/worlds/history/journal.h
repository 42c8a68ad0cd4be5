/* journal: the batches that took effect since the oldest state that a world keeps, and these states. From both every tick since
 * can be made again, bit for bit.
 *
 * The worker that has the world. Owns both. Cut where no tick that may be asked for needs it, and where it would be too large.
 * States are snapshots, packed if they are small. For 64 circles they take an eighth of the memory of those of keep.h, and no
 * edit of segments makes them useless. */
#ifndef COLLIDED_WORLDS_HISTORY_JOURNAL_H
#define COLLIDED_WORLDS_HISTORY_JOURNAL_H

#include "physics/wall_map.h"
#include "worlds/commands/batch.h"
#include "worlds/commands/force_list.h"
#include "worlds/commands/owner_list.h"

/* The state after a tick. */
struct journal_state {
	uint64_t tick;
	bool in_map;        /* its snapshot is without the walls of the map */
	bool packed;        /* packed_rows.h */
	size_t whole_bytes; /* of the snapshot */
	uint8_t *snapshot;
	size_t count, capacity;
	struct force_list forces;
	struct owner_list owners;
};

/* A world at some tick, with what belongs to it. */
struct world_moment {
	uint64_t tick;
	struct world *world;
	struct force_list forces;
	struct owner_list owners;
};

struct journal {
	uint32_t history_ticks; /* that may be asked for; 0: nothing is kept */
	uint32_t keep_every;
	size_t bytes_max; /* of batches */
	struct batch *first, **end;
	size_t bytes;
	struct journal_state **states; /* ascending by tick */
	size_t state_count, state_capacity;
	struct journal_state *spare; /* dropped last: the next one uses its memory */
};

void journal_init(struct journal *journal, uint32_t history_ticks, size_t bytes_max);
void journal_finish(struct journal *journal);
/* Forgets all: the world has another past. */
void journal_clear(struct journal *journal);
/* Whether batches are kept. */
bool journal_keeps(const struct journal *journal);
/* Takes a batch that has taken effect; frees it if nothing is kept. */
void journal_add(struct journal *journal, struct batch *batch);
/* After a tick: keeps the state, if it is time. Without memory the history is shorter. */
void journal_keep(struct journal *journal, const struct world *world, const struct force_list *forces,
                  const struct owner_list *owners);
/* After each new tick: cuts, then the same. */
void journal_tick(struct journal *journal, const struct world *world, const struct force_list *forces,
                  const struct owner_list *owners);
/* The latest state at or before the tick, and in *batches the first batch after it. NULL: the history does not reach back so
 * far. */
const struct journal_state *journal_find(const struct journal *journal, uint64_t tick_now, uint64_t tick,
                                         const struct batch **batches);
/* Forgets what only ticks up to this one need. */
void journal_forget(struct journal *journal, uint64_t tick);
/* Forgets states after a tick: it is made again. */
void journal_cut_after(struct journal *journal, uint64_t tick);

/* Goes through the batches after a tick, in the order in which they take effect, and changes them. */
struct journal_cursor {
	struct journal *journal;
	struct batch **link;
};
struct journal_cursor journal_cursor_after(struct journal *journal, uint64_t tick);
/* The batch that it is at; NULL: it is at the end. */
struct batch *journal_cursor_batch(const struct journal_cursor *cursor);
void journal_cursor_pass(struct journal_cursor *cursor);
/* Takes out the batch that it is at, which is the caller's then. */
struct batch *journal_cursor_take(struct journal_cursor *cursor);
/* Puts one in where it is, and passes it. */
void journal_cursor_put(struct journal_cursor *cursor, struct batch *batch);

/* Makes a world of a state; `map`: the one that it was in. False without memory. */
STATUS_MUST_USE bool journal_state_restore(const struct journal_state *state, struct wall_map *map, struct world_moment *out);
void world_moment_finish(struct world_moment *moment);

#endif
