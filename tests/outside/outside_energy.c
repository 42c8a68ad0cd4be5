/* Energy and momentum, summed from the states in long double.
 *
 * Without anything that gives energy (kinematic circles, walls or surfaces that move, weights) none may come in. At restitution
 * 1 without anything that takes it (friction, damping, sleep) all of it stays. Allowed: the rounding of a velocity at each
 * contact, 2^-46 of the fastest energy, and 2^-42 where it is one of several. At restitution 1 so are the hops that become
 * rest, (g dt / 32768)^2 / 2 of energy per unit mass each. Pushes move circles against gravity without a velocity: their work
 * is added. */
#include "outside/inside.h"

#define ENERGY_PRECISION 0x1p-46L
#define CLUSTER_PRECISION 0x1p-42L
/* Of a heap's energies: what the resting solver may leave unsolved in a tick, as energy. */
#define HEAP_GAIN_MAX 1e-2L
#define LEDGER_PRECISION 1e-9L
/* Of the work of gravity along the way: what the normal of a support may be off by, a few skins of a radius. */
#define SUPPORT_PRECISION 4e-9L

static bool
wall_gives(const struct outside_wall *wall)
{
	return wall->vx != 0 || wall->vy != 0 || wall->surface_speed != 0;
}

void
outside_energy_begin(struct outside *outside)
{
	bool gives = false,
		 takes = outside->scene.sleep_after > 0 || outside->scene.speed_max > 0 || outside->scene.restitution_threshold > 0;

	for (size_t i = 0; i < outside->body_count; i++) {
		const struct outside_circle *c = &outside->bodies[i].def;
		gives = gives || (c->kind == OUTSIDE_KINEMATIC && (c->vx != 0 || c->vy != 0 || c->spin != 0)) || c->surface_speed != 0;
		takes = takes || c->restitution != 1 || c->friction != 0 || c->rolling != 0 || c->linear_damping != 0 ||
		        c->angular_damping != 0 || c->response != OUTSIDE_BOUNCE;
	}
	for (size_t i = 0; i < outside->wall_count; i++) {
		const struct outside_wall *w = &outside->walls[i].def;
		gives = gives || wall_gives(w);
		takes = takes || w->restitution != 1 || w->friction != 0 || w->rolling != 0;
	}
	for (size_t i = 0; i < outside->relation_count; i++) {
		const enum outside_relation_kind kind = outside->relations[i].kind;
		gives = gives || outside->relations[i].has_weight_a || outside->relations[i].has_weight_b ||
		        kind == OUTSIDE_RELATION_ONE_SIDED;
		takes = takes || kind == OUTSIDE_RELATION_MOVE || outside->relations[i].has_elasticity;
	}
	outside->closed = !gives;
	outside->strict = !gives && !takes;
}

/* Kinetic and potential energy of a state, and what rounding is measured by. */
struct energies {
	real kinetic, potential, size;
	struct point momentum;
	real momenta;
};

static void
energies_add(struct energies *sum, const struct body *body, struct point p, struct point v, real spin)
{
	if (body->def.kind != OUTSIDE_DYNAMIC)
		return;
	const real mass = body->def.mass, kinetic = mass * point_dot(v, v) / 2 + body->inertia * spin * spin / 2;

	sum->kinetic += kinetic;
	sum->potential -= mass * point_dot(body->gravity, p);
	sum->size += kinetic + 0x1p-4L * mass * point_size(body->gravity) * point_size(p);
	sum->momentum = point_add(sum->momentum, mass, v);
	sum->momenta += mass * point_size(v);
}

static real
not_zero(real value)
{
	return value + 1e-300L;
}

/* What the tick itself adds to the sizes: the largest energy that each body had in it. */
static real
busy_size(const struct outside *outside)
{
	real sum = 0;

	for (size_t i = 0; i < outside->body_count; i++) {
		const struct body *body = &outside->bodies[i];
		if (body->def.kind != OUTSIDE_DYNAMIC)
			continue;
		const real speed = body->speed + point_size(body->gravity) * outside->tick->dt;
		sum += body->def.mass * (speed * speed + point_size(body->gravity) * body->slop / ENERGY_PRECISION);
	}
	return sum;
}

/* Those that do not yield give and take momenta of their speed, which cancel; the resting solver begins with the impulses of
 * the tick before. */
static real
busy_momenta(const struct outside *outside)
{
	real sum = 0;

	for (size_t i = 0; i < outside->body_count; i++)
		if (outside->bodies[i].def.kind == OUTSIDE_DYNAMIC)
			sum += outside->bodies[i].def.mass * (outside->fastest + outside->fastest_before);
	return sum;
}

struct happened {
	bool led, slept;
	real held;   /* what gravity can do along the ways of those that are held up */
	real pushed; /* work of pushes against gravity */
	real hops;   /* energy that hops which became rest may have had */
	real around; /* what paths held by another circle may win until they are cut: the engine's documented bound */
};

static struct happened
happened_in(const struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;
	struct happened happened = { 0 };
	const real hop = outside->gravity * tick->dt / 32768;

	for (size_t i = 0; i < tick->change_count; i++) {
		const enum outside_change_kind kind = tick->changes[i].kind;
		happened.led = happened.led || kind == OUTSIDE_LED || kind == OUTSIDE_RELEASED;
		if (kind == OUTSIDE_SUPPORTED) {
			const struct body *body = &outside->bodies[outside_body(outside, tick->changes[i].body)];
			const real way = tick->dt * (body->speed + outside->gravity * tick->dt);
			happened.held += body->def.mass * point_size(body->gravity) * way;
		}
		happened.slept = happened.slept || kind == OUTSIDE_ASLEEP || kind == OUTSIDE_WOKEN;
	}
	for (size_t i = 0; i < outside->push_count; i++) {
		const struct body *body = &outside->bodies[outside->pushes[i].body];
		happened.pushed -= body->def.mass * point_dot(body->gravity, outside->pushes[i].move);
	}
	for (size_t i = 0; i < tick->contact_count; i++) {
		const struct outside_contact *contact = &tick->contacts[i];
		if (!(contact->flags & OUTSIDE_CONTACT_RESTING))
			continue;
		const struct body *a = &outside->bodies[outside_body(outside, contact->a)];
		real mass = a->def.kind == OUTSIDE_DYNAMIC ? a->def.mass : 0;
		if (!contact->with_wall) {
			const struct body *b = &outside->bodies[outside_body(outside, contact->b)];
			mass += b->def.kind == OUTSIDE_DYNAMIC ? b->def.mass : 0;
		}
		happened.hops += mass * hop * hop;
		if (!contact->with_wall) {
			const struct body *b = &outside->bodies[outside_body(outside, contact->b)];
			happened.around += mass * outside->gravity * 0x1p-12L * (a->def.radius + b->def.radius);
		}
	}
	return happened;
}

static unsigned
all_flags(const struct outside *outside)
{
	unsigned flags = 0;

	for (size_t i = 0; i < outside->body_count; i++)
		flags |= outside->bodies[i].flags;
	return flags;
}

/* What rounding may do: each contact rounds velocities, and a cluster goes on until they are right to some ulp more. */
static real
contacts_room(const struct outside *outside)
{
	real room = 4 * ENERGY_PRECISION;

	for (size_t i = 0; i < outside->tick->contact_count; i++)
		room += outside->contact_company[i] & COMPANY_CONTACTS ? CLUSTER_PRECISION : ENERGY_PRECISION;
	return room;
}

/* Energy that goes at restitution 1 is excused by nothing but being crushed: a parked circle keeps what it has. */
static void
energy_judge(struct outside *outside, const struct energies *before, const struct energies *after)
{
	const struct happened happened = happened_in(outside);
	const real gain = after->kinetic + after->potential - before->kinetic - before->potential - happened.pushed;
	const real size = not_zero(before->size + after->size + busy_size(outside));
	const real room = contacts_room(outside) * size + SUPPORT_PRECISION * happened.held;
	const unsigned flags = all_flags(outside), hard = flags & (OUTSIDE_FLAG_CRUSHED | OUTSIDE_FLAG_FAST);
	const bool held = happened.held > 0 && fabsl(gain) <= happened.held;

	if (outside->closed && gain > room + happened.around) {
		const enum outside_finding finding = held ? OUTSIDE_BAD_SUPPORT : OUTSIDE_BAD_ENERGY_GAIN;
		if (!happened.led)
			outside_find(outside, finding, gain / size, flags, "energy grew by %.6Lg, of %.6Lg", gain, before->kinetic);
		else if (gain > HEAP_GAIN_MAX * size)
			outside_find(outside, OUTSIDE_BAD_HEAP_GAIN, gain / size, flags, "a heap's energy grew by %.6Lg, of %.6Lg", gain,
			             before->kinetic);
	}
	if (outside->strict && !happened.led && !happened.slept) {
		const enum outside_finding finding = held ? OUTSIDE_BAD_SUPPORT : OUTSIDE_BAD_ENERGY_LOSS;
		outside->report.judged_energy++;
		if (-gain > room + happened.hops)
			outside_find(outside, finding, -gain / size, hard, "energy fell by %.6Lg, of %.6Lg, at restitution 1", -gain,
			             before->kinetic);
	}
}

static void
ledger_judge(struct outside *outside, const struct energies *before, const struct energies *after)
{
	const struct outside_tick *tick = outside->tick;
	const real change = (real)tick->kinetic_after + tick->potential_after - tick->kinetic_before - tick->potential_before;
	const real size = not_zero(before->size + after->size + busy_size(outside) + fabsl(tick->energy_parts) +
	                           fabsl(before->potential) + fabsl(after->potential));

	if (!tick->has_ledger)
		return;
	if (!(fabsl(change - tick->energy_parts) <= LEDGER_PRECISION * size))
		outside_find(outside, OUTSIDE_BAD_LEDGER, fabsl(change - tick->energy_parts) / size, 0,
		             "the ledger of energy is off by %.6Lg", change - tick->energy_parts);
	if (!(fabsl(tick->kinetic_after - after->kinetic) <= LEDGER_PRECISION * size) ||
	    !(fabsl(tick->kinetic_before - before->kinetic) <= LEDGER_PRECISION * size) ||
	    !(fabsl(tick->potential_after - after->potential) <= LEDGER_PRECISION * size))
		outside_find(outside, OUTSIDE_BAD_LEDGER, fabsl(tick->kinetic_after - after->kinetic) / size, 0,
		             "the told energies are not those of the states: kinetic %.9g, not %.9Lg", tick->kinetic_after,
		             after->kinetic);
	const double *told[] = { tick->momentum_before, tick->momentum_after, tick->momentum_gravity, tick->momentum_outside };
	real momenta = not_zero(before->momenta + after->momenta + busy_momenta(outside));
	for (size_t i = 2; i < 4; i++)
		momenta += fabs(told[i][0]) + fabs(told[i][1]);
	for (size_t i = 0; i < tick->contact_count; i++)
		momenta += fabs(tick->contacts[i].impulse);
	for (int k = 0; k < 2; k++) {
		const real own = k ? after->momentum.y : after->momentum.x, was = k ? before->momentum.y : before->momentum.x;
		const real off = own - was - told[2][k] - told[3][k];
		if (!(fabsl(off) <= LEDGER_PRECISION * momenta))
			outside_find(outside, OUTSIDE_BAD_LEDGER, fabsl(off) / momenta, 0, "momentum changed by %.6Lg more than is told",
			             off);
	}
}

void
outside_sums(struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;
	struct energies before = { 0 }, after = { 0 };

	for (size_t i = 0; i < outside->body_count; i++) {
		const struct body *body = &outside->bodies[i];
		energies_add(&before, body, body->start, body->start_v, body->start_spin);
		energies_add(&after, body, (struct point){ tick->x[i], tick->y[i] }, (struct point){ tick->vx[i], tick->vy[i] },
		             tick->spin ? tick->spin[i] : 0);
	}
	energy_judge(outside, &before, &after);
	ledger_judge(outside, &before, &after);
}
