#include "client/cli/recording/start_def.h"

#include "physics/describe.h"
#include "scene/scene.h"

#include <stdio.h>

/* Limits are the server's business: a scene that it accepted is read here whatever its size. */
static const struct scene_limits NO_LIMITS = {
	.circles_max = UINT32_MAX,
	.segments_max = UINT32_MAX,
	.hand_written_max = UINT32_MAX,
	.ticks_max = UINT64_MAX,
	.events_per_body_max = UINT32_MAX,
	.work_per_tick_max = UINT64_MAX,
	.work_per_body_max = UINT64_MAX,
	.contacts_per_tick_max = UINT64_MAX,
	.deadline_ms_max = UINT32_MAX,
	.memory_bytes_max = UINT64_MAX,
};

/* The definition of a snapshot's world. */
static bool
snapshot_describe(struct start_def *out, const struct start *start, struct wire_problem *problem)
{
	out->world = start_restore(start->snapshot, start->snapshot_bytes);
	if (!out->world) {
		snprintf(problem->text, sizeof problem->text, "the snapshot cannot be restored here");
		return false;
	}
	struct circle_def *circles = arena_array(&out->arena, world_body_count(out->world), sizeof *circles);
	struct segment_def *segments = arena_array(&out->arena, world_segment_count(out->world), sizeof *segments);
	if (!circles || !segments)
		return false;
	world_describe(out->world, circles, segments, &out->def);
	return true;
}

bool
start_def_read(struct start_def *out, const struct start *start, char *error, size_t error_size)
{
	struct wire_problem problem = { .text = "no memory" };
	*out = (struct start_def){ 0 };
	arena_init(&out->arena, SIZE_MAX);
	bool good = start->scene
	                ? scene_world_def(&out->arena, start->scene, &NO_LIMITS, "simulate.scene", &out->def, &problem) == STATUS_OK
	                : snapshot_describe(out, start, &problem);
	if (!good)
		snprintf(error, error_size, "%s%s%s", problem.field, problem.field[0] != '\0' ? " " : "", problem.text);
	return good;
}

void
start_def_finish(struct start_def *def)
{
	arena_finish(&def->arena);
	world_destroy(def->world);
	def->world = NULL;
}
