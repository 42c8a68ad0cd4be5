/* slide: the velocity nearest to a wanted one that enters no shape.
 *
 * Any thread; no state. Deterministic in the order of the planes. */
#ifndef COLLIDED_QUERIES_SLIDE_H
#define COLLIDED_QUERIES_SLIDE_H

#include <stdbool.h>
#include <stddef.h>

/* A constraint: the velocity along the unit normal must be at least `least`. */
struct slide_plane {
	double normal[2];
	double least;
};

/* The v nearest to `wanted` with normal . v >= least for all planes, to within 2^-46 of the largest of wanted and least. False:
 * there is none, which cannot happen if every least is 0. */
bool slide_velocity(const struct slide_plane *planes, size_t count, const double wanted[2], double v[2]);

#endif
