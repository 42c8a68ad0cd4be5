/* Happy path: the bodies' slots are counted and dealt out by cell, and each gets its box. What can go wrong: memory. */
#include "physics/rims.h"

#include "physics/predict_parts.h"
#include "physics/settle.h"

#include <stdlib.h>
#include <string.h>

static bool
rims_reserve(struct rims *rims, size_t bodies, size_t cells)
{
	if (!array_reserve(&rims->starts, &rims->start_capacity, cells + 2, sizeof *rims->starts))
		return false;
	if (bodies <= rims->capacity)
		return true;
	free(rims->x0);
	rims->capacity = 0;
	/* One block: doubles first. */
	rims->x0 = calloc(bodies, 4 * sizeof *rims->x0 + sizeof *rims->bodies + sizeof *rims->found + sizeof *rims->flags);
	if (!rims->x0)
		return false;
	rims->y0 = rims->x0 + bodies;
	rims->x1 = rims->y0 + bodies;
	rims->y1 = rims->x1 + bodies;
	rims->bodies = (uint32_t *)(void *)(rims->y1 + bodies);
	rims->found = rims->bodies + bodies;
	rims->flags = (uint8_t *)(rims->found + bodies);
	rims->capacity = bodies;
	return true;
}

static void
slots_deal(struct rims *rims, const struct world *world)
{
	const struct grid *grid = &world->grid;
	uint32_t *starts = rims->starts;

	/* Each cell's start is counted two places on, and moves one on while it is filled. */
	memset(starts, 0, ((size_t)grid->cell_count + 2) * sizeof *starts);
	for (uint32_t i = 0; i < world->body_count; i++)
		starts[grid->cell_of[i] + 2]++;
	for (uint32_t c = 2; c < grid->cell_count + 2; c++)
		starts[c] += starts[c - 1];
	for (uint32_t i = 0; i < world->body_count; i++)
		rims->bodies[starts[grid->cell_of[i] + 1]++] = i;
}

/* A slot's box and flags; (x, y) is the corner of its cell. */
static inline void
slot_fill(struct rims *rims, const struct world *world, const struct grid_level *level, uint32_t slot, double x, double y)
{
	uint32_t body = rims->bodies[slot];
	const struct body *path = &world->bodies[body];
	const struct body_info *info = &world->infos[body];
	const struct grid_box centre = path_sweep(path, path_end(world, body) - path->t0);
	double rounding = body_rounding(path), wide = look_radius(path);
	/* Less than the margin, so that what rounding does to a path does not matter. */
	double low = 0.9 * level->margin, high = level->cell + low;
	bool stays = (centre.x0 > x - low) & (centre.x1 < x + high) & (centre.y0 > y - low) & (centre.y1 < y + high);

	wide += 0.0001 * (wide + (centre.x1 - centre.x0) + (centre.y1 - centre.y0));
	rims->x0[slot] = centre.x0 - wide;
	rims->y0[slot] = centre.y0 - wide;
	rims->x1[slot] = -(centre.x1 + wide);
	rims->y1[slot] = -(centre.y1 + wide);
	rims->flags[slot] = (uint8_t)((settle_clear(info) ? RIM_CLEAR : 0) | (stays ? RIM_STAYS : 0) |
	                              (rounding > world->grid.rounding ? RIM_STRAY : 0));
}

bool
rims_fill(struct rims *rims, const struct world *world)
{
	const struct grid *grid = &world->grid;

	if (!rims_reserve(rims, (size_t)world->body_count + RIMS_LANES, grid->cell_count))
		return false;
	slots_deal(rims, world);
	for (uint32_t l = 0; l < grid->level_count; l++) {
		const struct grid_level *level = &grid->levels[l];

		for (uint32_t row = 0, cell = level->first; row < level->rows; row++)
			for (uint32_t column = 0; column < level->columns; column++, cell++)
				for (uint32_t slot = rims->starts[cell]; slot < rims->starts[cell + 1]; slot++)
					slot_fill(rims, world, level, slot, level->x0 + (double)column * level->cell,
					          level->y0 + (double)row * level->cell);
	}
	return true;
}

void
rims_finish(struct rims *rims)
{
	free(rims->x0);
	free(rims->starts);
	*rims = (struct rims){ 0 };
}

size_t
rims_memory_bytes(const struct rims *rims)
{
	return rims->capacity * (4 * sizeof *rims->x0 + sizeof *rims->bodies + sizeof *rims->found + sizeof *rims->flags) +
	       rims->start_capacity * sizeof *rims->starts;
}

size_t
rims_meet(const struct rims *rims, uint32_t slot, uint32_t first, uint32_t end, uint32_t *found)
{
	double left = rims->x0[slot], low = rims->y0[slot], right = rims->x1[slot], high = rims->y1[slot];
	size_t count = 0;

	for (uint32_t k = first; k < end; k++) {
		double x = larger(rims->x0[k] + right, rims->x1[k] + left), y = larger(rims->y0[k] + high, rims->y1[k] + low);

		found[count] = k;
		count += larger(x, y) > 0.0 ? 0u : 1u;
	}
	return count;
}

rims_search *
rims_meet_best(void)
{
#ifdef RIMS_WIDE
	if (__builtin_cpu_supports("avx2"))
		return rims_meet_wide;
#endif
	return rims_meet;
}
