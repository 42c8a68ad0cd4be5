/* begin: what bodies carry over when a tick begins: their bookkeeping, and which of them are due in the schedule. */
#ifndef COLLIDED_PHASES_BEGIN_H
#define COLLIDED_PHASES_BEGIN_H

#include "physics/world/world.h"

/* Resets the bodies that are dirty since the last tick began. `first`: it is the world's first tick. `workers`: the number of
 * workers; with 0 or 1 this thread does it alone. Returns whether some bodies are new. */
bool bodies_begin(struct world *world, bool first, unsigned workers);

#endif
