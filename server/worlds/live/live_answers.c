/* Answers of a live world, and how it fails. */
#include "base/memory.h"
#include "worlds/live/live_private.h"

const char live_failed_text[] = "a tick of the world could not be made; it can be restored or destroyed";

bool
live_answer(struct live_world *world, struct answer *answer)
{
	if (draft_answer(&world->draft, answer))
		return true;

	struct ledger *own = memory_enter(NULL);

	memory_free(answer);
	(void)memory_enter(own);
	return false;
}

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
		if (!draft_answer(&world->draft, answer)) {
			struct ledger *own = memory_enter(NULL);

			memory_free(answer);
			(void)memory_enter(own);
		}
	}
}
