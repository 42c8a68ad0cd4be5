/* scene_tell: definitions of the engine as a Scene message, in columns: what define.h reads, the other way round.
 *
 * One thread at a time; the columns live in the arena. A column that has the default in all rows is left out, and one that is
 * the same in all has one element. */
#ifndef COLLIDED_SCENE_DEFINITION_SCENE_TELL_H
#define COLLIDED_SCENE_DEFINITION_SCENE_TELL_H

#include "base/arena.h"
#include "physics/physics.h"
#include "wire/wire.h"

/* False: the arena is used up. */
bool scene_tell_circles(struct arena *arena, const struct circle_def *circles, size_t count, Collide__V1__CircleColumns *out);
bool scene_tell_segments(struct arena *arena, const struct segment_def *segments, size_t count,
                         Collide__V1__SegmentColumns *out);
/* All but shapes. Relations are copied into the arena. */
bool scene_tell_settings(struct arena *arena, const struct world_def *def, Collide__V1__Scene *out);

#endif
