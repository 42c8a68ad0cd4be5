/* push: undoes overlap found at the start of a tick, by straight swept moves that cross nothing, deepen nothing and create no
 * velocity. The engine itself never makes overlap; it comes with a scene, or from what cannot yield (CRUSHED). */
#ifndef COLLIDED_PHYSICS_PUSH_H
#define COLLIDED_PHYSICS_PUSH_H

#include <stdbool.h>

struct world;

/* The most overlapping pairs that a scene may start with: for all, and per body. Everything in one place would take time with
 * the square of their number; no scene that means something comes near. */
#define OVERLAPS_MIN 1024
#define OVERLAPS_PER_BODY 8

/* Whether the world has more overlapping pairs than that. */
bool overlaps_too_many(struct world *world);

/* Moves what can be moved, reports each move (PATH_PUSHED) and what depth is left (BODY_FLAG_INITIAL_OVERLAP). What rests is
 * left to the resting solver, and reported at the tick's end. */
void push_out(struct world *world);
/* After the tick, from the positions at its end. */
void push_finish(struct world *world);

#endif
