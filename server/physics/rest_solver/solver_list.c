/* The ids of the pairs in the list, and the search in it. What can go wrong: memory. */
#include "physics/rest_solver/solver_private.h"

bool
ids_reserve(struct solver *solver, size_t count)
{
	return id_arrays_reserve(solver, count) &&
	       solver_reserve(&solver->pairs, &solver->pair_capacity, count, sizeof *solver->pairs) &&
	       solver_reserve(&solver->free_ids, &solver->free_capacity, count, sizeof *solver->free_ids);
}

bool
pairs_reserve(struct solver *solver, size_t count)
{
	return ids_reserve(solver, count) && solver_reserve(&solver->keys, &solver->key_capacity, count, sizeof *solver->keys);
}

void
pairs_index(struct solver *solver)
{
	solver->free_count = solver->rolling_count = 0;
	solver->id_end = (uint32_t)solver->pair_count;
	for (uint32_t id = 0; id < solver->id_end && !pause_after(1); id++) {
		const struct near_pair *pair = &solver->pairs[id];

		/* A snapshot has no more information. */
		solver->kinds[id] = impulse_carries(pair->normal, pair->tangent, pair->rolling) ? PAIR_CONTACT : PAIR_EVENT;
		solver->keys[id] = (struct pair_key){ pair->a, pair->b, id };
		solver->rolling_count += pair->material.rolling > 0.0;
	}
	solver->any_rolling = solver->rolling_count > 0;
	solver->cells.valid = false;
	solver->still_h = 0.0;
}

void
pair_drop(struct solver *solver, uint32_t id)
{
	solver->free_ids[solver->free_count++] = id;
	solver->rolling_count -= solver->pairs[id].material.rolling > 0.0;
	solver->any_rolling = solver->rolling_count > 0;
}

uint32_t
pair_find(const struct solver *solver, uint32_t a, uint32_t b)
{
	size_t low = 0, high = solver->pair_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct pair_key *key = &solver->keys[middle];

		if (key->a < a || (key->a == a && key->b < b))
			low = middle + 1;
		else
			high = middle;
	}
	return low < solver->pair_count && solver->keys[low].a == a && solver->keys[low].b == b ? solver->keys[low].id : NONE;
}
