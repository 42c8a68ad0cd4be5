#include "worlds/history/past.h"

#include "base/memory.h"

void
past_init(struct past *past, uint32_t history_ticks)
{
	*past = (struct past){ .asks = 0 };
	recent_states_init(&past->recent, history_ticks);
}

static void
space_drop(struct past_space *kept)
{
	shared_space_release(kept->space);
	*kept = (struct past_space){ .space = NULL };
}

static size_t
space_count(const struct past *past)
{
	return past->spaces ? PAST_SPACES : 0;
}

void
past_finish(struct past *past)
{
	uint32_t history_ticks = past->recent.history_ticks;

	for (size_t i = 0; i < space_count(past); i++)
		space_drop(&past->spaces[i]);
	memory_free(past->spaces);
	memory_free(past->report);
	definitions_free(&past->starts);
	recent_states_finish(&past->recent);
	world_moment_finish(&past->moment);
	past_init(past, history_ticks);
}

/* Whether it is about something after the state of a tick. */
static bool
is_after(const struct past_space *kept, uint64_t tick)
{
	return kept->tick > tick || (kept->tick == tick && kept->time > 0);
}

void
past_cut(struct past *past, uint64_t tick)
{
	for (size_t i = 0; i < space_count(past); i++)
		if (past->spaces[i].space && is_after(&past->spaces[i], tick))
			space_drop(&past->spaces[i]);
	if (past->stepped > tick)
		past->stepped = 0;
	recent_states_cut(&past->recent, tick);
	past->outdated = past->outdated || past->moment.tick > tick;
}

struct shared_space *
past_space_find(struct past *past, uint64_t tick, double time)
{
	for (size_t i = 0; i < space_count(past); i++) {
		struct past_space *kept = &past->spaces[i];

		if (!kept->space || kept->tick != tick || kept->time != time)
			continue;
		kept->asked = past->asks;
		return shared_space_hold(kept->space);
	}
	return NULL;
}

uint64_t
past_spaces_bytes(const struct past *past)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < space_count(past); i++)
		bytes += past->spaces[i].space ? past->spaces[i].space->bytes : 0;
	return bytes;
}

void
past_space_keep(struct past *past, uint64_t tick, double time, struct shared_space *space)
{
	if (!past->spaces)
		past->spaces = memory_zeroed(PAST_SPACES, sizeof *past->spaces);
	/* Without memory it will be made again. */
	if (!past->spaces)
		return;

	struct past_space *oldest = &past->spaces[0];

	for (size_t i = 1; i < PAST_SPACES && oldest->space; i++)
		if (!past->spaces[i].space || past->spaces[i].asked < oldest->asked)
			oldest = &past->spaces[i];
	space_drop(oldest);
	*oldest = (struct past_space){ shared_space_hold(space), tick, time, past->asks };
}
