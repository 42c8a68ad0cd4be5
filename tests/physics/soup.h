/* soup: small random scenes of everything that the engine has, from a seed.
 *
 * One thread; the scenario is the caller's, initialized by soup_make. A seed is a scene on every machine, up to the libm's cos,
 * sin and pow. */
#ifndef COLLIDED_TESTS_PHYSICS_SOUP_H
#define COLLIDED_TESTS_PHYSICS_SOUP_H

#include "physics/scenario.h"

#define SOUP_RELATIONS_MAX 6

struct soup {
	struct scenario scenario; /* its definition borrows the relations */
	struct relation_def relations[SOUP_RELATIONS_MAX];
	bool hostile; /* see soup_make */
	double dt;
	uint64_t ticks;
};

/* A sane soup can be simulated as asked: nothing overlaps at the start, what moves and never yields cannot squeeze anything,
 * and speeds are moderate. A hostile one may overlap, be squeezed, have speeds of thousands of radii per tick, ticks of a
 * second, low caps of events. */
void soup_make(struct soup *soup, uint64_t seed, bool hostile);
void soup_finish(struct soup *soup);

#endif
