/* finish: the end of a tick: every path is evaluated at dt. */
#ifndef COLLIDED_PHASES_FINISH_H
#define COLLIDED_PHASES_FINISH_H

#include "physics/world/ledger.h"
#include "physics/world/world.h"

/* Moves those of the bodies first .. end who are awake to the ends of their paths, and adds what they have there to the sums
 * (of sleepers: ledger_end). Whether one of them was crushed. */
bool bodies_finish(struct world *world, uint32_t first, uint32_t end, struct ledger_sums *sums);

#endif
