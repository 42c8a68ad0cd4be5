#include "worlds/history/recent.h"

#include "base/memory.h"
#include "worlds/limits.h"

static struct recent_state *
state_at(const struct recent_states *recent, size_t i)
{
	return &recent->states[(recent->first + i) % recent->capacity];
}

void
recent_states_init(struct recent_states *recent, uint32_t history_ticks)
{
	*recent = (struct recent_states){ .history_ticks = history_ticks, .every = 1 };
}

void
recent_states_finish(struct recent_states *recent)
{
	for (size_t i = 0; i < recent->capacity; i++) {
		world_kept_destroy(recent->states[i].kept);
		force_list_finish(&recent->states[i].forces);
		owner_list_finish(&recent->states[i].owners);
	}
	memory_free(recent->states);
	*recent = (struct recent_states){ .every = 1 };
}

void
recent_states_clear(struct recent_states *recent)
{
	recent->count = 0;
}

void
recent_states_cut(struct recent_states *recent, uint64_t tick)
{
	while (recent->count > 0 && state_at(recent, recent->count - 1)->tick > tick)
		recent->count--;
}

/* Room for all that the history may need. False without memory. */
static bool
ring_make(struct recent_states *recent)
{
	if (recent->states)
		return true;
	recent->states = memory_zeroed((size_t)recent->history_ticks + 2, sizeof *recent->states);
	if (recent->states)
		recent->capacity = (size_t)recent->history_ticks + 2;
	return recent->states != NULL;
}

/* Every second one goes: those that remain are at ticks divisible by `every`. */
static void
thin_out(struct recent_states *recent)
{
	size_t left = 0;

	recent->every *= 2;
	for (size_t i = 0; i < recent->count; i++) {
		struct recent_state *to = state_at(recent, left), *from = state_at(recent, i), spare = *to;

		if (from->tick % recent->every != 0)
			continue;
		left++;
		if (to == from)
			continue;
		*to = *from;
		*from = spare;
	}
	for (size_t i = left; i < recent->capacity; i++) {
		struct recent_state *unused = state_at(recent, i);

		world_kept_destroy(unused->kept);
		unused->kept = NULL;
	}
	recent->count = left;
}

/* False without memory. */
static bool
state_keep(struct recent_state *state, struct world *world, const struct force_list *forces, const struct owner_list *owners)
{
	if (!state->kept && world_kept_create(&state->kept) != STATUS_OK)
		return false;
	state->tick = world_tick(world);
	return world_keep(world, state->kept) == STATUS_OK && force_list_copy(&state->forces, forces) &&
	       owner_list_copy(&state->owners, owners);
}

/* Those before the latest at or before that tick. */
static void
oldest_drop(struct recent_states *recent, uint64_t tick)
{
	while (recent->count > 1 && state_at(recent, 1)->tick <= tick) {
		recent->first = (recent->first + 1) % recent->capacity;
		recent->count--;
	}
}

void
recent_states_forget(struct recent_states *recent, uint64_t tick)
{
	oldest_drop(recent, tick);
	/* There may be room for more again. */
	if (recent->count > 0 && recent->every > 1) {
		size_t bytes = world_kept_memory_bytes(state_at(recent, 0)->kept);

		if (recent->count * 4 * bytes <= WORLDS_RECENT_BYTES_MAX)
			recent->every /= 2;
	}
}

void
recent_states_tick(struct recent_states *recent, struct world *world, const struct force_list *forces,
                   const struct owner_list *owners)
{
	uint64_t tick = world_tick(world);

	if (recent->history_ticks == 0)
		return;
	oldest_drop(recent, tick > recent->history_ticks ? tick - recent->history_ticks : 0);
	if (tick % recent->every != 0 || !ring_make(recent))
		return;

	struct recent_state *state = state_at(recent, recent->count);

	if (!state_keep(state, world, forces, owners))
		return;
	recent->count++;
	if (recent->count * world_kept_memory_bytes(state->kept) > WORLDS_RECENT_BYTES_MAX &&
	    recent->every < WORLDS_RECENT_EVERY_MAX)
		thin_out(recent);
}

const struct recent_state *
recent_states_find(const struct recent_states *recent, uint64_t tick)
{
	for (size_t i = recent->count; i-- > 0;)
		if (state_at(recent, i)->tick <= tick)
			return state_at(recent, i);
	return NULL;
}
