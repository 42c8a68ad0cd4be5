#include "physics/space_scene.h"

#include "support/assert_double.h"
#include "support/random.h"

static double
lattice(uint64_t *random, int most)
{
	return (double)random_below(random, 2 * (uint64_t)most + 1) - most;
}

static double
near_origin(const struct space_scene *scene, uint64_t *random)
{
	if (scene->kind == SPACE_SCENE_GRID)
		return lattice(random, (int)scene->extent);
	return scene->origin + random_between(random, -scene->extent, scene->extent);
}

void
space_scene_place(const struct space_scene *scene, uint64_t *random, double place[2])
{
	uint64_t choice = random_below(random, 8);

	place[0] = near_origin(scene, random);
	place[1] = near_origin(scene, random);
	if (choice == 0 && scene->def.circle_count > 0) {
		const struct circle_def *at = &scene->circles[random_below(random, scene->def.circle_count)];

		place[0] = at->x;
		place[1] = at->y;
	} else if (choice == 1 && scene->def.segment_count > 0) {
		const struct segment_def *at = &scene->segments[random_below(random, scene->def.segment_count)];

		place[0] = at->x1;
		place[1] = at->y2;
	} else if (choice == 2 && scene->def.segment_count > 0) {
		const struct segment_def *at = &scene->segments[random_below(random, scene->def.segment_count)];

		place[0] = at->x2;
		place[1] = at->y2;
	}
}

double
space_scene_radius(const struct space_scene *scene, uint64_t *random)
{
	if (random_below(random, 4) == 0)
		return 0.0;
	if (scene->kind == SPACE_SCENE_GRID)
		return (double)(1 + random_below(random, 4)) * 0.5;
	return scene->extent * ldexp(1.0, -2 - (int)random_below(random, 9));
}

void
space_scene_way(const struct space_scene *scene, uint64_t *random, double way[2])
{
	uint64_t choice = random_below(random, 16);
	double length = ldexp(scene->extent, 2 - (int)random_below(random, 6));

	for (int i = 0; i < 2; i++)
		way[i] = scene->kind == SPACE_SCENE_GRID ? lattice(random, 2 * (int)scene->extent)
		                                         : random_between(random, -length, length);
	if (choice == 0)
		way[0] = 0.0;
	else if (choice == 1)
		way[1] = 0.0;
	else if (choice == 2)
		way[0] = way[1] = 0.0;
	else if (choice == 3)
		way[0] = way[1];
	else if (choice == 4)
		way[0] *= 1e9;
}

static void
circle_make(struct space_scene *scene, uint64_t *random, uint32_t i)
{
	struct circle_def *c = &scene->circles[i];
	double place[2];

	*c = circle_def_default();
	c->id = i * 7919u % 10007u;
	space_scene_place(scene, random, place);
	c->x = place[0];
	c->y = place[1];
	do
		c->radius = space_scene_radius(scene, random);
	while (c->radius == 0.0);
	if (scene->kind == SPACE_SCENE_SPREAD)
		c->radius *= ldexp(1.0, -(int)random_below(random, 12));
	if (random_below(random, 5) == 0) {
		c->category = 1u << random_below(random, 3);
		c->mask = (uint32_t)random_below(random, 8);
	}
}

static void
segment_make(struct space_scene *scene, uint64_t *random, uint32_t i)
{
	struct segment_def *s = &scene->segments[i];
	double place[2], way[2];

	*s = segment_def_default();
	s->id = i * 31u % 127u;
	space_scene_place(scene, random, place);
	s->x1 = place[0];
	s->y1 = place[1];
	do {
		space_scene_way(scene, random, way);
		if (fabs(way[0]) > 1e3 * scene->extent)
			way[0] = scene->extent;
		s->x2 = s->x1 + way[0];
		s->y2 = s->y1 + way[1];
	} while (s->x1 == s->x2 && s->y1 == s->y2);
	if (random_below(random, 5) == 0)
		s->mask = (uint32_t)random_below(random, 8);
}

/* A polygon of walls around the middle, and some within, from corners that are shared. */
static void
maze_make(struct space_scene *scene, uint64_t *random, uint32_t count)
{
	double corners[SPACE_SCENE_SEGMENTS_MAX][2];

	for (uint32_t i = 0; i < count; i++)
		for (int k = 0; k < 2; k++)
			corners[i][k] = random_between(random, -scene->extent, scene->extent);
	for (uint32_t i = 0; i < count; i++) {
		struct segment_def *s = &scene->segments[i];
		uint32_t next = random_below(random, 6) == 0 ? (uint32_t)random_below(random, count) : (i + 1) % count;

		if (next == i)
			next = (i + 1) % count;
		*s = segment_def_default();
		s->id = i;
		s->x1 = corners[i][0];
		s->y1 = corners[i][1];
		s->x2 = corners[next][0];
		s->y2 = corners[next][1];
	}
	scene->def.segment_count = count;
}

/* Some of the walls are thick, some one-sided. */
static void
walls_vary(struct space_scene *scene, uint64_t *random)
{
	for (uint32_t i = 0; i < scene->def.segment_count; i++) {
		struct segment_def *s = &scene->segments[i];

		if (random_below(random, 3) == 0)
			s->radius = scene->kind == SPACE_SCENE_GRID ? 0.5 * (double)(1 + random_below(random, 3))
			                                            : scene->extent * random_between(random, 1e-3, 0.1);
		s->one_sided = random_below(random, 4) == 0;
	}
}

void
space_scene_make(struct space_scene *scene, enum space_scene_kind kind, uint64_t *random)
{
	uint32_t circles = (uint32_t)random_below(random, SPACE_SCENE_CIRCLES_MAX + 1);
	uint32_t segments = (uint32_t)random_below(random, SPACE_SCENE_SEGMENTS_MAX + 1);

	scene->kind = kind;
	scene->extent = kind == SPACE_SCENE_GRID ? 8.0 : kind == SPACE_SCENE_CLUSTERS ? 2.0 : 20.0;
	scene->origin = kind == SPACE_SCENE_FAR ? 0x1p30 : 0.0;
	scene->def = world_def_default();
	scene->def.circles = scene->circles;
	scene->def.segments = scene->segments;
	for (uint32_t i = 0; i < circles; i++) {
		circle_make(scene, random, i);
		scene->def.circle_count = i + 1;
	}
	if (kind == SPACE_SCENE_MAZE) {
		maze_make(scene, random, segments < 3 ? 3 : segments);
		walls_vary(scene, random);
		return;
	}
	for (uint32_t i = 0; i < segments; i++) {
		segment_make(scene, random, i);
		scene->def.segment_count = i + 1;
	}
	walls_vary(scene, random);
}

struct space *
space_scene_space(const struct space_scene *scene)
{
	struct def_problem problem = { .text = "" };
	struct space *space = NULL;

	if (space_create(&scene->def, &problem, &space) != STATUS_OK)
		fail_msg("the scene is refused: field %d of %zu %s", (int)problem.field, problem.index, problem.text);
	return space;
}
