#include "physics/prediction/prefetch_tick.h"

#include "base/line.h"
#include "base/pause.h"

static void
memory_fetch(const void *memory, size_t bytes)
{
	if (memory) /* no memory yet: no offset may be added to it, not even 0 */
		lines_fetch(memory, bytes);
}

void
fetch_world(const struct world *world)
{
	/* All of it except the grid's levels behind the first. */
	memory_fetch(world, offsetof(struct world, grid.levels[1]));
	memory_fetch(&world->grid.level_count, sizeof *world - offsetof(struct world, grid.level_count));
}

static void
grid_fetch(const struct grid *grid, size_t bodies)
{
	size_t cells = grid->cell_count;

	memory_fetch(grid->heads, cells * sizeof *grid->heads);
	memory_fetch(grid->occupied, cells / 8);
	memory_fetch(grid->rows, bodies * sizeof *grid->rows);
	memory_fetch(grid->still.segment_starts, cells * sizeof *grid->still.segment_starts);
	memory_fetch(grid->still.vertex_starts, cells * sizeof *grid->still.vertex_starts);
}

/* A world that has made no tick has been written just now, as a rule. */
static bool
is_worthwhile(const struct world *world)
{
	return world->bodies.count <= FETCH_BODIES_MAX && world->tick > 0;
}

void
fetch_columns(const struct world *world)
{
	size_t bodies = world->bodies.count;

	if (!is_worthwhile(world))
		return;
	memory_fetch(world->bodies.clean, bodies);
	if (world->schedule.made)
		memory_fetch(world->schedule.eights, (bodies + 7) / 8 * sizeof *world->schedule.eights);
	memory_fetch(world->bodies.paths, bodies * sizeof *world->bodies.paths);
	memory_fetch(world->bodies.masses, bodies * sizeof *world->bodies.masses);
	grid_fetch(&world->grid, bodies);
	if (world->walls.segment_count <= FETCH_BODIES_MAX)
		memory_fetch(grid_wall_boxes(&world->grid), (size_t)world->walls.segment_count * 4 * sizeof(double));
}

static void
info_fetch(const struct world *world, uint32_t body)
{
	const struct body_info *info = &world->bodies.infos[body];

	/* Its first three cache lines. */
	line_fetch(info);
	line_fetch(&info->inverse_mass);
	line_fetch(&info->id);
}

void
fetch_infos(const struct world *world)
{
	if (!is_worthwhile(world))
		return;
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		if (world->bodies.clean[i] == BODY_DIRTY)
			info_fetch(world, i);
}

static void
event_fetch(void *context, const struct event *event)
{
	const struct world *world = context;

	if (event->kind == EVENT_TRANSFER)
		return;
	info_fetch(world, event->a);
	if (event->kind == EVENT_CIRCLES)
		info_fetch(world, event->b);
}

void
fetch_events(struct world *world)
{
	if (world->bodies.count <= FETCH_BODIES_MAX)
		event_queue_visit(&world->scratch.queue, event_fetch, world);
}
