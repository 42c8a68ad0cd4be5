/* gas: a request for circles that bounce in a box for ever, on a grid with seeded velocities. Owns its columns. */
#ifndef COLLIDED_TESTS_SCENE_GAS_H
#define COLLIDED_TESTS_SCENE_GAS_H

#include "support/assert_double.h"
#include "support/random.h"

#include "wire/wire.h"

#include <stdlib.h>

struct gas {
	Collide__V1__Simulate request;
	Collide__V1__Scene scene;
	Collide__V1__CircleColumns circles;
	Collide__V1__SegmentColumns segments;
	double *values; /* x, y, vx, vy */
	double radius;
	double x1[4], y1[4], x2[4], y2[4];
};

/* `side` * `side` circles of radius 1, 2.5 apart, of speed up to `speed`; dt 1/60. */
static inline void
gas_init(struct gas *gas, size_t side, double speed)
{
	size_t count = side * side;
	double width = 2.5 * (double)side, corners[5][2] = { { 0, 0 }, { width, 0 }, { width, width }, { 0, width }, { 0, 0 } };
	uint64_t seed = 5;

	*gas = (struct gas){ .radius = 1, .values = calloc(4 * count, sizeof(double)) };
	assert_non_null(gas->values);
	for (size_t i = 0; i < count; i++) {
		gas->values[i] = 1.25 + 2.5 * (double)(i % side);
		gas->values[count + i] = 1.25 + 2.5 * (double)(i / side);
		gas->values[2 * count + i] = random_between(&seed, -speed, speed);
		gas->values[3 * count + i] = random_between(&seed, -speed, speed);
	}
	for (size_t i = 0; i < 4; i++) {
		gas->x1[i] = corners[i][0];
		gas->y1[i] = corners[i][1];
		gas->x2[i] = corners[i + 1][0];
		gas->y2[i] = corners[i + 1][1];
	}
	collide__v1__circle_columns__init(&gas->circles);
	gas->circles.n_x = gas->circles.n_y = gas->circles.n_vx = gas->circles.n_vy = count;
	gas->circles.x = gas->values;
	gas->circles.y = gas->values + count;
	gas->circles.vx = gas->values + 2 * count;
	gas->circles.vy = gas->values + 3 * count;
	gas->circles.n_radius = 1;
	gas->circles.radius = &gas->radius;
	collide__v1__segment_columns__init(&gas->segments);
	gas->segments.n_x1 = gas->segments.n_y1 = gas->segments.n_x2 = gas->segments.n_y2 = 4;
	gas->segments.x1 = gas->x1;
	gas->segments.y1 = gas->y1;
	gas->segments.x2 = gas->x2;
	gas->segments.y2 = gas->y2;
	collide__v1__scene__init(&gas->scene);
	gas->scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	gas->scene.circle_columns = &gas->circles;
	gas->scene.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
	gas->scene.segment_columns = &gas->segments;
	collide__v1__simulate__init(&gas->request);
	gas->request.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE;
	gas->request.scene = &gas->scene;
	gas->request.dt = 1.0 / 60;
	gas->request.ticks = 10;
}

static inline void
gas_finish(struct gas *gas)
{
	free(gas->values);
}

#endif
