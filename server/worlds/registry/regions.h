/* regions: what readers ask for, and the classes by which those with like regions share an encoder. Pure. */
#ifndef COLLIDED_WORLDS_REGISTRY_REGIONS_H
#define COLLIDED_WORLDS_REGISTRY_REGIONS_H

#include "wire/wire.h"
#include "worlds/region.h"

/* Of a Subscribe, REGION_ALL if it has none; `field` is its place. INVALID_ARGUMENT: numbers that are no region. */
STATUS_MUST_USE enum status region_read(const Collide__V1__Region *message, const char *field, struct region *out,
                                        struct wire_problem *problem);
/* The message that says so; what it points to is in the room. NULL: all. */
struct region_message {
	Collide__V1__Region region;
	Collide__V1__Bounds box;
	Collide__V1__Around around;
};
Collide__V1__Region *region_tell(const struct region *region, struct region_message *room);
/* A region that holds it and that many others have too. Those of a box are laid on a grid. Its cells are a power of two, at
 * least half of the longer side, and twice as wide with each level. The radius about a circle becomes a power of two. */
#define REGION_LEVELS 6
struct region region_class(const struct region *region, unsigned level);
bool region_equal(const struct region *a, const struct region *b);
/* Whether all of one is in the other. */
bool region_holds(const struct region *outer, const struct region *inner);
/* For the choice of the smallest. */
double region_area(const struct region *region);

#endif
