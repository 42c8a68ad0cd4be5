/* world_motion: the paths of a world that is played from a recording, as whatever draws a run needs them.
 *
 * One thread at a time. It looks at each tick that the engine makes (struct tick_observer) and keeps all paths within it as
 * they are. A circle or wall is a row from when it comes to when it goes. One that a command defines anew, or puts elsewhere,
 * ends and is another row. So is a wall that is switched on or off. */
#ifndef COLLIDE_CLI_WORLDS_WORLD_MOTION_H
#define COLLIDE_CLI_WORLDS_WORLD_MOTION_H

#include "client/cli/motion/motion.h"
#include "client/cli/worlds/world_recording.h"

/* Reports that the engine must make for it: bits of enum world_event. */
#define WORLD_MOTION_EVENTS ((unsigned)WORLD_EVENTS_PATHS)

/* A body of the world, or a wall, and its row. */
struct world_motion_row {
	uint32_t id;
	size_t row;
	double x, y; /* of a circle, after the last tick */
};

struct world_motion_rows {
	struct world_motion_row *rows; /* ascending by id */
	size_t count, capacity;
};

struct world_motion {
	struct run_motion *motion; /* borrowed */
	struct world_motion_rows circles, walls, next;
	uint64_t tick; /* the world's */
	bool failed;   /* no memory, or motion->full */
};

/* At the state of a world, which the motion begins with. false: no memory. To be finished in either case, as the motion is. */
bool world_motion_begin(struct world_motion *out, struct run_motion *motion, const struct world *world, double dt);
void world_motion_finish(struct world_motion *motion);

/* Of struct tick_observer. */
void world_motion_tick_begun(struct world_motion *motion, const struct world *world, bool edited);
void world_motion_tick_made(struct world_motion *motion, const struct world *world, const struct tick_report *report);

#endif
