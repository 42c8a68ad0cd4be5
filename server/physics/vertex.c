#include "physics/vertex.h"

#include "physics/toi.h"
#include "physics/world.h"

#include <math.h>
#include <stdlib.h>

/* A segment's end on its way to being grouped. */
struct end {
	double x, y;
	uint32_t segment;
	uint8_t feature;
};

static int
end_compare(const void *left, const void *right)
{
	const struct end *a = left, *b = right;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	if (a->y != b->y)
		return a->y < b->y ? -1 : 1;
	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	return (int)a->feature - (int)b->feature;
}

/* Whether the spokes leave no direction n with n . u < 0 for all of them: then no circle touches the vertex first. There is
 * one exactly if all spokes fit into less than half a turn. Grows the least such sector spoke by spoke: `right` to `left`,
 * counterclockwise. */
static bool
cone_empty(const struct spoke *spokes, uint32_t count)
{
	const struct spoke *right = &spokes[0], *left = &spokes[0];

	for (uint32_t i = 1; i < count; i++) {
		const struct spoke *u = &spokes[i];
		double from_right = cross_exact_sign(right->ux, right->uy, u->ux, u->uy);
		double from_left = cross_exact_sign(left->ux, left->uy, u->ux, u->uy);
		bool along_right = from_right == 0.0 && right->ux * u->ux + right->uy * u->uy > 0.0;
		bool along_left = from_left == 0.0 && left->ux * u->ux + left->uy * u->uy > 0.0;

		if (along_right || along_left || (from_right > 0.0 && from_left < 0.0))
			continue;
		if (from_right > 0.0 && from_left > 0.0)
			left = u;
		else if (from_right < 0.0 && from_left < 0.0)
			right = u;
		else
			return true;
	}
	return false;
}

/* Whether every circle that meets one of the segments meets all of them. */
static bool
masks_equal(const struct world *world, const struct spoke *spokes, uint32_t count)
{
	const struct segment *first = &world->segments[spokes[0].segment];

	for (uint32_t i = 1; i < count; i++) {
		const struct segment *other = &world->segments[spokes[i].segment];

		if (other->category != first->category || other->mask != first->mask || other->sensor != first->sensor)
			return false;
	}
	return true;
}

static void
vertex_fill(struct world *world, uint32_t index, const struct end *ends, uint32_t count)
{
	struct vertex *vertex = &world->vertices[index];
	struct spoke *spokes = &world->spokes[world->spoke_count];

	*vertex = (struct vertex){ .x = ends[0].x, .y = ends[0].y, .first_spoke = world->spoke_count, .spoke_count = count };
	for (uint32_t i = 0; i < count; i++) {
		struct segment *segment = &world->segments[ends[i].segment];
		bool second = ends[i].feature == FEATURE_END_2;

		spokes[i] = (struct spoke){
			.ux = second ? -segment->ux : segment->ux,
			.uy = second ? -segment->uy : segment->uy,
			.length = segment->length,
			.segment = ends[i].segment,
			.feature = ends[i].feature,
		};
		segment->vertex[second] = index;
	}
	vertex->rounding = fmax(fabs(vertex->x), fabs(vertex->y)) * SKIN_PER_COORDINATE;
	vertex->dead = masks_equal(world, spokes, count) && cone_empty(spokes, count);
	world->spoke_count += count;
}

bool
vertices_build(struct world *world)
{
	uint32_t end_count = 2 * world->segment_count;
	struct end *ends = calloc((size_t)end_count + 1, sizeof *ends);

	world->vertices = calloc((size_t)end_count + 1, sizeof *world->vertices);
	world->spokes = calloc((size_t)end_count + 1, sizeof *world->spokes);
	if (!ends || !world->vertices || !world->spokes) {
		free(ends);
		return false;
	}
	for (uint32_t i = 0; i < world->segment_count; i++) {
		const struct segment *s = &world->segments[i];

		ends[2 * i] = (struct end){ .x = s->x1, .y = s->y1, .segment = i, .feature = FEATURE_END_1 };
		ends[2 * i + 1] = (struct end){ .x = s->x2, .y = s->y2, .segment = i, .feature = FEATURE_END_2 };
	}
	qsort(ends, end_count, sizeof *ends, end_compare);
	for (uint32_t i = 0, n; i < end_count; i += n) {
		for (n = 1; i + n < end_count && ends[i + n].x == ends[i].x && ends[i + n].y == ends[i].y; n++)
			continue;
		vertex_fill(world, world->vertex_count++, &ends[i], n);
	}
	free(ends);
	return true;
}
