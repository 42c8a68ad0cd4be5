#include "certificate/cert_damping.h"

#include <math.h>

#define ROUNDING 0x1p-49
/* What is smaller has lost digits. */
#define SMALLEST 1e-300

struct cert_damped
cert_damped_of(const struct cert_shapes *shapes, const struct cert_body *body, double dt, struct cert_vec v, double spin)
{
	struct cert_damped damped = { v, spin };

	if (body->linear_damping > 0) {
		damped.v.x = v.x / (1 + dt * body->linear_damping);
		damped.v.y = v.y / (1 + dt * body->linear_damping);
	}
	if (body->angular_damping > 0)
		damped.spin = spin / (1 + dt * body->angular_damping);
	double speed = cert_length(damped.v);
	if (shapes->speed_max > 0 && speed > shapes->speed_max) {
		damped.v.x *= shapes->speed_max / speed;
		damped.v.y *= shapes->speed_max / speed;
	}
	return damped;
}

bool
cert_velocity_same(struct cert_vec a, struct cert_vec b)
{
	return cert_reach(cert_sub(a, b)) <= ROUNDING * cert_reach(a) + SMALLEST;
}

bool
cert_spin_same(double a, double b)
{
	return fabs(a - b) <= ROUNDING * fabs(a) + SMALLEST;
}
