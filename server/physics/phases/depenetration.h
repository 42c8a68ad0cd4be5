/* depenetration: undoes overlap found at the start of a tick, by straight swept moves that cross nothing, deepen nothing and
 * create no velocity. The engine itself never makes overlap; it comes with a scene, or from immovable things (CRUSHED). */
#ifndef COLLIDED_PHASES_DEPENETRATION_H
#define COLLIDED_PHASES_DEPENETRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world;

/* The most overlapping pairs that a scene may start with: in all, and per body. With everything in one place, the time would
 * grow with the square of their number; no meaningful scene comes near. */
#define OVERLAPS_MIN 1024
#define OVERLAPS_PER_BODY 8

/* Scratch: an overlapping pair. */
struct overlap {
	uint32_t a, b; /* bodies a < b, or body and segment */
	bool wall;
};

/* Scratch: a body of an overlap cluster, circles that touch or overlap on all sides so that none can move alone. */
struct cluster_body {
	uint32_t knot, body;
	double distance; /* from the cluster's middle */
};

/* Lists what overlaps, or (touched[] by body, not NULL) the overlaps of those bodies only. Returns whether there are more pairs
 * than that. *all: all candidates were tested; false if there were too many. */
bool overlaps_too_many(struct world *world, const uint8_t *touched, bool *all);
/* The pair with that index in this list. */
struct overlap_sides {
	uint32_t a, b; /* bodies, or body and segment */
	bool wall;
};
struct overlap_sides overlap_sides(const struct world *world, size_t index);

/* Moves what can be moved. Reports each move (PATH_PUSHED) and the depth that is left (BODY_FLAG_INITIAL_OVERLAP). Resting
 * pairs are left to the rest solver, and reported at the tick's end. */
void push_out(struct world *world);
/* To be called after the tick: reports from the positions at its end. */
void push_finish(struct world *world);

#endif
