/* kick: what happens to velocities at a tick's start: damping, then the world's greatest speed. */
#ifndef COLLIDED_PHASES_DAMPING_H
#define COLLIDED_PHASES_DAMPING_H

#include "physics/world/world.h"

/* Kicks all dynamic circles that are awake, and tells and books it. Before anything else is in the tick. Failure sets
 * world->failed. */
void kick_all(struct world *world);

#endif
