/* stage: a live world in one thread of a test, with a fake clock, and a loop's side of it that only takes notes. */
#ifndef COLLIDED_TESTS_WORLDS_STAGE_H
#define COLLIDED_TESTS_WORLDS_STAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "worlds/live/live_check.h"
#include "worlds/live/live_world.h"

#define STAGE_CIRCLES_MAX 256
#define STAGE_OUTCOMES_MAX 4096
#define NS_PER_S UINT64_C(1000000000)

/* A scene in columns, in place. */
struct stage_scene {
	Collide__V1__Scene message;
	Collide__V1__CircleColumns circles;
	Collide__V1__SegmentColumns segments;
	size_t count;
	uint32_t id[STAGE_CIRCLES_MAX];
	double x[STAGE_CIRCLES_MAX], y[STAGE_CIRCLES_MAX], vx[STAGE_CIRCLES_MAX], vy[STAGE_CIRCLES_MAX];
	double radius, restitution, friction;
	double x1[8], y1[8], x2[8], y2[8], wall_friction;
	uint32_t wall_id[8];
};

/* Circles that fly in a box, or that fall into one, rough ones. */
void scene_gas(struct stage_scene *scene, size_t count);
void scene_heap(struct stage_scene *scene, size_t count);
/* A gas of circles that are removed or stop at others, sensors, spins, damping, and two walls that move. One at a time. */
void scene_rich(struct stage_scene *scene, size_t count);

struct told {
	uint32_t seat;
	uint64_t sequence, tick;
	int code;
	uint32_t missing;
	bool exceptional;
	char reason[32], field[160], text[200];
};

struct stage {
	struct worlds_limits limits;
	struct scene_limits scene_limits;
	struct world_policy policy;
	char map_name[16];
	struct wall_map *map;
	uint64_t base_ns;
	struct live_check_share check_share; /* permille 1000: it is under self-check */
	struct live_world *world;
	struct workspace *workspace; /* NULL: none is lent */
	uint64_t now_ns;
	uint64_t asks;

	/* Of the last turn, and of all: */
	struct live_turn turn;
	struct world_stats stats;
	bool has_news;
	size_t told_count;
	struct told told[STAGE_OUTCOMES_MAX]; /* outcomes */
	uint64_t through[64];                 /* of seats */
	uint64_t decided[64], effective[64];  /* counts */
	uint64_t decided_bytes[64];           /* of the batches */
	bool has_gaps;                        /* sequences that are refused before they come to the world */
	int64_t margin_ns[64];                /* least of the last turn that had one */
	struct answer answer;                 /* the last one; what it holds is stage_finish's */
	size_t answers;
	/* Called with each update; NULL: it is not looked at. */
	void (*on_update)(struct stage *stage, const struct update *update);
	void *context;
};

/* Each look at the CPU time costs so much, so that turns of steps end. And how often a world has said that what follows takes
 * long. */
extern uint64_t stage_look_ns, stage_long_count;

/* Bounds as they are by default; the world goes by a client's clock, 1/60 s a tick. */
void stage_init(struct stage *stage);
void stage_open(struct stage *stage, const struct stage_scene *scene);
/* Of bytes of a WorldState. */
void stage_open_bytes(struct stage *stage, const uint8_t *bytes, size_t count);
void stage_finish(struct stage *stage);

struct post *stage_batch(const struct stage *stage, uint32_t seat, enum seat_right right, uint64_t sequence, uint64_t tick,
                         const Collide__V1__Commands *commands);
void stage_send(struct stage *stage, uint32_t seat, uint64_t sequence, uint64_t tick, const Collide__V1__Commands *commands);
/* One turn now. */
void stage_turn(struct stage *stage);
/* Asks for ticks, and has turns until they are made. */
void stage_step(struct stage *stage, uint64_t ticks);
/* The world's bytes; the caller frees the answer's by stage_finish or the next answer. */
const struct shared_bytes *stage_snapshot(struct stage *stage);
/* What was told of that batch last; NULL: nothing. */
const struct told *stage_told(const struct stage *stage, uint32_t seat, uint64_t sequence);

/* The plain engine's world of the same scene. */
struct world *scene_world(const struct stage_scene *scene, const struct stage *stage);

#endif
