/* few: the circles of a small world in columns, so that one is compared with two others at once; most overlap none.
 *
 * On the stack of the overlap test; valid until a body moves. */
#ifndef COLLIDED_BROADPHASE_SMALL_WORLD_H
#define COLLIDED_BROADPHASE_SMALL_WORLD_H

#include "physics/math/double2.h"
#include "physics/world/world.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Up to this many bodies all pairs are tested, half a nanosecond each; a query of a body's cells takes fifty. */
#define SMALL_WORLD_BODIES 48

/* Bodies in columns, two per vector. After the last there may be one that overlaps none. */
struct few {
	two x[SMALL_WORLD_BODIES / 2], y[SMALL_WORLD_BODIES / 2], radius[SMALL_WORLD_BODIES / 2];
};

static inline void
small_world_fill(struct few *few, const struct world *world)
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

/* Whether any circle after the i-th overlaps it. The test is that of pair_overlaps, and counts bodies that do not meet, too. */
static inline bool
small_world_overlaps(const struct few *few, uint32_t i, uint32_t count)
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
