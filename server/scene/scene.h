/* scene: wire messages to engine worlds and engine ticks to wire frames, with the path of the field for every error.
 *
 * One thread at a time. Used by the daemon's workers and by the client's --local and check. */
#ifndef COLLIDED_SCENE_SCENE_H
#define COLLIDED_SCENE_SCENE_H

#include "base/arena.h"
#include "base/buffer.h"
#include "physics/physics.h"
#include "wire/wire.h"

struct map_cache; /* map_cache.h */

struct scene_limits {
	uint32_t circles_max, segments_max, hand_written_max;
	uint64_t ticks_max;
	uint32_t events_per_body_max;
	uint64_t work_per_tick_max, work_per_body_max;
	uint64_t contacts_per_tick_max;
	uint32_t deadline_ms_max;
	uint64_t memory_bytes_max; /* of a world and its scene, and of the snapshot that is on its way */
	uint32_t self_check;       /* 1: every Simulate checks itself, whether asked or not; 0: those with Simulate.self_check */
};

/* The defaults that the daemon announces and --local uses. */
struct scene_limits scene_limits_default(void);
/* Those among them that the wire layer enforces before unpacking. */
struct wire_limits scene_limits_wire(const struct scene_limits *limits);
/* The arena budget for unpacking a request of `message_bytes` and defining its world: enough for any scene within the limits
 * in any form, at most limits->memory_bytes_max. What needs more is refused (MEMORY). */
size_t scene_arena_bytes(const struct scene_limits *limits, size_t message_bytes);

/* Fills *def from a Scene message; arrays live in the arena. `path` prefixes field names in *problem ("simulate.scene").
 * Checks counts, column lengths, that all or none have ids, and every value as world_def_check does. That ids are unique is
 * found only by what sorts them: world_create, space_create. */
STATUS_MUST_USE enum status scene_world_def(struct arena *arena, const Collide__V1__Scene *scene,
                                            const struct scene_limits *limits, const char *path, struct world_def *def,
                                            struct wire_problem *problem);

/* Called with one problem after another; `problem` is the callee's for the call only. */
typedef void (*scene_problem_fn)(void *context, const struct wire_problem *problem);

/* Reports every problem that would make scene_world_create refuse the scene, not only the first: limits, unequal columns, ids,
 * enums, values. Of a scene with more rows than its limits or memory allow only that is reported, and settings. STATUS_OK if
 * all of it could be looked at; otherwise *problem says why not (MEMORY). */
STATUS_MUST_USE enum status scene_check(struct arena *arena, const Collide__V1__Scene *scene, const struct scene_limits *limits,
                                        const char *path, scene_problem_fn report, void *context, struct wire_problem *problem);

/* scene_world_def and world_create in one, translating the engine's problem into a field path of the message as the client
 * sent it ("simulate.scene.circles[3].radius", "simulate.scene.circle_columns.x[17]"). */
STATUS_MUST_USE enum status scene_world_create(struct arena *arena, const Collide__V1__Scene *scene,
                                               const struct scene_limits *limits, const char *path, struct world **out,
                                               struct wire_problem *problem);
/* The same, in a map of `maps` if there is one for its walls; NULL: there are no maps. */
STATUS_MUST_USE enum status scene_world_create_in(struct arena *arena, const Collide__V1__Scene *scene,
                                                  const struct scene_limits *limits, struct map_cache *maps, const char *path,
                                                  struct world **out, struct wire_problem *problem);
/* Bytes that a world is charged for: as if it had its map's walls alone. */
size_t scene_world_bytes(const struct world *world);

#endif
