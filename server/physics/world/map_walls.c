/* Walls of maps and of worlds: held, freed, counted. Nothing can go wrong. */
#include "physics/world/map_walls.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/pause.h"

#include <string.h>

void
walls_derive(struct walls *walls)
{
	walls->rough = walls->grouped = walls->belts = walls->sensors = false;
	walls->groups = 0;
	for (uint32_t i = 0; i < walls->segment_count && !pause_after(1); i++) {
		const struct segment *segment = &walls->segments[i];

		walls->rough = walls->rough || segment->friction > 0.0;
		walls->grouped = walls->grouped || segment->filter_group != 0;
		walls->belts = walls->belts || segment->surface_speed != 0.0;
		walls->sensors = walls->sensors || segment->sensor;
		walls->groups |= UINT64_C(1) << segment->group;
	}
}

static void
arrays_free(struct walls *walls)
{
	memory_free(walls->segments);
	memory_free(walls->vertices);
	memory_free(walls->spokes);
	memory_free(walls->moving);
	memory_free(walls->places);
}

void
walls_finish(struct walls *walls)
{
	memory_free(walls->off);
	if (walls->map)
		wall_map_release(walls->map);
	else
		arrays_free(walls);
}

static size_t
arrays_bytes(const struct walls *walls)
{
	/* One segment more than there are, and as many vertices as ends. */
	return ((size_t)walls->segment_count + 1) * sizeof *walls->segments +
	       (2 * (size_t)walls->segment_count + 1) * sizeof *walls->vertices +
	       ((size_t)walls->spoke_count + 1) * sizeof *walls->spokes +
	       ((size_t)walls->moving_count + walls->moving_vertex_count) * sizeof *walls->moving +
	       walls->moving_count * sizeof *walls->places;
}

size_t
walls_memory_bytes(const struct walls *walls)
{
	return (walls->map ? 0 : arrays_bytes(walls)) +
	       (walls->off ? (walls->segment_count / 64 + (size_t)1) * sizeof *walls->off : 0);
}

bool
wall_map_suits(const struct wall_map *map, const struct relation_def *relations, size_t count)
{
	uint64_t one_sided = 0;

	for (size_t i = 0; i < count; i++)
		if (relations[i].kind == RELATION_KIND_ONE_SIDED)
			one_sided |= UINT64_C(1) << relations[i].group_a | UINT64_C(1) << relations[i].group_b;
	return (one_sided & map->walls.groups) == 0;
}

struct walls
wall_map_walls(struct wall_map *map)
{
	struct walls walls = map->walls;

	walls.map = wall_map_hold(map);
	return walls;
}

struct wall_map *
wall_map_hold(struct wall_map *map)
{
	CHECK(atomic_fetch_add_explicit(&map->holders, 1, memory_order_relaxed) > 0);
	return map;
}

void
wall_map_release(struct wall_map *map)
{
	if (!map)
		return;

	size_t before = atomic_fetch_sub_explicit(&map->holders, 1, memory_order_acq_rel);

	CHECK(before > 0);
	if (before > 1)
		return;

	struct ledger *own = memory_enter_common();

	for (struct wall_cells *cells = atomic_load(&map->cells), *next; cells; cells = next) {
		next = cells->next;
		grid_finish(&cells->grid);
		memory_free(cells);
	}

	struct map_part *part = atomic_load(&map->solver_walls);

	if (part)
		part->destroy(part);
	arrays_free(&map->walls);
	memory_free(map);
	(void)memory_enter(own);
}

uint64_t
wall_map_hash(const struct wall_map *map)
{
	return map->hash;
}

static bool
double_same(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}

static bool
segment_is_of(const struct segment *s, const struct segment_def *def)
{
	return s->id == def->id && double_same(s->home[0], def->x1) && double_same(s->home[1], def->y1) &&
	       double_same(s->home[2], def->x2) && double_same(s->home[3], def->y2) &&
	       double_same(s->restitution, def->restitution) && double_same(s->friction, def->friction) &&
	       double_same(s->rolling, def->rolling_resistance) && s->category == def->category && s->mask == def->mask &&
	       double_same(s->surface_speed, def->surface_speed) && s->sensor == def->sensor &&
	       double_same(s->radius, def->radius) && s->one_sided == def->one_sided && s->filter_group == def->filter_group &&
	       s->group == def->group && s->disabled == def->disabled && def->vx == 0.0 && def->vy == 0.0;
}

bool
wall_map_is_of(const struct wall_map *map, const struct segment_def *segments, size_t count)
{
	bool same = count == map->walls.segment_count;

	for (size_t i = 0; i < count && same && !pause_after(2); i++)
		same = segment_is_of(&map->walls.segments[i], &segments[i]);
	return same;
}

size_t
wall_map_segment_count(const struct wall_map *map)
{
	return map->walls.segment_count;
}

size_t
wall_map_memory_bytes(const struct wall_map *map)
{
	const struct map_part *part = atomic_load(&map->solver_walls);
	size_t bytes = sizeof *map + arrays_bytes(&map->walls) + (part ? part->bytes : 0);

	for (const struct wall_cells *cells = atomic_load(&map->cells); cells; cells = cells->next)
		bytes += sizeof *cells + grid_memory_bytes(&cells->grid);
	return bytes;
}

struct wall_map *
world_map(const struct world *world)
{
	return world->walls.map;
}

size_t
world_map_bytes(const struct world *world)
{
	return world->walls.map ? arrays_bytes(&world->walls) + grid_borrowed_bytes(&world->grid) : 0;
}
