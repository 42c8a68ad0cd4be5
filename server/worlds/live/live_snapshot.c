/* Snapshots of a live world, as it stands or as it stood. For the latter a world is made of a state that was kept, and makes
 * ticks from there by the journal. What can go wrong: the history does not reach back so far; memory. */
#include "base/memory.h"
#include "physics/describe.h"
#include "scene/definition/scene_tell.h"
#include "worlds/live/live_private.h"
#include "worlds/live/world_state.h"

#include <inttypes.h>

/* Appends a serialized Scene. False without memory. */
static bool
scene_append(struct live_world *world, struct buffer *out)
{
	size_t circles = world_body_count(world->world), segments = world_segment_count(world->world);
	Collide__V1__CircleColumns circle_columns;
	Collide__V1__SegmentColumns segment_columns;
	Collide__V1__Scene scene;
	struct world_def def;

	arena_reset(&world->arena);
	world->arena.budget_bytes = SIZE_MAX; /* the ledger bounds it */
	struct circle_def *circle_defs = arena_room(&world->arena, circles, sizeof *circle_defs);
	struct segment_def *segment_defs = arena_room(&world->arena, segments, sizeof *segment_defs);

	if (!circle_defs || !segment_defs)
		return false;
	world_describe(world->world, circle_defs, segment_defs, &def);
	if (!scene_tell_settings(&world->arena, &def, &scene) ||
	    !scene_tell_circles(&world->arena, circle_defs, circles, &circle_columns) ||
	    !scene_tell_segments(&world->arena, segment_defs, segments, &segment_columns))
		return false;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = &circle_columns;
	scene.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
	scene.segment_columns = &segment_columns;

	uint8_t *to = buffer_extend(out, collide__v1__scene__get_packed_size(&scene));

	if (to)
		(void)collide__v1__scene__pack(&scene, to);
	return to != NULL;
}

/* Takes the bytes. NULL without memory. */
static struct shared_bytes *
bytes_share(struct buffer *buffer)
{
	struct shared_bytes *shared = NULL;
	uint8_t *bytes;
	size_t count;

	if (!buffer->failed) {
		buffer_take(buffer, &bytes, &count);
		shared = shared_bytes_create(bytes, count);
		if (!shared)
			*buffer = (struct buffer){ .bytes = bytes, .count = count, .capacity = count };
	}
	buffer_finish(buffer);
	return shared;
}

static void
no_memory(struct answer *answer)
{
	(void)wire_problem_set(&answer->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "", "no memory for a snapshot of its world");
}

/* Of the state that the world has. */
static void
present_tell(struct live_world *world, const struct post *post, struct answer *answer)
{
	struct buffer bytes = { .count = 0 };
	bool made = post->snapshot.as_scene ? scene_append(world, &bytes) : world_state_append(world, false, &bytes);

	bytes.failed = bytes.failed || !made;
	answer->snapshot = bytes_share(&bytes);
	answer->tick = world->tick;
	answer->hash = world_hash(world->world);
	if (!answer->snapshot)
		no_memory(answer);
}

/* The world as it is stays aside meanwhile, and nothing touches it. */
static void
past_tell(struct live_world *world, const struct post *post, uint64_t tick, const struct journal_state *state,
          const struct batch *batch, struct answer *answer)
{
	struct world_moment moment;

	if (!live_moment_restore(world, state, &moment)) {
		no_memory(answer);
		return;
	}
	live_moment_swap(world, &moment);
	if (live_ticks_again(world, &batch, tick))
		present_tell(world, post, answer);
	else
		no_memory(answer);
	live_moment_swap(world, &moment);
	world_moment_finish(&moment);
}

bool
live_snapshot(struct live_world *world, const struct post *post)
{
	struct answer *answer = draft_answer_create(post->ask);
	const struct batch *batch = NULL;
	struct buffer waiting = { .count = 0 };

	if (!answer)
		return false;
	answer->tick = world->tick;
	uint64_t tick = post->snapshot.has_tick ? post->snapshot.at_tick : world->tick;
	/* Of a world that has failed there is what its history has: the engine's world is of no use. */
	const struct journal_state *past = world->failed && (world->past_lost || post->snapshot.waiting)
	                                       ? NULL
	                                       : journal_find(&world->journal, world->tick, tick, &batch);

	if (tick == world->tick && !world->failed) {
		present_tell(world, post, answer);
	} else if (past) {
		past_tell(world, post, tick, past, batch, answer);
	} else if (world->failed) {
		(void)wire_problem_set(&answer->problem, STATUS_FAILED_PRECONDITION, "WORLD_FAILED", "", "%s", live_failed_text);
	} else {
		(void)wire_problem_set(&answer->problem, STATUS_OUT_OF_RANGE, "TICK_GONE",
		                       post->snapshot.fork ? "fork_world.at_tick" : "snapshot_world.at_tick",
		                       "is %" PRIu64 ", the history does not reach there", tick);
	}
	if (post->snapshot.waiting && answer->snapshot &&
	    (world->waiting.count + world->late.waiting.count > 0 || world->batches_lost)) {
		waiting.failed = !world_waiting_append(world, &waiting);
		answer->waiting = bytes_share(&waiting);
		if (!answer->waiting)
			no_memory(answer);
	}
	draft_answer(&world->draft, answer);
	return true;
}
