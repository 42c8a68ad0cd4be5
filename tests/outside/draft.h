/* draft: a scene under construction, of the search's generators.
 *
 * One thread. Owns its arrays. All randomness is the draft's own, splitmix64 (Steele et al. 2014), so a seed is a scene on
 * every machine, up to the libm's cos, sin and pow. */
#ifndef COLLIDED_TESTS_OUTSIDE_DRAFT_H
#define COLLIDED_TESTS_OUTSIDE_DRAFT_H

#include "physics/physics.h"

struct draft {
	struct world_def def; /* its arrays are set by draft_def */
	struct circle_def *circles;
	size_t circle_count, circle_capacity;
	struct segment_def *walls;
	size_t wall_count, wall_capacity;
	struct relation_def relations[8];
	size_t relation_count;
	double dt;
	unsigned ticks;
	uint64_t random;
};

void draft_init(struct draft *draft, uint64_t seed);
void draft_finish(struct draft *draft);
/* A copy with arrays of its own. */
void draft_copy(struct draft *to, const struct draft *from);
/* What to make a world of; borrows from the draft. */
const struct world_def *draft_def(struct draft *draft);
/* The next id; the pointer lives until the next addition. A wall without length is left out, and NULL. */
struct circle_def *draft_circle(struct draft *draft, double x, double y, double vx, double vy, double radius);
struct segment_def *draft_wall(struct draft *draft, double x1, double y1, double x2, double y2);
void draft_box(struct draft *draft, double x1, double y1, double x2, double y2);
/* The same of everything that there is so far. */
void draft_materials(struct draft *draft, double restitution, double friction);
/* Whether a circle there would be apart from everything, by `gap`. */
bool draft_clear(const struct draft *draft, double x, double y, double radius, double gap);

/* low <= value < high */
double draft_between(struct draft *draft, double low, double high);
/* Evenly in the logarithm. */
double draft_scale(struct draft *draft, double low, double high);
bool draft_chance(struct draft *draft, double part);
unsigned draft_below(struct draft *draft, unsigned count);
double draft_pick_of(struct draft *draft, const double *values, size_t count);
#define DRAFT_PICK(draft, ...) \
	draft_pick_of(draft, (const double[]){ __VA_ARGS__ }, sizeof(const double[]){ __VA_ARGS__ } / sizeof(double))

/* The value so many ulp on; of zero, so many times 2^-52 of `size`. */
double draft_nudged(double value, int ulps, double size);

#endif
