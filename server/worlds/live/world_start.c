/* Where a world begins. It is made in a ledger of its own, which becomes the live world's. */
#include "base/memory.h"
#include "scene/definition/def_field.h"
#include "scene/definition/define.h"
#include "worlds/live/live_private.h"

#include <inttypes.h>

void
world_start_destroy(struct world_start *start)
{
	if (!start)
		return;

	struct ledger *own = memory_enter(&start->ledger);

	world_destroy(start->world);
	force_list_finish(&start->forces);
	owner_list_finish(&start->owners);
	(void)memory_enter(NULL);
	wall_map_release(start->map);
	ledger_finish(&start->ledger);
	memory_free(start);
	(void)memory_enter(own);
}

struct world_start *
world_start_empty(uint64_t memory_bytes_max)
{
	struct ledger *own = memory_enter(NULL);
	struct world_start *start = memory_zeroed(1, sizeof *start);

	(void)memory_enter(own);
	if (start) {
		ledger_init(&start->ledger, memory_bytes_max);
		ledger_leave(&start->ledger);
		/* Its request's, until it lives. */
		ledger_share(&start->ledger, own ? own->share : NULL);
	}
	return start;
}

static enum status
scene_world_make(struct arena *arena, const Collide__V1__Scene *scene, const struct scene_limits *limits, struct wall_map *map,
                 const char *path, struct world **out, struct wire_problem *problem)
{
	struct diagnostics first = { .problem = problem };
	struct world_def def;
	struct def_problem found;
	enum status status = scene_define(arena, scene, limits, path, &def, &first);

	if (status != STATUS_OK)
		return status;
	def.map = map;
	status = world_create(&def, &found, out);
	if (status == STATUS_INVALID_ARGUMENT)
		return def_field_problem(problem, path, scene, &found);
	if (status != STATUS_OK) {
		return wire_problem_set(problem, status, "MEMORY", path,
		                        "no memory for its world, or more than 1,024 + 8 per circle overlapping pairs");
	}
	return STATUS_OK;
}

enum status
world_start_scene(struct arena *arena, const Collide__V1__Scene *scene, const struct scene_limits *limits, struct wall_map *map,
                  const char *path, struct world_start **out, struct wire_problem *problem)
{
	struct world_start *start = world_start_empty(limits->memory_bytes_max);

	if (!start)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for its world");

	/* The arena's memory is the asker's. */
	struct ledger *own = memory_enter(&start->ledger);
	struct arena inner;

	arena_init(&inner, arena->budget_bytes - arena->used_bytes);
	enum status status = scene_world_make(&inner, scene, limits, map, path, &start->world, problem);

	arena_finish(&inner);
	(void)memory_enter(own);
	if (status != STATUS_OK) {
		world_start_destroy(start);
		return status;
	}
	start->map = map ? wall_map_hold(map) : NULL;
	start->hash = world_hash(start->world);
	*out = start;
	return STATUS_OK;
}

void
world_start_disown(struct world_start *start)
{
	struct ledger *own = memory_enter(&start->ledger);

	owner_list_finish(&start->owners);
	(void)memory_enter(own);
}

size_t
world_start_memory_bytes(const struct world_start *start)
{
	return sizeof *start + (size_t)ledger_used(&start->ledger);
}

uint64_t
world_start_tick(const struct world_start *start)
{
	return world_tick(start->world);
}

size_t
world_start_circles(const struct world_start *start)
{
	return world_body_count(start->world);
}

size_t
world_start_segments(const struct world_start *start)
{
	return world_segment_count(start->world);
}

uint64_t
world_start_id_next(const struct world_start *start)
{
	size_t count = world_body_count(start->world);

	return count == 0 ? 0 : (uint64_t)world_body(start->world, count - 1).id + 1;
}

void
live_start_take(struct live_world *world, struct world_start *start)
{
	ledger_move(&start->ledger, &world->ledger);
	world->world = start->world;
	world->map = start->map;
	world->forces = start->forces;
	world->owners = start->owners;
	world->tick = world->hash_tick = world_tick(start->world);
	world->hash = start->hash;

	struct ledger *own = memory_enter(NULL);

	memory_free(start);
	(void)memory_enter(own);
}
