/* ignored_circle: circles that ignore another one until they have parted (IGNORE_UNTIL_APART). Internal. */
#ifndef COLLIDED_WORLD_IGNORED_CIRCLE_H
#define COLLIDED_WORLD_IGNORED_CIRCLE_H

#include "physics/world/world.h"

/* The index of a circle; NONE: there is none with this id. */
uint32_t world_circle_index(const struct world *world, uint32_t id);
/* Two circles are apart, or were: from now on they do not ignore each other, unless for good. */
void circles_part(struct world *world, uint32_t a, uint32_t b);
/* The same for a circle and the one that it ignores, or those that ignore it, at a time at which its path is about to change.
 * They have parted if they are more than two skins apart. Between two changes they are farthest apart at one of them, if their
 * paths are straight. Of a domain only for those that are in it. */
void circle_part_at(struct world *world, uint32_t body, double time);
/* The same for all at a tick's start and end: where their paths begin. */
void circles_part_all(struct world *world);
/* The same for all of which the rest solver drives one, at a time within a tick at which it is about to change their paths. The
 * path of a pair that has parted begins after that: where neither changes they would be predicted to meet before they had. */
void circles_part_within(struct world *world, double time);

#endif
