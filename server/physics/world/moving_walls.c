/* Happy path: no wall moves, and nothing is done. What can go wrong: memory, when a world is made. */
#include "physics/world/moving_walls.h"

#include "base/memory.h"
#include "base/pause.h"

#include <math.h>

static double
larger_magnitude(double a, double b)
{
	return larger(fabs(a), fabs(b));
}

/* The larger coordinate in a moving wall's definition. Joints depend on it: they are detected up to its rounding (junction.h),
 * so no skin is less than that. */
static double
home_size(const struct segment *segment)
{
	return larger(larger_magnitude(segment->home[0], segment->home[1]), larger_magnitude(segment->home[2], segment->home[3]));
}

void
segment_place(struct segment *segment)
{
	double size = segment->moving ? home_size(segment) : 0.0;

	segment->x1 = segment->home[0] + segment->moved[0];
	segment->y1 = segment->home[1] + segment->moved[1];
	segment->x2 = segment->home[2] + segment->moved[0];
	segment->y2 = segment->home[3] + segment->moved[1];
	size = larger(size, larger(larger_magnitude(segment->x1, segment->y1), larger_magnitude(segment->x2, segment->y2)));
	segment->rounding = SKIN_PER_COORDINATE * size;
}

/* The segment that the vertex is an end of; *second: which end. */
static const struct segment *
vertex_segment(const struct world *world, const struct vertex *vertex, bool *second)
{
	const struct spoke *end = &world->walls.spokes[vertex->first_spoke];

	*second = end->feature == FEATURE_END_2;
	return &world->walls.segments[end->segment];
}

/* As home_size, for the vertex. */
static double
vertex_home_size(const struct world *world, const struct vertex *vertex)
{
	bool second;
	const struct segment *segment = vertex_segment(world, vertex, &second);

	return segment->moving ? larger_magnitude(segment->home[second ? 2 : 0], segment->home[second ? 3 : 1]) : 0.0;
}

static void
vertex_place(const struct world *world, struct vertex *vertex)
{
	bool second;
	const struct segment *segment = vertex_segment(world, vertex, &second);

	vertex->x = second ? segment->x2 : segment->x1;
	vertex->y = second ? segment->y2 : segment->y1;
	vertex->rounding = SKIN_PER_COORDINATE * larger(larger_magnitude(vertex->x, vertex->y), vertex_home_size(world, vertex));
}

bool
moving_walls_find(struct world *world)
{
	uint32_t segments = 0, vertices = 0;

	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(1); i++)
		segments += world->walls.segments[i].moving;
	for (uint32_t i = 0; i < world->walls.vertex_count && !pause_after(1); i++)
		vertices += world->walls.vertices[i].vx != 0.0 || world->walls.vertices[i].vy != 0.0;
	world->walls.moving_count = segments;
	world->walls.moving_vertex_count = vertices;
	world->walls.moving = NULL;
	world->walls.places = NULL;
	if (segments == 0)
		return true;
	world->walls.moving = memory_alloc(((size_t)segments + vertices) * sizeof *world->walls.moving);
	world->walls.places = memory_zeroed(segments, sizeof *world->walls.places);
	if (!world->walls.moving || !world->walls.places)
		return false;
	segments = 0;
	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(1); i++)
		if (world->walls.segments[i].moving)
			world->walls.moving[segments++] = i;
	for (uint32_t i = 0; i < world->walls.vertex_count && !pause_after(2); i++) {
		if (world->walls.vertices[i].vx == 0.0 && world->walls.vertices[i].vy == 0.0)
			continue;
		vertex_place(world, &world->walls.vertices[i]);
		world->walls.moving[segments++] = i;
	}
	return true;
}

/* The largest coordinate of a point during its motion. */
static double
way_size(double x, double y, double vx, double vy, double duration)
{
	return larger(larger_magnitude(x, x + vx * duration), larger_magnitude(y, y + vy * duration));
}

void
moving_walls_begin(struct world *world)
{
	for (uint32_t k = 0; k < world->walls.moving_count && !pause_after(2); k++) {
		struct segment *s = &world->walls.segments[world->walls.moving[k]];

		double way = larger(way_size(s->x1, s->y1, s->vx, s->vy, world->step.dt),
		                    way_size(s->x2, s->y2, s->vx, s->vy, world->step.dt));

		s->rounding = SKIN_PER_COORDINATE * larger(way, home_size(s));
	}
	for (uint32_t k = 0; k < world->walls.moving_vertex_count && !pause_after(2); k++) {
		struct vertex *v = &world->walls.vertices[world->walls.moving[world->walls.moving_count + k]];

		v->rounding = SKIN_PER_COORDINATE *
		              larger(way_size(v->x, v->y, v->vx, v->vy, world->step.dt), vertex_home_size(world, v));
	}
}

void
moving_walls_finish(struct world *world)
{
	for (uint32_t k = 0; k < world->walls.moving_count && !pause_after(2); k++) {
		struct segment *s = &world->walls.segments[world->walls.moving[k]];

		s->moved[0] += s->vx * world->step.dt;
		s->moved[1] += s->vy * world->step.dt;
	}
	moving_walls_place(world);
	for (uint32_t k = 0; k < world->walls.moving_count && !pause_after(2); k++) {
		const struct segment *s = &world->walls.segments[world->walls.moving[k]];

		world->walls.places[k] = (struct segment_place){ s->id, s->x1, s->y1, s->x2, s->y2 };
	}
}

void
moving_walls_place(struct world *world)
{
	for (uint32_t k = 0; k < world->walls.moving_count && !pause_after(1); k++)
		segment_place(&world->walls.segments[world->walls.moving[k]]);
	for (uint32_t k = 0; k < world->walls.moving_vertex_count && !pause_after(1); k++)
		vertex_place(world, &world->walls.vertices[world->walls.moving[world->walls.moving_count + k]]);
}
