/* begin: what bodies bring along when a tick begins: their bookkeeping, and whom the schedule has to list. */
#ifndef COLLIDED_STEP_BEGIN_H
#define COLLIDED_STEP_BEGIN_H

#include "physics/world/world.h"

/* Those that something came to since the last tick began; `first`: it is the world's first. Whether some are new. */
bool bodies_begin(struct world *world, bool first);

#endif
