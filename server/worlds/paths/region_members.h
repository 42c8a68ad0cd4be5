/* region_members: which circles the readers of a region have.
 *
 * The worker that has the world. Members are those that readers of the region have after the last tick. */
#ifndef COLLIDED_WORLDS_PATHS_REGION_MEMBERS_H
#define COLLIDED_WORLDS_PATHS_REGION_MEMBERS_H

#include "worlds/paths/path_tick.h"
#include "worlds/region.h"

/* Initialize with all 0. */
struct region_members {
	uint32_t *ids; /* ascending */
	size_t count, capacity;
	double box[4]; /* where the region is: x0, y0, x1, y1 */

	/* Of the last tick: places of the tick's circles in the reader's list (path_rows.h), and in the tick's list those that
	 * entered, and that leave at its end. */
	uint32_t *places, *entered, *leaves;
	size_t place_capacity, entered_capacity, leave_capacity;
	size_t entered_count, leave_count;
};

void region_members_finish(struct region_members *members);
/* Those that are there now. False without memory, as the next one. */
bool region_members_start(struct region_members *members, const struct region *region, const struct path_tick *tick);
/* After a tick: fills what is of the last tick, and has those that entered among the members. Those that leave still are. */
bool region_members_follow(struct region_members *members, const struct region *region, const struct path_tick *tick);
/* Those that leave, and those that have ended, are members no more. */
void region_members_leave(struct region_members *members, const struct path_tick *tick);
/* Commands have removed it. */
void region_members_drop(struct region_members *members, uint32_t id);
bool region_members_have(const struct region_members *members, uint32_t id);

#endif
