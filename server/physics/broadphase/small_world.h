/* small_world: which circles of a small world overlap others, without its cells. */
#ifndef COLLIDED_BROADPHASE_SMALL_WORLD_H
#define COLLIDED_BROADPHASE_SMALL_WORLD_H

#include "physics/world/world.h"

#include <stdint.h>

/* Up to this many bodies all pairs are tested, a quarter of a nanosecond each; a query of a body's cells takes fifty. */
#define SMALL_WORLD_BODIES 64

/* Of at most SMALL_WORLD_BODIES, one bit each: those that overlap a later one. The test is that of pair_overlaps, and counts
 * bodies that do not meet, too. */
uint64_t small_world_overlapping(const struct world *world);

#endif
