/* schedule_looks: the looks of a tick that the schedule (tables/schedule.h) asks for. */
#ifndef COLLIDED_PREDICTION_SCHEDULE_LOOKS_H
#define COLLIDED_PREDICTION_SCHEDULE_LOOKS_H

#include "physics/world/world.h"

/* The looks of a tick, in steps; schedule_predict takes all of them. Whether it is for this tick. If not, or with
 * world->failed, nothing was done. */
bool schedule_enter(struct world *world);
/* Then it is marked who is due: of the bodies from `first`, a multiple of SCHEDULE_MARKED, to `end`, which is one or the end of
 * all. Several threads may, each of others. */
#define SCHEDULE_MARKED 64u
void schedule_mark(const struct world *world, uint32_t first, uint32_t end);
/* Writes who of the bodies from *first to such an `end` is due, or may leave his cell, as long as there is room, and where to
 * go on. How many they are: 0 only where these bodies end. */
#define SCHEDULE_TAKEN_MAX 256u
uint32_t schedule_take(const struct world *world, uint32_t *first, uint32_t end, uint32_t out[SCHEDULE_TAKEN_MAX]);
/* Looks at some of them: predicts what may come in this tick, and writes when each of them is due again. It writes nothing
 * else, and of what others write meanwhile it reads only what is around these. So several threads may look, each at others, in
 * worlds that share all but the queue. */
void schedule_look(struct world *world, const uint32_t *bodies, uint32_t count);
/* All who were due have looked, so many all around: it is for the next tick. */
void schedule_leave(struct world *world, uint64_t looks);

/* Whether so little stirs in the tick at hand that one thread makes it by the schedule before others have woken up. */
bool schedule_spares(const struct world *world);

/* All events of the tick, from its start on. False: it is not for this tick, and nothing was done; or, with world->failed,
 * without memory. */
bool schedule_predict(struct world *world);

#endif
