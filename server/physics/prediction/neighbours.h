/* neighbours: who is around one or two bodies that hit or were hit, found before the blow (single_pair.c) and looked at again
 * after it (predict.c). In columns, so that two of them are looked at at once. Scratch of a cluster; one thread. */
#ifndef COLLIDED_PREDICTION_NEIGHBOURS_H
#define COLLIDED_PREDICTION_NEIGHBOURS_H

#include "physics/prediction/predict.h"

#include <assert.h>

/* As many neighbours are remembered. More are in the cells where small ones are in cells for large ones, if those are as many
 * as levels are made for (grid_levels.c), and at the border of the grid, where everybody is who left it. */
#define NEIGHBOURS_MAX 64u
static_assert(NEIGHBOURS_MAX % 2 == 0, "the last one is looked at together with the place behind it");

struct neighbours {
	double x[NEIGHBOURS_MAX], y[NEIGHBOURS_MAX], vx[NEIGHBOURS_MAX], vy[NEIGHBOURS_MAX]; /* at the time of the blow */
	double ax[NEIGHBOURS_MAX], ay[NEIGHBOURS_MAX];
	double reach[NEIGHBOURS_MAX]; /* look_radius */
	uint32_t body[NEIGHBOURS_MAX];
	/* A bit of struct grid_rings.cells; of members in two levels 1: around the first, 2: around the other. 0: of another level,
	 * and perhaps near enough to touch. */
	unsigned cell[NEIGHBOURS_MAX];
	size_t count;
	uint32_t members[2]; /* around whom they are; twice the same: one */
	bool bent;           /* the path of one of them is not bent by just the world's gravity */
};

/* Fills in where they are, how fast and how large, and that nobody is in the place behind the last one. */
static inline void
neighbours_place(struct neighbours *all, const struct world *world, double time)
{
	const two gravity = { world->settings.gravity_x, world->settings.gravity_y };
	two_mask bent = { 0, 0 };

	for (size_t n = 0; n < all->count; n++) {
		const struct body *path = &world->bodies.paths[all->body[n]];
		const struct body_place place = body_place_at(path, time);

		all->x[n] = place.position[0];
		all->y[n] = place.position[1];
		all->vx[n] = place.velocity[0];
		all->vy[n] = place.velocity[1];
		all->ax[n] = path->ax;
		all->ay[n] = path->ay;
		all->reach[n] = look_radius(path);
		bent |= two_load(&path->ax) != gravity;
	}
	all->bent = (bent[0] | bent[1]) != 0;
	if (all->count % 2 != 0) {
		all->x[all->count] = (double)INFINITY;
		all->cell[all->count] = 0;
	}
}

/* Which of two neighbours may be as near to a place as touching, seen from a circle there with such a look_radius. */
static inline two_mask
neighbours_beside(const struct neighbours *all, size_t n, two centre, double reach)
{
	two dx = centre[0] - two_load(&all->x[n]), dy = centre[1] - two_load(&all->y[n]), near = reach + two_load(&all->reach[n]);

	return dx * dx + dy * dy <= near * near;
}

/* Which of two neighbours a circle on this path, at its beginning, comes so near to within the time that is `left` that when it
 * does is worth asking for: seen generously. `reach`: its look_radius, or more. Most do not, because the two are on their way
 * apart, too far apart, or pass each other; which of these it is nobody can guess, so without a branch. Who touches already
 * always is: some ticks later rounding may have turned who is on his way apart. `alike`: all fall alike, and so much time is
 * left that hardly anybody is too far apart. */
static inline two_mask
neighbours_near(const struct neighbours *all, size_t n, const struct body *path, const struct body_place *here, double reach,
                double left, bool alike)
{
	two dx = here->position[0] - two_load(&all->x[n]), dy = here->position[1] - two_load(&all->y[n]);
	two wx = here->velocity[0] - two_load(&all->vx[n]), wy = here->velocity[1] - two_load(&all->vy[n]);
	two R = reach + two_load(&all->reach[n]), apart = dx * dx + dy * dy;
	/* On straight paths: the squares of how far they pass from each other and of how near they must come, times that of their
	 * speed. What rounding does to the first is within what is added to the second; where squares lose digits nothing passes.
	 */
	two square = 1.0015 * (R * R), cross = dx * wy - dy * wx, touch = (wx * wx + wy * wy) * (square + 2e-28 * apart);
	two_mask parts = ~(dx * wx + dy * wy < 0.0) & (apart > square);
	two_mask passes = (touch > 1e-280) & (cross * cross > touch);

	if (alike)
		return ~(parts | passes);

	two bend = two_abs(path->ax - two_load(&all->ax[n])) + two_abs(path->ay - two_load(&all->ay[n]));
	two far = 1.0001 * (R + left * (two_abs(wx) + two_abs(wy) + left * bend));

	return ~((apart > far * far) | ((bend == 0.0) & (parts | passes)));
}

#endif
