/* step: one tick, without what world_step (physics.h) does after it. */
#ifndef COLLIDED_TICK_STEP_H
#define COLLIDED_TICK_STEP_H

#include "physics/world/world.h"

/* As world_step. What has ended in the tick (tick_report.ends) is still in the columns. */
STATUS_MUST_USE enum status tick_step(struct world *world, double dt, struct tick_report *out);

#endif
