#include "worlds/clock/step_queue.h"

#include "base/check.h"
#include "base/memory.h"

#include <inttypes.h>

void
step_queue_init(struct step_queue *queue)
{
	*queue = (struct step_queue){ .made = false };
	queue->end = &queue->first;
}

static void
first_free(struct step_queue *queue)
{
	struct step_request *first = queue->first;

	queue->first = first->next;
	if (!queue->first)
		queue->end = &queue->first;
	memory_free(first);
}

void
step_queue_finish(struct step_queue *queue)
{
	struct answer *answer;

	while ((answer = step_queue_drop(queue))) {
		struct ledger *own = memory_enter(NULL);

		memory_free(answer);
		(void)memory_enter(own);
	}
}

uint64_t
step_queue_horizon(const struct step_queue *queue, uint64_t tick)
{
	return queue->first ? queue->horizon : tick;
}

/* The request before this one: the last that waits, or else the last one made. */
static bool
is_again(const struct step_queue *queue, const struct post *post)
{
	struct step_request last = { .seat = queue->seat, .start = queue->start, .ticks = queue->ticks };

	if (!queue->first && !queue->made)
		return false;
	for (const struct step_request *step = queue->first; step; step = step->next)
		last = *step;
	return last.seat == post->step.seat && last.start == post->step.expect_tick && last.ticks == post->step.ticks;
}

static void
refuse(struct answer *answer, const struct post *post, uint64_t tick)
{
	if (post->step.ticks == 0 || post->step.ticks > UINT64_MAX - tick)
		(void)wire_problem_set(&answer->problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "step_world.ticks",
		                       "must be 1 .. %" PRIu64 ": the world is at tick %" PRIu64, UINT64_MAX - tick, tick);
	else
		(void)wire_problem_set(&answer->problem, STATUS_FAILED_PRECONDITION, "TICK", "step_world.expect_tick",
		                       "is %" PRIu64 ", the world is at tick %" PRIu64, post->step.expect_tick, tick);
}

bool
step_queue_add(struct step_queue *queue, const struct post *post, uint64_t tick, struct answer *answer, bool *refused)
{
	uint64_t horizon = step_queue_horizon(queue, tick), ticks = post->step.ticks;
	bool elsewhere = post->step.has_expect && post->step.expect_tick != horizon;
	bool again = elsewhere && post->step.expect_tick + ticks == horizon && is_again(queue, post);

	*refused = (elsewhere && !again) || ticks == 0 || (!again && ticks > UINT64_MAX - horizon);
	if (*refused) {
		refuse(answer, post, horizon);
		return true;
	}

	struct step_request *step = memory_zeroed(1, sizeof *step);

	if (!step)
		return false;
	*step = (struct step_request){
		.answer = answer, .seat = post->step.seat, .again = again, .start = horizon, .ticks = ticks
	};
	if (again)
		step->start = horizon - ticks;
	queue->horizon = again ? horizon : horizon + ticks;
	*queue->end = step;
	queue->end = &step->next;
	return true;
}

struct answer *
step_queue_done(struct step_queue *queue, uint64_t tick, uint64_t hash)
{
	struct step_request *first = queue->first;
	struct answer *answer = first->answer;

	if (!first->again) {
		queue->made = true;
		queue->seat = first->seat;
		queue->start = first->start;
		queue->ticks = first->ticks;
		queue->hash = hash;
	}
	answer->tick = tick;
	answer->hash = queue->hash;
	first_free(queue);
	return answer;
}

struct answer *
step_queue_drop(struct step_queue *queue)
{
	if (!queue->first)
		return NULL;

	struct answer *answer = queue->first->answer;

	first_free(queue);
	return answer;
}
