/* Crowds far apart: the cells of such worlds are hashed. */
#include "physics/brute/random_kinds.h"
#include "support/random.h"

#include <math.h>

/* A copy of some circles and walls somewhere else. */
static void
crowd_copy(struct random_scene *scene, size_t circles, size_t segments, double x, double y)
{
	for (size_t i = 0; i < circles && scene->def.circle_count < RANDOM_SCENE_CIRCLES_MAX; i++) {
		struct circle_def *copy = &scene->circles[scene->def.circle_count];

		*copy = scene->circles[i];
		copy->id = 3 * (uint32_t)scene->def.circle_count++ + 1; /* as in random_scene.c */
		copy->x += x;
		copy->y += y;
	}
	for (size_t i = 0; i < segments && scene->def.segment_count < RANDOM_SCENE_SEGMENTS_MAX; i++) {
		struct segment_def *copy = &scene->segments[scene->def.segment_count];

		*copy = scene->segments[i];
		copy->id = (uint32_t)scene->def.segment_count++;
		copy->x1 += x;
		copy->x2 += x;
		copy->y1 += y;
		copy->y2 += y;
	}
}

void
random_apart_add(struct random_scene *scene, uint64_t *state)
{
	double far = 40 * pow(10, random_between(state, 1, 7));
	size_t circles = scene->def.circle_count, segments = scene->def.segment_count;

	if (random_chance(state, 70) && segments < RANDOM_SCENE_SEGMENTS_MAX) {
		struct segment_def *wall = &scene->segments[segments];

		/* A long wall below all. */
		*wall = segment_def_default();
		wall->id = (uint32_t)scene->def.segment_count++;
		wall->x1 = -far;
		wall->x2 = 2 * far;
		wall->y1 = -60 - random_between(state, 0, 2) * far;
		wall->y2 = -60;
		wall->restitution = scene->segments[0].restitution;
	}
	for (size_t k = 0; k < 3; k++)
		crowd_copy(scene, circles, random_chance(state, 70) ? segments : 0, random_between(state, 0.3, 1) * far,
		           (double)(k + 1) * random_between(state, 0.3, 1) * far);
}
