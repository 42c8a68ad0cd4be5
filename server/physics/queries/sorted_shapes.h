/* sorted_shapes: the circles and segments of a definition, ascending by id, for queries about a scene.
 *
 * Immutable once made, so any number of threads may read it. Owns its copies. */
#ifndef COLLIDED_QUERIES_SORTED_SHAPES_H
#define COLLIDED_QUERIES_SORTED_SHAPES_H

#include "physics/detect.h"
#include "physics/world/relation.h"

struct shape {
	uint32_t id, category, mask;
	int32_t filter_group;
	uint8_t group;
	bool sensor;
};

struct sorted_shapes {
	uint32_t circle_count, segment_count;
	struct disc *discs;
	struct shape *circles;
	struct wall *walls;
	struct shape *segments;
	struct relations *relations; /* NULL: none */
};

/* Whether a pair of them can be reported: their masks and groups let them meet, if only as sensors. */
bool sorted_shapes_meet(const struct sorted_shapes *shapes, const struct shape *a, const struct shape *b);

/* Checks the definition as world_create does, ids included, and fills *out. STATUS_INVALID_ARGUMENT: *problem says which field.
 * STATUS_RESOURCE_EXHAUSTED: no memory. On failure there is nothing to finish. */
STATUS_MUST_USE enum status sorted_shapes_init(struct sorted_shapes *out, const struct world_def *def,
                                               struct def_problem *problem);
/* The same for the present state of a world, at a tick's boundary. STATUS_RESOURCE_EXHAUSTED: no memory. */
STATUS_MUST_USE enum status sorted_shapes_init_world(struct sorted_shapes *out, const struct world *world);
void sorted_shapes_finish(struct sorted_shapes *shapes);
size_t sorted_shapes_memory_bytes(const struct sorted_shapes *shapes);

#endif
