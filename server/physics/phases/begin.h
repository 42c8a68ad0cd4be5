/* begin: what bodies bring along when a tick begins: their bookkeeping, and whom the schedule has to list. */
#ifndef COLLIDED_PHASES_BEGIN_H
#define COLLIDED_PHASES_BEGIN_H

#include "physics/world/world.h"

/* Those that something came to since the last tick began; `first`: it is the world's first; by so many threads of its crew, 0
 * or 1: by this one. Whether some are new. */
bool bodies_begin(struct world *world, bool first, unsigned hands);

#endif
