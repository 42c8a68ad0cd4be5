/* motion_scene: the shapes of a run at its start, as whatever shows them needs them.
 *
 * One thread at a time; owns its arrays. Circles and walls are rows in ascending order of id, as in frames. Those of a world
 * (motion_rows.h) are rows in the order in which they came: one that is defined anew is another row. */
#ifndef COLLIDE_CLI_MOTION_SCENE_H
#define COLLIDE_CLI_MOTION_SCENE_H

#include "client/cli/recording/start.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct motion_circle {
	uint32_t id;
	bool dynamic, moves; /* moves: not static */
	bool sensor, asleep;
	double radius, mass; /* mass: infinity unless dynamic */
	double x, y, vx, vy, angle, spin;
	size_t first;  /* its row; of one that goes on from another row, that circle's first */
	double ax, ay; /* what gravity is to it; 0 unless dynamic */
};

struct motion_wall {
	uint32_t id;
	double x1, y1, x2, y2; /* at the start */
	double vx, vy;         /* it goes on so for the whole run */
	double begin, end;     /* seconds of the run between which it is there: 0 and infinity, but in worlds */
	double radius, restitution;
	bool sensor, one_sided, disabled;
};

struct motion_scene {
	struct motion_circle *circles;
	size_t circle_count;
	struct motion_wall *walls;
	size_t wall_count;
	uint64_t tick; /* of the start: 0, or that of the snapshot */
};

/* false: `error` says why. To be finished in either case. */
bool motion_scene_read(struct motion_scene *out, const struct start *start, char *error, size_t error_size);
void motion_scene_finish(struct motion_scene *scene);

/* false: there is no such id. */
bool motion_scene_circle(const struct motion_scene *scene, uint32_t id, size_t *row);
bool motion_scene_wall(const struct motion_scene *scene, uint32_t id, size_t *row);

#endif
