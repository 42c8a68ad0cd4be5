/* What workers make of a ForkWorld, before and after the world that it goes on from has given its state. */
#include "base/memory.h"
#include "worlds/registry/wish.h"

#include <string.h>

static enum status
no_memory(struct wire_problem *problem)
{
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "", "no memory for the world");
}

static enum status
fork_read(const Collide__V1__ForkWorld *message, struct fork *fork, struct wire_problem *problem)
{
	enum status status = name_read(message->world, "fork_world.world", fork->world, problem);
	if (status != STATUS_OK)
		return status;
	if (message->clock < COLLIDE__V1__CLOCK__CLOCK_UNSPECIFIED || message->clock > COLLIDE__V1__CLOCK__CLOCK_PAUSED) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "fork_world.clock", "%d is not a Clock",
		                        (int)message->clock);
	}
	fork->epoch = message->epoch;
	fork->secret_count = message->secret.len <= WORLDS_SECRET_BYTES ? message->secret.len : 0;
	if (fork->secret_count > 0)
		memcpy(fork->secret, message->secret.data, fork->secret_count);
	fork->has_tick = message->optional_at_case == COLLIDE__V1__FORK_WORLD__OPTIONAL_AT_AT_TICK;
	fork->at_tick = message->at_tick;
	fork->clock = message->clock;
	return STATUS_OK;
}

static enum status
wish_fill(const Collide__V1__ForkWorld *message, struct world_wish *wish, struct wire_problem *problem)
{
	wish->name_field = "fork_world.name";
	enum status status = fork_read(message, &wish->fork, problem);
	if (status == STATUS_OK)
		status = name_read(message->name, wish->name_field, wish->name, problem);
	if (status == STATUS_OK)
		status = wish_read_ticket(&message->ticket, "fork_world.ticket", wish, problem);
	return status == STATUS_OK ? labels_read(message->labels, message->n_labels, "fork_world.labels", &wish->labels, problem)
	                           : status;
}

enum status
fork_wish_create(const Collide__V1__ForkWorld *message, struct world_wish **out, struct wire_problem *problem)
{
	struct world_wish *wish = memory_zeroed(1, sizeof *wish);
	if (!wish)
		return no_memory(problem);
	arena_init(&wish->arena, 0); /* there is no handover */
	enum status status = wish_fill(message, wish, problem);
	if (status != STATUS_OK) {
		world_wish_destroy(wish);
		return status;
	}
	*out = wish;
	return STATUS_OK;
}

void
fork_wish_give(struct world_wish *wish, struct shared_bytes *state)
{
	wish->fork.state = shared_bytes_hold(state);
}

bool
fork_wish_has_state(const struct world_wish *wish)
{
	return wish->fork.state != NULL;
}

enum status
fork_wish_make(const struct worlds *worlds, struct world_wish *wish, struct wire_problem *problem)
{
	const struct shared_bytes *state = wish->fork.state;
	const struct scene_limits *limits = worlds->options.scene_limits;
	struct wall_map *walls = wish->map ? named_map_walls(wish->map) : NULL;
	struct arena arena;
	arena_init(&arena, scene_arena_bytes(limits, state->count));
	enum status status = world_start_bytes(&arena, state->bytes, state->count, limits, walls, "fork_world", &wish->start,
	                                       problem);
	arena_finish(&arena);
	/* Seats of this world will have the same numbers, and are others. */
	if (status == STATUS_OK)
		world_start_disown(wish->start);
	return status;
}
