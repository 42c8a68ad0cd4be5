/* bits_scenes: the scenes that must have the same bits everywhere. A wide set, small enough for an emulated machine.
 *
 * One thread; the caller owns what scene_make fills. Nothing but + - * / is used to make them: a number is the same input for
 * every compiler and machine, which a libm's sine is not. */
#ifndef COLLIDED_TESTS_BITS_SCENES_H
#define COLLIDED_TESTS_BITS_SCENES_H

#include "physics/physics.h"

#define BITS_EDITS_MAX 8

struct bits_scene {
	struct world_def def; /* borrows the arrays below */
	struct circle_def *circles;
	size_t circle_count, circle_capacity;
	struct segment_def *segments;
	size_t segment_count, segment_capacity;
	double dt;
	uint64_t ticks;
	size_t (*act)(struct edit edits[BITS_EDITS_MAX], uint64_t tick); /* a batch before this tick; NULL: there are none */
};

size_t bits_scene_count(void);
/* Static. */
const char *bits_scene_name(size_t index);
/* Ends the program without memory. */
void bits_scene_make(size_t index, struct bits_scene *out);
/* The same scene defined in another order. */
void bits_scene_shuffle(struct bits_scene *scene, uint64_t seed);
void bits_scene_finish(struct bits_scene *scene);

#endif
