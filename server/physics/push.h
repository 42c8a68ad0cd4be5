/* push: undoes overlap found at the start of a tick, by straight swept moves that cross nothing, deepen nothing and create no
 * velocity. The engine itself never makes overlap; it comes with a scene, or from what cannot yield (CRUSHED). */
#ifndef COLLIDED_PHYSICS_PUSH_H
#define COLLIDED_PHYSICS_PUSH_H

struct world;

/* Moves what can be moved, reports each move (PATH_PUSHED) and what depth is left (BODY_FLAG_INITIAL_OVERLAP). */
void push_out(struct world *world);

#endif
