#include "certificate/response.h"

#include <math.h>

/* What the engine's passes over a cluster leave, of the speeds around. */
#define SLACK 0x1p-34
/* Of the speeds around: an approach that rounding alone may have made takes nothing along the surfaces. */
#define TRACE 0x1p-43
/* The same of slips. */
#define SLIP_SLACK 0x1p-30

static enum certificate_response
response_of(const struct cert_sides *sides)
{
	enum certificate_response a = sides->a->response, b = sides->b ? sides->b->response : CERTIFICATE_BOUNCE;

	return a > b ? a : b;
}

/* The velocity of the wall's surface, as far as the wall does not get in its own way. */
static struct cert_vec
wall_surface(const struct cert_sides *sides, struct cert_vec tangent)
{
	double along = sides->wall ? sides->wall->surface_speed * cert_dot(sides->wall->along, tangent) : 0;

	return (struct cert_vec){ along * tangent.x, along * tangent.y };
}

/* The speed of the two surfaces along each other, from the velocities of the centres and the spins. */
static double
slip_of(const struct cert_sides *sides, struct cert_vec w, struct cert_vec tangent, double a_spin, double b_spin)
{
	double slip = cert_dot(cert_sub(w, wall_surface(sides, tangent)), tangent);

	slip -= sides->a->radius * a_spin + sides->a->surface_speed;
	if (sides->b)
		slip -= sides->b->radius * b_spin + sides->b->surface_speed;
	return slip;
}

/* What slip friction leaves it works against. (Rolling resistance changes slips too, and the engine's turns of the two end
 * before they agree where a circle turns lightly.) */
static const char *
friction_problem(const struct cert_sides *sides, struct cert_vec after, struct cert_vec tangent)
{
	const struct certificate_contact *c = sides->contact;
	double sign = c->friction_impulse > 0 ? 1 : -1;
	double most = sides->speed + sides->a->radius * fabs(c->a_spin_before) + fabs(sides->a->surface_speed);

	if (c->friction_impulse == 0 || !sides->spins || sides->a->resists || (sides->b && sides->b->resists) ||
	    (sides->wall && sides->wall->resists))
		return NULL;
	if (sides->b)
		most += sides->b->radius * fabs(c->b_spin_before) + fabs(sides->b->surface_speed);
	if (sides->wall)
		most += fabs(sides->wall->surface_speed);
	return sign * slip_of(sides, after, tangent, c->a_spin_after, c->b_spin_after) <= SLIP_SLACK * most
	           ? NULL
	           : "its friction makes the surfaces slip";
}

static double
inverse_mass(const struct cert_body *body)
{
	return body && body->kind == CERTIFICATE_DYNAMIC ? 1 / body->mass : 0;
}

const char *
cert_response_problem(const struct cert_sides *sides)
{
	const struct certificate_contact *c = sides->contact;
	struct cert_vec normal = cert_vec_from(c->normal), tangent = { -normal.y, normal.x };
	struct cert_vec after = cert_sub(cert_vec_from(c->a_after), cert_vec_from(c->b_after));
	double slack = SLACK * (sides->speed + fabs(sides->wall ? sides->wall->surface_speed : 0));

	switch (response_of(sides)) {
	case CERTIFICATE_BOUNCE: return friction_problem(sides, after, tangent);
	case CERTIFICATE_SLIDE:
		if (c->friction_impulse != 0)
			return "a sliding circle has friction";
		return fabs(cert_dot(after, normal)) <= slack ? NULL : "a sliding circle bounces";
	case CERTIFICATE_STOP:
		if (sides->spins && (c->a_spin_before != c->a_spin_after || c->b_spin_before != c->b_spin_after))
			return "a circle that stops changes a spin";
		if (c->impulse * (inverse_mass(sides->a) + inverse_mass(sides->b)) <= TRACE * sides->speed)
			return NULL;
		return cert_reach(cert_sub(after, wall_surface(sides, tangent))) <= slack ? NULL : "a circle that stops goes on";
	}
	return NULL;
}
