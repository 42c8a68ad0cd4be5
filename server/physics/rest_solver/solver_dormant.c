/* Pairs of bodies that sleep: kept with their impulses outside of the list, and put back when a body of theirs wakes. And what
 * the engine asks about islands and touches. */
#include "physics/rest_solver/solver_private.h"

static bool
warm_before(const struct solver_warm *left, uint32_t a, uint32_t b)
{
	return left->a < a || (left->a == a && left->b < b);
}

static bool
pair_sleeps(const struct near_pair *pair, const uint8_t *asleep)
{
	return asleep[pair->a] || (!(pair->b & SOLVER_WALL) && asleep[pair->b]);
}

static bool
pair_carries(const struct near_pair *pair)
{
	return pair->normal != 0.0 || pair->tangent != 0.0 || pair->rolling != 0.0;
}

static void
warm_mark(struct solver *solver, uint32_t a, uint32_t b, uint8_t bedded)
{
	solver->bedded[a] = bedded;
	if (!(b & SOLVER_WALL))
		solver->bedded[b] = bedded;
}

/* Removes bodies from the list, as if they had not been active when it was made. */
static void
bodies_unlist(struct solver *solver, const uint32_t *fallen, size_t count)
{
	for (size_t k = 0; k < count && !pause_after(1); k++) {
		uint32_t i = fallen[k];

		solver->listed[i] = 0;
		solver->built_x[i] = solver->built_y[i] = solver->share[i] = solver->mass[i] = 0.0;
	}
	solver->cells.valid = false;
}

bool
solver_dormant_take(struct solver *solver, const uint8_t *asleep, const uint32_t *fallen, size_t count)
{
	size_t old = solver->dormant_count, more = 0, kept = 0;

	order_release(solver);
	for (size_t k = 0; k < solver->pair_count && !pause_after(SOLVER_UNITS); k++) {
		const struct near_pair *pair = &solver->pairs[solver->keys[k].id];

		more += pair_sleeps(pair, asleep) && pair_carries(pair);
	}
	if (pause_stopped() ||
	    !solver_reserve(&solver->dormant, &solver->dormant_capacity, old + more + 1, sizeof *solver->dormant))
		return false;

	/* Both lists ascend: the old entries move to the end, then both are merged from the start on. */
	struct solver_warm *to = solver->dormant;

	for (size_t k = old; k-- > 0 && !pause_after(1);)
		to[k + more] = to[k];

	const struct solver_warm *from = to + more, *end = from + old;

	for (size_t k = 0; k < solver->pair_count && !pause_after(SOLVER_UNITS); k++) {
		const struct near_pair *pair = &solver->pairs[solver->keys[k].id];

		if (!pair_sleeps(pair, asleep)) {
			solver->keys[kept++] = solver->keys[k];
			continue;
		}
		pair_drop(solver, solver->keys[k].id);
		if (!pair_carries(pair))
			continue;
		while (from < end && warm_before(from, pair->a, pair->b))
			*to++ = *from++;
		*to++ = (struct solver_warm){ pair->a, pair->b, pair->normal, pair->tangent, pair->rolling };
		warm_mark(solver, pair->a, pair->b, 1);
	}
	if (pause_stopped())
		return false;
	bodies_unlist(solver, fallen, count);
	solver->dormant_count = old + more;
	solver->pair_count = kept;
	return !pause_stopped();
}

bool
solver_dormant_restore(struct solver *solver, const struct solver_warm *warm, size_t count)
{
	if (!solver_reserve(&solver->dormant, &solver->dormant_capacity, count, sizeof *solver->dormant))
		return false;
	for (size_t k = 0; k < count && !pause_after(1); k++)
		solver->dormant[k] = warm[k];
	if (pause_stopped())
		return false;
	solver->dormant_count = count;
	solver->woken = true;
	return true;
}

void
dormant_carry(struct solver *solver)
{
	size_t kept = 0;

	if (!solver->woken)
		return;
	solver->woken = false;
	for (size_t k = 0; k < solver->dormant_count && !pause_after(1); k++)
		warm_mark(solver, solver->dormant[k].a, solver->dormant[k].b, 0);
	for (size_t k = 0; k < solver->dormant_count && !pause_after(16); k++) {
		const struct solver_warm *warm = &solver->dormant[k];
		bool awake = solver->listed[warm->a] && (warm->b & SOLVER_WALL || solver->listed[warm->b]);
		uint32_t id = awake ? pair_find(solver, warm->a, warm->b) : NONE;

		if (!awake) {
			warm_mark(solver, warm->a, warm->b, 1);
			solver->dormant[kept++] = *warm;
		} else if (id != NONE) {
			struct near_pair *pair = &solver->pairs[id];

			pair->normal = warm->normal;
			pair->tangent = warm->tangent;
			pair->rolling = warm->rolling;
			solver->kinds[id] = PAIR_CONTACT;
		}
	}
	solver->dormant_count = kept;
}

void
solver_dormant_visit(const struct solver *solver, void (*visit)(void *context, const struct solver_warm *warm), void *context)
{
	for (size_t k = 0; k < solver->dormant_count && !pause_after(SOLVER_UNITS); k++)
		visit(context, &solver->dormant[k]);
}

size_t
solver_dormant_count(const struct solver *solver)
{
	return solver->dormant_count;
}

uint32_t
solver_island(const struct solver *solver, uint32_t body)
{
	/* The place of a body that has woken since the order was made belongs to another one. */
	uint32_t place = solver->ordered ? solver->place[body] : NONE;

	if (place == NONE || place >= solver->placed || solver->body[place] != body || !solver->driven[place])
		return NONE;
	return solver->root[body];
}

void
solver_cut_visit(const struct solver *solver, void (*visit)(void *context, uint32_t body), void *context)
{
	for (uint32_t n = 0; n < solver->island_count; n++)
		for (uint32_t place = solver->islands[n].body_start; solver->islands[n].cut && place < solver->islands[n].body_end;
		     place++)
			visit(context, solver->body[place]);
}

void
solver_touches_visit(const struct solver *solver, void (*visit)(void *context, const struct solver_touch *touch), void *context)
{
	for (uint32_t s = 0; solver->ordered && s < solver->contact_end && !pause_after(SOLVER_UNITS); s++) {
		if (solver->pair_of[s] == NONE)
			continue;

		const struct near_pair *pair = &solver->pairs[solver->pair_of[s]];
		uint32_t body = solver->mass[pair->a] > 0.0 ? pair->a : pair->b;
		struct solver_touch touch = {
			.a = pair->a,
			.b = pair->b,
			.island = solver_island(solver, body),
			.impulse = slot_carried(solver, s),
		};

		if (touch.island != NONE)
			visit(context, &touch);
	}
}
