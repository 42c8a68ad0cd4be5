/* report: appends rows to the reports of a tick. */
#ifndef COLLIDED_WORLD_REPORT_H
#define COLLIDED_WORLD_REPORT_H

#include "physics/world/world.h"

/* Append to the tick's reports; failure sets world->failed. */
void path_change_report(struct world *world, double time, uint32_t body, enum path_change_kind kind, double x, double y);
void shortfall_report(struct world *world, uint32_t body, enum body_flag flag, double amount);
/* The end of a body at its place and velocity at this time. */
void end_report(struct world *world, double time, uint32_t body, enum end_reason reason);
/* Sorts by body, and merges rows of one flag to the largest amount. */
void shortfalls_sort(struct world *world);

#endif
