/* neighbours_lanes: the loop over neighbours, for several at once. Internal: included by neighbours_near.c and
 * neighbours_near_avx2.c, which each compile it for their CPU; the latter defines NEIGHBOURS_AVX2 before. Most neighbours do
 * not come near, and which do cannot be predicted, so the loop has no branch. Pure; any thread. */
#ifndef COLLIDED_PREDICTION_NEIGHBOURS_LANES_H
#define COLLIDED_PREDICTION_NEIGHBOURS_LANES_H

#include "physics/prediction/neighbours.h"

#include <string.h>

#ifdef NEIGHBOURS_AVX2
#include <immintrin.h>
#define WIDTH 4u
#define KERNEL __attribute__((target("avx2"), always_inline)) static inline
typedef double vec __attribute__((vector_size(32)));
typedef int64_t mask __attribute__((vector_size(32)));
typedef uint32_t cells __attribute__((vector_size(16)));
#else
#define WIDTH 2u
#define KERNEL __attribute__((always_inline)) static inline
typedef double vec __attribute__((vector_size(16)));
typedef int64_t mask __attribute__((vector_size(16)));
#endif
static_assert(NEIGHBOURS_MAX % WIDTH == 0, "the last ones are looked at together with places behind them");

/* A bit for each lane that is set. */
KERNEL uint64_t
mask_bits(mask value)
{
#ifdef NEIGHBOURS_AVX2
	return (uint64_t)_mm256_movemask_pd((__m256d)value);
#else
	return (uint64_t)(value[0] & 1) | (uint64_t)(value[1] & 2);
#endif
}

/* Of as many neighbours as there are lanes. */
KERNEL void
lanes_near(const struct neighbours *all, size_t n, const struct neighbours_asker *asker, bool alike, mask *near)
{
	const struct body_place *here = asker->here;
	const mask sign = (mask){ 0 } + INT64_MAX;
	vec x, y, vx, vy, ax, ay, radii;

	memcpy(&x, all->x + n, sizeof x);
	memcpy(&y, all->y + n, sizeof y);
	memcpy(&vx, all->vx + n, sizeof vx);
	memcpy(&vy, all->vy + n, sizeof vy);
	memcpy(&radii, all->reach + n, sizeof radii);

	vec dx = here->position[0] - x, dy = here->position[1] - y, wx = here->velocity[0] - vx, wy = here->velocity[1] - vy;
	vec R = asker->reach + radii, apart = dx * dx + dy * dy;
	/* On straight paths: the square of the distance at which they pass, and of the distance to which they must come, both times
	 * the square of their speed. The addition to the second covers the rounding of the first. Where squares underflow, nothing
	 * counts as passing. */
	vec square = 1.0015 * (R * R), cross = dx * wy - dy * wx, touch = (wx * wx + wy * wy) * (square + 2e-28 * apart);
	mask parts = ~(dx * wx + dy * wy < 0.0) & (apart > square);
	mask passes = (touch > 1e-280) & (cross * cross > touch);
#ifdef NEIGHBOURS_AVX2
	cells cell;

	memcpy(&cell, all->cell + n, sizeof cell);

	mask around = __builtin_convertvector((cell & asker->around) != 0, mask);
#else
	mask around = { -(int64_t)((all->cell[n] & asker->around) != 0), -(int64_t)((all->cell[n + 1] & asker->around) != 0) };
#endif

	if (alike) {
		*near = around & ~(parts | passes);
		return;
	}
	memcpy(&ax, all->ax + n, sizeof ax);
	memcpy(&ay, all->ay + n, sizeof ay);

	vec bend = (vec)((mask)(asker->path->ax - ax) & sign) + (vec)((mask)(asker->path->ay - ay) & sign);
	vec speed = (vec)((mask)wx & sign) + (vec)((mask)wy & sign);
	vec far = 1.0001 * (R + asker->left * (speed + asker->left * bend));

	*near = around & ~((apart > far * far) | ((bend == 0.0) & (parts | passes)));
}

KERNEL uint64_t
near_loop(const struct neighbours *all, const struct neighbours_asker *asker, bool alike)
{
	uint64_t found = 0;

	for (size_t n = 0; n < all->count; n += WIDTH) {
		mask near;

		lanes_near(all, n, asker, alike, &near);
		found |= mask_bits(near) << n;
	}
	/* Behind the last there may be anything. */
	return found & (all->count < NEIGHBOURS_MAX ? (UINT64_C(1) << all->count) - 1 : UINT64_MAX);
}

/* Each of the two is a loop of its own. */
KERNEL uint64_t
near_find(const struct neighbours *all, const struct neighbours_asker *asker)
{
	return asker->alike ? near_loop(all, asker, true) : near_loop(all, asker, false);
}

#endif
