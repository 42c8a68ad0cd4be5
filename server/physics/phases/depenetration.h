/* push: undoes overlap found at the start of a tick, by straight swept moves that cross nothing, deepen nothing and create no
 * velocity. The engine itself never makes overlap; it comes with a scene, or from what cannot yield (CRUSHED). */
#ifndef COLLIDED_PHASES_DEPENETRATION_H
#define COLLIDED_PHASES_DEPENETRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct world;

/* The most overlapping pairs that a scene may start with: for all, and per body. Everything in one place would take time with
 * the square of their number; no scene that means something comes near. */
#define OVERLAPS_MIN 1024
#define OVERLAPS_PER_BODY 8

/* Scratch: a pair that overlaps. */
struct overlap {
	uint32_t a, b; /* bodies a < b, or body and segment */
	bool wall;
};

/* Scratch: a body of a knot: circles that touch or overlap all over, so that no move of one alone is free. */
struct knot_body {
	uint32_t knot, body;
	double distance; /* from the knot's middle */
};

/* Lists what overlaps, or (touched[] by body, not NULL) of those bodies only; whether there are more pairs than that. *all: not
 * so many had to be tried that some were left out. */
bool overlaps_too_many(struct world *world, const uint8_t *touched, bool *all);
/* Of the pair of that index in this list. */
struct overlap_sides {
	uint32_t a, b; /* bodies, or body and segment */
	bool wall;
};
struct overlap_sides overlap_sides(const struct world *world, size_t index);

/* Moves what can be moved, reports each move (PATH_PUSHED) and what depth is left (BODY_FLAG_INITIAL_OVERLAP). What rests is
 * left to the resting solver, and reported at the tick's end. */
void push_out(struct world *world);
/* After the tick, from the positions at its end. */
void push_finish(struct world *world);

#endif
