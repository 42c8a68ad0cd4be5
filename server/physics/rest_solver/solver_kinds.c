/* Which near pairs can meet in a substep at all, and so have a slot, and which of them are contacts. Happy path: no pair has
 * come near since the substep before, and the contacts are the same; the order stays. */
#include "physics/rest_solver/solver_private.h"

/* More than the rounding of a distance. */
#define FARTHER (1.0 + 0x1p-40)

static bool
wall_apart(const struct solver *solver, const struct solver_bodies *bodies, double h, const struct pair_key *key)
{
	const struct near_spot *a = &solver->spots[key->a];
	const struct segment *s = &solver->scene.segments[key->b & ~SOLVER_WALL];
	double reach = a->range + ACTIVE_RADII * bodies->radius[key->a] + (s->moving ? h * segment_speed(s) : 0.0);

	return !wall_near(&solver->walls[key->b & ~SOLVER_WALL], a->x, a->y, reach * FARTHER);
}

bool
pair_apart(const struct solver *solver, const struct solver_bodies *bodies, double h, const struct pair_key *key)
{
	if (key->b & SOLVER_WALL)
		return wall_apart(solver, bodies, h, key);

	const struct near_spot *a = &solver->spots[key->a], *b = &solver->spots[key->b];
	double dx = a->x - b->x, dy = a->y - b->y, range = (a->range + b->range) * FARTHER;

	return dx * dx + dy * dy > range * range;
}

void
kinds_guess(struct solver *solver, const struct solver_bodies *bodies, double h)
{
	for (size_t k = 0; k < solver->pair_count && !pause_after(SOLVER_UNITS); k++) {
		const struct pair_key *key = &solver->keys[k];
		uint8_t *kind = &solver->kinds[key->id];

		if (pair_apart(solver, bodies, h, key)) {
			struct near_pair *pair = &solver->pairs[key->id];

			pair->normal = pair->tangent = pair->rolling = 0.0;
			*kind = PAIR_APART;
		} else if (*kind == PAIR_APART) {
			*kind = PAIR_EVENT;
		}
	}
}

bool
others_add(struct solver *solver, const struct solver_bodies *bodies, double h)
{
	solver->other_count = 0;
	for (struct pause_piece p = { 0 }; pause_piece_next(&p, (uint32_t)solver->pair_count, SOLVER_UNITS);)
		for (uint32_t k = p.first; k < p.end; k++) {
			const struct pair_key *key = &solver->keys[k];
			uint32_t slot = solver->slot_of[key->id];

			if (slot < solver->contact_end)
				continue;
			if (slot == NONE) {
				if (pair_apart(solver, bodies, h, key))
					continue;
				if (!other_deal(solver, bodies, key->id))
					return false;
				slot = solver->slot_of[key->id];
			}
			solver->others[solver->other_count++] = slot;
		}
	return !pause_stopped();
}

void
kinds_take(struct solver *solver, const struct solver_bodies *bodies, double h)
{
	for (struct pause_piece p = { 0 }; pause_piece_next(&p, solver->slot_end, SOLVER_UNITS);)
		for (uint32_t slot = p.first; slot < p.end; slot++) {
			uint32_t id = solver->pair_of[slot];

			if (id == NONE)
				continue;
			solver->kinds[id] = solver->slot_kind[slot];
			/* What carried is no contact any more. */
			if (slot < solver->contact_end && solver->kinds[id] != PAIR_CONTACT) {
				solver->impulses[slot / LANES].normal[slot % LANES] = solver->impulses[slot / LANES].tangent[slot % LANES] =
					0.0;
				if (solver->any_rolling)
					solver->rollers[slot].impulse = 0.0;
			}
			if (solver->kinds[id] != PAIR_CONTACT &&
			    pair_apart(solver, bodies, h, &(struct pair_key){ solver->pairs[id].a, solver->pairs[id].b, id }))
				solver->kinds[id] = PAIR_APART;
		}
}
