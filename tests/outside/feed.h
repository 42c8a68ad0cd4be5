/* feed: fills the checker's columns from a world of the engine, with nothing but what a client would get.
 *
 * One thread. Borrows the definition during feed_create only. */
#ifndef COLLIDED_TESTS_OUTSIDE_FEED_H
#define COLLIDED_TESTS_OUTSIDE_FEED_H

#include "outside/checker.h"
#include "physics/physics.h"

struct feed;

/* NULL: no memory. */
struct feed *feed_create(const struct world_def *def);
void feed_destroy(struct feed *feed);
/* Gives the tick that world_step has just made to the checker. */
void feed_tick(struct feed *feed, const struct world *world, double dt, const struct tick_report *report);
/* The same tick as columns, which may be spoiled before outside_tick; they are good until the next call. */
struct outside_tick *feed_columns(struct feed *feed, const struct world *world, double dt, const struct tick_report *report);
/* The columns that the last tick's pointers point to, to write into. */
struct feed_writable {
	double *x, *y, *vx, *vy, *spin;
	uint64_t *tag;
	struct outside_end *ends;
	struct outside_contact *contacts;
	struct outside_change *changes;
	struct outside_event *events;
	struct outside_shortfall *shortfalls;
	struct outside_place *places;
};
struct feed_writable feed_writable(struct feed *feed);
struct outside *feed_outside(struct feed *feed);

#endif
