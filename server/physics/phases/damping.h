/* damping: the changes of velocity at a tick's start: damping, then the world's speed limit. */
#ifndef COLLIDED_PHASES_DAMPING_H
#define COLLIDED_PHASES_DAMPING_H

#include "physics/world/world.h"

/* Damps and clamps all awake dynamic circles, and enters it in reports and ledgers. The first step of a tick. Failure sets
 * world->failed. */
void damping_apply(struct world *world);

#endif
