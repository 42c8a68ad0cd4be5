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
/* An impulse and its normal, each rounded by half an ulp. */
#define IMPULSE_PRECISION 0x1p-52L
/* Of a heap's energies: what the resting solver may leave unsolved in a tick, as energy. */
#define HEAP_GAIN_MAX 1e-2L
#define LEDGER_PRECISION 1e-9L
/* In radii: how far the resting solver may lift a circle off what it lies on. */
#define HOVER_RADII 1e-2L
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
	bool known; /* all spins are */
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
		if (body->gone || body->def.kind != OUTSIDE_DYNAMIC)
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
		if (!outside->bodies[i].gone && outside->bodies[i].def.kind == OUTSIDE_DYNAMIC)
			sum += outside->bodies[i].def.mass * (outside->fastest + outside->fastest_before);
	return sum;
}

struct happened {
	bool led, slept;
	real held;   /* what gravity can do along the ways of those that are held up */
	real pushed; /* work of pushes against gravity */
	real hops;   /* energy that hops which became rest may have had */
};

static struct happened
happened_in(const struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;
	struct happened happened = { 0 };
	const real hop = outside->gravity * tick->dt / 32768; /* its speed */

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
		const bool rests = contact->flags & OUTSIDE_CONTACT_RESTING;
		/* Of several that meet at one time a pair may hop between two reflections, and is told with its fastest approach. */
		if (!rests && !(outside->contact_company[i] & COMPANY_CONTACTS))
			continue;
		const struct body *a = &outside->bodies[outside_body(outside, contact->a)];
		real mass = a->def.kind == OUTSIDE_DYNAMIC ? a->def.mass : 0;
		if (!contact->with_wall) {
			const struct body *b = &outside->bodies[outside_body(outside, contact->b)];
			mass += b->def.kind == OUTSIDE_DYNAMIC ? b->def.mass : 0;
		}
		/* What presses on it does so in blows of a hop's speed at most, each of which loses half of its impulse times that. */
		happened.hops += mass * hop * hop + (rests ? fabsl((real)contact->impulse) * hop / 2 : 0);
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

/* What rounding may do to energies of that size: each contact rounds velocities, and a cluster goes on until they are right to
 * some ulp more. In a jam impulses that nearly cancel may be many times the momentum. Each, and its normal, is rounded, which
 * changes a velocity by that part of the impulse. */
static real
contacts_room(const struct outside *outside, real size)
{
	real room = 4 * ENERGY_PRECISION, impulses = 0;

	for (size_t i = 0; i < outside->tick->contact_count; i++) {
		room += outside->contact_company[i] & COMPANY_CONTACTS ? CLUSTER_PRECISION : ENERGY_PRECISION;
		impulses += fabsl((real)outside->tick->contacts[i].impulse);
	}
	return room * size + IMPULSE_PRECISION * impulses * outside->fastest;
}

/* How the other circle is at the stretch's beginning: after what happened then. */
static const struct stretch *
stretch_beside(const struct outside *outside, const struct body *b, real time)
{
	size_t i = b->first;

	while (outside->stretches[i].next != NO_STRETCH && outside->stretches[outside->stretches[i].next].t0 <= time)
		i = outside->stretches[i].next;
	return &outside->stretches[i];
}

/* Whether a contact of the body is told at that time. */
static bool
met_at(const struct outside *outside, const struct body *body, real time)
{
	const struct outside_tick *tick = outside->tick;

	for (size_t i = 0; i < tick->contact_count; i++)
		if (tick->contacts[i].time == time &&
		    (tick->contacts[i].a == body->def.id || (!tick->contacts[i].with_wall && tick->contacts[i].b == body->def.id)))
			return true;
	return false;
}

/* The same of a path around ends of walls at restitution 1. The force is such that it has done no work when the path ends, at
 * the tick's end if not before. Where something meets it amid the way it has, by up to R A^2 / 8 per unit of force, A being the
 * angle of the whole path. On several supports the force is along the normal, as around circles. The engine documents both. */
static real
ends_may(const struct outside *outside, const struct body *body, const struct stretch *stretch, bool several)
{
	const real skin = outside_skin(larger_of(body->reach, outside->extent), body->def.radius);
	const real left = outside->tick->dt - stretch->t0, h = stretch->t1 - stretch->t0;
	const bool met = met_at(outside, body, stretch->t1);
	real may = 0;

	for (size_t i = 0; i < outside->wall_count; i++) {
		const struct wall *wall = &outside->walls[i];
		const struct point ends[] = { point_add(wall->e1, stretch->t0, wall->v), point_add(wall->e2, stretch->t0, wall->v) };
		const real radii = (real)body->def.radius + wall->def.radius;
		const real turn = point_size(point_add(stretch->v, -1, wall->v)) / radii;
		for (int k = 0; k < 2; k++)
			if (point_size(point_add(stretch->p, -1, ends[k])) <= radii + 3 * skin)
				may += radii * turn * turn * ((met ? left * left / 8 : 0) + (several ? h * h / 2 : 0));
	}
	return may;
}

/* What a held stretch may lose or win, per unit of the force at its contacts.
 *
 * The engine holds a path by a force that is constant, along the normals at its beginning. Around a circle the normal turns: in
 * a time h, at a relative speed w along the rim, by w h / R, R the distance of the centres. So the force works against the way
 * w h, with half of that angle on the average: w^2 h^2 / 2R per unit of force. A path that keeps outside of the circle wins
 * 2^-12 of the radii at most: it is let go, or held anew, when it has come so far from it. Skin that was used up is won back by
 * an acceleration that takes a tick for it: skin h^2 / dt^2. */
static real
stretch_may(const struct outside *outside, const struct body *a, const struct stretch *stretch, bool lose)
{
	const real h = stretch->t1 - stretch->t0, dt = outside->tick->dt;
	real may = outside_skin(larger_of(a->reach, outside->extent), a->def.radius) * (h / dt) * (h / dt);
	bool beside_some = false;

	for (size_t k = 0; k < outside->body_count; k++) {
		const struct body *b = &outside->bodies[k];
		if (b == a || !outside_circles_meet(outside, a, b) || b->ends < stretch->t0)
			continue;
		const struct stretch *beside = stretch_beside(outside, b, stretch->t0);
		const real since = stretch->t0 - beside->t0, radii = (real)a->def.radius + b->def.radius;
		const struct point place = point_add(point_add(beside->p, since, beside->v), since * since / 2, beside->a);
		const struct point d = point_add(stretch->p, -1, place);
		const struct point w = point_add(stretch->v, -1, point_add(beside->v, since, beside->a));
		const real distance = point_size(d), way = h * (d.x * w.y - d.y * w.x) / distance;
		if (distance - radii > 3 * outside_skin(larger_of(a->reach, b->reach), smaller_of(a->def.radius, b->def.radius)))
			continue;
		const real turned = way * way / (2 * distance);
		may += lose ? turned : smaller_of(0x1p-12L * radii, turned);
		beside_some = true;
	}
	return outside->strict ? may + ends_may(outside, a, stretch, beside_some) : may;
}

/* What paths that are held may lose or win in all: no contact carries more than what lies on something weighs. */
static real
held_may(const struct outside *outside, bool lose)
{
	real load = 0, may = 0;

	for (size_t i = 0; i < outside->body_count; i++) {
		const struct body *body = &outside->bodies[i];
		bool held = false;
		for (size_t k = body->gone ? NO_STRETCH : body->first; k != NO_STRETCH; k = outside->stretches[k].next) {
			if (!outside->stretches[k].held)
				continue;
			held = true;
			may += stretch_may(outside, body, &outside->stretches[k], lose);
		}
		load += held ? body->def.mass * point_size(body->gravity) : 0;
	}
	return load * may;
}

/* What the bounces of those that the resting solver leads may scatter. As the engine documents, gravity is a kick at the start
 * of a substep, a quarter of a tick at most. So the body meets with up to g dt / 4 too much, and leaves with it. Then it rises
 * without gravity up to the substep's end. Each of the two is g dt / 4 times its speed and mass. */
static real
led_bounces(const struct outside *outside)
{
	const struct outside_tick *tick = outside->tick;
	real may = 0;

	for (size_t i = 0; i < tick->contact_count; i++) {
		const struct outside_contact *contact = &tick->contacts[i];
		const struct body *a = &outside->bodies[outside_body(outside, contact->a)];
		const struct body *b = contact->with_wall ? NULL : &outside->bodies[outside_body(outside, contact->b)];
		if (!(outside->contact_company[i] & COMPANY_SOLVER))
			continue;
		const real weight = a->def.mass * point_size(a->gravity) + (b ? b->def.mass * point_size(b->gravity) : 0);
		may += weight * tick->dt / 2 * contact->approach;
	}
	return may;
}

/* What the resting solver may lift: circles in a heap hover up to 1 % of a radius apart, as the engine documents. */
static real
led_lifts(const struct outside *outside)
{
	real may = 0;

	for (size_t i = 0; i < outside->body_count; i++) {
		const struct body *body = &outside->bodies[i];
		if (!body->gone && body->def.kind == OUTSIDE_DYNAMIC)
			may += body->def.mass * point_size(body->gravity) * HOVER_RADII * body->def.radius;
	}
	return may;
}

/* Energy that goes at restitution 1 is excused by nothing but being crushed: a parked circle keeps what it has. */
static void
energy_judge(struct outside *outside, const struct energies *before, const struct energies *after)
{
	const struct happened happened = happened_in(outside);
	const real gain = after->kinetic + after->potential - before->kinetic - before->potential - happened.pushed;
	const real size = not_zero(before->size + after->size + busy_size(outside));
	const real room = contacts_room(outside, size) + SUPPORT_PRECISION * happened.held;
	const unsigned flags = all_flags(outside), hard = flags & (OUTSIDE_FLAG_CRUSHED | OUTSIDE_FLAG_FAST);
	const bool held = happened.held > 0 && fabsl(gain) <= happened.held;

	outside->report.judged_energy += outside->strict && !happened.led && !happened.slept;
	if (fabsl(gain) <= room)
		return;
	const real may = room + (happened.held > 0 ? held_may(outside, gain < 0) : 0);
	if (outside->closed && gain > may) {
		const enum outside_finding finding = held ? OUTSIDE_BAD_SUPPORT : OUTSIDE_BAD_ENERGY_GAIN;
		if (!happened.led)
			outside_find(outside, finding, gain / size, flags, "energy grew by %.6Lg, of %.6Lg", gain, before->kinetic);
		else if (gain > HEAP_GAIN_MAX * size + led_bounces(outside) + led_lifts(outside))
			outside_find(outside, OUTSIDE_BAD_HEAP_GAIN, gain / size, flags, "a heap's energy grew by %.6Lg, of %.6Lg", gain,
			             before->kinetic);
	}
	if (outside->strict && !happened.led && !happened.slept) {
		const enum outside_finding finding = held ? OUTSIDE_BAD_SUPPORT : OUTSIDE_BAD_ENERGY_LOSS;
		if (-gain > may + happened.hops)
			outside_find(outside, finding, -gain / size, hard, "energy fell by %.6Lg, of %.6Lg, at restitution 1", -gain,
			             before->kinetic);
	}
}

/* `ended`: what circles had that ended, at their ends. */
static void
ledger_judge(struct outside *outside, const struct energies *before, const struct energies *after, const struct energies *ended)
{
	const struct outside_tick *tick = outside->tick;
	const real change = (real)tick->kinetic_after + tick->potential_after - tick->kinetic_before - tick->potential_before;
	const real size = not_zero(before->size + after->size + busy_size(outside) + (real)tick->energy_gross +
	                           fabsl(before->potential) + fabsl(after->potential) + ended->size + fabsl(ended->potential));

	if (!tick->has_ledger)
		return;
	if (ended->known && !(fabsl(tick->energy_removed + ended->kinetic + ended->potential) <= LEDGER_PRECISION * size))
		outside_find(outside, OUTSIDE_BAD_LEDGER, fabsl(tick->energy_removed + ended->kinetic + ended->potential) / size, 0,
		             "the ledger has %.9g as removed, what ended had %.9Lg", tick->energy_removed,
		             ended->kinetic + ended->potential);
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
	real momenta = not_zero(before->momenta + after->momenta + ended->momenta + busy_momenta(outside));
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
	struct energies before = { 0 }, after = { 0 }, ended = { .known = true };

	for (size_t i = 0; i < outside->body_count; i++) {
		const struct body *body = &outside->bodies[i];
		if (body->gone)
			continue;
		energies_add(&before, body, body->start, body->start_v, body->start_spin);
		ended.known = ended.known && !(body->end && !body->spin_known);
		energies_add(body->end ? &ended : &after, body, body->told, body->told_v, body->end ? body->spin : body->told_spin);
	}
	ledger_judge(outside, &before, &after, &ended);
	after.kinetic += ended.kinetic;
	after.potential += ended.potential;
	after.size += ended.size;
	energy_judge(outside, &before, &after);
}
