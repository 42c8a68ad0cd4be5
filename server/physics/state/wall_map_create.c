/* Makes maps. Happy path: the walls of a world without bodies become a map's. What can go wrong: a definition (the problem
 * names its field), memory. */
#include "base/memory.h"
#include "base/pause.h"
#include "physics/state/edit.h"
#include "physics/state/snapshot_rows.h"
#include "physics/world/map_walls.h"
#include "physics/world/vertex.h"

static bool
segments_check(const struct segment_def *segments, size_t count, struct def_problem *problem)
{
	static const char *const stands = "must be 0: the walls of a map stand still";

	for (size_t i = 0; i < count && !pause_after(2); i++) {
		if (!segment_def_check(&segments[i], i, problem))
			return false;
		if (segments[i].vx == 0.0 && segments[i].vy == 0.0)
			continue;
		*problem = (struct def_problem){ segments[i].vx != 0.0 ? DEF_SEGMENT_VX : DEF_SEGMENT_VY, i, stands };
		return false;
	}
	return true;
}

/* Fills in the walls of a world that has nothing else. */
static enum status
walls_make(struct world *world, const struct segment_def *segments, size_t count, struct def_problem *problem)
{
	struct id_order *order = memory_zeroed(count + 1, sizeof *order);
	struct walls *walls = &world->walls;

	walls->segments = memory_zeroed(count + 1, sizeof *walls->segments);
	if (!order || !walls->segments) {
		memory_free(order);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	walls->segment_count = (uint32_t)count;
	for (uint32_t i = 0; i < walls->segment_count && !pause_after(1); i++)
		order[i] = (struct id_order){ .id = segments[i].id, .index = i };

	bool unique = id_order_sort(order, count, DEF_SEGMENT_ID, problem);

	for (uint32_t i = 0; i < walls->segment_count && unique && !pause_after(4); i++)
		segment_define(&walls->segments[i], &segments[order[i].index]);
	memory_free(order);
	if (!unique)
		return STATUS_INVALID_ARGUMENT;
	walls_derive(walls);
	return vertices_build(world) ? STATUS_OK : STATUS_RESOURCE_EXHAUSTED;
}

/* Of the walls' rows in a snapshot. */
static bool
walls_hash(const struct walls *walls, uint64_t *hash)
{
	size_t row_bytes = snapshot_row_bytes(&snapshot_segment_table), size = walls->segment_count * row_bytes;
	uint8_t *rows = memory_alloc(size + 1);

	if (!rows)
		return false;
	snapshot_rows_put(rows, &snapshot_segment_table, walls->segment_count,
	                  (const struct snapshot_source[]){ { walls->segments, sizeof *walls->segments } });
	*hash = snapshot_checksum(rows, size);
	memory_free(rows);
	return !pause_stopped();
}

static enum status
map_make(const struct segment_def *segments, size_t count, struct def_problem *problem, struct wall_map **out)
{
	if (!segments_check(segments, count, problem))
		return STATUS_INVALID_ARGUMENT;
	if (count >= PARTNER_SEGMENT / 2)
		return STATUS_RESOURCE_EXHAUSTED;

	struct world *world = memory_zeroed(1, sizeof *world);
	struct wall_map *map = memory_zeroed(1, sizeof *map);
	enum status status = world && map ? walls_make(world, segments, count, problem) : STATUS_RESOURCE_EXHAUSTED;

	if (status == STATUS_OK && !walls_hash(&world->walls, &map->hash))
		status = STATUS_RESOURCE_EXHAUSTED;
	if (pause_stopped())
		status = STATUS_CANCELLED;
	if (status == STATUS_OK) {
		map->walls = world->walls;
		atomic_init(&map->holders, 1);
		atomic_init(&map->cells, NULL);
		atomic_init(&map->solver_walls, NULL);
		*out = map;
	} else {
		if (world)
			walls_finish(&world->walls);
		memory_free(map);
	}
	memory_free(world);
	return status;
}

/* What many have in common is charged to none of them. */
enum status
wall_map_create(const struct segment_def *segments, size_t count, struct def_problem *problem, struct wall_map **out)
{
	struct ledger *own = memory_enter_common();
	enum status status = map_make(segments, count, problem, out);

	(void)memory_enter(own);
	return status;
}

struct segment_def
wall_map_segment(const struct wall_map *map, size_t index)
{
	return segment_defined(&map->walls.segments[index]);
}
