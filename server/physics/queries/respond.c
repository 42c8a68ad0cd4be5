/* What a hit of two shapes changes, without a world: respond.h. */
#include "physics/respond.h"

#include "physics/geometry/toi.h"

#include <math.h>

/* The share of the move of a body of weight `own`. */
static double
push_share(double own, double other)
{
	if (isinf(own))
		return 0.0;
	if (isinf(other))
		return 1.0;
	return other / (own + other);
}

enum status
respond_push_out(const struct shape_distance *distance, double weight_a, double weight_b, struct push_out *out)
{
	struct push_out push = { .pushed = distance->relation == RELATION_OVERLAPPING };

	if (!(weight_a >= 0.0 && weight_b >= 0.0) || (weight_a == 0.0 && weight_b == 0.0) || (isinf(weight_a) && isinf(weight_b)))
		return STATUS_INVALID_ARGUMENT;
	for (int i = 0; push.pushed && i < 2; i++) {
		/* Adding 0 turns -0 into 0. */
		push.a_move[i] = 0.0 - distance->gap * push_share(weight_a, weight_b) * distance->normal[i];
		push.b_move[i] = 0.0 + distance->gap * push_share(weight_b, weight_a) * distance->normal[i];
	}
	*out = push;
	return STATUS_OK;
}

enum status
respond_bounce(const struct shape_distance *distance, const double a_velocity[2], const double b_velocity[2],
               const double mass[2], double elasticity, struct bounce *out)
{
	const double *normal = distance->normal;
	double wx = a_velocity[0] - b_velocity[0], wy = a_velocity[1] - b_velocity[1];
	/* The dot product, computed as a cross product with the normal turned by 90 degrees: its sign must not be rounding. */
	double speed = -cross_exact(wx, -wy, normal[1], normal[0]);
	struct bounce result = {
		.outcome = BOUNCE_DONE,
		.approach_speed = speed,
		.a_velocity = { a_velocity[0], a_velocity[1] },
		.b_velocity = { b_velocity[0], b_velocity[1] },
	};

	if (!(mass[0] > 0.0 && mass[1] > 0.0) || (isinf(mass[0]) && isinf(mass[1])) || !(elasticity >= 0.0 && elasticity <= 1.0))
		return STATUS_INVALID_ARGUMENT;
	if (distance->relation == RELATION_NONE)
		result.outcome = BOUNCE_APART;
	else if (!(speed > 0.0))
		result.outcome = BOUNCE_RECEDING;
	if (result.outcome == BOUNCE_DONE) {
		result.impulse = (1.0 + elasticity) * speed / (1.0 / mass[0] + 1.0 / mass[1]);
		for (int i = 0; i < 2; i++) {
			result.a_velocity[i] += result.impulse / mass[0] * normal[i];
			result.b_velocity[i] -= result.impulse / mass[1] * normal[i];
		}
	}
	*out = result;
	return STATUS_OK;
}
