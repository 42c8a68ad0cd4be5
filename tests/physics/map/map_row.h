/* map_row: one map of the table: circles shot through it, every tick certified, and what came of it.
 *
 * One thread. Owns nothing. */
#ifndef COLLIDED_TESTS_PHYSICS_MAP_ROW_H
#define COLLIDED_TESTS_PHYSICS_MAP_ROW_H

#include "physics/map/map_scene.h"

/* The greatest change of the kinetic energy, relative to that at the start, that a row may have. Restitution is 1. */
#define MAP_DRIFT_MAX 1e-9

struct map_row {
	size_t walls, doors; /* doors: sensors, not walls */
	uint64_t ticks, events, collisions;
	double engine_seconds; /* in world_step alone */
	double drift;          /* of energy, the largest of any tick, relative; of a crowd what its ledger does not explain */
	uint64_t escapes, overlaps, jumps;
	double largest_overlap;
	uint64_t shortfalls;
	uint64_t begins, enters; /* pairs that came to touch, circles that came into doorways */
	uint64_t event_faults;   /* events that do not match or are not what the paths show */
	uint64_t strays;         /* circles and ticks at the end of which the centre was outside of the closed rooms it began in */
	char problem[400];       /* what is wrong with the row; empty: nothing */
};

/* After each tick, for a progress bar. */
typedef void (*map_row_tick_fn)(void *context, const struct map_row *row);

/* Imports the map and runs it for `ticks`. Everything wrong is in row->problem. With events asked for it is a crowd's row: then
 * energy may go where the ledger says, and every event must have its match. */
void map_row_measure(const struct map_order *order, uint64_t ticks, map_row_tick_fn on_tick, void *context,
                     struct map_row *row);

#endif
