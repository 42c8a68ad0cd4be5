/* finish: the end of a tick: every path is evaluated at dt.
 *
 * The room phases/: the phases around the events: begin, damping, depenetration, finish. It uses resting, reports,
 * prediction, broadphase. It is called by partition, tick, state. */
#ifndef COLLIDED_PHASES_FINISH_H
#define COLLIDED_PHASES_FINISH_H

#include "physics/world/ledger.h"
#include "physics/world/world.h"

/* Moves the awake bodies of first .. end to the ends of their paths, and adds their energy and momentum there to the sums (for
 * sleeping bodies: ledger_end). Returns whether one of them was crushed. */
bool bodies_finish(struct world *world, uint32_t first, uint32_t end, struct ledger_sums *sums);

/* Whether sums over all bodies' ends say that some state may not be finite. If the kinetic energy is finite then so are all
 * velocities: a mass is at least PHYSICS_MASS_MIN. And a place then stays finite for longer than ticks can be counted. */
bool sums_infinite(const struct ledger_sums *sums);
/* Looks for a body with a state that is not finite; world->failure tells the first. Returns whether there is one. */
bool failure_find(struct world *world);

#endif
