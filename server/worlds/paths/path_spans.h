/* path_spans: where circles were in a tick, for readers of regions.
 *
 * The worker that has the world. */
#ifndef COLLIDED_WORLDS_PATHS_PATH_SPANS_H
#define COLLIDED_WORLDS_PATHS_PATH_SPANS_H

#include "worlds/paths/path_tick.h"

/* The rows of a circle that got another path, or that is not where its reader has it. */
struct circle_ways {
	const struct path_piece *pieces;
	size_t count;
	const struct body_end *end; /* NULL: it is there at the tick's end */
};

/* Before the tick's circles are made, if regions need it. False without memory. */
bool path_spans_begin(struct path_tick *tick);
/* From where it was before and where pieces of its path began to its end. Between two points a path with an acceleration is off
 * the straight line by dt^2 / 8 times that at most. */
void path_span_set(struct path_tick *tick, size_t body, const struct circle_ways *ways);

#endif
