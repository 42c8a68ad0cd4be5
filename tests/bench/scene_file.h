/* scene_file: a scene of the benchmark as bytes, which every runner and the judge read.
 *
 * The format, little-endian without padding: struct scene_head, then for each world two uint64 (circles, segments), its
 * circles and its segments as the structures below. Last come two uint64 (ticks, circles) and the velocities that are set from
 * outside, tick by tick. All worlds of a scene are stepped once in a tick. Coefficients are those that a contact has. Every
 * circle and segment of a scene has the same two, and a runner sets its engine's own values so that they mix to these. A circle
 * of infinite mass is static. The scene owns its arrays. C and C++, one thread. */
#ifndef COLLIDED_TESTS_BENCH_SCENE_FILE_H
#define COLLIDED_TESTS_BENCH_SCENE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCENE_MAGIC "CLDBENCH"
enum { SCENE_VERSION = 2 };

enum scene_flag {
	SCENE_BULLETS = 1 << 0, /* every circle is flagged as a bullet where an engine has such a flag */
	SCENE_SLEEP = 1 << 1,   /* sleeping is allowed, after half a second at rest; else it is off */
	SCENE_ELASTIC = 1 << 2, /* restitution 1, no friction: energy must stay */
	SCENE_CLOSED = 1 << 3,  /* a centre out of the bounds has escaped */
	SCENE_REGIONS = 1 << 4, /* a centre in another closed room of the walls than those with circles at the start has escaped */
	SCENE_PAIRS = 1 << 5,   /* circles 2i and 2i + 1 meet head-on, and no others */
};

struct scene_head {
	char magic[8];
	uint32_t version, flags;
	double dt;
	double gravity[2];
	double bounds[4]; /* x from, y from, x to, y to */
	uint64_t worlds;
};

struct scene_circle {
	double x, y, vx, vy, radius, mass, restitution, friction;
};

struct scene_segment {
	double x1, y1, x2, y2, restitution, friction;
};

struct scene_world {
	uint64_t circle_count, segment_count;
	struct scene_circle *circles;
	struct scene_segment *segments;
};

struct scene_velocity {
	double vx, vy;
};

/* Before tick k (from 0) the first `count` circles of each world get row k % ticks. Without ticks nothing is set. */
struct scene_steering {
	uint64_t ticks, count;
	struct scene_velocity *rows; /* ticks * count */
};

struct scene {
	struct scene_head head;
	struct scene_world *worlds;
	struct scene_steering steering;
};

/* Reads a file. On failure false, with a static text in *problem. */
bool scene_read(const char *path, struct scene *out, const char **problem);
/* Writes a file. On failure false, with a static text in *problem. */
bool scene_write(const char *path, const struct scene *scene, const char **problem);
void scene_finish(struct scene *scene);
/* The velocities to set before that tick, scene->steering.count of them; NULL: none. */
const struct scene_velocity *scene_steered(const struct scene *scene, uint64_t tick);
/* Of all worlds. */
uint64_t scene_circle_count(const struct scene *scene);

/* A frame of a trace is the state of every circle, in order, world by world. A trace is frames and nothing else. */
struct frame_state {
	double x, y, vx, vy;
};

#ifdef __cplusplus
}
#endif

#endif
