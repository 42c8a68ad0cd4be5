#include "client/cli/motion/motion_scene.h"

#include "client/cli/recording/start_def.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int
circle_compare(const void *left, const void *right)
{
	const struct motion_circle *a = left, *b = right;
	return (a->id > b->id) - (a->id < b->id);
}

static int
wall_compare(const void *left, const void *right)
{
	const struct motion_wall *a = left, *b = right;
	return (a->id > b->id) - (a->id < b->id);
}

static struct motion_circle
circle_of(const struct circle_def *from, const struct world_def *def)
{
	bool dynamic = from->kind == BODY_DYNAMIC, moves = from->kind != BODY_STATIC;
	return (struct motion_circle){
		.id = from->id,
		.dynamic = dynamic,
		.moves = moves,
		.sensor = from->sensor,
		.radius = from->radius,
		.mass = dynamic ? from->mass : HUGE_VAL,
		.x = from->x,
		.y = from->y,
		.vx = moves ? from->vx : 0,
		.vy = moves ? from->vy : 0,
		.angle = from->angle,
		.spin = from->angular_velocity,
		.ax = dynamic ? from->gravity_scale * def->gravity_x : 0,
		.ay = dynamic ? from->gravity_scale * def->gravity_y : 0,
	};
}

static struct motion_wall
wall_of(const struct segment_def *from)
{
	return (struct motion_wall){
		.id = from->id,
		.x1 = from->x1,
		.y1 = from->y1,
		.x2 = from->x2,
		.y2 = from->y2,
		.vx = from->vx,
		.vy = from->vy,
		.end = HUGE_VAL,
		.radius = from->radius,
		.restitution = from->restitution,
		.sensor = from->sensor,
		.one_sided = from->one_sided,
		.disabled = from->disabled,
	};
}

static bool
shapes_copy(struct motion_scene *out, const struct start_def *read)
{
	const struct world_def *def = &read->def;
	out->circles = calloc(def->circle_count + 1, sizeof *out->circles);
	out->walls = calloc(def->segment_count + 1, sizeof *out->walls);
	if (!out->circles || !out->walls)
		return false;
	out->circle_count = def->circle_count;
	out->wall_count = def->segment_count;
	for (size_t i = 0; i < def->circle_count; i++) {
		out->circles[i] = circle_of(&def->circles[i], def);
		out->circles[i].asleep = read->world != NULL && world_body(read->world, i).asleep;
	}
	for (size_t i = 0; i < def->segment_count; i++)
		out->walls[i] = wall_of(&def->segments[i]);
	qsort(out->circles, out->circle_count, sizeof *out->circles, circle_compare);
	for (size_t i = 0; i < def->circle_count; i++)
		out->circles[i].first = i;
	qsort(out->walls, out->wall_count, sizeof *out->walls, wall_compare);
	out->tick = read->world ? world_tick(read->world) : 0;
	return true;
}

bool
motion_scene_read(struct motion_scene *out, const struct start *start, char *error, size_t error_size)
{
	struct start_def read;
	*out = (struct motion_scene){ 0 };
	bool good = start_def_read(&read, start, error, error_size);
	if (good && !shapes_copy(out, &read)) {
		good = false;
		snprintf(error, error_size, "no memory for the shapes");
	}
	start_def_finish(&read);
	return good;
}

void
motion_scene_finish(struct motion_scene *scene)
{
	free(scene->circles);
	free(scene->walls);
	*scene = (struct motion_scene){ 0 };
}

bool
motion_scene_circle(const struct motion_scene *scene, uint32_t id, size_t *row)
{
	/* Most scenes count from 0. */
	if (id < scene->circle_count && scene->circles[id].id == id) {
		*row = id;
		return true;
	}
	const struct motion_circle key = { .id = id };
	const struct motion_circle *found = bsearch(&key, scene->circles, scene->circle_count, sizeof key, circle_compare);
	*row = found ? (size_t)(found - scene->circles) : 0;
	return found != NULL;
}

bool
motion_scene_wall(const struct motion_scene *scene, uint32_t id, size_t *row)
{
	const struct motion_wall key = { .id = id };
	const struct motion_wall *found = bsearch(&key, scene->walls, scene->wall_count, sizeof key, wall_compare);
	*row = found ? (size_t)(found - scene->walls) : 0;
	return found != NULL;
}
