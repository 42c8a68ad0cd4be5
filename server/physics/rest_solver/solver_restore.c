/* The impulses and the margins that a snapshot has, told to it and taken from it. */
#include "physics/rest_solver/solver_private.h"

static struct solver_warm
pair_warm(const struct near_pair *pair)
{
	return (struct solver_warm){
		.a = pair->a, .b = pair->b, .normal = pair->normal, .tangent = pair->tangent, .rolling = pair->rolling
	};
}

static struct solver_warm
slot_warm(const struct solver *solver, uint32_t id, uint32_t slot)
{
	const struct near_pair *pair = &solver->pairs[id];
	struct solver_warm warm = { .a = pair->a, .b = pair->b };

	if (slot < solver->contact_end) {
		struct warmth warmth = slot_warmth(solver, slot);

		warm.normal = warmth.normal;
		warm.tangent = warmth.tangent;
		warm.rolling = warmth.rolling;
	}
	return warm;
}

static struct solver_warm
key_warm(const struct solver *solver, const struct pair_key *key)
{
	return solver->ordered ? slot_warm(solver, key->id, solver->slot_of[key->id]) : pair_warm(&solver->pairs[key->id]);
}

void
solver_pairs_visit(const struct solver *solver, void (*visit)(void *context, size_t index, const struct solver_warm *warm),
                   void *context)
{
	for (size_t k = 0; k < solver->pair_count && !pause_after(SOLVER_UNITS); k++) {
		struct solver_warm warm = key_warm(solver, &solver->keys[k]);

		visit(context, k, &warm);
	}
}

void
solver_warm_visit(const struct solver *solver, void (*visit)(void *context, const struct solver_warm *warm), void *context)
{
	size_t end = solver->ordered ? solver->contact_end : solver->pair_count;

	for (size_t k = 0; k < end && !pause_after(SOLVER_UNITS); k++) {
		if (solver->ordered && solver->pair_of[k] == NONE)
			continue;

		struct solver_warm warm = solver->ordered ? slot_warm(solver, solver->pair_of[k], (uint32_t)k)
		                                          : pair_warm(&solver->pairs[solver->keys[k].id]);

		if (warm.normal != 0.0 || warm.tangent != 0.0 || warm.rolling != 0.0)
			visit(context, &warm);
	}
}

bool
solver_carries(const struct solver *solver, uint32_t a, uint32_t b)
{
	uint32_t k = solver->ordered ? a < b ? pair_find(solver, a, b) : pair_find(solver, b, a) : NONE;
	uint32_t slot = k == NONE ? NONE : solver->slot_of[k];

	return slot < solver->contact_end && slot_driven(solver, slot) && solver->impulses[slot / LANES].normal[slot % LANES] > 0.0;
}

bool
solver_has_list(const struct solver *solver)
{
	return solver->list_valid;
}

size_t
solver_pair_count(const struct solver *solver)
{
	return solver->pair_count;
}

struct solver_listing
solver_listing(const struct solver *solver, uint32_t body)
{
	if (!solver->listed[body])
		return (struct solver_listing){ 0 };
	return (struct solver_listing){
		.listed = true,
		.x = solver->built_x[body],
		.y = solver->built_y[body],
		.share = solver->share[body],
	};
}

bool
solver_restore(struct solver *solver, const struct solver_bodies *bodies, const struct solver_listing *listings,
               const struct solver_warm *pairs, size_t pair_count, size_t *bad)
{
	*bad = SIZE_MAX;
	if (!body_arrays_reserve(solver, places_end(solver, bodies->count)) || !pairs_reserve(solver, pair_count))
		return false;
	for (uint32_t i = 0; i < bodies->count && !pause_after(SOLVER_UNITS); i++)
		listing_set(solver, bodies, i, &listings[i]);
	for (size_t k = 0; k < pair_count && !pause_after(SOLVER_UNITS); k++) {
		struct near_pair *pair = &solver->pairs[k];

		*pair = (struct near_pair){
			.a = pairs[k].a,
			.b = pairs[k].b,
			.normal = pairs[k].normal,
			.tangent = pairs[k].tangent,
			.rolling = pairs[k].rolling,
		};
		if (!solver->scene.pair(solver->scene.context, pair->a, pair->b, &pair->material)) {
			*bad = k;
			return false;
		}
	}
	if (pause_stopped())
		return false;
	solver->pair_count = pair_count;
	pairs_index(solver);
	solver->list_valid = solver->listing_given = true;
	return !pause_stopped();
}
