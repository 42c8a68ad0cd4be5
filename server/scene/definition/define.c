/* A Scene message as the definition of a world, and the world. */
#include "scene/definition/define.h"

#include "base/memory.h"
#include "scene/definition/def_field.h"
#include "scene/definition/shape_defs.h"
#include "scene/fields/columns.h"
#include "scene/fields/field_path.h"
#include "scene/fields/kinds.h"
#include "scene/limits.h"
#include "scene/map_cache.h"

#include <inttypes.h>
#include <stdio.h>

/* Refuses what will not fit before anything is built, and reserves what it will take. Counts are within their limits, so
 * nothing here overflows. */
static enum status
memory_check(size_t circles, size_t segments, const struct scene_limits *limits, const char *path, struct wire_problem *problem)
{
	uint64_t bytes = (uint64_t)circles * SCENE_BYTES_PER_CIRCLE + (uint64_t)segments * SCENE_BYTES_PER_SEGMENT;

	if (bytes <= limits->memory_bytes_max) {
		struct ledger *ledger = memory_ledger();

		if (!ledger || ledger_reserve(ledger, bytes))
			return STATUS_OK;
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path,
		                        "the server's memory for requests is used up");
	}
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path,
	                        "%zu circles and %zu segments need about %" PRIu64 " bytes, at most %" PRIu64 " are allowed",
	                        circles, segments, bytes, limits->memory_bytes_max);
}

/* A number of which 0 stands for the usual, as it is in *value, or for the limit if that is lower. */
static enum status
bounded_read(uint64_t asked, uint64_t limit, const char *name, const char *path, uint64_t *value,
             struct diagnostics *diagnostics)
{
	struct path_place place = { .path = path, .index = PATH_NO_INDEX, .name = name };
	char text[sizeof diagnostics->problem->text];

	if (asked > limit) {
		(void)snprintf(text, sizeof text, "must be at most %" PRIu64, limit);
		return diagnostics_add(diagnostics,
		                       path_problem(diagnostics->problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", place, text));
	}
	if (asked != 0)
		*value = asked;
	else if (*value > limit)
		*value = limit;
	return STATUS_OK;
}

/* The bounds of a tick. */
static enum status
bounds_read(const Collide__V1__Scene *scene, const struct scene_limits *limits, const char *path, struct world_def *def,
            struct diagnostics *diagnostics)
{
	uint64_t events = def->events_per_body_max;
	enum status status = bounded_read(scene->events_per_body_max, limits->events_per_body_max, "events_per_body_max", path,
	                                  &events, diagnostics);

	if (status == STATUS_OK) {
		def->events_per_body_max = (uint32_t)events;
		status = bounded_read(scene->work_per_tick_max, limits->work_per_tick_max, "work_per_tick_max", path,
		                      &def->work_per_tick_max, diagnostics);
	}
	if (status == STATUS_OK) {
		status = bounded_read(scene->work_per_body_max, limits->work_per_body_max, "work_per_body_max", path,
		                      &def->work_per_body_max, diagnostics);
	}
	def->contacts_per_tick_max = (size_t)limits->contacts_per_tick_max;
	return status;
}

/* The scene's own fields. Values that only the engine judges are passed on. */
static enum status
settings_read(const Collide__V1__Scene *scene, const struct scene_limits *limits, const char *path, struct world_def *def,
              struct diagnostics *diagnostics)
{
	struct path_place place = { .path = path, .index = PATH_NO_INDEX };
	struct wire_problem *problem = diagnostics->problem;
	enum status status = STATUS_OK;
	char text[sizeof problem->text];

	*def = world_def_default();
	def->gravity_x = scene->gravity_x;
	def->gravity_y = scene->gravity_y;
	def->restitution_threshold = scene->restitution_threshold;
	def->sleep_after = scene->sleep_after;
	def->speed_max = scene->speed_max;
	def->hit_speed = scene->hit_speed;
	if (scene->optional_bounds_case == COLLIDE__V1__SCENE__OPTIONAL_BOUNDS_BOUNDS) {
		def->has_bounds = true;
		def->bounds_x_min = scene->bounds->x_min;
		def->bounds_y_min = scene->bounds->y_min;
		def->bounds_x_max = scene->bounds->x_max;
		def->bounds_y_max = scene->bounds->y_max;
	}
	if (!kind_restitution_mix(scene->restitution_mix, &def->restitution_mix)) {
		place.name = "restitution_mix";
		(void)snprintf(text, sizeof text, "%d is not a RestitutionMix", (int)scene->restitution_mix);
		status = diagnostics_add(diagnostics, path_problem(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, text));
	}
	if (status == STATUS_OK && !kind_friction_mix(scene->friction_mix, &def->friction_mix)) {
		place.name = "friction_mix";
		(void)snprintf(text, sizeof text, "%d is not a FrictionMix", (int)scene->friction_mix);
		status = diagnostics_add(diagnostics, path_problem(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, text));
	}
	return status == STATUS_OK ? bounds_read(scene, limits, path, def, diagnostics) : status;
}

enum status
scene_define(struct arena *arena, const Collide__V1__Scene *scene, const struct scene_limits *limits, const char *path,
             struct world_def *def, struct diagnostics *diagnostics)
{
	struct column_list circles = circle_column_list(scene), segments = segment_column_list(scene);
	struct world_def made;
	enum status status = settings_read(scene, limits, path, &made, diagnostics);
	const size_t reported = diagnostics->count;

	if (status == STATUS_OK) {
		status = shapes_count_check(path, circles.list, circles.rows, "circles", scene->n_circles, limits->circles_max,
		                            diagnostics);
	}
	if (status == STATUS_OK) {
		status = shapes_count_check(path, segments.list, segments.rows, "segments", scene->n_segments, limits->segments_max,
		                            diagnostics);
	}
	if (status == STATUS_OK && diagnostics->count == reported) {
		status = memory_check(circles.rows + scene->n_circles, segments.rows + scene->n_segments, limits, path,
		                      diagnostics->problem);
		status = diagnostics_add(diagnostics, status);
	}
	/* Rows that are too many are not made: of a few bytes they may be billions. */
	if (status == STATUS_OK && diagnostics->count > reported) {
		diagnostics->ended = true;
		status = diagnostics->problem->status;
	}
	if (status == STATUS_OK)
		status = shapes_circles(arena, scene, path, &made, diagnostics);
	if (status == STATUS_OK)
		status = shapes_segments(arena, scene, path, &made.segments, &made.segment_count, diagnostics);
	if (status == STATUS_OK)
		status = shapes_relations(arena, scene, path, &made.relations, &made.relation_count, diagnostics);
	if (status == STATUS_OK)
		*def = made;
	return status;
}

enum status
scene_world_def(struct arena *arena, const Collide__V1__Scene *scene, const struct scene_limits *limits, const char *path,
                struct world_def *def, struct wire_problem *problem)
{
	struct diagnostics first = { .problem = problem };
	struct def_problem found;
	enum status status = scene_define(arena, scene, limits, path, def, &first);

	if (status != STATUS_OK || world_def_check(def, &found))
		return status;
	return def_field_problem(problem, path, scene, &found);
}

size_t
scene_world_bytes(const struct world *world)
{
	return world_memory_bytes(world) + world_map_bytes(world);
}

/* One-sided relations may need walls of the world's own. */
static bool
relations_suit(const struct world_def *def)
{
	for (size_t i = 0; i < def->relation_count; i++)
		if (def->relations[i].kind == RELATION_KIND_ONE_SIDED)
			return false;
	return true;
}

/* In a map with all its walls, if there is one. */
static enum status
world_create_in(struct world_def *def, struct map_cache *maps, struct def_problem *problem, struct world **out)
{
	struct wall_map *map = maps && relations_suit(def) ? map_cache_map(maps, def->segments, def->segment_count) : NULL;

	if (map) {
		def->map = map;
		def->segments = NULL;
		def->segment_count = 0;
	}

	enum status status = world_create(def, problem, out);

	wall_map_release(map);
	return status;
}

enum status
scene_world_create(struct arena *arena, const Collide__V1__Scene *scene, const struct scene_limits *limits, const char *path,
                   struct world **out, struct wire_problem *problem)
{
	return scene_world_create_in(arena, scene, limits, NULL, path, out, problem);
}

enum status
scene_world_create_in(struct arena *arena, const Collide__V1__Scene *scene, const struct scene_limits *limits,
                      struct map_cache *maps, const char *path, struct world **out, struct wire_problem *problem)
{
	struct diagnostics first = { .problem = problem };
	struct world_def def;
	struct def_problem found;
	struct world *world;
	enum status status = scene_define(arena, scene, limits, path, &def, &first);

	if (status != STATUS_OK)
		return status;
	status = world_create_in(&def, maps, &found, &world);
	if (status == STATUS_INVALID_ARGUMENT)
		return def_field_problem(problem, path, scene, &found);
	if (status != STATUS_OK) {
		return wire_problem_set(problem, status, "MEMORY", path,
		                        "no memory for its world, or more than 1,024 + 8 per circle overlapping pairs");
	}
	if (scene_world_bytes(world) > limits->memory_bytes_max) {
		size_t bytes = scene_world_bytes(world);

		world_destroy(world);
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path,
		                        "its world takes %zu bytes, at most %" PRIu64 " are allowed", bytes, limits->memory_bytes_max);
	}
	*out = world;
	return STATUS_OK;
}
