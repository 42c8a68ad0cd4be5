/* ends: how a circle ends or stops within a tick, by a contact rule or its lifetime. Internal.
 *
 * A circle that has ended (MODE_GONE) stays in its columns and its cell up to the tick's end, and nothing meets it: its events
 * are void, and bodies_meet says no. Then the world is edited as if it were removed (state/world_step.c). */
#ifndef COLLIDED_EVENTS_ENDS_H
#define COLLIDED_EVENTS_ENDS_H

#include "physics/world/ledger.h"
#include "physics/world/world.h"

struct cluster;

/* Ends a circle at a time of the tick, at its place then. The paths of others that rest on it are computed anew
 * (followers_release), and its end is reported. Failure sets world->failed. */
void body_end(struct world *world, uint32_t body, double time, enum end_reason reason);
/* Lets a circle stand still from a time of the tick to its end; its velocity is kept for the next. To contacts it is immovable.
 * Does not predict it again. */
void body_stop(struct world *world, uint32_t body, double time);
/* Stops or ends the members of a cluster that have that fate. `primary` then says whether a member is to be predicted. */
void fates_write(struct world *world, struct cluster *cluster);
/* Ends that, which is an event of the circle: it goes on with the velocity that it kept, and is predicted. */
void body_go_on(struct world *world, uint32_t body, double time);
/* Computes anew what rests on a circle that has just ended or stopped. */
void followers_release(struct world *world, uint32_t body, double time);

/* At the tick's end, once bodies are at the ends of their paths: ends all that are not static and have left the world's bounds.
 * Adds what they have to `left`. Failure sets world->failed. */
void bounds_apply(struct world *world, struct ledger_sums *left);
/* At the tick's end: takes those that have ended out of the ledgers, and puts their reports in order of time, then of id. */
void ends_finish(struct world *world);

#endif
