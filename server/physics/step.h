/* step: reports that the parts of a tick share. */
#ifndef COLLIDED_PHYSICS_STEP_H
#define COLLIDED_PHYSICS_STEP_H

#include "physics/ledger.h"
#include "physics/world.h"

/* Appends to the tick's reports; failure sets world->failed. */
void path_change_report(struct world *world, double time, uint32_t body, enum path_change_kind kind, double x, double y);
void shortfall_report(struct world *world, uint32_t body, enum body_flag flag, double amount);

/* Moves those of the bodies first .. end who are awake to the ends of their paths, and adds what they have there to the sums
 * (of sleepers: ledger_end). Whether one of them was crushed. */
bool bodies_finish(struct world *world, uint32_t first, uint32_t end, struct ledger_sums *sums);

#endif
