/* random_batch: a random batch of commands, of every kind, as a message and as the edits of the engine that it stands for. One
 * thread. */
#ifndef COLLIDED_TESTS_WORLDS_RANDOM_BATCH_H
#define COLLIDED_TESTS_WORLDS_RANDOM_BATCH_H

#include "worlds/stage.h"

#define BATCH_ROWS_MAX 6

/* A batch: as a message, and as edits. */
struct spec {
	uint32_t seat;
	uint64_t sequence, asked, tick;
	bool skip_missing, bad; /* one that cannot be, whatever the world is */
	size_t edit_count;
	struct edit edits[64];
	size_t force_count;
	struct model_force {
		uint32_t id, ticks;
		double x, y;
	} forces[BATCH_ROWS_MAX];
	bool decided, effective;
	uint32_t missing;
};

/* Columns of one message, in place. */
struct columns {
	Collide__V1__Commands message;
	Collide__V1__VelocityColumns velocities, add;
	Collide__V1__PlaceColumns places;
	Collide__V1__PushColumns pushes;
	Collide__V1__CircleColumns spawn, changes;
	Collide__V1__SegmentColumns walls;
	Collide__V1__Explosion explosion, *explosions[1];
	Collide__V1__Vector gravity;
	uint32_t ids[9][BATCH_ROWS_MAX], ticks[BATCH_ROWS_MAX];
	double a[9][BATCH_ROWS_MAX], b[9][BATCH_ROWS_MAX], c[9][BATCH_ROWS_MAX], d[9][BATCH_ROWS_MAX], e[BATCH_ROWS_MAX];
};

struct batch_maker {
	struct world *world; /* its circles are those that it is about, mostly */
	uint64_t seed;
	uint32_t next_id; /* of circles that are spawned */
};

/* Both all 0 before. */
void batch_make_random(struct batch_maker *maker, struct spec *spec, struct columns *c);

#endif
