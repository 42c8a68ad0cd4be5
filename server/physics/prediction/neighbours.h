/* neighbours: the bodies around one or two colliding bodies. They are found before the impact (single_pair.c) and tested again
 * after it (predict.c). Stored in columns, so that two are tested at once. Scratch of a cluster; one thread. */
#ifndef COLLIDED_PREDICTION_NEIGHBOURS_H
#define COLLIDED_PREDICTION_NEIGHBOURS_H

#include "physics/prediction/predict.h"

#include <assert.h>

/* Most neighbours that are remembered. More occur where small bodies are in cells made for large ones, too few to have a level
 * of their own (grid_levels.c). They also occur at the border of the grid, which holds all bodies that have left it. */
#define NEIGHBOURS_MAX 64u
static_assert(NEIGHBOURS_MAX % 2 == 0, "the last one is looked at together with the place behind it");
static_assert(NEIGHBOURS_MAX <= 64, "each has a bit");

struct neighbours {
	double x[NEIGHBOURS_MAX], y[NEIGHBOURS_MAX], vx[NEIGHBOURS_MAX], vy[NEIGHBOURS_MAX]; /* at the time of the impact */
	double ax[NEIGHBOURS_MAX], ay[NEIGHBOURS_MAX];
	double reach[NEIGHBOURS_MAX]; /* look_radius */
	uint32_t body[NEIGHBOURS_MAX];
	/* A bit of struct grid_rings.cells. With members in two levels: 1 around the first, 2 around the other. 0: the body is of
	 * another level, and may be near enough to touch. */
	uint32_t cell[NEIGHBOURS_MAX];
	size_t count;
	uint32_t members[2]; /* the bodies in the middle; twice the same: only one */
	bool bent;           /* some member's path is bent by more than the world's gravity */
};

/* Fills in positions, velocities and radii, and pads the place behind the last with a body that is near nothing. */
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
	if (all->count % 2 != 0)
		all->x[all->count] = (double)INFINITY;
}

/* Which of two neighbours may be within touching distance of a circle at this centre with this look_radius. */
static inline two_mask
neighbours_beside(const struct neighbours *all, size_t n, two centre, double reach)
{
	two dx = centre[0] - two_load(&all->x[n]), dy = centre[1] - two_load(&all->y[n]), near = reach + two_load(&all->reach[n]);

	return dx * dx + dy * dy <= near * near;
}

/* A circle that asks for them. */
struct neighbours_asker {
	const struct body *path;
	const struct body_place *here; /* at the path's beginning */
	double reach;                  /* look_radius, or more */
	double left;                   /* how much time of the path counts */
	uint32_t around;               /* the cells around it: bits of `cell` */
	bool alike;                    /* all fall alike, and `left` is so long that hardly any is too far apart */
};

/* A bit for each neighbour in the cells around the circle that it may come near enough to, to compute a time of impact.
 * Conservative. Most neighbours do not: the two separate, are too far apart, or pass each other. A touching neighbour always
 * counts, because some ticks later rounding may have turned a separating one. */
uint64_t neighbours_near(const struct neighbours *all, const struct neighbours_asker *asker);
/* Whether this build is for a CPU that may have AVX2. */
#if defined(__x86_64__) && defined(__GNUC__)
#define NEIGHBOURS_MAY_BE_AVX2
/* The same with it. */
uint64_t neighbours_near_avx2(const struct neighbours *all, const struct neighbours_asker *asker);
#endif

#endif
