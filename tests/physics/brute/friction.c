#include "physics/brute/state.h"

#include <float.h>
#include <math.h>

/* Rounding of impulses and rims' speeds: as of velocities, in response.c. */
#define FRICTION_ROUNDING 0x1p-44L
/* Slip and roll are stopped in turns, until neither changes by more than 2^-40 of the speeds around, or of what gravity gives
 * in a tick. The last change of the roll, at the surfaces, is the slip that is left. */
#define ROLLING_ROUNDING 0x1p-37L
#define ROLLING_LEFT 0x1p-40L

static real
mix_friction(enum friction_mix mix, real a, real b)
{
	switch (mix) {
	case FRICTION_MIX_GEOMETRIC: return sqrtl(a * b);
	case FRICTION_MIX_MAX: return fmaxl(a, b);
	case FRICTION_MIX_MIN: return fminl(a, b);
	case FRICTION_MIX_PRODUCT: return a * b;
	case FRICTION_MIX_MEAN: return (a + b) / 2;
	}
	return 0;
}

enum movement_response
brute_response(const struct brute *brute, const struct contact *contact)
{
	enum movement_response a = brute_body_find(brute, contact->a)->def.response;
	enum movement_response b = contact->other == CONTACT_CIRCLE ? brute_body_find(brute, contact->b)->def.response
	                                                            : RESPONSE_BOUNCE;

	return a > b ? a : b;
}

real
brute_surface(const struct brute *brute, const struct contact *contact)
{
	const struct segment_def *wall = contact->other == CONTACT_CIRCLE ? NULL : brute_segment_find(brute, contact->b);
	bool swept_boxes = brute_response(brute, contact) != RESPONSE_STOP;
	real speed = swept_boxes ? -(real)brute_body_find(brute, contact->a)->def.surface_speed : 0;

	if (wall) {
		real x = (real)wall->x2 - wall->x1, y = (real)wall->y2 - wall->y1;

		return speed - wall->surface_speed * (y * contact->normal[0] - x * contact->normal[1]) / hypotl(x, y);
	}
	return swept_boxes ? speed - brute_body_find(brute, contact->b)->def.surface_speed : 0;
}

/* A relation that takes the approach only. */
static bool
only_moves(const struct brute *brute, const struct contact *contact)
{
	uint32_t a = brute_body_find(brute, contact->a)->def.group;
	uint32_t b = contact->other == CONTACT_CIRCLE ? brute_body_find(brute, contact->b)->def.group
	                                              : brute_segment_find(brute, contact->b)->group;
	const struct relation_def *relation = brute_relation(brute, a, b);

	return relation && relation->kind == RELATION_KIND_MOVE;
}

real
brute_friction(const struct brute *brute, const struct contact *contact)
{
	real a = brute_body_find(brute, contact->a)->def.friction;
	real b = contact->other == CONTACT_CIRCLE ? brute_body_find(brute, contact->b)->def.friction
	                                          : brute_segment_find(brute, contact->b)->friction;

	switch (brute_response(brute, contact)) {
	case RESPONSE_SLIDE: return 0;
	case RESPONSE_STOP: return HUGE_VALL;
	case RESPONSE_BOUNCE: break;
	}
	return only_moves(brute, contact) ? 0 : mix_friction(brute->def.friction_mix, a, b);
}

/* The larger of both, of the larger radius. */
real
brute_rolling(const struct brute *brute, const struct contact *contact)
{
	const struct circle_def *a = &brute_body_find(brute, contact->a)->def;

	if (brute_response(brute, contact) != RESPONSE_BOUNCE || only_moves(brute, contact))
		return 0;
	if (contact->other == CONTACT_CIRCLE) {
		const struct circle_def *b = &brute_body_find(brute, contact->b)->def;

		return fmaxl(a->rolling_resistance, b->rolling_resistance) * fmaxl(a->radius, b->radius);
	}
	return fmaxl(a->rolling_resistance, brute_segment_find(brute, contact->b)->rolling_resistance) * (real)a->radius;
}

real
brute_inertia(const struct brute_body *body)
{
	if (brute_body_fixed(body))
		return HUGE_VALL;
	return body->def.moment_of_inertia > 0 ? (real)body->def.moment_of_inertia
	                                       : (real)body->def.mass * body->def.radius * body->def.radius / 2;
}

/* Angular momentum that the body gets: the friction of each contact times the radius, and no more than rolling resistance
 * allows besides. */
bool
brute_spin_check(struct brute *brute, const struct brute_body *body, const struct contact *contacts, size_t count)
{
	real turn = 0, rolling = 0, size = 0, first = 0, last = 0, inertia = brute_inertia(body), off, rounding = FRICTION_ROUNDING;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		const struct contact *contact = &contacts[i];
		bool is_a = contact->a == body->def.id;

		if (!is_a && !(contact->other == CONTACT_CIRCLE && contact->b == body->def.id))
			continue;
		if (!any)
			first = is_a ? contact->a_spin_before : contact->b_spin_before;
		any = true;
		last = is_a ? contact->a_spin_after : contact->b_spin_after;
		if (brute_response(brute, contact) == RESPONSE_STOP)
			continue;
		/* Both rims move against each other, so friction turns both the same way. */
		turn -= (real)contact->friction_impulse * body->def.radius;
		size += fabsl((real)contact->friction_impulse) * body->def.radius;
		rolling += brute_rolling(brute, contact) * contact->impulse;
		/* One alone is found in one pass. */
		rounding += count > 1 && contact->friction_impulse != 0 ? BRUTE_PASSES_ROUNDING : 0;
	}
	if (brute_body_fixed(body)) {
		return first == last ||
		       brute_fail(brute, "at %.17g circle %u is turned, which cannot be", contacts->time, body->def.id);
	}
	size += inertia * (fabsl(first) + fabsl(last)) + rolling;
	off = fabsl(inertia * (last - first) - turn) - rolling;
	return off <= rounding * size || brute_fail(brute, "at %.17g circle %u: spin changes by %.3Lg more than friction",
	                                            contacts->time, body->def.id, off / inertia);
}

/* Speed of a's surface along b's, along the normal turned left; *size: of what it is the difference. */
static real
contact_slip(const struct brute *brute, const struct contact *contact, real *size)
{
	const struct brute_body *a = brute_body_find(brute, contact->a);
	real tx = -(real)contact->normal[1], ty = contact->normal[0], surface = brute_surface(brute, contact);
	real lever = brute_response(brute, contact) == RESPONSE_STOP ? 0 : 1;
	real along = contact->a_after[0] * tx + contact->a_after[1] * ty, rim = lever * contact->a_spin_after * (real)a->def.radius;
	real slip = along - rim + surface;

	*size = fabs(contact->a_after[0]) + fabs(contact->a_after[1]) + fabsl(rim) + fabs(contact->a_spin_before) * a->def.radius +
	        fabs(contact->a_before[0]) + fabs(contact->a_before[1]) + fabsl(surface);
	if (contact->other == CONTACT_CIRCLE) {
		const struct brute_body *b = brute_body_find(brute, contact->b);

		rim = lever * contact->b_spin_after * (real)b->def.radius;
		slip -= contact->b_after[0] * tx + contact->b_after[1] * ty + rim;
		*size += fabs(contact->b_after[0]) + fabs(contact->b_after[1]) + fabsl(rim) +
		         fabs(contact->b_spin_before) * b->def.radius + fabs(contact->b_before[0]) + fabs(contact->b_before[1]);
	} else {
		const struct segment_def *wall = brute_segment_find(brute, contact->b);

		slip -= wall->vx * tx + wall->vy * ty;
		*size += fabs(wall->vx) + fabs(wall->vy);
	}
	return slip;
}

/* The mass that a tangential impulse at the rim has to move, of the lighter side. */
static real
contact_mass(const struct brute *brute, const struct contact *contact)
{
	const struct brute_body *a = brute_body_find(brute, contact->a);
	real mass = brute_body_fixed(a) ? HUGE_VALL : (real)a->def.mass;

	if (contact->other == CONTACT_CIRCLE) {
		const struct brute_body *b = brute_body_find(brute, contact->b);

		mass = fminl(mass, brute_body_fixed(b) ? HUGE_VALL : (real)b->def.mass);
	}
	return mass;
}

bool
brute_friction_check(struct brute *brute, const struct contact *contact, bool alone)
{
	real friction = brute_friction(brute, contact), bound = friction * contact->impulse;
	bool rolls = brute_rolling(brute, contact) > 0;
	real left = rolls ? ROLLING_LEFT * brute->dt * brute_gravity_most(brute) : 0;
	real size, slip = contact_slip(brute, contact, &size), impulse = contact->friction_impulse;
	real rounding = (rolls ? ROLLING_ROUNDING : FRICTION_ROUNDING) * size + left;
	/* Of the normal impulse too: it ends by what parts a pair that approaches by rounding. */
	real least = brute_velocity_rounding(brute, brute_body_find(brute, contact->a));
	real slack = FRICTION_ROUNDING * bound + (1 + friction) * contact_mass(brute, contact) * (FRICTION_ROUNDING * size + least);

	if (brute_response(brute, contact) == RESPONSE_STOP) {
		/* It takes all, or all that it may where others have their part. */
		return !alone || fabsl(slip) <= rounding + 2 * least ||
		       brute_fail(brute, "at %.17g circle %u and %u: it stops, and goes on at %.3Lg", contact->time, contact->a,
		                  contact->b, slip);
	}
	if (fabsl(impulse) > bound + slack) {
		return brute_fail(brute, "at %.17g circle %u and %u: friction of %.17Lg, %.17Lg is allowed", contact->time, contact->a,
		                  contact->b, impulse, bound);
	}
	if (!alone || bound <= 0)
		return true;
	if (fabsl(slip) <= rounding) {
		brute->counts->stuck++;
		return true;
	}
	brute->counts->slid++;
	return (fabsl(impulse) >= bound - slack && (impulse * slip < 0 || bound <= slack)) ||
	       brute_fail(brute, "at %.17g circle %u and %u still slide at %.3Lg (%.3Lg is rounding), friction is %.17Lg of %.17Lg",
	                  contact->time, contact->a, contact->b, slip, rounding, impulse, bound);
}
