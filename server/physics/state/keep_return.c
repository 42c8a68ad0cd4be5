/* Returns to a kept state. Happy path: the world has the same bodies in the same cells, and their columns are copied back. If
 * circles were edited since, or cells laid out anew, a second set of bodies is made beside the present one (`next`). It is put
 * in its place, as an edit does. What can go wrong: segments were edited; memory. Both before anything of the world is written.
 */
#include "base/pause.h"
#include "physics/broadphase/grid_build.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/state/edit.h"
#include "physics/state/kept.h"
#include "physics/world/body_rule.h"
#include "physics/world/moving_walls.h"
#include "physics/world/wall_switch.h"

#include <string.h>

/* Whether the grid's cells are those of the kept state. */
static bool
cells_same(const struct grid *grid, const struct kept_head *head)
{
	return grid->levels_laid == head->levels_laid && grid->cell_count == head->cell_count && grid->rounding == head->rounding &&
	       memcmp(grid->levels, head->levels, head->levels_laid * sizeof *head->levels) == 0;
}

/* Whether everything can be written in place. */
static bool
world_alike(const struct world *world, const struct kept_head *head)
{
	struct watch_kept watch = watch_kept_of(world);

	return world->edition == head->edition && cells_same(&world->grid, head) && watch.watched == head->watch.watched &&
	       watch.touched == head->watch.touched;
}

static void
bodies_return(struct world *world, const struct world_kept *kept)
{
	const uint8_t *from = kept->block + kept->places.bodies;
	struct kept_column columns[KEPT_COLUMNS_MAX];
	size_t count = kept_columns_list(world, columns);

	for (size_t k = 0; k < count; k++) {
		(void)pause_copy(columns[k].at, from, columns[k].bytes);
		from += kept_bytes(columns[k].bytes);
	}
	if (world->bodies.calms)
		awake_return(&world->bodies.awake, world->bodies.count, from);
	world->bodies.awake.added = kept->head.awake_added;
	world->bodies.generation = kept->head.generation;
	world->bodies.asleep_count = kept->head.asleep_count;
}

/* Puts all bodies into their cells, which are those of the kept state, and its levels. */
static void
cells_return(struct grid *grid, const struct world_kept *kept)
{
	const struct kept_cell *cells = (const struct kept_cell *)(const void *)(kept->block + kept->places.cells);

	for (uint32_t i = 0; i < kept->head.body_count && !pause_after(2); i++) {
		grid->rows[i].level = cells[i].level;
		if (grid->rows[i].cell != cells[i].cell)
			grid_move(grid, i, cells[i].cell);
	}
	grid_levels_count(grid);
	grid->stale = kept->head.stale;
}

/* The schedule relies on the cells that bodies had. */
static void
schedule_return(struct schedule *schedule, const struct world_kept *kept, bool same_cells)
{
	struct schedule own = *schedule;
	bool made = kept->head.schedule.made && same_cells && kept->head.body_count <= own.body_capacity;

	*schedule = kept->head.schedule;
	schedule->eights = own.eights;
	schedule->now = own.now;
	schedule->body_capacity = own.body_capacity;
	schedule->made = made;
	if (made)
		memcpy(schedule->eights, kept->block + kept->places.schedule,
		       (size_t)(kept->head.body_count + 7) / 8 * sizeof *schedule->eights);
}

/* Where nothing was disabled, no bits are kept. */
static void
switches_return(struct walls *walls, const uint64_t *bits, size_t words)
{
	for (uint32_t i = 0; i < walls->segment_count && !pause_after(1); i++) {
		const bool off = words > 0 && (bits[i / 64] >> i % 64 & 1) != 0;

		if (off != wall_is_off(walls, i))
			wall_off_set(walls, i, off);
	}
}

static void
walls_return(struct world *world, const struct world_kept *kept)
{
	struct walls *walls = &world->walls;
	size_t size = sizeof walls->segments->moved;

	for (uint32_t k = 0; k < walls->moving_count && !pause_after(1); k++)
		memcpy(walls->segments[walls->moving[k]].moved, kept->block + kept->places.walls + k * size, size);
	if (walls->off)
		switches_return(
			walls, (const uint64_t *)(const void *)(kept->block + kept->places.walls + kept_bytes(walls->moving_count * size)),
			kept->head.off_words);
	moving_walls_place(world);
	/* Listed when the next tick begins, or the next edit. */
	world->moving_elsewhere = walls->moving_count > 0;
}

/* The relations are the world's: a twin has a table of its own, with the same rows. */
static struct world_settings
settings_kept(const struct world *world, const struct kept_head *head)
{
	struct world_settings settings = head->settings;

	settings.relations = world->settings.relations;
	return settings;
}

/* All that is not by body. `aside`: of the hand-over, where the bodies are others than before; else NULL. */
static void
rest_return(struct world *world, const struct world_kept *kept, struct handover *aside)
{
	const struct kept_head *head = &kept->head;
	bool same_cells = cells_same(&world->grid, head);

	if (same_cells)
		cells_return(&world->grid, kept);
	schedule_return(&world->schedule, kept, same_cells);
	world->settings = settings_kept(world, head);
	world->step = head->step;
	world->tick = head->tick;
	world->report.energy = head->energy;
	world->report.momentum = head->momentum;
	world->report.measured = head->measured;
	world->scratch.queue.pushes = head->pushes;
	world->scratch.overlap_count = 0;
	world->overlap_possible = head->overlap_possible;
	world->overlap_free = head->overlap_free;
	world->wall_room = head->wall_room;
	world->edition = head->edition;
	walls_return(world, kept);
	watch_kept_return(world, &head->watch, kept->block + kept->places.watch);
	handover_kept_return(world, aside, &head->solver, kept->block + kept->places.solver);
}

/* The kept state's bodies, in memory and cells of their own. */
struct kept_world {
	struct world world;
	struct handover *handover;
	bool grid_alike; /* both grids share their lists of walls */
};

static bool
next_make(struct kept_world *next, struct world *world, const struct world_kept *kept)
{
	const struct kept_head *head = &kept->head;
	struct world *made = &next->world;

	*made = (struct world){
		.settings = settings_kept(world, head),
		.bodies = { .count = head->body_count },
		.walls = world->walls,
		.step = world->step,
		.tick = head->tick,
	};
	/* All are called, so that what edit_columns_free frees is there or NULL. */
	bool columns = body_columns_alloc(made), calms = sleep_alloc(made);
	bool rules = body_rules_alloc(&made->bodies, head->rules, head->tags);

	if (!columns || !calms || !rules)
		return false;
	bodies_return(made, kept);
	next->grid_alike = grid_build_like(&made->grid, made, &world->grid);
	if (!next->grid_alike && !grid_build(&made->grid, made))
		return false;
	if ((head->watch.watched && !watch_make(made)) || !watch_kept_reserve(made, &head->watch))
		return false;
	if (!world->handover)
		return true;
	next->handover = handover_edit_prepare(world, made, false);
	return next->handover != NULL;
}

/* By a set of bodies of its own. False without memory. */
static bool
return_anew(struct world *world, const struct world_kept *kept)
{
	struct kept_world next = { .grid_alike = false };
	bool made = next_make(&next, world, kept);

	if (next.grid_alike)
		grid_drop_walls(made ? &world->grid : &next.world.grid);
	if (!made) {
		edit_columns_free(&next.world, false);
		return false;
	}
	edit_columns_free(world, false);
	edit_next_take(world, &next.world);
	rest_return(world, kept, next.handover);
	return true;
}

/* What was broken off is neither state. */
static enum status
return_end(struct world *world)
{
	if (!pause_stopped())
		return STATUS_OK;
	(void)world_given_up(world);
	return STATUS_CANCELLED;
}

/* A twin may have no bits yet where its world has disabled a wall since. False without memory. */
static bool
switches_reserve(struct world *world, const struct kept_head *head)
{
	return head->off_words == 0 || world->walls.off || walls_off_copy(&world->walls);
}

enum status
world_return(struct world *world, const struct world_kept *kept)
{
	const struct kept_head *head = &kept->head;

	if (!kept->identity || kept->identity != world->identity)
		return STATUS_INVALID_ARGUMENT;
	if (world->failed || head->wall_edits != world->wall_edits)
		return STATUS_FAILED_PRECONDITION;
	if (!handover_kept_reserve(world, &head->solver, head->body_count) || !switches_reserve(world, head))
		return STATUS_RESOURCE_EXHAUSTED;
	if (!world_alike(world, head))
		return return_anew(world, kept) ? return_end(world) : STATUS_RESOURCE_EXHAUSTED;
	if (!watch_kept_reserve(world, &head->watch))
		return STATUS_RESOURCE_EXHAUSTED;
	bodies_return(world, kept);
	rest_return(world, kept, NULL);
	return return_end(world);
}
