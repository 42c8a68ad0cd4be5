/* meet: who meets whom. Pure, of what the definitions say; where anything is means nothing here. */
#ifndef COLLIDED_PHYSICS_MEET_H
#define COLLIDED_PHYSICS_MEET_H

#include "physics/world.h"

static inline bool
masks_meet(uint32_t category_a, uint32_t mask_a, uint32_t category_b, uint32_t mask_b)
{
	return (category_a & mask_b) != 0 && (category_b & mask_a) != 0;
}

/* What two shapes are to each other. A sensor sees what moves, but no sensors and no segments; it collides with nothing. */
enum meeting { MEET_NOT, MEET_SENSOR, MEET_CONTACT };

static inline enum meeting
body_meeting_segment(const struct body_info *info, const struct segment *segment)
{
	if (!masks_meet(info->category, info->mask, segment->category, segment->mask) || info->sensor)
		return MEET_NOT;
	if (segment->sensor)
		return info->kind != BODY_STATIC ? MEET_SENSOR : MEET_NOT;
	return MEET_CONTACT;
}

static inline bool
body_meets_segment(const struct body_info *info, const struct segment *segment)
{
	return body_meeting_segment(info, segment) == MEET_CONTACT;
}

static inline enum meeting
bodies_meeting(const struct world *world, uint32_t a, uint32_t b)
{
	const struct body_info *i = &world->infos[a], *j = &world->infos[b];

	if ((i->kind != BODY_DYNAMIC && j->kind != BODY_DYNAMIC && !i->sensor && !j->sensor) ||
	    !masks_meet(i->category, i->mask, j->category, j->mask) || (i->sensor && j->sensor))
		return MEET_NOT;
	if (i->sensor || j->sensor)
		return (i->sensor ? j : i)->kind != BODY_STATIC ? MEET_SENSOR : MEET_NOT;
	return MEET_CONTACT;
}

/* Whether the segment stops this circle only from the left of its direction (one_sided.h). */
static inline bool
wall_one_sided(const struct world *world, const struct body_info *info, const struct segment *segment)
{
	(void)world;
	(void)info;
	return segment->one_sided;
}

/* Whether it does so for any circle. */
static inline bool
wall_maybe_one_sided(const struct world *world, const struct segment *segment)
{
	(void)world;
	return segment->one_sided;
}

/* Whether two bodies can collide at all. */
static inline bool
bodies_meet(const struct world *world, uint32_t a, uint32_t b)
{
	return bodies_meeting(world, a, b) == MEET_CONTACT;
}

#endif
