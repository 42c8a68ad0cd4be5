/* restore: a world from a snapshot that a client sent, within the server's limits.
 *
 * One thread at a time. Keeps nothing of the bytes, which may be anything: what is wrong in them is told with its place in the
 * snapshot ("simulate.snapshot.pairs.b[17]"). */
#ifndef COLLIDED_SCENE_DEFINITION_RESTORE_H
#define COLLIDED_SCENE_DEFINITION_RESTORE_H

#include "physics/wall_map.h"
#include "scene/scene.h"

/* `path` names the field that the bytes are of. INVALID_ARGUMENT (BAD_FIELD): damaged, foreign or made up.
 * RESOURCE_EXHAUSTED (LIMIT, MEMORY): more than a scene may have. */
STATUS_MUST_USE enum status scene_world_restore(const uint8_t *bytes, size_t count, const struct scene_limits *limits,
                                                const char *path, struct world **out, struct wire_problem *problem);
/* The same of a world in a map, and without that in the bytes (world_snapshot_in_map). */
STATUS_MUST_USE enum status scene_world_restore_in_map(struct wall_map *map, const uint8_t *bytes, size_t count,
                                                       const struct scene_limits *limits, const char *path, struct world **out,
                                                       struct wire_problem *problem);

#endif
