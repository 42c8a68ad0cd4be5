/* Islands in free fall. Bodies without support follow the parabola of the events, not the straight displacements of this
 * solver. The test is repeated in each substep, from data that is kept anyway: places, velocities and the impulses of the last
 * substep. */
#include "physics/rest_solver/solver_private.h"

#include <math.h>

/* Larger islands stay with the solver, although nothing supports them. All their contacts would meet the ground at once, and
 * the events would solve these as one cluster, at a cost that grows with the cube. */
#define BODIES_MAX 64

static bool
body_yields(const struct solver_bodies *bodies, uint32_t b)
{
	return !(b & SOLVER_WALL) && bodies->inverse_mass[b] > 0.0;
}

/* The strongest gravity on a movable side, as a multiple of the scene's. */
static double
slot_scale(const struct solver *solver, const struct solver_bodies *bodies, uint32_t slot)
{
	const struct near_pair *pair = &solver->pairs[solver->pair_of[slot]];
	double scale_a = body_yields(bodies, pair->a) ? fabs(body_scale(bodies, pair->a)) : 0.0;
	double scale_b = body_yields(bodies, pair->b) ? fabs(body_scale(bodies, pair->b)) : 0.0;

	return scale_a > scale_b ? scale_a : scale_b;
}

/* A velocity after gravity, before any impulse. */
static pair2
place_velocity(const struct solver *solver, uint32_t place)
{
	return place_yields(solver, place) ? solver->hot_start[place].v : solver->hot[place].v;
}

/* The speed at which the sides of a pair separate if both fall freely. */
static double
slot_parting(const struct solver *solver, uint32_t slot)
{
	pair2 speed = slot_normal(solver, slot) *
	              (place_velocity(solver, slot_a(solver, slot)) - place_velocity(solver, slot_b(solver, slot)));

	return speed[0] + speed[1];
}

/* Whether gravity presses a movable side of a pair against the other, which is there and stays there in this substep. */
static bool
slot_holds(const struct solver *solver, const struct solver_bodies *bodies, double gravity, double h, uint32_t slot)
{
	double gap = solver->spacings[slot / LANES].gap[slot % LANES],
		   cushion = solver->spacings[slot / LANES].cushion[slot % LANES];

	double kick = gravity * h * slot_scale(solver, bodies, slot);

	/* A hop no higher than by gravity's velocity change in two substeps returns at once. */
	if (gap > cushion || gap + h * (slot_parting(solver, slot) - 2.0 * kick) > cushion)
		return false;

	const struct near_pair *pair = &solver->pairs[solver->pair_of[slot]];
	pair2 pull = (pair2){ solver->scene.gravity_x, solver->scene.gravity_y } * slot_normal(solver, slot);
	double along = pull[0] + pull[1], scale_a = body_yields(bodies, pair->a) ? body_scale(bodies, pair->a) : 0.0;
	double scale_b = body_yields(bodies, pair->b) ? body_scale(bodies, pair->b) : 0.0;

	return -along * scale_a > PULL_PART * gravity * fabs(scale_a) || along * scale_b > PULL_PART * gravity * fabs(scale_b);
}

/* Whether a contact carries nothing, and will not in this substep if its sides fall freely. */
static bool
slot_is_slack(const struct solver *solver, const struct solver_bodies *bodies, double kick, uint32_t slot)
{
	uint32_t k = slot / LANES, lane = slot % LANES;
	double least = PULL_PART * kick * slot_scale(solver, bodies, slot);

	return !(solver->impulses[k].normal[lane] > least * solver->contacts[k].mass[lane] ||
	         solver->spacings[k].gap[lane] < -2.0 * solver->spacings[k].skin_least[lane]) &&
	       slot_parting(solver, slot) >= solver->contacts[k].target[lane] - least;
}

static bool
island_is_slack(const struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double kick)
{
	for (uint32_t slot = island->contact_start; slot < island->contact_end && !pause_after(1); slot++)
		if (solver->pair_of[slot] != NONE && !slot_is_slack(solver, bodies, kick, slot))
			return false;
	return true;
}

/* Whether one of its contacts supports the island, or gravity does not pull it. In the latter case it moves straight anyway,
 * and may as well stay. */
static bool
island_is_held(const struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double gravity,
               double h)
{
	bool pulled = false;

	/* Two movable sides fall alike; what supports one of them is among the contacts too. */
	for (uint32_t slot = island->contact_start; slot < island->contact_end && !pause_after(1); slot++)
		if (solver->pair_of[slot] != NONE &&
		    place_yields(solver, slot_a(solver, slot)) != place_yields(solver, slot_b(solver, slot)) &&
		    slot_holds(solver, bodies, gravity, h, slot))
			return true;
	for (uint32_t place = island->body_start; place < island->body_end && !pulled && !pause_after(1); place++)
		pulled = gravity > 0.0 && body_scale(bodies, solver->body[place]) != 0.0;
	return !pulled;
}

/* Takes a body out of the ledger, where body_damp put it. */
static void
kick_forget(const struct solver_body *start, pair2 kick, struct solver_ledger *energy)
{
	pair2 before = start->v - kick, square = before * before, gain = kick * (before + start->v);
	double mass = start->rest[1], surface = start->rest[0];

	energy->kinetic_before -= mass * (0.5 * (square[0] + square[1] + 0.5 * surface * surface));
	energy->kick -= mass * (0.5 * (gain[0] + gain[1]));
}

/* Its bodies leave the solver, and what its contacts carried was rounding. */
static void
island_let_go(struct solver *solver, const struct solver_bodies *bodies, struct island *island, double h,
              struct solver_ledger *energy)
{
	const pair2 whole = { solver->scene.gravity_x * h, solver->scene.gravity_y * h };

	island->idle = true;
	for (uint32_t place = island->body_start; place < island->body_end; place++) {
		solver->driven[place] = 0;
		kick_forget(&solver->hot_start[place], whole * both(body_scale(bodies, solver->body[place])), energy);
	}
	for (uint32_t k = island->contact_start / LANES; k < island->contact_end / LANES; k++)
		solver->impulses[k] = (struct impulses){ 0 };
	for (uint32_t slot = island->contact_start; solver->any_rolling && slot < island->contact_end; slot++)
		solver->rollers[slot].impulse = 0.0;
}

/* The island of a place, NULL if there is none. */
static struct island *
island_at(struct solver *solver, uint32_t place)
{
	uint32_t low = 0, high = solver->island_count;

	if (!place_yields(solver, place))
		return NULL;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (solver->islands[middle].body_start <= place)
			low = middle;
		else
			high = middle;
	}
	return &solver->islands[low];
}

/* Bouncing pairs are left to events, and a wall may be hidden by another; both may support an island all the same. */
static void
islands_hold(struct solver *solver, const struct solver_bodies *bodies, double gravity, double h)
{
	for (uint32_t slot = solver->contact_end; slot < solver->slot_end && !pause_after(SOLVER_UNITS); slot++) {
		if (solver->pair_of[slot] == NONE || !slot_holds(solver, bodies, gravity, h, slot))
			continue;

		struct island *a = island_at(solver, slot_a(solver, slot)), *b = island_at(solver, slot_b(solver, slot));

		if (a)
			a->held = true;
		if (b)
			b->held = true;
	}
}

void
islands_let_go(struct solver *solver, const struct solver_bodies *bodies, double h, struct solver_ledger *energy)
{
	double gravity = sqrt(solver->scene.gravity_x * solver->scene.gravity_x +
	                      solver->scene.gravity_y * solver->scene.gravity_y);
	bool some = false;

	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++) {
		struct island *island = &solver->islands[n];

		island->slack = !island->idle && island->body_end - island->body_start <= BODIES_MAX &&
		                island_is_slack(solver, bodies, island, gravity * island_time(island, h));
		island->held = (island->slack || island->overlaps) &&
		               island_is_held(solver, bodies, island, gravity, island_time(island, h));
		some |= island->slack || island->overlaps;
	}
	if (!some)
		return;
	islands_hold(solver, bodies, gravity, h);
	for (uint32_t n = 0; n < solver->island_count && !pause_after(1); n++)
		if (solver->islands[n].slack && !solver->islands[n].held)
			island_let_go(solver, bodies, &solver->islands[n], island_time(&solver->islands[n], h), energy);
}
