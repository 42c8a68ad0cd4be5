/* wall_switch: walls that are disabled, a bit for each. Such a wall meets nothing (collision_filter.h), so it hides no end
 * either: a wall hides ends only from circles that it meets. All else of it stays as it is, in the cells too; so a world may
 * have its own bits for the walls of a map.
 *
 * Ends that no circle can touch are in no cell (vertex.dead). That must not depend on the bits: a wall that is or was disabled
 * is `loose`, and no end at it counts as dead. A wall that is not needs new vertices before it can be switched, if it makes an
 * end dead (`closes`). */
#ifndef COLLIDED_WORLD_WALL_SWITCH_H
#define COLLIDED_WORLD_WALL_SWITCH_H

#include "physics/world/world.h"

static inline bool
wall_is_off(const struct walls *walls, uint32_t segment)
{
	return walls->off && (walls->off[segment / 64] >> segment % 64 & 1) != 0;
}

/* The number of words in `off`. */
static inline size_t
walls_off_words(const struct walls *walls)
{
	return walls->segment_count / 64 + (size_t)1;
}

/* Whether a switch of the wall needs new vertices first. */
static inline bool
wall_is_tied(const struct segment *segment)
{
	return segment->closes && !segment->loose;
}

/* Gives walls without bits the bits of their definitions, if any is disabled. False without memory. */
bool walls_off_find(struct walls *walls);
/* Gives walls their own copy of the bits, or bits that are 0 where there were none. False without memory. */
bool walls_off_copy(struct walls *walls);
/* Switches a wall; the bits are there. A world's own wall knows it too, and is loose from then on. */
void wall_off_set(struct walls *walls, uint32_t segment, bool off);

#endif
