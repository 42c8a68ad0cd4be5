/* collision_filter: which shapes meet, and how. Pure functions of the definitions; places do not matter here. */
#ifndef COLLIDED_WORLD_COLLISION_FILTER_H
#define COLLIDED_WORLD_COLLISION_FILTER_H

#include "physics/world/body_rule.h"
#include "physics/world/relation.h"
#include "physics/world/wall_switch.h"
#include "physics/world/world.h"

/* What two shapes do to each other: pass, pass and be reported, or collide. */
enum meeting { MEET_NOT, MEET_SENSOR, MEET_CONTACT };

static inline bool
masks_meet(uint32_t category_a, uint32_t mask_a, uint32_t category_b, uint32_t mask_b)
{
	return (category_a & mask_b) != 0 && (category_b & mask_a) != 0;
}

/* The decision of the signed groups: 1 meet, -1 pass, 0 the masks decide. */
static inline int
filter_groups_meet(int32_t a, int32_t b)
{
	return a != b || a == 0 ? 0 : a > 0 ? 1 : -1;
}

static inline enum meeting
relation_meeting(const struct relations *relations, uint8_t a, uint8_t b)
{
	const struct relation_def *relation = relation_find(relations, a, b);

	if (relation && relation->kind == RELATION_KIND_NONE)
		return MEET_NOT;
	return relation && relation->kind == RELATION_KIND_SENSOR ? MEET_SENSOR : MEET_CONTACT;
}

/* Whether a circle's rule reports what is in this group, and has no contact with it. */
static inline bool
body_reports(const struct world *world, uint32_t body, uint8_t group)
{
	return world->bodies.rules && (world->bodies.rules[body].report_groups >> group & 1) != 0;
}

/* How a body ignores another one: enum ignore. */
static inline uint8_t
body_ignores(const struct world *world, uint32_t body, uint32_t other)
{
	const struct body_rule *rule = &world->bodies.rules[body];

	return rule->ignored == world->bodies.infos[other].id ? rule->ignore : (uint8_t)IGNORE_NONE;
}

/* How two bodies ignore each other. For good is stronger than until they are apart. */
static inline enum ignore
bodies_ignore(const struct world *world, uint32_t a, uint32_t b)
{
	if (!world->settings.ignores)
		return IGNORE_NONE;
	uint8_t i = body_ignores(world, a, b), j = body_ignores(world, b, a);
	if (i == IGNORE_NONE || j == IGNORE_ALWAYS)
		return (enum ignore)j;
	return (enum ignore)i;
}

/* For a world with filter groups, relations or rules. */
static inline enum meeting
filtered_meeting(const struct world *world, bool masks, int filter, uint8_t a, uint8_t b)
{
	return filter > 0 || (filter == 0 && masks) ? relation_meeting(world->settings.relations, a, b) : MEET_NOT;
}

/* A sensor detects what moves, but no sensors and no segments. It collides with nothing. */
static inline enum meeting
body_meeting_segment(const struct world *world, const struct body_info *info, const struct segment *segment)
{
	bool masks = masks_meet(info->category, info->mask, segment->category, segment->mask);
	enum meeting meeting = masks ? MEET_CONTACT : MEET_NOT;

	if (world->settings.filtered) {
		if (wall_is_off(&world->walls, (uint32_t)(segment - world->walls.segments)))
			return MEET_NOT;
		meeting = filtered_meeting(world, masks, filter_groups_meet(info->filter_group, segment->filter_group), info->group,
		                           segment->group);
	}
	if (world->settings.rules && meeting == MEET_CONTACT &&
	    body_reports(world, (uint32_t)(info - world->bodies.infos), segment->group))
		meeting = MEET_SENSOR;
	if (meeting == MEET_NOT || info->sensor)
		return MEET_NOT;
	if (meeting == MEET_SENSOR || segment->sensor)
		return info->kind != BODY_STATIC ? MEET_SENSOR : MEET_NOT;
	return MEET_CONTACT;
}

static inline bool
body_meets_segment(const struct world *world, const struct body_info *info, const struct segment *segment)
{
	return body_meeting_segment(world, info, segment) == MEET_CONTACT;
}

/* `apart`: of two that ignore each other until they are apart, as if they had been. */
static inline enum meeting
bodies_meeting_by(const struct world *world, uint32_t a, uint32_t b, bool apart)
{
	const struct body_info *i = &world->bodies.infos[a], *j = &world->bodies.infos[b];
	bool masks = masks_meet(i->category, i->mask, j->category, j->mask);
	enum meeting meeting = masks ? MEET_CONTACT : MEET_NOT;

	if (world->settings.filtered)
		meeting = filtered_meeting(world, masks, filter_groups_meet(i->filter_group, j->filter_group), i->group, j->group);
	if (world->settings.ignores) {
		enum ignore ignore = bodies_ignore(world, a, b);

		if (ignore == IGNORE_ALWAYS || (ignore == IGNORE_UNTIL_APART && !apart))
			return MEET_NOT;
	}
	if (world->settings.rules && meeting == MEET_CONTACT &&
	    (body_reports(world, a, j->group) || body_reports(world, b, i->group)))
		meeting = MEET_SENSOR;
	if (meeting == MEET_NOT || (i->sensor && j->sensor))
		return MEET_NOT;
	if (i->sensor || j->sensor)
		return (i->sensor ? j : i)->kind != BODY_STATIC ? MEET_SENSOR : MEET_NOT;
	if (meeting == MEET_SENSOR)
		return i->kind != BODY_STATIC || j->kind != BODY_STATIC ? MEET_SENSOR : MEET_NOT;
	return i->kind == BODY_DYNAMIC || j->kind == BODY_DYNAMIC ? MEET_CONTACT : MEET_NOT;
}

static inline enum meeting
bodies_meeting(const struct world *world, uint32_t a, uint32_t b)
{
	return bodies_meeting_by(world, a, b, false);
}

/* Whether the segment stops this circle from the left of its direction only (one_sided.h). */
static inline bool
wall_one_sided(const struct world *world, const struct body_info *info, const struct segment *segment)
{
	return segment->one_sided || relation_one_sided(world->settings.relations, info->group, segment->group);
}

/* Whether it does so for some circle. */
static inline bool
wall_maybe_one_sided(const struct world *world, const struct segment *segment)
{
	return segment->one_sided || relations_one_sided(world->settings.relations, segment->group);
}

/* Whether one of two has ended in this tick. */
static inline bool
one_is_gone(const struct world *world, uint32_t a, uint32_t b)
{
	return world->bodies.rules && (world->bodies.infos[a].mode == MODE_GONE || world->bodies.infos[b].mode == MODE_GONE);
}

/* Whether two bodies can collide at all. */
static inline bool
bodies_meet(const struct world *world, uint32_t a, uint32_t b)
{
	return bodies_meeting(world, a, b) == MEET_CONTACT && !one_is_gone(world, a, b);
}

/* The same for two of which one ignores the other until they are apart, as if they had been. */
static inline bool
bodies_meet_apart(const struct world *world, uint32_t a, uint32_t b)
{
	return bodies_meeting_by(world, a, b, true) == MEET_CONTACT && !one_is_gone(world, a, b);
}

/* For two bodies with MEET_SENSOR: whether b is the one that detects. That is the sensor; else the immovable one; else the one
 * with a rule that reports the other; else the one in the relation's group_b. Of two with such rules, or of one group, it is
 * the one with the higher id. */
static inline bool
body_sees(const struct world *world, uint32_t b, uint32_t a)
{
	const struct body_info *i = &world->bodies.infos[a], *j = &world->bodies.infos[b];

	if (i->sensor || j->sensor)
		return j->sensor;
	if ((i->kind == BODY_STATIC) != (j->kind == BODY_STATIC))
		return j->kind == BODY_STATIC;
	if (world->settings.rules) {
		bool by_a = body_reports(world, a, j->group), by_b = body_reports(world, b, i->group);

		if (by_a != by_b)
			return by_b;
		if (by_a)
			return b > a;
	}
	if (i->group == j->group)
		return b > a;
	const struct relation_def *relation = relation_find(world->settings.relations, i->group, j->group);
	return relation && relation->group_b == j->group;
}

#endif
