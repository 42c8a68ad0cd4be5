/* wall_columns: a map (physics/wall_map.h) of segments in columns.
 *
 * Any thread; keeps nothing of the message. */
#ifndef COLLIDED_SCENE_DEFINITION_WALL_COLUMNS_H
#define COLLIDED_SCENE_DEFINITION_WALL_COLUMNS_H

#include "physics/wall_map.h"
#include "scene/scene.h"

/* The table `list` of the message `path` ("segments" of "create_map"). INVALID_ARGUMENT (BAD_FIELD) with the field,
 * RESOURCE_EXHAUSTED (LIMIT, MEMORY). */
STATUS_MUST_USE enum status scene_wall_map(struct arena *arena, const Collide__V1__SegmentColumns *segments,
                                           const struct scene_limits *limits, const char *path, const char *list,
                                           struct wall_map **out, struct wire_problem *problem);

#endif
