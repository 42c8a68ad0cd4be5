#include "certificate/kick.h"

#include <math.h>

#define ROUNDING 0x1p-49
/* What is smaller has lost digits. */
#define SMALLEST 1e-300

struct cert_kick
cert_kick_of(const struct cert_shapes *shapes, const struct cert_body *body, double dt, struct cert_vec v, double spin)
{
	struct cert_kick kick = { v, spin };

	if (body->linear_damping > 0) {
		kick.v.x = v.x / (1 + dt * body->linear_damping);
		kick.v.y = v.y / (1 + dt * body->linear_damping);
	}
	if (body->angular_damping > 0)
		kick.spin = spin / (1 + dt * body->angular_damping);
	double speed = cert_length(kick.v);
	if (shapes->speed_max > 0 && speed > shapes->speed_max) {
		kick.v.x *= shapes->speed_max / speed;
		kick.v.y *= shapes->speed_max / speed;
	}
	return kick;
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
