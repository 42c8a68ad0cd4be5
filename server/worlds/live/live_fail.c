/* How a live world fails. */
#include "worlds/live/live_private.h"

const char live_failed_text[] = "a tick of the world could not be made; it can be restored or destroyed";

void
live_fail(struct live_world *world, const char *reason)
{
	struct answer *answer;

	if (!world->failed)
		world->failed = reason;
	while ((answer = step_queue_drop(&world->steps))) {
		(void)wire_problem_set(&answer->problem, STATUS_FAILED_PRECONDITION, "WORLD_FAILED", "",
		                       "a tick of the world could not be made: %s", world->failed);
		answer->tick = world->tick;
		draft_answer(&world->draft, answer);
	}
}
