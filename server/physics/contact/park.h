/* park: makes a body stand still for the rest of the tick: by a rule, or because it cannot be followed. */
#ifndef COLLIDED_CONTACT_PARK_H
#define COLLIDED_CONTACT_PARK_H

#include "physics/world/world.h"

/* Replaces a body's path by one that stands still from `time` on, in a mode that halts. Its velocity is kept. Tells nothing,
 * and does not predict it again. */
void path_halt(struct world *world, uint32_t body, double time, enum body_mode mode);

/* Stops a body's path at a time of the tick, for the rest of it: MODE_PARKED or MODE_CRUSHED. Does not predict it again. */
void body_park(struct world *world, uint32_t body, double time, enum body_mode mode);

#endif
