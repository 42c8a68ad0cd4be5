/* The list of near pairs. Happy path: of the few bodies that may have used up their share of the margin the pairs are looked up
 * anew, and all others stay. Each listed body has the place where it was looked up last, and a pair of bodies is listed if
 * these are near each other. So it does not matter when the list was made. What can go wrong: memory. */
#include "physics/math/larger.h"
#include "physics/math/sort.h"
#include "physics/rest_solver/solver_private.h"

#include <math.h>
#include <stdlib.h>

/* As many fresh pairs are sorted by insertion, which does not pass over all bodies. */
#define FRESH_FEW 64u
/* Pairs of the list that are copied between two questions (base/pause.h). */
#define RUN_MOST 256u
/* Lists up to this length are sorted by insertion. */
#define NEAR_FEW 24
/* Units (base/pause.h) to look up the pairs of a body, beside what is counted within. */
#define FIND_UNITS 16u
/* More than the rounding of places and distances. */
#define SHARE_ROUNDING (1.0 - 0x1p-30)

static int
index_compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static void
near_sort(uint32_t *near, size_t count)
{
	if (count > NEAR_FEW) {
		array_sort(near, count, sizeof *near, index_compare);
		return;
	}
	for (size_t k = 1; k < count; k++) {
		uint32_t b = near[k];
		size_t hole = k;

		for (; hole > 0 && near[hole - 1] > b; hole--)
			near[hole] = near[hole - 1];
		near[hole] = b;
	}
}

/* A body's search range in this substep, and whether it may move so far that a pair outside the list could be a contact. */
static inline bool
body_range_set(const struct solver *solver, const struct solver_bodies *bodies, uint32_t i, double kick, double h)
{
	double speed = fabs(bodies->vx[i]) + fabs(bodies->vy[i]) + kick * fabs(body_scale(bodies, i));
	double reach = ACTIVE_RADII * bodies->radius[i] + speed * h;
	double x = bodies->x[i], y = bodies->y[i], ax = fabs(x), ay = fabs(y);
	double moved = fabs(x - solver->built_x[i]) + fabs(y - solver->built_y[i]);
	double skin = SKIN_PER_COORDINATE * larger(ax, ay);
	bool active = bodies->active[i] != 0, listed = solver->listed[i] != 0;

	solver->reach[i] = reach;
	solver->spots[i] = (struct near_spot){ x, y, (bodies->radius[i] + reach + skin) * (1.0 + SKIN_PER_RADIUS) };
	return (active != listed) | (active & (moved + reach + skin > SHARE_ROUNDING * solver->share[i]));
}

/* Whether it moves without being movable. */
static inline bool
body_drives(const struct solver_bodies *bodies, uint32_t i)
{
	return (bodies->inverse_mass[i] == 0.0) & ((bodies->vx[i] != 0.0) | (bodies->vy[i] != 0.0) | (bodies->spin[i] != 0.0));
}

static inline void
stale_add(struct solver *solver, uint32_t i)
{
	solver->is_stale[i] = 1;
	solver->stale[solver->stale_count++] = i;
}

/* Sleeping bodies in a list that came from outside are stale: they leave it. Otherwise solver_dormant_take has removed them. */
static void
sleepers_stale(struct solver *solver, const struct solver_bodies *bodies)
{
	uint32_t before = solver->stale_count;

	for (uint32_t i = 0; i < bodies->count && solver->listing_given && !pause_after(1); i++)
		if (solver->listed[i] && awake_from(&bodies->awake, i, i + 1) != i)
			stale_add(solver, i);
	solver->listing_given = false;
	if (solver->stale_count > before)
		array_sort(solver->stale, solver->stale_count, sizeof *solver->stale, index_compare);
}

/* Finds the ranges of all bodies, and those that are stale. */
static void
bodies_range_set(struct solver *solver, const struct solver_bodies *bodies, double h, bool all)
{
	/* Copies, which the compiler knows to be constant. */
	const struct solver own = *solver;
	const struct solver_bodies columns = *bodies;
	double kick = (fabs(solver->scene.gravity_x) + fabs(solver->scene.gravity_y)) * h;
	bool drives = false;

	if (!columns.awake.words && !all && own.still_h == h) {
		for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, columns.mover_count, SOLVER_UNITS);)
			for (uint32_t k = piece.first; k < piece.end; k++) {
				uint32_t i = columns.movers[k];

				drives |= body_drives(&columns, i);
				if (body_range_set(&own, &columns, i, kick, h))
					stale_add(solver, i);
			}
		solver->drives = drives;
		sleepers_stale(solver, bodies);
		return;
	}
	solver->still_h = h;
	for (struct span s = awake_span(&columns.awake, 0, columns.count); s.first < s.end;
	     s = awake_span(&columns.awake, s.end, columns.count))
		for (struct pause_piece p = { s.first, s.first }; pause_piece_next(&p, s.end, SOLVER_UNITS);)
			for (uint32_t i = p.first; i < p.end; i++) {
				drives |= body_drives(&columns, i);
				if (body_range_set(&own, &columns, i, kick, h) | (all & ((columns.active[i] | own.listed[i]) != 0)))
					stale_add(solver, i);
			}
	solver->drives = drives;
	sleepers_stale(solver, bodies);
}

/* Looks the pair up in the scene; *id is NONE if it never meets. False without memory. */
static bool
pair_create(struct solver *solver, uint32_t a, uint32_t b, uint32_t *id)
{
	struct near_pair pair = { .a = a, .b = b };

	*id = NONE;
	if (!solver->scene.pair(solver->scene.context, a, b, &pair.material))
		return true;
	if (solver->free_count == 0 && !ids_reserve(solver, (size_t)solver->id_end + 1))
		return false;
	/* So far the slots have no rollers. */
	if (pair.material.rolling > 0.0 && !solver->any_rolling)
		order_release(solver);
	*id = solver->free_count > 0 ? solver->free_ids[--solver->free_count] : solver->id_end++;
	solver->pairs[*id] = pair;
	solver->kinds[*id] = PAIR_EVENT;
	solver->slot_of[*id] = NONE;
	solver->rolling_count += pair.material.rolling > 0.0;
	solver->any_rolling = solver->rolling_count > 0;
	return true;
}

void
listing_set(struct solver *solver, const struct solver_bodies *bodies, uint32_t i, const struct solver_listing *listing)
{
	solver->built_x[i] = listing->x;
	solver->built_y[i] = listing->y;
	solver->listed[i] = listing->listed;
	solver->share[i] = listing->share;
	solver->mass[i] = listing->listed && bodies->inverse_mass[i] > 0.0 ? 1.0 / bodies->inverse_mass[i] : 0.0;
	solver->rim[i] = surface_unit(bodies->inverse_mass[i], bodies->inverse_inertia[i], bodies->radius[i]);
}

/* Sets the places of the stale bodies. */
static void
listings_renew(struct solver *solver, const struct solver_bodies *bodies)
{
	for (uint32_t k = 0; k < solver->stale_count && !pause_after(SOLVER_UNITS); k++) {
		uint32_t i = solver->stale[k];
		bool listed = bodies->active[i] != 0 && awake_from(&bodies->awake, i, i + 1) == i;
		struct solver_listing listing = { .listed = listed };

		if (listed) {
			listing.x = bodies->x[i];
			listing.y = bodies->y[i];
			listing.share = fmax(SHARE_RADII * bodies->radius[i], SHARE_REACHES * solver->reach[i]);
		}
		solver->woken |= listed && !solver->listed[i] && solver->bedded[i];
		listing_set(solver, bodies, i, &listing);
	}
}

static bool
fresh_add(struct solver *solver, uint32_t a, uint32_t b)
{
	if (!solver_reserve(&solver->fresh, &solver->fresh_capacity, solver->fresh_count + 1, sizeof *solver->fresh))
		return false;
	solver->fresh[solver->fresh_count++] = (struct pair_key){ .a = a, .b = b };
	return true;
}

/* Adds the pairs of a stale body with all others that are near it, and with walls. The walls' contacts reach farther: see
 * slot_measure. */
static bool
body_pairs_find(struct solver *solver, const struct solver_bodies *bodies, uint32_t i)
{
	double reach = (bodies->radius[i] + solver->share[i]) * (1.0 + 2.0 * SKIN_PER_RADIUS) + ACTIVE_RADII * bodies->radius[i];

	solver->near_count = 0;
	if (!near_bodies_find(solver, bodies, i))
		return false;
	if (bodies->inverse_mass[i] > 0.0 &&
	    (!walls_near(solver, bodies->x[i], bodies->y[i], reach, near_add) ||
	     !walls_moving_near(solver, bodies->x[i], bodies->y[i], reach, solver->wall_room, near_add)))
		return false;
	near_sort(solver->near, solver->near_count);
	for (size_t k = 0; k < solver->near_count; k++) {
		uint32_t j = solver->near[k];

		if (!(j < i ? fresh_add(solver, j, i) : fresh_add(solver, i, j)))
			return false;
	}
	return !pause_after((uint32_t)solver->near_count);
}

static uint64_t
key_order(const struct pair_key *key)
{
	return (uint64_t)key->a << 32 | key->b;
}

/* fresh_sort for a few: each goes to its place among those before it. */
static void
fresh_insert(struct solver *solver)
{
	struct pair_key *sorted = solver->fresh_sorted;

	for (size_t k = 0; k < solver->fresh_count; k++) {
		struct pair_key key = solver->fresh[k];
		size_t hole = k;

		for (; hole > 0 && key_order(&sorted[hole - 1]) > key_order(&key); hole--)
			sorted[hole] = sorted[hole - 1];
		sorted[hole] = key;
	}
}

/* Sorts the fresh pairs. Those with the same first body ascend already: either that one is stale, and they are all its own; or
 * they come from stale ones after it, in their order. */
static bool
fresh_sort(struct solver *solver, uint32_t body_count)
{
	uint32_t *tally = solver->tally, sum = 0;

	if (!solver_reserve(&solver->fresh_sorted, &solver->sorted_capacity, solver->fresh_count, sizeof *solver->fresh_sorted))
		return false;
	if (solver->fresh_count <= FRESH_FEW) {
		fresh_insert(solver);
		return true;
	}
	if (!pause_fill(tally, 0, body_count * sizeof *tally))
		return false;
	for (size_t k = 0; k < solver->fresh_count && !pause_after(1); k++)
		tally[solver->fresh[k].a]++;
	for (uint32_t i = 0; i < body_count && !pause_after(1); i++) {
		uint32_t count = tally[i];

		tally[i] = sum;
		sum += count;
	}
	for (size_t k = 0; k < solver->fresh_count && !pause_after(SOLVER_UNITS); k++)
		solver->fresh_sorted[tally[solver->fresh[k].a]++] = solver->fresh[k];
	return !pause_stopped();
}

static inline bool
key_is_stale(const struct solver *solver, const struct pair_key *key)
{
	return solver->is_stale[key->a] || (!(key->b & SOLVER_WALL) && solver->is_stale[key->b]);
}

/* Takes a pair from the list. Without a contact the order will be another one. */
static void
pair_leave(struct solver *solver, uint32_t body_count, uint32_t id)
{
	uint32_t slot = solver->ordered ? solver->slot_of[id] : NONE;

	if (solver->pairs[id].material.rolling > 0.0 && solver->rolling_count == 1) {
		order_release(solver);
	} else if (slot != NONE) {
		solver->contacts_left |= slot < solver->contact_end;
		solver->pair_of[slot] = NONE;
		slot_clear(solver, slot, body_count);
	}
	pair_drop(solver, id);
}

/* Of a list that may be none yet: nothing may be added to NULL, not even 0. */
static const struct pair_key *
keys_end(const struct pair_key *keys, size_t count)
{
	return count > 0 ? keys + count : keys;
}

/* Copies those of the list that stay, up to `limit` of the order. Returns their number. */
static inline uint32_t
run_copy(const struct solver *solver, const struct pair_key **from, const struct pair_key *end, uint64_t limit,
         struct pair_key **to)
{
	const struct pair_key *old = *from, *most = end - old > RUN_MOST ? old + RUN_MOST : end;
	struct pair_key *next = *to;

	while (old < most && key_order(old) < limit && !key_is_stale(solver, old))
		*next++ = *old++;
	uint32_t count = (uint32_t)(old - *from);
	*from = old;
	*to = next;
	return count;
}

/* Merges the fresh pairs into the list, and drops those of stale bodies that are not among them. */
static bool
list_merge(struct solver *solver, uint32_t body_count, bool *changed)
{
	const struct pair_key *old = solver->keys, *old_end = keys_end(old, solver->pair_count);
	const struct pair_key *fresh = solver->fresh_sorted, *fresh_end = keys_end(fresh, solver->fresh_count);

	if (!solver_reserve(&solver->next_keys, &solver->next_capacity, solver->pair_count + solver->fresh_count,
	                    sizeof *solver->next_keys))
		return false;

	struct pair_key *next = solver->next_keys;

	while (old < old_end || fresh < fresh_end) {
		uint64_t fresh_at = fresh < fresh_end ? key_order(fresh) : UINT64_MAX;

		if (pause_after(SOLVER_UNITS + run_copy(solver, &old, old_end, fresh_at, &next)))
			return false;
		if (old == old_end && fresh == fresh_end)
			break;
		uint64_t old_at = old < old_end ? key_order(old) : UINT64_MAX;

		if (old_at <= fresh_at) {
			if (old_at == fresh_at)
				fresh++;
			if (old_at == fresh_at || !key_is_stale(solver, old)) {
				*next++ = *old++;
				continue;
			}
			pair_leave(solver, body_count, old++->id);
		} else {
			uint32_t id;

			if (!pair_create(solver, fresh->a, fresh->b, &id))
				return false;
			if (id != NONE)
				*next++ = (struct pair_key){ fresh->a, fresh->b, id };
			fresh++;
			if (id == NONE)
				continue;
		}
		*changed = true;
	}

	struct pair_key *swap = solver->keys;
	size_t swap_capacity = solver->key_capacity;

	solver->pair_count = (size_t)(next - solver->next_keys);
	solver->keys = solver->next_keys;
	solver->key_capacity = solver->next_capacity;
	solver->next_keys = swap;
	solver->next_capacity = swap_capacity;
	return !pause_stopped();
}

/* The pairs of the stale bodies. */
static bool
list_mend(struct solver *solver, const struct solver_bodies *bodies, bool *changed)
{
	listings_renew(solver, bodies);
	if (!near_cells_update(solver, bodies))
		return false;
	solver->fresh_count = 0;
	for (uint32_t k = 0; k < solver->stale_count; k++)
		if (pause_after(FIND_UNITS) || (solver->listed[solver->stale[k]] && !body_pairs_find(solver, bodies, solver->stale[k])))
			return false;
	if (!fresh_sort(solver, bodies->count) || !list_merge(solver, bodies->count, changed))
		return false;
	if (solver->woken)
		order_release(solver);
	dormant_carry(solver);
	for (uint32_t k = 0; k < solver->stale_count && !pause_after(1); k++)
		solver->is_stale[solver->stale[k]] = 0;
	return !pause_stopped();
}

bool
pairs_update(struct solver *solver, const struct solver_bodies *bodies, double h, bool *changed)
{
	bool all = !solver->list_valid || (solver->scene.moving_count > 0 && solver->wall_room < h);

	*changed = false;
	if (!body_arrays_reserve(solver, places_end(solver, bodies->count)))
		return false;
	solver->stale_count = 0;
	bodies_range_set(solver, bodies, h, all);
	if (pause_stopped())
		return false;
	if (all)
		solver->wall_room = solver->scene.moving_count > 0 ? WALL_STEPS * h : 0.0;
	if (solver->stale_count > 0 && !list_mend(solver, bodies, changed))
		return false;
	solver->list_valid = true;
	return true;
}
