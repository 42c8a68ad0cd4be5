/* The list of near pairs and the dormant pairs, when bodies and walls come and go. Happy path: what stays is renumbered in
 * place and in its present order, since indices keep their order; what no longer meets is dropped. What is new is not listed
 * yet, so the next substep rebuilds the list and carries the impulses over. Nothing can go wrong: memory was reserved. */
#include "physics/rest_solver/solver_private.h"

#include <math.h>

bool
solver_edit_reserve(struct solver *solver, uint32_t body_count)
{
	return body_arrays_reserve(solver, (size_t)body_count + 1) &&
	       solver_reserve(&solver->listings, &solver->listing_capacity, (size_t)body_count + 1, sizeof *solver->listings);
}

void
solver_walls_swap(struct solver *solver, struct solver *other)
{
	struct solver mine = *solver;

	solver->scene = other->scene;
	solver->belts = other->belts;
	solver->walls = other->walls;
	solver->wall_grid = other->wall_grid;
	other->scene = mine.scene;
	other->belts = mine.belts;
	other->walls = mine.walls;
	other->wall_grid = mine.wall_grid;
}

static uint32_t
side_to(const struct solver_change *change, uint32_t side)
{
	if (!(side & SOLVER_WALL))
		return change->body_to[side];
	uint32_t wall = change->segment_to[side & ~SOLVER_WALL];
	return wall == NONE ? NONE : wall | SOLVER_WALL;
}

static bool
side_anew(const struct solver_change *change, uint32_t side)
{
	uint8_t touched = side & SOLVER_WALL ? change->wall_touched[side & ~SOLVER_WALL] : change->body_touched[side];

	return (touched & SOLVER_TOUCH_ANEW) != 0;
}

/* The new indices of a pair; false: it is dropped. */
static bool
pair_to(const struct solver *solver, const struct solver_change *change, const struct solver_bodies *bodies, uint32_t *a,
        uint32_t *b, struct solver_material *material)
{
	uint32_t to_a = side_to(change, *a), to_b = side_to(change, *b);

	if (to_a == NONE || to_b == NONE || side_anew(change, to_a) || side_anew(change, to_b))
		return false;
	if (bodies->inverse_mass[to_a] == 0.0 && (to_b & SOLVER_WALL || bodies->inverse_mass[to_b] == 0.0))
		return false;
	if (!solver->scene.pair(solver->scene.context, to_a, to_b, material))
		return false;
	*a = to_a;
	*b = to_b;
	return true;
}

static void
pairs_edit(struct solver *solver, const struct solver_change *change, const struct solver_bodies *bodies)
{
	size_t kept = 0;

	for (size_t k = 0; k < solver->pair_count && !pause_after(SOLVER_UNITS); k++) {
		uint32_t id = solver->keys[k].id;
		struct near_pair *pair = &solver->pairs[id];
		struct solver_material material = pair->material;

		if (!pair_to(solver, change, bodies, &pair->a, &pair->b, &material)) {
			pair_drop(solver, id);
			continue;
		}
		solver->rolling_count += material.rolling > 0.0;
		solver->rolling_count -= pair->material.rolling > 0.0;
		pair->material = material;
		solver->keys[kept++] = (struct pair_key){ pair->a, pair->b, id };
	}
	solver->pair_count = kept;
	solver->any_rolling = solver->rolling_count > 0;
}

static void
dormant_edit(struct solver *solver, const struct solver_change *change, const struct solver_bodies *bodies)
{
	struct solver_material material;
	size_t kept = 0;

	for (size_t k = 0; k < solver->dormant_count && !pause_after(SOLVER_UNITS); k++) {
		struct solver_warm warm = solver->dormant[k];

		if (pair_to(solver, change, bodies, &warm.a, &warm.b, &material))
			solver->dormant[kept++] = warm;
	}
	solver->dormant_count = kept;
	solver->woken = true;
}

static void
listings_edit(struct solver *solver, const struct solver_change *change, const struct solver_bodies *bodies)
{
	struct solver_listing *listings = solver->listings;

	(void)pause_fill(listings, 0, ((size_t)bodies->count + 1) * sizeof *listings);
	for (uint32_t i = 0; i < change->body_count && !pause_after(SOLVER_UNITS); i++) {
		uint32_t to = change->body_to[i];

		if (to == NONE || side_anew(change, to))
			continue;
		listings[to] = solver_listing(solver, i);
		/* It may meet others now: the list is used up. */
		if (change->walls || change->body_touched[to] & SOLVER_TOUCH_OTHER)
			listings[to].share = 0.0;
	}
	/* An empty list counts as none: a snapshot cannot distinguish them. */
	solver->list_valid = solver->dormant_count > 0;
	solver->listing_given = true;
	for (uint32_t i = 0; i < bodies->count && !pause_after(SOLVER_UNITS); i++) {
		listing_set(solver, bodies, i, &listings[i]);
		solver->list_valid |= listings[i].listed;
	}
}

void
solver_edit(struct solver *solver, const struct solver_bodies *bodies, const struct solver_change *change)
{
	solver->cells.valid = false;
	solver->still_h = 0.0;
	order_release(solver);
	if (!solver->list_valid)
		return;
	pairs_edit(solver, change, bodies);
	dormant_edit(solver, change, bodies);
	listings_edit(solver, change, bodies);
}
