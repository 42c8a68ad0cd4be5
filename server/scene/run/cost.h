/* cost: what a simulation's ticks and frames took, added up for SimulateDone. Belongs to the simulation. */
#ifndef COLLIDED_SCENE_RUN_COST_H
#define COLLIDED_SCENE_RUN_COST_H

#include "collide/v1/collide.pb-c.h"
#include "physics/physics.h"

#include <stdbool.h>
#include <stdint.h>

struct cost {
	uint64_t (*now_ns)(void);                    /* NULL: nothing is timed */
	uint64_t since_ns;                           /* when what is done now began */
	uint64_t engine_ns, reply_ns;                /* in ticks; and in what is made of them */
	uint64_t timed_ticks, phase_ns[TICK_PHASES]; /* of these ticks */
	uint64_t work;
	double work_share_max;
	uint64_t looks, foreseen, transfers, sweeps, shared_ticks, repeated_ticks;
};

/* Starts a lap, which the next of the functions below ends. */
void cost_begin(struct cost *cost);
/* What was done since the last call was making frames; or a tick. */
void cost_reply_end(struct cost *cost);
void cost_tick_end(struct cost *cost, const struct tick_report *report);
/* The clock that the world is to have in its next tick. Reading it so often takes more than 1 % of a small world's
 * tick, so only some of those are timed. `number` decides which: it differs from tick to tick, and between requests of one
 * tick. */
uint64_t (*cost_clock(const struct cost *cost, uint64_t number, size_t bodies))(void);
double cost_engine_seconds(const struct cost *cost);
/* Fills in all but what the simulation was before it was one. */
void cost_tell(const struct cost *cost, Collide__V1__Cost *out);

#endif
