/* settle_part: what the files of settle share. Internal. */
#ifndef COLLIDED_PHYSICS_SETTLE_PART_H
#define COLLIDED_PHYSICS_SETTLE_PART_H

#include "physics/settle.h"

/* Whether a pair gives no rebound, and if so, of which sort: its materials have none at this speed; or gravity, which must
 * press the pair together, would end it at once. */
enum dullness { DULL_NOT, DULL_TOUCHING, DULL_NEAR };

/* How two sides meet. */
struct encounter {
	double approach, restitution, nx, ny;
	double scale; /* how strongly gravity, of which it is the multiple, presses. Two that are led may carry anybody's load: then
	                 the world's largest */
};

/* `both`: whether both sides are led. Then what gravity gives in a part is no speed to bounce at: nobody could see it, and in a
 * heap it would never end. */
enum dullness pair_dullness(const struct world *world, const struct encounter *meeting, bool both);

/* A path ends and another begins, at the same place. */
void path_begin(struct world *world, uint32_t body, double time, double vx, double vy, double ax, double ay);

#endif
