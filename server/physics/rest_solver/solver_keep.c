/* The solver's state between two substeps, copied to memory and back. Happy path: the list of near pairs with its impulses is
 * one block, and so is each column of its bodies. The order of slots is not kept: it follows from the list, and the next
 * substep makes it. What can go wrong: memory, before anything is written. */
#include "physics/rest_solver/solver_private.h"

#include <string.h>

#define COLUMNS 7

/* A column by body. */
struct solver_column {
	void *at;
	size_t size; /* of an element */
};

static void
columns_list(const struct solver *solver, struct solver_column columns[COLUMNS])
{
	const struct solver_column all[COLUMNS] = {
		{ solver->built_x, sizeof *solver->built_x }, { solver->built_y, sizeof *solver->built_y },
		{ solver->share, sizeof *solver->share },     { solver->mass, sizeof *solver->mass },
		{ solver->rim, sizeof *solver->rim },         { solver->listed, sizeof *solver->listed },
		{ solver->bedded, sizeof *solver->bedded },
	};

	memcpy(columns, all, sizeof all);
}

struct solver_kept
solver_kept_of(const struct solver *solver)
{
	if (!solver->list_valid)
		return (struct solver_kept){ .wall_room = solver->wall_room };
	return (struct solver_kept){
		.list_valid = true,
		.woken = solver->woken,
		.any_rolling = solver->any_rolling,
		.wall_room = solver->wall_room,
		.pair_count = solver->pair_count,
		.dormant_count = solver->dormant_count,
	};
}

size_t
solver_kept_bytes(const struct solver *solver, const struct solver_kept *kept, uint32_t body_count)
{
	struct solver_column columns[COLUMNS];
	size_t bytes = kept->pair_count * sizeof(struct near_pair) + kept->dormant_count * sizeof(struct solver_warm);

	columns_list(solver, columns);
	for (size_t k = 0; k < COLUMNS; k++)
		bytes += body_count * columns[k].size;
	return kept->list_valid ? bytes : 0;
}

/* The pairs with the impulses of their slots, as order_release writes them back. */
static void
pairs_write(const struct solver *solver, uint8_t *to)
{
	for (size_t k = 0; k < solver->pair_count && !pause_after(SOLVER_UNITS); k++, to += sizeof *solver->pairs) {
		uint32_t id = solver->keys[k].id, slot = solver->ordered ? solver->slot_of[id] : NONE;
		struct warmth warmth = { 0 };

		memcpy(to, &solver->pairs[id], sizeof *solver->pairs);
		if (!solver->ordered)
			continue;
		if (slot < solver->contact_end)
			warmth = slot_warmth(solver, slot);
		memcpy(to + offsetof(struct near_pair, normal), &warmth, sizeof warmth);
	}
}

void
solver_kept_write(const struct solver *solver, uint32_t body_count, void *out)
{
	struct solver_column columns[COLUMNS];
	uint8_t *to = out;

	static_assert(offsetof(struct near_pair, tangent) == offsetof(struct near_pair, normal) + sizeof(double) &&
	                  offsetof(struct near_pair, rolling) == offsetof(struct near_pair, normal) + 2 * sizeof(double) &&
	                  sizeof(struct warmth) == 3 * sizeof(double),
	              "the impulses are written as one");
	if (!solver->list_valid)
		return;
	pairs_write(solver, to);
	to += solver->pair_count * sizeof *solver->pairs;
	if (solver->dormant_count > 0)
		(void)pause_copy(to, solver->dormant, solver->dormant_count * sizeof *solver->dormant);
	to += solver->dormant_count * sizeof *solver->dormant;
	columns_list(solver, columns);
	for (size_t k = 0; k < COLUMNS; k++) {
		(void)pause_copy(to, columns[k].at, body_count * columns[k].size);
		to += body_count * columns[k].size;
	}
}

bool
solver_kept_reserve(struct solver *solver, const struct solver_kept *kept, uint32_t body_count)
{
	if (!kept->list_valid)
		return true;
	return body_arrays_reserve(solver, places_end(solver, body_count)) && pairs_reserve(solver, kept->pair_count) &&
	       solver_reserve(&solver->dormant, &solver->dormant_capacity, kept->dormant_count, sizeof *solver->dormant);
}

/* As a solver that has made no substep. */
static void
list_drop(struct solver *solver)
{
	struct solver_column columns[COLUMNS];

	columns_list(solver, columns);
	for (size_t k = 0; k < COLUMNS && solver->body_capacity > 0; k++)
		(void)pause_fill(columns[k].at, 0, solver->body_capacity * columns[k].size);
	solver->any_rolling = false;
	solver->pair_count = 0;
	pairs_index(solver);
}

void
solver_kept_return(struct solver *solver, const struct solver_kept *kept, uint32_t body_count, const void *in)
{
	struct solver_column columns[COLUMNS];
	const uint8_t *from = in;

	solver->ordered = false;
	solver->list_valid = kept->list_valid;
	/* As a restored one: what follows from the list is found anew. */
	solver->listing_given = true;
	solver->woken = kept->woken;
	solver->any_rolling = kept->any_rolling;
	solver->wall_room = kept->wall_room;
	solver->pair_count = kept->pair_count;
	solver->dormant_count = kept->dormant_count;
	if (!kept->list_valid) {
		list_drop(solver);
		return;
	}
	if (kept->pair_count > 0)
		(void)pause_copy(solver->pairs, from, kept->pair_count * sizeof *solver->pairs);
	pairs_index(solver);
	from += kept->pair_count * sizeof *solver->pairs;
	if (kept->dormant_count > 0)
		(void)pause_copy(solver->dormant, from, kept->dormant_count * sizeof *solver->dormant);
	from += kept->dormant_count * sizeof *solver->dormant;
	columns_list(solver, columns);
	for (size_t k = 0; k < COLUMNS; k++) {
		(void)pause_copy(columns[k].at, from, body_count * columns[k].size);
		from += body_count * columns[k].size;
	}
}
