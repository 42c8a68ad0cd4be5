/* keep: states of a world that stay in memory and are returned to: for rollback, prediction and search.
 *
 * A kept state is what a snapshot has, and what the next tick is fast by: the cells, the schedule, the sums of the ledgers. It
 * belongs to one world, and those that became its twins; to all others it is of no use: a snapshot is for that. To keep and to
 * return copy some memory and compute nothing. A world that was returned goes on with the same bits as if it had never gone on:
 * hashes, contacts, paths, ledgers.
 *
 * One thread at a time, that of the world. A kept state may outlive its world: then it can only be destroyed, or be kept into
 * again. What belongs to the process is not in it: world_stop_set, world_workers_set, world_workspace_set, world_clock_set. */
#ifndef COLLIDED_PHYSICS_KEEP_H
#define COLLIDED_PHYSICS_KEEP_H

#include "physics/physics.h"

struct world_kept;

/* Makes one that holds no state. STATUS_RESOURCE_EXHAUSTED: no memory. */
STATUS_MUST_USE enum status world_kept_create(struct world_kept **out);
void world_kept_destroy(struct world_kept *kept);
/* Bytes that it holds: the size of the largest state so far. */
size_t world_kept_memory_bytes(const struct world_kept *kept);
/* Whether it holds a state, and the tick of that: world_tick when it was kept. */
bool world_kept_holds(const struct world_kept *kept);
uint64_t world_kept_tick(const struct world_kept *kept);

/* Keeps the world's present state, in place of the one before, of this world or of another. Once `kept` has its size this
 * allocates nothing. Changes nothing in the world. STATUS_RESOURCE_EXHAUSTED: no memory. STATUS_FAILED_PRECONDITION: the world
 * failed within a tick. On failure `kept` is as it was. STATUS_CANCELLED (base/pause.h): it holds nothing. */
STATUS_MUST_USE enum status world_keep(struct world *world, struct world_kept *kept);

/* Returns the world to a kept state, any number of times, from before it or after it. Handles, generations, world_events_set
 * and the reports still owed to edits (struct pair_event) return with it. The last report is not valid any more.
 *
 * Edits of circles since, spawns and removals too, are undone. If there were any, or cells were laid out anew since, it costs
 * about as much as such an edit; else it allocates nothing. STATUS_FAILED_PRECONDITION: segments were edited since, or the
 * world failed within a tick. STATUS_INVALID_ARGUMENT: it holds no state, or that of another world. STATUS_RESOURCE_EXHAUSTED:
 * no memory. On failure nothing has changed. STATUS_CANCELLED (base/pause.h): the world can only be destroyed. */
STATUS_MUST_USE enum status world_return(struct world *world, const struct world_kept *kept);

/* Whether both hold states of one world, and no segment was edited from one to the other. */
bool world_kept_same_walls(const struct world_kept *a, const struct world_kept *b);

/* From now on the world returns to states kept of the one of `kept`, which must hold a state: for a thread that makes ticks
 * again beside it. It must have been restored from a snapshot of that world, taken while its segments were those of `kept`. Its
 * own state is only of use once it has returned to one. As a kept state is not written after it was kept, both threads may go
 * on meanwhile. */
void world_become_twin(struct world *world, const struct world_kept *kept);

#endif
