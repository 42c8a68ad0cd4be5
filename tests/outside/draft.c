#include "outside/draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
draft_init(struct draft *draft, uint64_t seed)
{
	*draft = (struct draft){ .def = world_def_default(), .dt = 1.0 / 60, .ticks = 60, .random = seed };
}

void
draft_finish(struct draft *draft)
{
	free(draft->circles);
	free(draft->walls);
	*draft = (struct draft){ 0 };
}

static void *
room(void *array, size_t *capacity, size_t count, size_t size)
{
	if (count <= *capacity)
		return array;
	*capacity = 2 * count;
	void *larger = realloc(array, *capacity * size);
	if (!larger)
		abort();
	return larger;
}

void
draft_copy(struct draft *to, const struct draft *from)
{
	*to = *from;
	to->circle_capacity = to->wall_capacity = 0;
	to->circles = room(NULL, &to->circle_capacity, from->circle_count + 1, sizeof *to->circles);
	to->walls = room(NULL, &to->wall_capacity, from->wall_count + 1, sizeof *to->walls);
	if (from->circle_count > 0)
		memcpy(to->circles, from->circles, from->circle_count * sizeof *to->circles);
	if (from->wall_count > 0)
		memcpy(to->walls, from->walls, from->wall_count * sizeof *to->walls);
}

const struct world_def *
draft_def(struct draft *draft)
{
	draft->def.circles = draft->circles;
	draft->def.circle_count = draft->circle_count;
	draft->def.segments = draft->walls;
	draft->def.segment_count = draft->wall_count;
	draft->def.relations = draft->relations;
	draft->def.relation_count = draft->relation_count;
	return &draft->def;
}

struct circle_def *
draft_circle(struct draft *draft, double x, double y, double vx, double vy, double radius)
{
	draft->circles = room(draft->circles, &draft->circle_capacity, draft->circle_count + 1, sizeof *draft->circles);
	struct circle_def *circle = &draft->circles[draft->circle_count];
	*circle = circle_def_default();
	circle->id = (uint32_t)draft->circle_count++;
	circle->x = x;
	circle->y = y;
	circle->vx = vx;
	circle->vy = vy;
	circle->radius = radius;
	return circle;
}

struct segment_def *
draft_wall(struct draft *draft, double x1, double y1, double x2, double y2)
{
	if (x1 == x2 && y1 == y2)
		return NULL;
	draft->walls = room(draft->walls, &draft->wall_capacity, draft->wall_count + 1, sizeof *draft->walls);
	struct segment_def *wall = &draft->walls[draft->wall_count];
	*wall = segment_def_default();
	wall->id = (uint32_t)draft->wall_count++;
	wall->x1 = x1;
	wall->y1 = y1;
	wall->x2 = x2;
	wall->y2 = y2;
	return wall;
}

void
draft_box(struct draft *draft, double x1, double y1, double x2, double y2)
{
	draft_wall(draft, x1, y1, x2, y1);
	draft_wall(draft, x2, y1, x2, y2);
	draft_wall(draft, x2, y2, x1, y2);
	draft_wall(draft, x1, y2, x1, y1);
}

void
draft_materials(struct draft *draft, double restitution, double friction)
{
	for (size_t i = 0; i < draft->circle_count; i++) {
		draft->circles[i].restitution = restitution;
		draft->circles[i].friction = friction;
	}
	for (size_t i = 0; i < draft->wall_count; i++) {
		draft->walls[i].restitution = restitution;
		draft->walls[i].friction = friction;
	}
}

static double
wall_distance(const struct segment_def *wall, double x, double y)
{
	const double ux = wall->x2 - wall->x1, uy = wall->y2 - wall->y1;
	const double part = ((x - wall->x1) * ux + (y - wall->y1) * uy) / (ux * ux + uy * uy);
	const double at = part <= 0 ? 0 : part >= 1 ? 1 : part;

	return hypot(x - wall->x1 - at * ux, y - wall->y1 - at * uy) - wall->radius;
}

bool
draft_clear(const struct draft *draft, double x, double y, double radius, double gap)
{
	for (size_t i = 0; i < draft->circle_count; i++)
		if (hypot(draft->circles[i].x - x, draft->circles[i].y - y) < draft->circles[i].radius + radius + gap)
			return false;
	for (size_t i = 0; i < draft->wall_count; i++)
		if (wall_distance(&draft->walls[i], x, y) < radius + gap)
			return false;
	return true;
}

static uint64_t
bits(struct draft *draft)
{
	uint64_t z = (draft->random += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

double
draft_between(struct draft *draft, double low, double high)
{
	return low + (high - low) * ((double)(bits(draft) >> 11) * 0x1p-53);
}

double
draft_scale(struct draft *draft, double low, double high)
{
	return low * pow(high / low, draft_between(draft, 0, 1));
}

bool
draft_chance(struct draft *draft, double part)
{
	return draft_between(draft, 0, 1) < part;
}

unsigned
draft_below(struct draft *draft, unsigned count)
{
	return (unsigned)(bits(draft) % count);
}

double
draft_pick_of(struct draft *draft, const double *values, size_t count)
{
	return values[bits(draft) % count];
}

double
draft_nudged(double value, int ulps, double size)
{
	if (value == 0)
		return ulps * 0x1p-52 * size;
	for (; ulps > 0; ulps--)
		value = nextafter(value, HUGE_VAL);
	for (; ulps < 0; ulps++)
		value = nextafter(value, -HUGE_VAL);
	return value;
}
