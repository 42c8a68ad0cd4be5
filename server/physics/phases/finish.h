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

#endif
