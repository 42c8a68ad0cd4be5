/* few: the circles of a small world in columns, so that one is compared with two others at once: most overlap nobody.
 *
 * On the stack of whoever looks for overlaps; good until a body moves. */
#ifndef COLLIDED_BROADPHASE_SMALL_WORLD_H
#define COLLIDED_BROADPHASE_SMALL_WORLD_H

#include "physics/math/double2.h"
#include "physics/world/world.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Up to so many bodies all pairs are looked at, half a nanosecond each: a body's cells take fifty. */
#define FEW_BODIES 48

/* Bodies in columns, two to a piece; behind the last at most one that overlaps nobody. */
struct few {
	two x[FEW_BODIES / 2], y[FEW_BODIES / 2], radius[FEW_BODIES / 2];
};

static inline void
few_fill(struct few *few, const struct world *world)
{
	for (uint32_t i = 0; i < world->bodies.count; i++) {
		few->x[i / 2][i % 2] = world->bodies.paths[i].x;
		few->y[i / 2][i % 2] = world->bodies.paths[i].y;
		few->radius[i / 2][i % 2] = world->bodies.paths[i].radius;
	}
	if (world->bodies.count % 2 != 0) {
		few->x[world->bodies.count / 2][1] = few->y[world->bodies.count / 2][1] = (double)INFINITY;
		few->radius[world->bodies.count / 2][1] = 0.0;
	}
}

/* Whether any circle behind the i-th overlaps it, by the very test of pair_overlaps, with bodies that do not meet. */
static inline bool
few_any(const struct few *few, uint32_t i, uint32_t count)
{
	typedef int64_t mask __attribute__((vector_size(16)));
	const uint32_t own = i / 2;
	const double x = few->x[own][i % 2], y = few->y[own][i % 2], radius = few->radius[own][i % 2];
	double ox = x - few->x[own][1], oy = y - few->y[own][1], reach = radius + few->radius[own][1];
	mask any = { i % 2 == 0 && ox * ox + oy * oy < reach * reach ? -1 : 0, 0 };

	for (uint32_t k = own + 1; k < (count + 1) / 2; k++) {
		two dx = x - few->x[k], dy = y - few->y[k], radii = radius + few->radius[k];

		any |= dx * dx + dy * dy < radii * radii;
	}
	return (any[0] | any[1]) != 0;
}

#endif
