/* Keeps a state. Happy path: the memory is there, and some blocks are copied. What can go wrong: memory, before anything is
 * written. */
#include "base/memory.h"
#include "base/pages.h"
#include "base/pause.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/state/kept.h"
#include "physics/world/body_rule.h"
#include "physics/world/wall_switch.h"

#include <string.h>

/* Parts begin at multiples of this. */
#define ALIGNMENT 64u

void
world_identity_drop(struct world_identity *identity)
{
	if (!identity || atomic_fetch_sub(&identity->holders, 1) > 1)
		return;

	struct ledger *own = memory_enter(NULL);

	memory_free(identity);
	(void)memory_enter(own);
}

enum status
world_kept_create(struct world_kept **out)
{
	struct world_kept *kept = memory_zeroed(1, sizeof *kept);

	if (!kept)
		return STATUS_RESOURCE_EXHAUSTED;
	*out = kept;
	return STATUS_OK;
}

void
world_kept_destroy(struct world_kept *kept)
{
	if (!kept)
		return;
	world_identity_drop(kept->identity);
	memory_free(kept->block);
	memory_free(kept);
}

size_t
world_kept_memory_bytes(const struct world_kept *kept)
{
	return sizeof *kept + kept->capacity;
}

bool
world_kept_holds(const struct world_kept *kept)
{
	return kept->identity != NULL;
}

uint64_t
world_kept_tick(const struct world_kept *kept)
{
	return kept->head.tick;
}

bool
world_kept_same_walls(const struct world_kept *a, const struct world_kept *b)
{
	return a->identity && a->identity == b->identity && a->head.wall_edits == b->head.wall_edits;
}

void
world_become_twin(struct world *world, const struct world_kept *kept)
{
	atomic_fetch_add(&kept->identity->holders, 1);
	world_identity_drop(world->identity);
	world->identity = kept->identity;
	world->edition = world->editions = (uint64_t)(atomic_fetch_add(&kept->identity->twins, 1) + 1) << KEPT_EDITION_BITS;
	world->wall_edits = kept->head.wall_edits;
}

size_t
kept_bytes(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t
kept_columns_list(const struct world *world, struct kept_column columns[KEPT_COLUMNS_MAX])
{
	const struct bodies *b = &world->bodies;
	size_t count = b->count, used = 0;

	columns[used++] = (struct kept_column){ b->infos, count * sizeof *b->infos };
	columns[used++] = (struct kept_column){ b->paths, count * sizeof *b->paths };
	columns[used++] = (struct kept_column){ b->clean, count * sizeof *b->clean };
	columns[used++] = (struct kept_column){ b->masses, count * sizeof *b->masses };
	columns[used++] = (struct kept_column){ b->marks, count * sizeof *b->marks };
	columns[used++] = (struct kept_column){ b->ids, count * sizeof *b->ids };
	if (b->calms)
		columns[used++] = (struct kept_column){ b->calms, count * sizeof *b->calms };
	if (b->rules)
		columns[used++] = (struct kept_column){ b->rules, count * sizeof *b->rules };
	if (b->tags)
		columns[used++] = (struct kept_column){ b->tags, count * sizeof *b->tags };
	return used;
}

static struct kept_head
head_of(const struct world *world)
{
	const struct grid *grid = &world->grid;
	const struct solver *solver = handover_solver_of(world->handover);
	struct kept_head head = {
		.tick = world->tick,
		.edition = world->edition,
		.wall_edits = world->wall_edits,
		.body_count = world->bodies.count,
		.generation = world->bodies.generation,
		.asleep_count = world->bodies.asleep_count,
		.moving_count = world->walls.moving_count,
		.off_words = world->walls.off ? walls_off_words(&world->walls) : 0,
		.awake_added = world->bodies.awake.added,
		.settings = world->settings,
		.step = world->step,
		.energy = world->report.energy,
		.momentum = world->report.momentum,
		.pushes = world->scratch.queue.pushes,
		.wall_room = world->wall_room,
		.overlap_possible = world->overlap_possible,
		.overlap_free = world->overlap_free,
		.measured = world->report.measured,
		.sleeps = world->bodies.calms != NULL,
		.rules = world->bodies.rules != NULL,
		.tags = world->bodies.tags != NULL,
		.levels_laid = grid->levels_laid,
		.cell_count = grid->cell_count,
		.rounding = grid->rounding,
		.stale = grid->stale,
		.schedule = world->schedule,
		.watch = watch_kept_of(world),
	};

	memcpy(head.levels, grid->levels, grid->levels_laid * sizeof *grid->levels);
	if (solver)
		head.solver = solver_kept_of(solver);
	return head;
}

static struct kept_places
places_find(const struct world *world, const struct kept_head *head)
{
	struct kept_column columns[KEPT_COLUMNS_MAX];
	const struct solver *solver = handover_solver_of(world->handover);
	struct kept_places places = { .bodies = 0 };
	size_t count = world->bodies.count, at = 0;

	for (size_t k = kept_columns_list(world, columns); k-- > 0;)
		at += kept_bytes(columns[k].bytes);
	if (head->sleeps)
		at += kept_bytes(awake_memory_bytes(&world->bodies.awake, world->bodies.count));
	places.cells = at;
	places.schedule = at += kept_bytes(count * sizeof(struct kept_cell));
	places.walls = at += kept_bytes(head->schedule.made ? (count + 7) / 8 * sizeof *world->schedule.eights : 0);
	places.watch = at += kept_bytes(head->moving_count * sizeof world->walls.segments->moved) +
	                     kept_bytes(head->off_words * sizeof *world->walls.off);
	places.solver = at += kept_bytes(watch_kept_bytes(&head->watch));
	places.end = at + kept_bytes(solver ? solver_kept_bytes(solver, &head->solver, world->bodies.count) : 0);
	return places;
}

static void
bodies_write(const struct world *world, uint8_t *to)
{
	struct kept_column columns[KEPT_COLUMNS_MAX];
	size_t count = kept_columns_list(world, columns);

	for (size_t k = 0; k < count; k++) {
		(void)pause_copy(to, columns[k].at, columns[k].bytes);
		to += kept_bytes(columns[k].bytes);
	}
	if (world->bodies.calms)
		awake_write(&world->bodies.awake, world->bodies.count, to);
}

static void
cells_write(const struct world *world, uint8_t *to)
{
	struct kept_cell *cells = (struct kept_cell *)(void *)to;

	for (uint32_t i = 0; i < world->bodies.count && !pause_after(2); i++)
		cells[i] = (struct kept_cell){ world->grid.rows[i].cell, world->grid.rows[i].level };
}

static void
walls_write(const struct world *world, uint8_t *to)
{
	const struct walls *walls = &world->walls;
	size_t size = sizeof walls->segments->moved;

	for (uint32_t k = 0; k < walls->moving_count && !pause_after(1); k++)
		memcpy(to + k * size, walls->segments[walls->moving[k]].moved, size);
	if (walls->off)
		memcpy(to + kept_bytes(walls->moving_count * size), walls->off, walls_off_words(walls) * sizeof *walls->off);
}

/* Room for a state. False without memory; `kept` is then as it was. */
static bool
block_reserve(struct world_kept *kept, size_t bytes)
{
	if (kept->block && bytes <= kept->capacity)
		return true;

	/* Even of an empty world there is a block. */
	size_t capacity = bytes + bytes / 8 + ALIGNMENT;
	uint8_t *block = pages_alloc(capacity);

	if (!block)
		return false;
	if (kept->block)
		memcpy(block, kept->block, kept->places.end);
	memory_free(kept->block);
	kept->block = block;
	kept->capacity = capacity;
	return true;
}

static struct world_identity *
identity_make(void)
{
	struct ledger *own = memory_enter(NULL);
	struct world_identity *identity = memory_alloc(sizeof *identity);

	(void)memory_enter(own);
	if (identity) {
		atomic_init(&identity->holders, 1);
		atomic_init(&identity->twins, 0);
	}
	return identity;
}

/* Has the kept state hold the world's identity. */
static bool
identity_hold(struct world *world, struct world_kept *kept)
{
	if (!world->identity)
		world->identity = identity_make();
	if (!world->identity)
		return false;
	if (kept->identity == world->identity)
		return true;
	atomic_fetch_add(&world->identity->holders, 1);
	world_identity_drop(kept->identity);
	kept->identity = world->identity;
	return true;
}

enum status
world_keep(struct world *world, struct world_kept *kept)
{
	const struct solver *solver = handover_solver_of(world->handover);

	if (world->failed)
		return STATUS_FAILED_PRECONDITION;

	struct kept_head head = head_of(world);
	struct kept_places places = places_find(world, &head);

	if (!block_reserve(kept, places.end) || !identity_hold(world, kept))
		return STATUS_RESOURCE_EXHAUSTED;
	kept->head = head;
	kept->places = places;
	bodies_write(world, kept->block + places.bodies);
	cells_write(world, kept->block + places.cells);
	if (head.schedule.made)
		(void)pause_copy(kept->block + places.schedule, world->schedule.eights,
		                 (size_t)(head.body_count + 7) / 8 * sizeof *world->schedule.eights);
	walls_write(world, kept->block + places.walls);
	watch_kept_write(world, kept->block + places.watch);
	if (solver)
		solver_kept_write(solver, world->bodies.count, kept->block + places.solver);
	if (pause_stopped()) {
		world_identity_drop(kept->identity);
		kept->identity = NULL;
		return STATUS_CANCELLED;
	}
	return STATUS_OK;
}
