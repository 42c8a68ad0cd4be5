/* mixture: small random worlds of everything that the engine has, and random edits of them while they run.
 *
 * One thread; the caller owns the struct, and what it holds. Only + - * / is used to make them: a seed is the same input for
 * every compiler and machine. */
#ifndef COLLIDED_TESTS_PHYSICS_MIXTURE_H
#define COLLIDED_TESTS_PHYSICS_MIXTURE_H

#include "physics/physics.h"

#define MIXTURE_CIRCLES_MAX 400
#define MIXTURE_SEGMENTS_MAX 64
#define MIXTURE_RELATIONS_MAX 6
#define MIXTURE_EDITS_MAX 4
/* Mixtures of these seeds are ruled. */
#define MIXTURE_RULED (UINT64_C(1) << 40)
/* And of these wide: hundreds of circles. Many alike in a box, or of all sizes, or crowds far apart. */
#define MIXTURE_WIDE (UINT64_C(1) << 41)

struct mixture {
	struct world_def def; /* borrows the arrays below */
	struct circle_def circles[MIXTURE_CIRCLES_MAX];
	struct segment_def segments[MIXTURE_SEGMENTS_MAX];
	struct relation_def relations[MIXTURE_RELATIONS_MAX];
	double dt;
	uint64_t ticks;
	bool gas; /* many alike that bounce, and of further reports none: what several threads may share */
	/* Half the side of the box that it is in, before it was made larger by the scale, about its middle, and moved there. */
	double size, scale, at_x, at_y;
	bool ruled; /* with contact rules, lifetimes, ignored circles, tags, bounds; edits push, sweep, switch and turn gravity, too
	             */
	uint64_t random;
};

void mixture_make(struct mixture *mixture, uint64_t seed);
/* The same, defined in another order: the arrays are the ones of `mixture`, and are moved. */
void mixture_shuffle(struct mixture *mixture, uint64_t seed);
/* A batch for a world that was made of it, of which some part is refused. Returns how many. */
size_t mixture_edits(struct mixture *mixture, const struct world *world, struct edit edits[MIXTURE_EDITS_MAX]);
/* One of the doubles. */
double mixture_pick(uint64_t *random, const double *values, size_t count);

#define MIXTURE_PICK(random, ...) \
	mixture_pick((random), (const double[]){ __VA_ARGS__ }, sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

#endif
