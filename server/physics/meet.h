/* meet: who meets whom. Pure, of what the definitions say; where anything is means nothing here. */
#ifndef COLLIDED_PHYSICS_MEET_H
#define COLLIDED_PHYSICS_MEET_H

#include "physics/world.h"

static inline bool
masks_meet(uint32_t category_a, uint32_t mask_a, uint32_t category_b, uint32_t mask_b)
{
	return (category_a & mask_b) != 0 && (category_b & mask_a) != 0;
}

static inline bool
body_meets_segment(const struct body_info *info, const struct segment *segment)
{
	return masks_meet(info->category, info->mask, segment->category, segment->mask);
}

/* Whether two bodies can collide at all. */
static inline bool
bodies_meet(const struct world *world, uint32_t a, uint32_t b)
{
	const struct body_info *i = &world->infos[a], *j = &world->infos[b];

	return (i->kind == BODY_DYNAMIC || j->kind == BODY_DYNAMIC) && masks_meet(i->category, i->mask, j->category, j->mask);
}

#endif
