/* random_scene: small scenes from a seed, of every kind that the engine knows, for the brute-force comparison.
 *
 * One thread; values in the caller's memory. A seed is a scene on every machine. */
#ifndef COLLIDED_TESTS_PHYSICS_BRUTE_RANDOM_SCENE_H
#define COLLIDED_TESTS_PHYSICS_BRUTE_RANDOM_SCENE_H

#include "physics/physics.h"

#include <stdio.h>

#define RANDOM_SCENE_CIRCLES_MAX 50
#define RANDOM_SCENE_SEGMENTS_MAX 16

struct random_scene {
	struct circle_def circles[RANDOM_SCENE_CIRCLES_MAX];
	struct segment_def segments[RANDOM_SCENE_SEGMENTS_MAX];
	struct relation_def relations[14];
	struct world_def def; /* its arrays are the above */
	double dt;
	int ticks;
};

/* 2..50 circles of radii 1 : 25 among 4..11 segments. By turns of the seed: restitution 1, mixed, 0; without and with gravity.
 * Some scenes have kinematic and static circles, masks, initial overlaps, or a lattice with exact ties.
 */
void random_scene_make(struct random_scene *scene, uint64_t seed);
/* True so often of a hundred. */
bool random_chance(uint64_t *state, unsigned int percent);
/* Writes the scene so that it can be read and typed in again. */
void random_scene_dump(const struct random_scene *scene, FILE *out);

#endif
