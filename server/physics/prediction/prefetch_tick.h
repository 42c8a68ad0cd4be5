/* prefetch_tick: brings a small world's memory into the cache all at once. A caller that steps many worlds in turn finds each
 * of them cold. To wait for one line after the other would take longer than the tick. A hint to the CPU only.
 *
 * Each step reads what the step before has requested, so some time should pass between them. For larger worlds they do
 * nothing, and in a world's first tick little. */
#ifndef COLLIDED_PREDICTION_PREFETCH_TICK_H
#define COLLIDED_PREDICTION_PREFETCH_TICK_H

#include "physics/world/world.h"

/* Larger worlds do not fit the innermost cache, and their tick is long beside the wait for its first lines. */
#define FETCH_BODIES_MAX 256

/* The world itself, which is not read. */
void fetch_world(const struct world *world);
/* The columns and the grid that every tick reads. */
void fetch_columns(const struct world *world);
/* The infos of the bodies that the last tick left dirty. */
void fetch_infos(const struct world *world);
/* Within a tick: the infos of the bodies that events are predicted for. */
void fetch_events(struct world *world);

#endif
