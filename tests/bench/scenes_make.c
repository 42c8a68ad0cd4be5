#include "bench/scenes_make.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
world_take(struct scene *scene, const struct scenario *from)
{
	struct scene_world *world = &scene->worlds[scene->head.worlds++];
	world->circle_count = from->circle_count;
	world->segment_count = from->segment_count;
	world->circles = malloc(from->circle_count * sizeof *world->circles + 1);
	world->segments = malloc(from->segment_count * sizeof *world->segments + 1);
	assert_non_null(world->circles);
	assert_non_null(world->segments);
	for (size_t i = 0; i < from->circle_count; i++) {
		const struct circle_def *c = &from->circles[i];
		const double mass = c->kind == BODY_STATIC ? HUGE_VAL : c->mass;
		world->circles[i] = (struct scene_circle){ c->x, c->y, c->vx, c->vy, c->radius, mass, c->restitution, c->friction };
	}
	for (size_t i = 0; i < from->segment_count; i++) {
		const struct segment_def *s = &from->segments[i];
		world->segments[i] = (struct scene_segment){ s->x1, s->y1, s->x2, s->y2, s->restitution, s->friction };
	}
	scene->head.gravity[0] = from->def.gravity_x;
	scene->head.gravity[1] = from->def.gravity_y;
}

void
bounds_set(struct scene *scene, double x1, double y1, double x2, double y2)
{
	const double bounds[4] = { x1, y1, x2, y2 };
	memcpy(scene->head.bounds, bounds, sizeof bounds);
	scene->head.flags |= SCENE_CLOSED;
}
