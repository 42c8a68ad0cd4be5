/* cluster: ends of walls in heaps: many within some ulp of one point, on another wall and beside it, near its end. There are
 * crossings that end a little beyond, walls close behind one another, and ends on the surfaces and caps of thick walls. By
 * seed.
 *
 * One thread; the scenario is the caller's. */
#ifndef COLLIDED_TESTS_PHYSICS_JOINS_CLUSTER_H
#define COLLIDED_TESTS_PHYSICS_JOINS_CLUSTER_H

#include "physics/joins/shots.h"

enum cluster_kind { STAR, JUNCTION, NEAR_END, CROSSING, LAYERS, SURFACES, CLUSTER_KINDS };
extern const char *const cluster_kind_names[CLUSTER_KINDS];

struct cluster {
	uint64_t random;
	enum cluster_kind kind;
	double x, y, arm; /* where it is, and how long the walls are at most */
	double unit;      /* ulp of the largest coordinate */
	int ulps;         /* that an end is off at most */
	double sided;     /* the part of the walls that is one-sided */
	double thick;
	bool mixed;   /* thick and thin ones */
	bool masked;  /* of two categories, the second of which some circles do not meet */
	bool crowded; /* with more than a hundred other walls far away, so that junctions are found by a tree */
};

/* Chooses all but `thick` and `mixed`, which are the caller's; arms up to `arm_max`. */
struct cluster cluster_begin(uint64_t seed, double arm_max);
void cluster_walls_add(struct cluster *cluster, struct scenario *scenario);
/* Leaves out what was to be a wall and is a point, where numbers are large. */
void cluster_points_drop(struct scenario *scenario);

#endif
