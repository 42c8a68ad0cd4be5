/* The life of a world: creation from definitions, and destruction. What can go wrong: a definition (the problem names its
 * field), memory. */
#include "base/memory.h"
#include "base/pages.h"
#include "physics/broadphase/grid_build.h"
#include "physics/partition/partition.h"
#include "physics/phases/depenetration.h"
#include "physics/reports/watch.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/state/edit.h"
#include "physics/state/kept.h"
#include "physics/tick/workspace.h"
#include "physics/world/body_rule.h"
#include "physics/world/map_walls.h"
#include "physics/world/relation.h"
#include "physics/world/vertex.h"
#include "physics/world/wall_switch.h"
#include "physics/world/world.h"

#include <math.h>
#include <string.h>

/* Unused bytes between two columns of the block, so that AddressSanitizer detects an access beyond a column. */
#define COLUMN_GUARD_BYTES 32

/* Whether ids ascend as they are defined, as most do: then there is no order to be found, and none is given twice. */
static bool
circles_ascend(const struct world_def *def)
{
	for (size_t i = 1; i < def->circle_count && !pause_after(1); i++)
		if (def->circles[i - 1].id >= def->circles[i].id)
			return false;
	return true;
}

static bool
segments_ascend(const struct world_def *def)
{
	for (size_t i = 1; i < def->segment_count && !pause_after(1); i++)
		if (def->segments[i - 1].id >= def->segments[i].id)
			return false;
	return true;
}

/* Which is the i-th by its id. */
static size_t
order_index(const struct id_order *order, uint32_t i)
{
	return order ? order[i].index : i;
}

/* `order`: room for one; NULL: they ascend. False and a problem: an id is given twice. */
static bool
walls_fill(struct world *world, const struct world_def *def, struct id_order *order, struct def_problem *problem)
{
	for (uint32_t i = 0; order && i < world->walls.segment_count && !pause_after(1); i++)
		order[i] = (struct id_order){ .id = def->segments[i].id, .index = i };
	if (order && !id_order_sort(order, world->walls.segment_count, DEF_SEGMENT_ID, problem))
		return false;
	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(4); i++)
		segment_define(&world->walls.segments[i], &def->segments[order_index(order, i)]);
	walls_derive(&world->walls);
	return true;
}

static enum status
world_fill(struct world *world, const struct world_def *def, bool alike, struct id_order *order, struct def_problem *problem)
{
	for (uint32_t i = 0; order && i < world->bodies.count && !pause_after(1); i++)
		order[i] = (struct id_order){ .id = def->circles[i].id, .index = i };
	if (order && !id_order_sort(order, world->bodies.count, DEF_CIRCLE_ID, problem))
		return STATUS_INVALID_ARGUMENT;
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(8); i++) {
		const struct circle_def *circle = &def->circles[order_index(order, i)];

		if (alike && i > 0)
			body_define_alike(world, i, circle);
		else
			body_define(world, i, circle);
	}

	if (!def->map && !walls_fill(world, def, order, problem))
		return STATUS_INVALID_ARGUMENT;
	if (!walls_off_find(&world->walls))
		return STATUS_RESOURCE_EXHAUSTED;
	world->settings.turns = world_turns_find(world, alike);
	world_derive(world, alike);
	return def->map || vertices_build(world) ? STATUS_OK : STATUS_RESOURCE_EXHAUSTED;
}

/* Bytes in the common block for a column of `count` elements, up to where the next may begin: on a cache line, and after a
 * guard. */
static size_t
column_bytes(size_t count, size_t size)
{
	return (count * size + COLUMN_GUARD_BYTES + PAGES_LINE_BYTES - 1) / PAGES_LINE_BYTES * PAGES_LINE_BYTES;
}

/* The next column of the block, zeroed from an element on. */
static void *
column_take(unsigned char **block, size_t count, size_t size, size_t zeroed)
{
	unsigned char *column = *block;
	size_t bytes = count * size;

	(void)pause_fill(column + zeroed * size, 0, bytes - zeroed * size);
	*block += column_bytes(count, size);
	pages_guard(column + bytes, (size_t)(*block - column) - bytes);
	return column;
}

/* `defined`: paths and infos of all bodies are written next, as a whole. */
static bool
columns_alloc(struct world *world, bool defined)
{
	size_t zeroed = defined ? world->bodies.count : 0;
	size_t count = (size_t)world->bodies.count + 1;

	if (count > PARTNER_SEGMENT)
		return false;

	unsigned char *block = pages_alloc(
		column_bytes(count, sizeof *world->bodies.paths) + column_bytes(count, sizeof *world->bodies.infos) +
		column_bytes(count, sizeof *world->bodies.clean) + column_bytes(count, sizeof *world->bodies.masses) +
		column_bytes(count, sizeof *world->bodies.marks) + column_bytes(count, sizeof *world->bodies.ids));

	if (!block)
		return false;
	/* Infos first: each begins on a cache line of its own. */
	world->bodies.infos = column_take(&block, count, sizeof *world->bodies.infos, zeroed);
	world->bodies.paths = column_take(&block, count, sizeof *world->bodies.paths, zeroed);
	world->bodies.clean = column_take(&block, count, sizeof *world->bodies.clean, 0);
	world->bodies.masses = column_take(&block, count, sizeof *world->bodies.masses, 0);
	world->bodies.marks = column_take(&block, count, sizeof *world->bodies.marks, 0);
	world->bodies.ids = column_take(&block, count, sizeof *world->bodies.ids, 0);
	return true;
}

bool
body_columns_alloc(struct world *world)
{
	return columns_alloc(world, false);
}

void
body_columns_free(struct world *world)
{
	memory_free(world->bodies.infos);
	memory_free(world->bodies.rules);
	memory_free(world->bodies.tags);
}

/* Room for segments; NULL without memory. */
static struct walls
walls_alloc(size_t count)
{
	return (struct walls){
		.segment_count = (uint32_t)count,
		.segments = memory_zeroed(count + 1, sizeof(struct segment)),
	};
}

/* The first so many circles tell which rules there are. */
static struct world *
world_alloc_by(const struct world_def *def, size_t telling)
{
	/* Indices have 31 bits: one bit is a flag (PARTNER_SEGMENT). */
	if (def->circle_count >= PARTNER_SEGMENT || def->segment_count >= PARTNER_SEGMENT / 2)
		return NULL;

	struct world *world = memory_alloc(sizeof *world);

	if (!world)
		return NULL;
	*world = (struct world){
		.settings.gravity_x = def->gravity_x,
		.settings.gravity_y = def->gravity_y,
		.settings.gravity = sqrt(def->gravity_x * def->gravity_x + def->gravity_y * def->gravity_y),
		.settings.restitution_threshold = def->restitution_threshold,
		.settings.sleep_after = def->sleep_after,
		.settings.speed_max = def->speed_max,
		.settings.restitution_mix = def->restitution_mix,
		.settings.friction_mix = def->friction_mix,
		.settings.events_per_body_max = def->events_per_body_max,
		.settings.work_per_tick_max = def->work_per_tick_max,
		.settings.work_per_body_max = def->work_per_body_max,
		.settings.contacts_per_tick_max = def->contacts_per_tick_max,
		.settings.watched = def->events,
		.settings.hit_speed = def->hit_speed,
		.settings.has_bounds = def->has_bounds,
		.bodies.count = (uint32_t)def->circle_count,
		.walls = def->map ? wall_map_walls(def->map) : walls_alloc(def->segment_count),
		.settings.relations = relations_create(def->relations, def->relation_count),
	};
	if (def->has_bounds)
		memcpy(world->settings.bounds,
		       (const double[]){ def->bounds_x_min, def->bounds_y_min, def->bounds_x_max, def->bounds_y_max },
		       sizeof world->settings.bounds);
	event_queue_init(&world->scratch.queue);
	schedule_init(&world->schedule);
	if (!columns_alloc(world, def->circles != NULL) || pause_stopped() ||
	    !body_rules_alloc_for(&world->bodies, def->circles, telling) ||
	    (def->relation_count > 0 && !world->settings.relations) || !world->walls.segments || !sleep_alloc(world)) {
		world_destroy(world);
		return NULL;
	}
	return world;
}

struct world *
world_alloc(const struct world_def *def)
{
	return world_alloc_by(def, def->circles ? def->circle_count : 0);
}

/* Of a checked definition: in its map, which then has all walls; or without a map. */
static enum status
world_make(const struct world_def *def, bool alike, struct def_problem *problem, struct world **out)
{
	size_t most = def->circle_count > def->segment_count ? def->circle_count : def->segment_count;
	const bool ascend = circles_ascend(def) && (def->map || segments_ascend(def));
	struct id_order *order = ascend ? NULL : memory_zeroed(most + 1, sizeof *order);
	struct world *world = world_alloc_by(def, alike ? 1 : def->circle_count);
	enum status status = STATUS_RESOURCE_EXHAUSTED;
	bool all = false;

	if ((order || ascend) && world)
		status = world_fill(world, def, alike, order, problem);
	if (pause_stopped())
		status = STATUS_CANCELLED;
	if (status == STATUS_OK &&
	    (!grid_build(&world->grid, world) || overlaps_too_many(world, NULL, &all) || world->failed || !watch_create(world)))
		status = STATUS_RESOURCE_EXHAUSTED;
	memory_free(order);
	if (pause_stopped())
		status = STATUS_CANCELLED;
	if (status == STATUS_OK) {
		world->overlap_possible = true;
		world->overlap_free = all && world->scratch.overlap_count == 0;
		*out = world;
	} else {
		world_destroy(world);
	}
	return status;
}

/* With a copy of the map's walls, and more. */
static enum status
world_make_beside(const struct world_def *def, bool alike, struct def_problem *problem, struct world **out)
{
	const struct walls *walls = &def->map->walls;
	size_t count = walls->segment_count, total = count + def->segment_count;
	struct segment_def *segments = memory_alloc((total + 1) * sizeof *segments);
	struct world_def own = *def;

	if (!segments)
		return STATUS_RESOURCE_EXHAUSTED;
	for (size_t i = 0; i < count && !pause_after(4); i++) {
		const double *home = walls->segments[i].home;

		segments[i] = segment_defined(&walls->segments[i]);
		/* As they were defined: in its place a segment has no -0. */
		segments[i].x1 = home[0], segments[i].y1 = home[1], segments[i].x2 = home[2], segments[i].y2 = home[3];
	}
	if (def->segment_count > 0)
		(void)pause_copy(segments + count, def->segments, def->segment_count * sizeof *segments);
	own.map = NULL;
	own.segments = segments;
	own.segment_count = total;

	enum status status = world_make(&own, alike, problem, out);

	/* The map's ids are unique: where one is given twice, the later one is not the map's. */
	if (status == STATUS_INVALID_ARGUMENT && problem->field == DEF_SEGMENT_ID)
		problem->index -= count;
	memory_free(segments);
	return status;
}

enum status
world_create(const struct world_def *def, struct def_problem *problem, struct world **out)
{
	bool alike;

	if (!world_def_check_alike(def, &alike, problem))
		return STATUS_INVALID_ARGUMENT;
	if (pause_stopped())
		return STATUS_CANCELLED;
	if (def->map && (def->segment_count > 0 || !wall_map_suits(def->map, def->relations, def->relation_count)))
		return world_make_beside(def, alike, problem, out);
	return world_make(def, alike, problem, out);
}

void
world_destroy(struct world *world)
{
	if (!world)
		return;
	body_columns_free(world);
	walls_finish(&world->walls);
	relations_destroy(world->settings.relations);
	memory_free(world->bodies.calms);
	memory_free(world->bodies.sleep_flags);
	memory_free(world->bodies.fallen);
	awake_free(&world->bodies.awake);
	if (world->plan)
		edit_plan_finish(world->plan);
	memory_free(world->plan);
	grid_finish(&world->grid);
	schedule_finish(&world->schedule);
	scratch_finish(world);
	handover_destroy(world->handover);
	watch_destroy(world->watch);
	partition_destroy(world->partition);
	world_identity_drop(world->identity);
	memory_free(world);
}

size_t
world_memory_bytes(const struct world *world)
{
	return sizeof *world +
	       world->bodies.count * (sizeof *world->bodies.paths + sizeof *world->bodies.infos + sizeof *world->bodies.clean +
	                              sizeof *world->bodies.masses + sizeof *world->bodies.marks + sizeof *world->bodies.ids) +
	       (world->bodies.rules ? world->bodies.count * sizeof *world->bodies.rules : 0) +
	       (world->bodies.tags ? world->bodies.count * sizeof *world->bodies.tags : 0) +
	       (world->bodies.calms ? world->bodies.count * (sizeof *world->bodies.calms + sizeof *world->bodies.fallen + 1) : 0) +
	       awake_memory_bytes(&world->bodies.awake, world->bodies.count) + walls_memory_bytes(&world->walls) +
	       relations_memory_bytes(world->settings.relations) + grid_memory_bytes(&world->grid) + scratch_memory_bytes(world) +
	       schedule_memory_bytes(&world->schedule) + handover_memory_bytes(world->handover) + watch_memory_bytes(world->watch) +
	       partition_memory_bytes(world->partition);
}
