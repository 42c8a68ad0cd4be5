/* All pairs of a small world, each circle with four others at once: compiled for any CPU, and for AVX2, which holds four in a
 * register. Mostly none overlaps. */
#include "physics/broadphase/small_world.h"

#include <math.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define SMALL_WORLD_WIDE
#endif

#define LANES 4u

typedef double four __attribute__((vector_size(32)));
typedef int64_t four_mask __attribute__((vector_size(32)));

/* Circles in columns. After the last there may be up to three that overlap none. */
struct circle_columns {
	four x[SMALL_WORLD_BODIES / LANES], y[SMALL_WORLD_BODIES / LANES], radius[SMALL_WORLD_BODIES / LANES];
};

__attribute__((always_inline)) static inline void
columns_fill(struct circle_columns *columns, const struct world *world)
{
	const uint32_t count = world->bodies.count;
	double *x = (double *)columns->x, *y = (double *)columns->y, *radius = (double *)columns->radius;

	for (uint32_t i = 0; i < count; i++) {
		x[i] = world->bodies.paths[i].x;
		y[i] = world->bodies.paths[i].y;
		radius[i] = world->bodies.paths[i].radius;
	}
	for (uint32_t i = count; i % LANES != 0; i++) {
		x[i] = y[i] = (double)INFINITY;
		radius[i] = 0.0;
	}
}

__attribute__((always_inline)) static inline uint64_t
overlapping_find(const struct world *world)
{
	static const four_mask later[LANES] = { { 0, -1, -1, -1 }, { 0, 0, -1, -1 }, { 0, 0, 0, -1 }, { 0, 0, 0, 0 } };
	const uint32_t count = world->bodies.count, fours = (count + LANES - 1) / LANES;
	uint64_t found = 0;
	struct circle_columns columns;

	columns_fill(&columns, world);
	for (uint32_t i = 0; i < count; i++) {
		const struct body *path = &world->bodies.paths[i];
		four_mask any = { 0 }, wanted = later[i % LANES];

		for (uint32_t k = i / LANES; k < fours; k++) {
			const four dx = path->x - columns.x[k], dy = path->y - columns.y[k], radii = path->radius + columns.radius[k];

			any |= wanted & (dx * dx + dy * dy < radii * radii);
			wanted = (four_mask){ -1, -1, -1, -1 };
		}
		found |= (uint64_t)((any[0] | any[1] | any[2] | any[3]) != 0) << i;
	}
	return found;
}

static uint64_t
overlapping_plain(const struct world *world)
{
	return overlapping_find(world);
}

#ifdef SMALL_WORLD_WIDE
__attribute__((target("avx2"))) static uint64_t
overlapping_wide(const struct world *world)
{
	return overlapping_find(world);
}
#endif

uint64_t
small_world_overlapping(const struct world *world)
{
#ifdef SMALL_WORLD_WIDE
	if (__builtin_cpu_supports("avx2"))
		return overlapping_wide(world);
#endif
	return overlapping_plain(world);
}
