/* Thick walls, one-sided ones, and ends that lie on other walls. */
#include "physics/brute/random_kinds.h"
#include "support/random.h"

#include <math.h>

/* The least gap between a segment and the circles. */
static double
segment_room(const struct random_scene *scene, const struct segment_def *s)
{
	double room = HUGE_VAL;

	for (size_t i = 0; i < scene->def.circle_count; i++) {
		const struct circle_def *c = &scene->circles[i];
		double ex = s->x2 - s->x1, ey = s->y2 - s->y1;
		double share = fmax(0, fmin(1, ((c->x - s->x1) * ex + (c->y - s->y1) * ey) / (ex * ex + ey * ey)));

		room = fmin(room, hypot(c->x - s->x1 - share * ex, c->y - s->y1 - share * ey) - c->radius);
	}
	return room;
}

static bool
joined(const struct segment_def *a, const struct segment_def *b)
{
	return (a->x1 == b->x1 && a->y1 == b->y1) || (a->x1 == b->x2 && a->y1 == b->y2) || (a->x2 == b->x1 && a->y2 == b->y1) ||
	       (a->x2 == b->x2 && a->y2 == b->y2);
}

/* Whole chains and polygons become one-sided: each is named by the first of its segments. */
static void
one_sided_make(struct random_scene *scene, uint64_t *state, unsigned int percent)
{
	size_t first[RANDOM_SCENE_SEGMENTS_MAX], count = scene->def.segment_count;

	for (size_t i = 0; i < count; i++)
		first[i] = i;
	for (size_t turn = 0; turn < count; turn++) {
		for (size_t i = 0; i < count; i++) {
			for (size_t k = 0; k < count; k++)
				if (joined(&scene->segments[i], &scene->segments[k]) && first[k] < first[i])
					first[i] = first[k];
		}
	}
	for (size_t i = 0; i < count; i++)
		scene->segments[i].one_sided = first[i] < i ? scene->segments[first[i]].one_sided : random_chance(state, percent);
}

/* Stubs from walls of two sides. */
static void
stubs_add(struct random_scene *scene, uint64_t *state, size_t wanted)
{
	for (size_t i = 0; i < wanted && scene->def.segment_count < RANDOM_SCENE_SEGMENTS_MAX; i++) {
		const struct segment_def *from = &scene->segments[random_below(state, scene->def.segment_count)];
		struct segment_def *stub = &scene->segments[scene->def.segment_count];
		double along = random_chance(state, 30) ? 0.5 : random_between(state, 0.05, 0.95);

		*stub = *from;
		stub->id = (uint32_t)scene->def.segment_count;
		stub->x1 = from->x1 + along * (from->x2 - from->x1);
		stub->y1 = from->y1 + along * (from->y2 - from->y1);
		stub->x2 = stub->x1 + random_between(state, -4, 4);
		stub->y2 = stub->y1 + random_between(state, -4, 4);
		if (random_chance(state, 50)) {
			struct segment_def turned = *stub;

			stub->x1 = turned.x2;
			stub->y1 = turned.y2;
			stub->x2 = turned.x1;
			stub->y2 = turned.y1;
		}
		if (!from->one_sided && segment_room(scene, stub) > 1e-6)
			scene->def.segment_count++;
	}
}

void
random_walls_add(struct random_scene *scene, uint64_t *state)
{
	bool alike = random_chance(state, 50);
	double room = HUGE_VAL;

	if (random_chance(state, 60))
		one_sided_make(scene, state, random_chance(state, 50) ? 100 : 50);
	stubs_add(scene, state, random_below(state, 6));
	if (random_chance(state, 25))
		return;
	for (size_t i = 0; i < scene->def.segment_count; i++)
		room = fmin(room, segment_room(scene, &scene->segments[i]));
	for (size_t i = 0; i < scene->def.segment_count; i++) {
		struct segment_def *s = &scene->segments[i];
		double most = alike ? room : segment_room(scene, s),
			   radius = fmin(0.9 * most, alike ? 0.5 : random_between(state, 0, 1));

		/* Of one that is in a circle already none. */
		s->radius = radius > 1e-6 ? radius : 0;
	}
}
