/* wall_map: walls that many worlds have in common.
 *
 * A map is made once and never changes: segments that stand still, their joints, and the cells in which they are listed. Any
 * number of worlds, on any threads, may be in one map at once (world_def.map). Each then holds memory for its circles only, and
 * is made without looking at the walls. A world in a map has the same bits, in everything, as one with the same walls of its
 * own.
 *
 * A world leaves its map, and gets a copy of the walls, when an edit adds, changes or removes one of its walls. The map and the
 * other worlds in it stay as they are.
 *
 * Counted: the last release frees it, and each world in it is a holder. Any thread may call any of these functions. */
#ifndef COLLIDED_PHYSICS_WALL_MAP_H
#define COLLIDED_PHYSICS_WALL_MAP_H

#include "physics/physics.h"

struct wall_map;

/* Makes a map for one holder. The order of definition changes nothing; all is copied. STATUS_INVALID_ARGUMENT: *problem is the
 * first one found; a wall with a velocity is one. STATUS_RESOURCE_EXHAUSTED: no memory. */
STATUS_MUST_USE enum status wall_map_create(const struct segment_def *segments, size_t count, struct def_problem *problem,
                                            struct wall_map **out);
/* One holder more; returns the map. */
struct wall_map *wall_map_hold(struct wall_map *map);
/* One less. NULL is fine. */
void wall_map_release(struct wall_map *map);

/* A hash of all fields of all walls, the same on every machine. Against mistakes, not against forgery. */
uint64_t wall_map_hash(const struct wall_map *map);
size_t wall_map_segment_count(const struct wall_map *map);
/* Its definition; ascending by id, as world_segment of a world in the map. */
struct segment_def wall_map_segment(const struct wall_map *map, size_t index);
/* Whether it has exactly these walls, every bit of them; they must ascend by id. */
bool wall_map_is_of(const struct wall_map *map, const struct segment_def *segments, size_t count);
/* Bytes held by the map now. Worlds of other radii or numbers of circles than those before may add a set of cells, up to eight.
 * world_memory_bytes of a world in a map counts none of this. */
size_t wall_map_memory_bytes(const struct wall_map *map);

/* The map that a world is in; NULL: it has walls of its own. Valid while the world is in it. */
struct wall_map *world_map(const struct world *world);
/* Bytes of the map that the world uses: what it would hold besides, about, with walls of its own. */
size_t world_map_bytes(const struct world *world);

/* As world_snapshot, for a world in a map, with the map's hash in place of its walls. STATUS_FAILED_PRECONDITION: the world is
 * in no map, or failed within a tick. (world_snapshot of a world in a map has all walls, and is restored without one.) */
size_t world_snapshot_in_map_bytes(const struct world *world);
STATUS_MUST_USE enum status world_snapshot_in_map(const struct world *world, void *out, size_t size);
/* As world_restore. "header.map" is the problem if the bytes are of a world in another map. */
STATUS_MUST_USE enum status world_restore_in_map(struct wall_map *map, const void *snapshot, size_t size, unsigned flags,
                                                 struct snapshot_problem *problem, struct world **out);

#endif
