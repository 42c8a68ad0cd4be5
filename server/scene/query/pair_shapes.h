/* pair_shapes: the Pairs message of Detect and Respond as shapes of the engine, checked, with the path of the field for every
 * error.
 *
 * One thread at a time. Owns its shapes; keeps nothing of the message. */
#ifndef COLLIDED_SCENE_QUERY_PAIR_SHAPES_H
#define COLLIDED_SCENE_QUERY_PAIR_SHAPES_H

#include "physics/detect.h"
#include "scene/scene.h"

enum pairs_kind { PAIRS_CIRCLES, PAIRS_SEGMENTS, PAIRS_LINES };

struct pairs {
	size_t rows;
	enum pairs_kind kind;    /* of b */
	size_t a_rows, b_rows;   /* `rows`, or 1: the same for all */
	struct disc *a, *b;      /* b: NULL unless circles */
	struct wall *walls;      /* NULL if circles */
	double *a_mass, *b_mass; /* INFINITY: is not moved; of walls NULL */
};

/* `path` is that of the Pairs ("detect.pairs"); `arena` holds what is needed to check it. INVALID_ARGUMENT (BAD_FIELD) or
 * RESOURCE_EXHAUSTED (LIMIT, MEMORY). On failure *out holds nothing. */
STATUS_MUST_USE enum status pairs_read(struct arena *arena, const Collide__V1__Pairs *message,
                                       const struct scene_limits *limits, const char *path, struct pairs *out,
                                       struct wire_problem *problem);
void pairs_finish(struct pairs *pairs);
size_t pairs_memory_bytes(const struct pairs *pairs);

static inline const struct disc *
pairs_a(const struct pairs *pairs, size_t row)
{
	return &pairs->a[pairs->a_rows == 1 ? 0 : row];
}

/* How heavy each of a row is. */
static inline double
pairs_a_mass(const struct pairs *pairs, size_t row)
{
	return pairs->a_mass[pairs->a_rows == 1 ? 0 : row];
}

double pairs_b_mass(const struct pairs *pairs, size_t row);
/* The first point of b: a circle's centre. */
void pairs_b_start(const struct pairs *pairs, size_t row, double position[2], double velocity[2]);

struct shape_distance pairs_distance(const struct pairs *pairs, size_t row, enum reading reading,
                                     const struct tolerance *tolerance);
struct sweep pairs_sweep(const struct pairs *pairs, size_t row, enum reading reading, bool skin, double duration);

#endif
