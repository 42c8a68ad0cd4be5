/* schedule_looks: the queries of a tick that the schedule (tables/schedule.h) asks for. */
#ifndef COLLIDED_PREDICTION_SCHEDULE_LOOKS_H
#define COLLIDED_PREDICTION_SCHEDULE_LOOKS_H

#include "physics/world/world.h"

/* The queries of a tick, in steps; schedule_predict takes all of them. This one: whether the schedule is valid for this tick.
 * If not, or with world->failed, nothing was done. */
bool schedule_enter(struct world *world);
/* The next step marks which bodies are due, from `first`, a multiple of SCHEDULE_MARKED, to `end`, which is a multiple too or
 * the number of bodies. Several threads may, each for other bodies. */
#define SCHEDULE_MARKED 64u
void schedule_mark(const struct world *world, uint32_t first, uint32_t end);
/* Writes which bodies from *first to such an `end` are due, or may leave their cells, as long as there is room, and where to go
 * on. Returns their number: 0 only at the end. */
#define SCHEDULE_TAKEN_MAX 256u
uint32_t schedule_take(const struct world *world, uint32_t *first, uint32_t end, uint32_t out[SCHEDULE_TAKEN_MAX]);
/* Queries some of them: predicts what may happen in this tick, and writes when each of them is due again. It writes nothing
 * else. Of what other threads write meanwhile it reads only what is around these bodies. So several threads may query at once,
 * each for other bodies, in worlds that share all but the queue. */
void schedule_look(struct world *world, const uint32_t *bodies, uint32_t count);
/* All bodies that were due have queried, so many of them their neighbourhoods: the schedule is now valid for the next tick. */
void schedule_leave(struct world *world, uint64_t looks);

/* Whether so few bodies are dirty in the current tick that one thread predicts it by the schedule before others have woken
 * up. */
bool schedule_spares(const struct world *world);

/* All events of the tick, from its start on. False: the schedule is not valid for this tick, and nothing was done; or, with
 * world->failed, there was no memory. */
bool schedule_predict(struct world *world);

#endif
