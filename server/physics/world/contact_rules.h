/* contact_rules: which contacts stop or remove a circle (circle_def.stop_groups, remove_groups), and which pairs the rest
 * solver therefore leaves to the events. Pure functions of the definitions. */
#ifndef COLLIDED_WORLD_CONTACT_RULES_H
#define COLLIDED_WORLD_CONTACT_RULES_H

#include "physics/world/body_rule.h"
#include "physics/world/collision_filter.h"
#include "physics/world/material.h"

static inline bool
groups_have(uint64_t groups, uint8_t group)
{
	return (groups >> group & 1) != 0;
}

/* Whether a contact with a shape of this group stops or removes the circle. */
static inline bool
body_is_ruled(const struct world *world, uint32_t body, uint8_t group)
{
	return world->settings.rules &&
	       groups_have(world->bodies.rules[body].stop_groups | world->bodies.rules[body].remove_groups, group);
}

/* Whether the rest solver never takes two circles: their contacts do more than impulses by their masses, or they are to part
 * first. */
static inline bool
circles_are_for_events(const struct world *world, uint32_t a, uint32_t b)
{
	return material_weights_rule(world, a, b) || body_is_ruled(world, a, world->bodies.infos[b].group) ||
	       body_is_ruled(world, b, world->bodies.infos[a].group) || bodies_ignore(world, a, b) == IGNORE_UNTIL_APART;
}

/* The same for a circle and a segment. */
static inline bool
wall_is_for_events(const struct world *world, uint32_t body, const struct segment *wall)
{
	return body_is_ruled(world, body, wall->group);
}

#endif
