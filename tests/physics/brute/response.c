#include "physics/brute/state.h"

#include <float.h>
#include <math.h>

/* Rounding of a cluster's velocities: each of its reflections rounds a speed, and it settles within some hundreds. */
#define RESPONSE_ROUNDING 0x1p-45L
/* Impulses of n contacts that are found together come from the velocities by substitution, which leaves of n terms n 2^-53 of
 * each (Higham 2002, theorem 8.5). So do those velocities, and there are the two of a pair. */
#define TOGETHER_ROUNDING 0x1p-51L

/* What the contacts at one time did to one body. */
struct effect {
	const struct brute_body *body;
	struct brute_vec before, after, impulse;
	real spin_before, spin_after;
	real impulse_size;
	size_t contacts, rough;
};

static real
mix_restitution(enum restitution_mix mix, real a, real b)
{
	switch (mix) {
	case RESTITUTION_MIX_MAX: return fmaxl(a, b);
	case RESTITUTION_MIX_MIN: return fminl(a, b);
	case RESTITUTION_MIX_PRODUCT: return a * b;
	case RESTITUTION_MIX_MEAN: return (a + b) / 2;
	}
	return 0;
}

real
brute_restitution(const struct brute *brute, const struct contact *contact)
{
	bool circle = contact->other == CONTACT_CIRCLE;
	const struct circle_def *one = &brute_body_find(brute, contact->a)->def;
	const struct circle_def *other = circle ? &brute_body_find(brute, contact->b)->def : NULL;
	const struct segment_def *wall = circle ? NULL : brute_segment_find(brute, contact->b);
	const struct relation_def *relation = brute_relation(brute, one->group, circle ? other->group : wall->group);
	real a = one->restitution, b = circle ? other->restitution : wall->restitution;

	if (brute_response(brute, contact) != RESPONSE_BOUNCE)
		return 0;
	if (relation && relation->kind == RELATION_KIND_MOVE)
		return 0;
	if (relation && relation->has_elasticity)
		return relation->elasticity;
	return mix_restitution(brute->def.restitution_mix, a, b);
}

static bool
contact_has(const struct contact *contact, uint32_t id)
{
	return contact->a == id || (contact->other == CONTACT_CIRCLE && contact->b == id);
}

/* Velocities before the first and after the last of the contacts, and the sum of their impulses. */
static struct effect
effect_of(const struct brute_body *body, const struct contact *contacts, size_t count)
{
	struct effect effect = { .body = body };

	for (size_t i = 0; i < count; i++) {
		const struct contact *contact = &contacts[i];
		bool is_a = contact->a == body->def.id;
		const double *before = is_a ? contact->a_before : contact->b_before,
					 *after = is_a ? contact->a_after : contact->b_after;
		real impulse = is_a ? contact->impulse : -contact->impulse;
		real friction = is_a ? contact->friction_impulse : -contact->friction_impulse;

		if (!contact_has(contact, body->def.id))
			continue;
		if (effect.contacts++ == 0) {
			effect.before = (struct brute_vec){ before[0], before[1] };
			effect.spin_before = is_a ? contact->a_spin_before : contact->b_spin_before;
		}
		effect.after = (struct brute_vec){ after[0], after[1] };
		effect.spin_after = is_a ? contact->a_spin_after : contact->b_spin_after;
		effect.impulse.x += impulse * contact->normal[0] - friction * contact->normal[1];
		effect.impulse.y += impulse * contact->normal[1] + friction * contact->normal[0];
		effect.impulse_size += fabsl(impulse) + fabsl(friction);
		effect.rough += contact->friction_impulse != 0;
	}
	return effect;
}

/* What rounding may leave of the contacts' impulses, found together: the momentum of a body of mass 1, and of one of mass m the
 * root of m times that. The solver's unknowns are scaled so, and a contact's impulse J changes them by J (1/m1 + 1/m2)^1/2. */
static real
together_rounding(const struct brute *brute, const struct contact *contacts, size_t count)
{
	real sum = 0;

	for (size_t i = 0; i < count; i++) {
		const struct brute_body *a = brute_body_find(brute, contacts[i].a);
		const struct brute_body *b = contacts[i].other == CONTACT_CIRCLE ? brute_body_find(brute, contacts[i].b) : NULL;
		real inverse = brute_body_fixed(a) ? 0 : 1 / (real)a->def.mass;

		inverse += b && !brute_body_fixed(b) ? 1 / (real)b->def.mass : 0;
		sum += sqrtl(inverse) * contacts[i].impulse;
	}
	return TOGETHER_ROUNDING * (real)count * sum;
}

static bool
momentum_check(struct brute *brute, const struct effect *effect, double time, real together)
{
	const struct brute_body *body = effect->body;
	struct brute_vec change = brute_sub(effect->after, effect->before);
	real mass = body->def.mass, off, size, rounding;

	if (brute_body_fixed(body)) {
		return (change.x == 0 && change.y == 0) ||
		       brute_fail(brute, "at %.17g circle %u is pushed, which cannot be", time, body->def.id);
	}
	off = hypotl(mass * change.x - effect->impulse.x, mass * change.y - effect->impulse.y);
	size = mass * (brute_length(effect->before) + brute_length(effect->after)) + effect->impulse_size;
	rounding = (RESPONSE_ROUNDING + BRUTE_PASSES_ROUNDING * (real)effect->rough) * size + sqrtl(mass) * together;
	return off <= rounding + mass * brute_velocity_rounding(brute, body) ||
	       brute_fail(brute, "at %.17g circle %u: momentum changes by %.3Lg more than the impulses", time, body->def.id, off);
}

/* The velocity that all kinematic and static shapes of these contacts share; false if they do not. */
static bool
contacts_frame(struct brute *brute, const struct contact *contacts, size_t count, struct brute_vec *frame)
{
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		/* A surface that moves by itself does work too. */
		if (brute_surface(brute, &contacts[i]) != 0 && brute_friction(brute, &contacts[i]) > 0)
			return false;
		for (int side = 0; side < 2; side++) {
			struct brute_vec v = { 0, 0 };

			if (side == 1 && contacts[i].other == CONTACT_SEGMENT) {
				const struct segment_def *wall = brute_segment_find(brute, contacts[i].b);

				v = (struct brute_vec){ wall->vx, wall->vy };
			}
			if (side == 0 || contacts[i].other == CONTACT_CIRCLE) {
				const struct brute_body *body = brute_body_find(brute, side ? contacts[i].b : contacts[i].a);

				if (!brute_body_fixed(body))
					continue;
				/* What turns does work on what it rubs. */
				if (body->def.angular_velocity != 0 &&
				    (brute_friction(brute, &contacts[i]) > 0 || brute_rolling(brute, &contacts[i]) > 0))
					return false;
				v = body->stopped ? (struct brute_vec){ 0, 0 } : (struct brute_vec){ body->def.vx, body->def.vy };
			}
			if (known && (v.x != frame->x || v.y != frame->y))
				return false;
			*frame = v;
			known = true;
		}
	}
	return true;
}

static bool
contacts_elastic(struct brute *brute, const struct contact *contacts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (brute_restitution(brute, &contacts[i]) < 1 || brute_friction(brute, &contacts[i]) > 0 ||
		    brute_rolling(brute, &contacts[i]) > 0 || (contacts[i].flags & CONTACT_RESTING) ||
		    contacts[i].approach_speed < brute->def.restitution_threshold)
			return false;
	return true;
}

/* The work that may go untold where a body touches more than its contacts tell. A contact with an impulse within rounding is
 * not told, and changes its velocity by that. */
static real
untold_work(const struct brute *brute, const struct contact *contacts, size_t count, struct brute_vec frame)
{
	real work = 0;

	for (size_t i = 0; i < brute->def.circle_count; i++) {
		struct effect effect = effect_of(&brute->bodies[i], contacts, count);

		if (effect.contacts > 0 && !brute_body_fixed(effect.body) &&
		    brute_body_touches(brute, effect.body, contacts->time) > effect.contacts) {
			real rounding = brute_velocity_rounding(brute, effect.body);

			work += effect.body->def.mass * rounding * (brute_length(brute_sub(effect.after, frame)) + rounding);
		}
	}
	return work;
}

/* Seen from what cannot be pushed, the energy never grows, and stays where everything is elastic. `rest` is what rounding
 * leaves of things that stand still, and the work of impulses on contacts that part by the rounding of a speed. In a narrow
 * wedge impulses are large beside the speeds. */
static bool
energy_check(struct brute *brute, const struct contact *contacts, size_t count)
{
	struct brute_vec frame = { 0, 0 };
	real before = 0, after = 0, size = 0, rest = 0, slack;

	if (!contacts_frame(brute, contacts, count, &frame))
		return true;
	for (size_t i = 0; i < brute->def.circle_count; i++) {
		struct effect effect = effect_of(&brute->bodies[i], contacts, count);
		real mass = brute->bodies[i].def.mass;
		real rounding = brute_velocity_rounding(brute, &brute->bodies[i]);
		struct brute_vec u = brute_sub(effect.before, frame), v = brute_sub(effect.after, frame);

		if (effect.contacts > 0 && !brute_body_fixed(effect.body)) {
			real inertia = brute_inertia(effect.body), turning = inertia * effect.spin_before * effect.spin_before;

			before += (mass * brute_dot(u, u) + turning) / 2;
			after += (mass * brute_dot(v, v) + inertia * effect.spin_after * effect.spin_after) / 2;
			size += mass * (brute_dot(u, u) + brute_dot(frame, frame)) + turning;
			rest += (mass * rounding + effect.impulse_size) * rounding;
		}
	}
	slack = RESPONSE_ROUNDING * size + rest;
	if (after - before > slack && after - before > slack + untold_work(brute, contacts, count, frame)) {
		return brute_fail(brute, "at %.17g circle %u and %u: energy grows from %.17Lg to %.17Lg", contacts->time, contacts->a,
		                  contacts->b, before, after);
	}
	if (contacts_elastic(brute, contacts, count)) {
		brute->counts->elastic++;
		if (before - after > slack && before - after > slack + untold_work(brute, contacts, count, frame)) {
			return brute_fail(brute, "at %.17g circle %u and %u: an elastic contact loses energy: %.17Lg to %.17Lg",
			                  contacts->time, contacts->a, contacts->b, before, after);
		}
	}
	return true;
}

static struct brute_vec
wall_velocity(const struct brute *brute, const struct contact *contact)
{
	const struct segment_def *wall = brute_segment_find(brute, contact->b);

	return (struct brute_vec){ wall->vx, wall->vy };
}

/* Speed along the normal at which the two part: of the velocities that they have when all contacts of this time are done. */
static real
contact_parting(struct brute *brute, const struct contact *contact)
{
	struct brute_vec v = brute_body_find(brute, contact->a)->v;
	struct brute_vec w = contact->other == CONTACT_CIRCLE ? brute_body_find(brute, contact->b)->v
	                                                      : wall_velocity(brute, contact);

	return (v.x - w.x) * contact->normal[0] + (v.y - w.y) * contact->normal[1];
}

/* Whether it is told to stand still from this time on, or to be gone. */
static bool
body_stops(const struct brute *brute, const struct brute_body *body, double time)
{
	for (size_t i = 0; i < brute->report->path_change_count && !body->still; i++) {
		const struct path_change *change = &brute->report->path_changes[i];

		if (change->body == body->def.id && change->time == time &&
		    (change->kind == PATH_PARKED || change->kind == PATH_CRUSHED || change->kind == PATH_STOPPED))
			return true;
	}
	return body->still || brute_end_is_told(brute, body, time);
}

static struct brute_vec
path_velocity(struct brute *brute, uint32_t id, double time)
{
	const struct brute_body *body = brute_body_find(brute, id);

	return body_stops(brute, body, time) ? (struct brute_vec){ 0, 0 } : body->v;
}

/* The same of the paths: what stands still keeps a velocity for the next tick, and approaches nothing by it. */
static real
paths_parting(struct brute *brute, const struct contact *contact)
{
	struct brute_vec v = path_velocity(brute, contact->a, contact->time);
	struct brute_vec w = contact->other == CONTACT_CIRCLE ? path_velocity(brute, contact->b, contact->time)
	                                                      : wall_velocity(brute, contact);

	return (v.x - w.x) * contact->normal[0] + (v.y - w.y) * contact->normal[1];
}

static real
contact_speeds(const struct contact *contact)
{
	return fabs(contact->a_before[0]) + fabs(contact->a_before[1]) + fabs(contact->b_before[0]) + fabs(contact->b_before[1]) +
	       fabs(contact->a_after[0]) + fabs(contact->a_after[1]) + fabs(contact->b_after[0]) + fabs(contact->b_after[1]);
}

/* physics.h: where restitution < 1 a rebound may be refused if it would end within dt / 1024, if the pair met in that time
 * before, or late in a row of contacts. It may also be refused if it is slower than a tick's gravity and both circles are
 * spent. At 1 it may only under gravity, if it would end within dt / 16384. A hop of speed u ends after 2 u / g at the
 * earliest. */
static bool
rest_is_due(struct brute *brute, const struct contact *contact, real e)
{
	/* Of two that fall differently the one falls to the other with the difference. */
	real gravity = 2 * brute_gravity_most(brute), hop = e < 1 ? 1024 : 16384;
	real speed = e * contact->approach_speed, rounding = RESPONSE_ROUNDING * contact_speeds(contact);

	return contact->approach_speed < brute->def.restitution_threshold || speed <= rounding ||
	       2 * speed <= gravity * brute->dt / hop * (1 + 1e-9L) || (e < 1 && brute_met_lately(brute, contact)) ||
	       (e < 1 && contact->approach_speed < gravity * brute->dt * (1 + 1e-9L) && brute_spent(brute, contact));
}

/* One contact that shares its bodies with no other: the approach is that of the velocities, and the rebound that times the
 * restitution. The exception is a contact that says that it was made to rest, which an elastic one must not without cause. */
static bool
isolated_check(struct brute *brute, const struct contact *contact)
{
	real approach = -((contact->a_before[0] - contact->b_before[0]) * (real)contact->normal[0] +
	                  (contact->a_before[1] - contact->b_before[1]) * (real)contact->normal[1]);
	real e = brute_restitution(brute, contact), parting = contact_parting(brute, contact);
	real rounding = RESPONSE_ROUNDING * contact_speeds(contact) +
	                2 * brute_velocity_rounding(brute, brute_body_find(brute, contact->a));
	bool resting = (contact->flags & CONTACT_RESTING) != 0;

	brute->counts->isolated++;
	if (approach < -rounding || fabsl(approach - contact->approach_speed) > rounding) {
		return brute_fail(brute, "at %.17g circle %u and %u approach at %.17Lg, told as %.17g", contact->time, contact->a,
		                  contact->b, approach, contact->approach_speed);
	}
	if (resting && !rest_is_due(brute, contact, e)) {
		return brute_fail(brute, "at %.17g circle %u and %u: approaching at %.17g, restitution %.17Lg, is made to rest",
		                  contact->time, contact->a, contact->b, contact->approach_speed, e);
	}
	if (resting || contact->approach_speed < brute->def.restitution_threshold)
		e = 0;
	return fabsl(parting - e * approach) <= rounding ||
	       brute_fail(brute,
	                  "at %.17g circle %u and %u part at %.17Lg after approaching at %.17Lg, restitution %.17Lg, flags %u",
	                  contact->time, contact->a, contact->b, parting, approach, e, contact->flags);
}

static bool
contact_is_alone(const struct brute *brute, const struct contact *contacts, size_t count, size_t index)
{
	const struct contact *contact = &contacts[index];
	const struct brute_body *a = brute_body_find(brute, contact->a);

	for (size_t i = 0; i < count; i++)
		if (i != index && (contact_has(&contacts[i], contacts[index].a) ||
		                   (contacts[index].other == CONTACT_CIRCLE && contact_has(&contacts[i], contacts[index].b))))
			return false;
	/* A pair that takes part in a cluster and ends without an impulse is not told; its restitution counted all the same. */
	return (brute_body_fixed(a) || brute_body_touches(brute, a, contact->time) <= 1) &&
	       (contact->other == CONTACT_SEGMENT || brute_body_fixed(brute_body_find(brute, contact->b)) ||
	        brute_body_touches(brute, brute_body_find(brute, contact->b), contact->time) <= 1);
}

bool
brute_response_check(struct brute *brute, const struct contact *contacts, size_t count)
{
	real together = together_rounding(brute, contacts, count);

	for (size_t i = 0; i < brute->def.circle_count; i++) {
		struct effect effect = effect_of(&brute->bodies[i], contacts, count);

		if (effect.contacts > 0 && (!momentum_check(brute, &effect, contacts->time, together) ||
		                            !brute_spin_check(brute, &brute->bodies[i], contacts, count)))
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		real parting = contact_parting(brute, &contacts[i]);
		/* In a jam the speeds at one contact may be far below those that its cluster rounds. */
		real rounding = RESPONSE_ROUNDING * contact_speeds(&contacts[i]) +
		                brute_velocity_rounding(brute, brute_body_find(brute, contacts[i].a));

		if (contacts[i].impulse < 0 || contacts[i].approach_speed < 0) {
			return brute_fail(brute, "at %.17g circle %u and %u: a negative impulse or approach", contacts[i].time,
			                  contacts[i].a, contacts[i].b);
		}
		if (parting < -rounding && paths_parting(brute, &contacts[i]) < -rounding) {
			return brute_fail(brute, "at %.17g circle %u and %u still approach at %.3Lg", contacts[i].time, contacts[i].a,
			                  contacts[i].b, -parting);
		}

		bool alone = contact_is_alone(brute, contacts, count, i);

		if (!brute_friction_check(brute, &contacts[i], alone) || (alone && !isolated_check(brute, &contacts[i])))
			return false;
	}
	return energy_check(brute, contacts, count);
}
