/* fetch: has a small world's memory come to the cache all at once. Whoever steps many worlds in turns finds each of them cold:
 * one line after the other, each waited for, would take longer than its tick. A hint to the machine only.
 *
 * Each step reads what the one before has asked for, so time should pass between them. Of larger worlds they do nothing. */
#ifndef COLLIDED_PREDICTION_PREFETCH_TICK_H
#define COLLIDED_PREDICTION_PREFETCH_TICK_H

#include "physics/world/world.h"

/* Larger worlds outgrow the nearest cache, and their tick is long beside the wait for its first lines. */
#define FETCH_BODIES_MAX 256

/* The world itself, which is not read. */
void fetch_world(const struct world *world);
/* The columns and the grid that every tick reads. */
void fetch_columns(const struct world *world);
/* The infos of those bodies that something came to in the last tick. */
void fetch_infos(const struct world *world);
/* Within a tick: those of the bodies that events are predicted for. */
void fetch_events(struct world *world);

#endif
