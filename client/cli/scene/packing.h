/* packing: circles that must not overlap, found quickly by their positions on a grid.
 *
 * One thread at a time. Owns a copy of the circles that were added. */
#ifndef COLLIDE_CLI_PACKING_H
#define COLLIDE_CLI_PACKING_H

#include <stdbool.h>
#include <stddef.h>

struct packing;

/* For circles of up to radius_max with centres in this rectangle. NULL without memory. */
struct packing *packing_create(double x1, double y1, double x2, double y2, double radius_max, size_t count_max);
void packing_destroy(struct packing *packing);
/* Whether a circle keeps more than `gap` from all that were added. */
bool packing_is_free(const struct packing *packing, double x, double y, double radius, double gap);
/* Adds a circle. After count_max of them, further ones are ignored. */
void packing_add(struct packing *packing, double x, double y, double radius);

/* The square of the distance between a point and a segment. */
double segment_distance_squared(double x, double y, double x1, double y1, double x2, double y2);

#endif
