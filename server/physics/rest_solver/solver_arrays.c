/* The arrays of the solver: how they grow, by body and by slot, and how slots are freed. What can go wrong: memory. */
#include "base/memory.h"
#include "physics/rest_solver/solver_private.h"

#include <math.h>
#include <string.h>

/* Bytes of a cache line. */
#define LINE 64

bool
solver_reserve(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
	void **array = array_pointer;

	if (count <= *capacity)
		return true;

	size_t wanted = *capacity ? *capacity * 2 : 64;

	if (wanted < count)
		wanted = count + count / 4;

	size_t bytes = (wanted * size + LINE - 1) / LINE * LINE, used = *capacity * size;
	char *grown = memory_aligned(LINE, bytes);

	if (!grown)
		return false;
	if ((used > 0 && !pause_copy(grown, *array, used)) || !pause_fill(grown + used, 0, bytes - used)) {
		memory_free(grown);
		return false;
	}
	memory_free(*array);
	*array = grown;
	*capacity = wanted;
	return true;
}

/* Several arrays with a common capacity. */
struct growth {
	void *array;
	size_t size;
};

static bool
arrays_reserve(const struct growth *arrays, size_t array_count, size_t *capacity, size_t count)
{
	size_t grown = *capacity;

	for (size_t i = 0; i < array_count; i++) {
		grown = *capacity;
		if (!solver_reserve(arrays[i].array, &grown, count, arrays[i].size))
			return false;
	}
	*capacity = grown;
	return true;
}

bool
body_arrays_reserve(struct solver *solver, size_t count)
{
	const struct growth arrays[] = {
		{ &solver->built_x, sizeof *solver->built_x },
		{ &solver->built_y, sizeof *solver->built_y },
		{ &solver->share, sizeof *solver->share },
		{ &solver->mass, sizeof *solver->mass },
		{ &solver->rim, sizeof *solver->rim },
		{ &solver->listed, sizeof *solver->listed },
		{ &solver->bedded, sizeof *solver->bedded },
		{ &solver->driven, sizeof *solver->driven },
		{ &solver->was_driven, sizeof *solver->was_driven },
		{ &solver->halved, sizeof *solver->halved },
		{ &solver->unclear, sizeof *solver->unclear },
		{ &solver->steady, sizeof *solver->steady },
		{ &solver->reach, sizeof *solver->reach },
		{ &solver->spots, sizeof *solver->spots },
		{ &solver->members, sizeof *solver->members },
		{ &solver->member_bits, sizeof *solver->member_bits },
		{ &solver->place, sizeof *solver->place },
		{ &solver->body, sizeof *solver->body },
		{ &solver->islands, sizeof *solver->islands },
		{ &solver->root, sizeof *solver->root },
		{ &solver->colour_mask, sizeof *solver->colour_mask },
		{ &solver->hot, sizeof *solver->hot },
		{ &solver->hot_start, sizeof *solver->hot_start },
		{ &solver->hot_before, sizeof *solver->hot_before },
		{ &solver->hot_direction, sizeof *solver->hot_direction },
		{ &solver->positions, sizeof *solver->positions },
		{ &solver->displacements, sizeof *solver->displacements },
		{ &solver->kept, sizeof *solver->kept },
		{ &solver->stale, sizeof *solver->stale },
		{ &solver->is_stale, sizeof *solver->is_stale },
		{ &solver->tally, sizeof *solver->tally },
		{ &solver->cells.rows, sizeof *solver->cells.rows },
	};

	return arrays_reserve(arrays, sizeof arrays / sizeof *arrays, &solver->body_capacity, count);
}

bool
id_arrays_reserve(struct solver *solver, size_t count)
{
	const struct growth arrays[] = {
		{ &solver->slot_of, sizeof *solver->slot_of },         { &solver->colour, sizeof *solver->colour },
		{ &solver->sorted, sizeof *solver->sorted },           { &solver->kinds, sizeof *solver->kinds },
		{ &solver->contact_ids, sizeof *solver->contact_ids }, { &solver->others, sizeof *solver->others },
	};

	return arrays_reserve(arrays, sizeof arrays / sizeof *arrays, &solver->id_capacity, count);
}

bool
slot_arrays_reserve(struct solver *solver, size_t count)
{
	const struct growth arrays[] = {
		{ &solver->pair_of, sizeof *solver->pair_of },
		{ &solver->slot_kind, sizeof *solver->slot_kind },
		{ &solver->rollers, sizeof *solver->rollers },
		{ &solver->outside, sizeof *solver->outside },
	};
	const struct growth groups[] = {
		{ &solver->contacts, sizeof *solver->contacts }, { &solver->spacings, sizeof *solver->spacings },
		{ &solver->impulses, sizeof *solver->impulses }, { &solver->surface_bias, sizeof *solver->surface_bias },
		{ &solver->change, sizeof *solver->change },     { &solver->direction, sizeof *solver->direction },
	};

	return arrays_reserve(arrays, sizeof arrays / sizeof *arrays, &solver->slot_capacity, count) &&
	       arrays_reserve(groups, sizeof groups / sizeof *groups, &solver->group_capacity, (count + LANES - 1) / LANES);
}

void
order_release(struct solver *solver)
{
	if (!solver->ordered)
		return;
	for (struct pause_piece p = { 0 }; pause_piece_next(&p, solver->slot_end, SOLVER_UNITS);)
		for (uint32_t s = p.first; s < p.end; s++) {
			if (solver->pair_of[s] == NONE)
				continue;

			struct near_pair *pair = &solver->pairs[solver->pair_of[s]];
			struct warmth warmth = { 0 };

			if (s < solver->contact_end)
				warmth = slot_warmth(solver, s);
			pair->normal = warmth.normal;
			pair->tangent = warmth.tangent;
			pair->rolling = warmth.rolling;
		}
	solver->ordered = false;
}

void
slot_clear(struct solver *solver, uint32_t slot, uint32_t body_count)
{
	struct contacts *c = &solver->contacts[slot / LANES];
	uint32_t lane = slot % LANES;

	c->nx[lane] = c->ny[lane] = c->target[lane] = c->friction[lane] = c->mass[lane] = c->slip_mass[lane] = 0.0;
	c->arm_a[lane] = c->arm_b[lane] = 0.0;
	c->a[lane] = place_unused(solver, body_count);
	c->b[lane] = c->a[lane] + 1;
	solver->surface_bias[slot / LANES].slip[lane] = 0.0;
	solver->impulses[slot / LANES].normal[lane] = solver->impulses[slot / LANES].tangent[lane] = 0.0;
	solver->rollers[slot] = (struct roller){ 0 };

	struct spacings *spacings = &solver->spacings[slot / LANES];

	spacings->radii[lane] = spacings->skin_least[lane] = spacings->cushion[lane] = 0.0;
	spacings->friction[lane] = spacings->rim_a[lane] = spacings->rim_b[lane] = spacings->restitution[lane] = 0.0;
	spacings->gap[lane] = (double)INFINITY;
}
