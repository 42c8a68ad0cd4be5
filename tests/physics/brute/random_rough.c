#include "physics/brute/random_kinds.h"
#include "support/random.h"

#include <math.h>

/* Rims about as fast as circles, or much faster. */
static double
spin_any(uint64_t *state, double radius)
{
	return random_between(state, -1, 1) * (random_chance(state, 20) ? 600 : 60) / radius;
}

void
random_rough_add(struct random_scene *scene, uint64_t *state)
{
	bool rolling = random_chance(state, 30), spins = random_chance(state, 70), inertias = random_chance(state, 30);
	double friction_max = random_chance(state, 50) ? 0.5 : 2;

	for (size_t i = 0; i < scene->def.circle_count; i++) {
		struct circle_def *circle = &scene->circles[i];

		circle->friction = random_chance(state, 15) ? 0 : random_between(state, 0, friction_max);
		circle->rolling_resistance = rolling && random_chance(state, 50) ? random_between(state, 0, 0.2) : 0;
		circle->angle = random_between(state, -4, 4);
		if (spins && circle->kind != BODY_STATIC)
			circle->angular_velocity = spin_any(state, circle->radius);
		if (inertias && random_chance(state, 50))
			circle->moment_of_inertia = circle->mass * circle->radius * circle->radius * random_between(state, 0.2, 1);
	}
	for (size_t i = 0; i < scene->def.segment_count; i++) {
		scene->segments[i].friction = random_chance(state, 15) ? 0 : random_between(state, 0, friction_max);
		scene->segments[i].rolling_resistance = rolling && random_chance(state, 50) ? random_between(state, 0, 0.2) : 0;
	}
	scene->def.friction_mix = (enum friction_mix)random_below(state, 5);
}
