/* cert_damping: what damping and the world's greatest speed make of a circle at a tick's start, by the scene alone. Pure. */
#ifndef COLLIDED_CERTIFICATE_CERT_DAMPING_H
#define COLLIDED_CERTIFICATE_CERT_DAMPING_H

#include "certificate/shapes.h"

struct cert_damped {
	struct cert_vec v;
	double spin;
};

/* The velocity and spin that a dynamic circle has once the tick has begun. */
struct cert_damped cert_damped_of(const struct cert_shapes *shapes, const struct cert_body *body, double dt, struct cert_vec v,
                                  double spin);

/* The same up to the rounding of a few operations. */
bool cert_velocity_same(struct cert_vec a, struct cert_vec b);
bool cert_spin_same(double a, double b);

#endif
