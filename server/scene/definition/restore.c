#include "scene/definition/restore.h"

#include "base/memory.h"
#include "physics/describe.h"
#include "scene/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Over what a scene may have, as the counts say, before memory is taken for them. */
static enum status
outline_check(const uint8_t *bytes, size_t count, const struct scene_limits *limits, const char *path,
              struct wire_problem *problem)
{
	struct snapshot_outline outline = snapshot_outline(bytes, count);
	char field[sizeof problem->field];

	if (outline.circles > limits->circles_max) {
		(void)snprintf(field, sizeof field, "%s.counts.bodies", path);
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", field,
		                        "is %" PRIu64 ", at most %" PRIu32 " are allowed", outline.circles, limits->circles_max);
	}
	if (outline.segments > limits->segments_max) {
		(void)snprintf(field, sizeof field, "%s.counts.segments", path);
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", field,
		                        "is %" PRIu64 ", at most %" PRIu32 " are allowed", outline.segments, limits->segments_max);
	}
	uint64_t memory = outline.circles * SCENE_BYTES_PER_CIRCLE + outline.segments * SCENE_BYTES_PER_SEGMENT;
	if (memory > limits->memory_bytes_max) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path,
		                        "%" PRIu64 " circles and %" PRIu64 " segments need about %" PRIu64 " bytes, at most %" PRIu64
		                        " are allowed",
		                        outline.circles, outline.segments, memory, limits->memory_bytes_max);
	}
	if (memory_ledger() && !ledger_reserve(memory_ledger(), memory))
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path,
		                        "the server's memory for requests is used up");
	return STATUS_OK;
}

/* What there is one of, and not a row for each of something. */
static bool
field_has_no_row(const char *field)
{
	static const char *const tables[] = { "header", "counts", "world", "checksum" };

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		if (strncmp(field, tables[i], strlen(tables[i])) == 0)
			return true;
	return false;
}

static enum status
bad_snapshot(const struct snapshot_problem *found, const char *path, struct wire_problem *problem)
{
	char field[sizeof problem->field];

	if (field_has_no_row(found->field))
		(void)snprintf(field, sizeof field, "%s.%s", path, found->field);
	else
		(void)snprintf(field, sizeof field, "%s.%s[%zu]", path, found->field, found->index);
	return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field, "%s", found->text);
}

/* What only the world can tell. */
static enum status
world_check(const struct world *world, const struct scene_limits *limits, const char *path, struct wire_problem *problem)
{
	const struct {
		const char *name;
		uint64_t value, most;
	} bounds[] = {
		{ "events_per_body_max", world_events_per_body_max(world), limits->events_per_body_max },
		{ "work_per_tick_max", world_work_per_tick_max(world), limits->work_per_tick_max },
		{ "work_per_body_max", world_work_per_body_max(world), limits->work_per_body_max },
	};
	char field[sizeof problem->field];

	for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; k++) {
		if (bounds[k].value <= bounds[k].most)
			continue;
		(void)snprintf(field, sizeof field, "%s.world.%s", path, bounds[k].name);
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", field, "must be at most %" PRIu64, bounds[k].most);
	}
	if (world_memory_bytes(world) > limits->memory_bytes_max) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path,
		                        "its world takes %zu bytes, at most %" PRIu64 " are allowed", world_memory_bytes(world),
		                        limits->memory_bytes_max);
	}
	return STATUS_OK;
}

/* `map`: NULL: it has its own walls. */
static enum status
restore_from(struct wall_map *map, const uint8_t *bytes, size_t count, const struct scene_limits *limits, const char *path,
             struct world **out, struct wire_problem *problem)
{
	struct snapshot_problem found;
	struct world *world = NULL;
	enum status status = outline_check(bytes, count, limits, path, problem);

	if (status != STATUS_OK)
		return status;
	status = map ? world_restore_in_map(map, bytes, count, 0, &found, &world) : world_restore(bytes, count, 0, &found, &world);
	if (status == STATUS_INVALID_ARGUMENT)
		return bad_snapshot(&found, path, problem);
	if (status != STATUS_OK) {
		return wire_problem_set(problem, status, "MEMORY", path,
		                        "no memory for its world, or more than 1,024 + 8 per circle overlapping pairs");
	}
	status = world_check(world, limits, path, problem);
	if (status != STATUS_OK) {
		world_destroy(world);
		return status;
	}
	world_contacts_max_set(world, (size_t)limits->contacts_per_tick_max);
	*out = world;
	return STATUS_OK;
}

enum status
scene_world_restore(const uint8_t *bytes, size_t count, const struct scene_limits *limits, const char *path, struct world **out,
                    struct wire_problem *problem)
{
	return restore_from(NULL, bytes, count, limits, path, out, problem);
}

enum status
scene_world_restore_in_map(struct wall_map *map, const uint8_t *bytes, size_t count, const struct scene_limits *limits,
                           const char *path, struct world **out, struct wire_problem *problem)
{
	return restore_from(map, bytes, count, limits, path, out, problem);
}
