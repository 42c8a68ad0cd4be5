#include "physics/world/vertex.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/geometry/toi.h"
#include "physics/math/sort.h"
#include "physics/world/collision_filter.h"
#include "physics/world/junction.h"
#include "physics/world/moving_walls.h"
#include "physics/world/one_sided.h"

#include <math.h>

/* More than the distance at which any circle touches a thin vertex. */
#define REACH_MAX (2.0 * PHYSICS_RADIUS_MAX)

/* A segment's end, before it is grouped into a vertex. */
struct end {
	double vx, vy, moved[2]; /* of a moving segment; else 0 */
	double x, y, radius;
	uint32_t segment;
	uint8_t feature;
};

static int
number_compare(double a, double b)
{
	return a < b ? -1 : a > b;
}

/* 0: the same vertex. */
static int
place_compare(const struct end *a, const struct end *b)
{
	if (a->vx != b->vx || a->vy != b->vy)
		return a->vx != b->vx ? number_compare(a->vx, b->vx) : number_compare(a->vy, b->vy);
	if (a->moved[0] != b->moved[0] || a->moved[1] != b->moved[1])
		return a->moved[0] != b->moved[0] ? number_compare(a->moved[0], b->moved[0]) : number_compare(a->moved[1], b->moved[1]);
	if (a->x != b->x || a->y != b->y)
		return a->x != b->x ? number_compare(a->x, b->x) : number_compare(a->y, b->y);
	return number_compare(a->radius, b->radius);
}

static int
end_compare(const void *left, const void *right)
{
	const struct end *a = left, *b = right;
	int order = place_compare(a, b);

	if (order != 0)
		return order;
	if (a->segment != b->segment)
		return a->segment < b->segment ? -1 : 1;
	return (int)a->feature - (int)b->feature;
}

/* Whether the spokes leave no direction n with n . u < 0 for all of them; then no circle touches the vertex first. Such a
 * direction exists exactly if all spokes fit into less than half a turn. Extends the smallest such sector spoke by spoke:
 * `right` to `left`, counterclockwise. */
static bool
cone_empty(const struct spoke *spokes, uint32_t count)
{
	const struct spoke *right = &spokes[0], *left = &spokes[0];

	for (uint32_t i = 1; i < count && !pause_after(4); i++) {
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

/* Whether every circle that meets one of the segments meets all of them, for ever. */
static bool
masks_equal(const struct world *world, const struct spoke *spokes, uint32_t count)
{
	const struct segment *first = &world->walls.segments[spokes[0].segment];

	for (uint32_t i = 0; i < count && !pause_after(2); i++) {
		const struct segment *other = &world->walls.segments[spokes[i].segment];

		if (other->loose)
			return false;
		if (other->category != first->category || other->mask != first->mask || other->filter_group != first->filter_group ||
		    other->group != first->group || other->sensor != first->sensor)
			return false;
	}
	return true;
}

/* Selects from the spokes of a vertex those of two-sided segments, which hide it from every circle. One-sided segments hide
 * only each other's ends. Returns their number; they are first in `out`. */
static uint32_t
solid_choose(const struct world *world, const struct spoke *spokes, uint32_t count, struct spoke *out)
{
	uint32_t solid = 0;

	for (uint32_t i = 0; i < count && !pause_after(4); i++)
		if (!wall_maybe_one_sided(world, &world->walls.segments[spokes[i].segment]))
			out[solid++] = spokes[i];
	return solid;
}

/* Whether no circle can touch the vertex first. `scratch` has room for all spokes. */
static bool
vertex_is_dead(const struct world *world, const struct vertex *vertex, struct spoke *scratch)
{
	const struct spoke *spokes = &world->walls.spokes[vertex->first_spoke];
	uint32_t count = vertex->spoke_count, ends = 0;
	double reach = REACH_MAX + 2.0 * vertex->radius;

	if (!masks_equal(world, spokes, count))
		return false;
	for (uint32_t i = 0; i < count && !pause_after(4); i++) {
		bool sided = wall_maybe_one_sided(world, &world->walls.segments[spokes[i].segment]);

		if (spokes[i].feature != FEATURE_FACE)
			ends++;
		else if (!sided && fmin(spokes[i].before_max, spokes[i].behind_max) >= reach)
			return true;
	}
	if (!vertex->sided)
		return cone_empty(spokes, ends);

	uint32_t solid = solid_choose(world, spokes, ends, scratch);

	return solid > 0 ? cone_empty(scratch, solid) : cone_empty(spokes, ends);
}

static void
vertex_fill(struct world *world, uint32_t index, const struct end *ends, uint32_t count)
{
	struct vertex *vertex = &world->walls.vertices[index];
	struct spoke *spokes = &world->walls.spokes[world->walls.spoke_count];
	const struct segment *first = &world->walls.segments[ends[0].segment];

	*vertex = (struct vertex){
		.x = ends[0].feature == FEATURE_END_2 ? first->x2 : first->x1,
		.y = ends[0].feature == FEATURE_END_2 ? first->y2 : first->y1,
		.radius = ends[0].radius,
		.vx = first->vx,
		.vy = first->vy,
		.first_spoke = world->walls.spoke_count,
		.spoke_count = count,
	};
	for (uint32_t i = 0; i < count && !pause_after(4); i++) {
		struct segment *segment = &world->walls.segments[ends[i].segment];
		bool second = ends[i].feature == FEATURE_END_2;

		spokes[i] = (struct spoke){
			.ux = second ? -segment->ux : segment->ux,
			.uy = second ? -segment->uy : segment->uy,
			.length = segment->length,
			.high = (double)INFINITY,
			.segment = ends[i].segment,
			.feature = ends[i].feature,
			.begins = !second,
			.ends = second,
		};
		segment->vertex[second] = index;
	}
	vertex->rounding = larger(fabs(vertex->x), fabs(vertex->y)) * SKIN_PER_COORDINATE;
	world->walls.spoke_count += count;
}

bool
spoke_hides(const struct spoke *spoke, double dx, double dy, double fx, double fy, double least)
{
	double centre = cross_exact(spoke->ux, spoke->uy, dx, dy), foot = cross_exact(spoke->ux, spoke->uy, fx, fy);

	/* They must be on opposite sides of its line, and the line between them must cross the spoke. */
	least *= spoke->length;
	if (!((centre > 0.0 && foot < -least) || (centre < 0.0 && foot > least)))
		return false;

	double part = centre / (centre - foot);
	double s = spoke->ux * (dx + part * (fx - dx)) + spoke->uy * (dy + part * (fy - dy));

	double high = spoke->feature == FEATURE_FACE ? spoke->high : spoke->length;

	return s >= spoke->low * spoke->length && s <= high * spoke->length;
}

bool
wall_is_hidden(const struct world *world, const struct body_info *info, const struct segment *segment, double x, double y,
               double radius)
{
	double s = ((x - segment->x1) * segment->ux + (y - segment->y1) * segment->uy) / (segment->length * segment->length);

	for (int end = 0; end < 2; end++) {
		const struct vertex *v = &world->walls.vertices[segment->vertex[end]];
		double part = end ? s - 1.0 : s;

		for (uint32_t k = v->first_spoke; k < v->first_spoke + v->spoke_count && v->spoke_count > 1 && !pause_after(1); k++) {
			const struct spoke *spoke = &world->walls.spokes[k];
			const struct segment *other = &world->walls.segments[spoke->segment];

			double skin = larger(radius * SKIN_PER_RADIUS, larger(segment->rounding, other->rounding));

			if (other == segment || !body_meets_segment(world, info, other) ||
			    !spoke_hides(spoke, x - v->x, y - v->y, part * segment->ux, part * segment->uy, skin))
				continue;
			if (!wall_one_sided(world, info, other) ||
			    one_sided_stops(other, x, y, radius + other->radius, radius * SKIN_PER_RADIUS + other->rounding))
				return true;
		}
	}
	return false;
}

/* Groups the ends into vertices, each with its own spokes. False without memory. */
static bool
ends_group(struct world *world)
{
	uint32_t end_count = 2 * world->walls.segment_count;
	struct end *ends = memory_zeroed((size_t)end_count + 1, sizeof *ends);

	world->walls.vertices = memory_zeroed((size_t)end_count + 1, sizeof *world->walls.vertices);
	world->walls.spokes = memory_zeroed((size_t)end_count + 1, sizeof *world->walls.spokes);
	if (!ends || !world->walls.vertices || !world->walls.spokes) {
		memory_free(ends);
		return false;
	}
	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(4); i++) {
		const struct segment *s = &world->walls.segments[i];
		double place[4];

		segment_ends(s, place);
		for (uint32_t second = 0; second < 2; second++)
			ends[2 * i + second] = (struct end){
				.vx = s->vx,
				.vy = s->vy,
				.moved = { s->moving ? s->moved[0] : 0.0, s->moving ? s->moved[1] : 0.0 },
				.x = place[2 * second],
				.y = place[2 * second + 1],
				.radius = s->radius,
				.segment = i,
				.feature = second ? FEATURE_END_2 : FEATURE_END_1,
			};
	}
	array_sort(ends, end_count, sizeof *ends, end_compare);
	for (uint32_t i = 0, n; i < end_count && !pause_after(4); i += n) {
		for (n = 1; i + n < end_count && place_compare(&ends[i + n], &ends[i]) == 0 && !pause_after(2); n++)
			continue;
		vertex_fill(world, world->walls.vertex_count++, &ends[i], n);
	}
	memory_free(ends);
	return true;
}

/* The eighth of a turn that a direction is in. The product of two directions of the same eighth is greater than 0 as it is
 * computed: both terms have the same sign, and the larger one cannot underflow (segment_has_length). */
static unsigned
direction_octant(double ux, double uy)
{
	return (ux < 0.0 ? 1u : 0u) | (uy < 0.0 ? 2u : 0u) | (fabs(ux) < fabs(uy) ? 4u : 0u);
}

/* Whether another spoke of the vertex is at an acute angle to this one, or one that the vertex lies on. *looks: spokes read. */
static bool
spoke_is_acute(const struct spoke *spokes, uint32_t count, const struct spoke *own, uint64_t *looks)
{
	for (uint32_t k = 0; k < count && !pause_after(1); k++) {
		const struct spoke *other = &spokes[k];

		(*looks)++;
		if (other != own && (other->feature == FEATURE_FACE || other->ux * own->ux + other->uy * own->uy > 0.0))
			return true;
	}
	return false;
}

uint64_t
acute_find(struct world *world)
{
	uint64_t looks = 0;

	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(1); i++)
		world->walls.segments[i].acute = false;
	for (uint32_t i = 0; i < world->walls.vertex_count && !pause_after(2); i++) {
		const struct vertex *vertex = &world->walls.vertices[i];
		const struct spoke *spokes = &world->walls.spokes[vertex->first_spoke];
		uint32_t in_octant[8] = { 0 };

		for (uint32_t k = 0; k < vertex->spoke_count && !pause_after(1); k++, looks++)
			if (spokes[k].feature != FEATURE_FACE)
				in_octant[direction_octant(spokes[k].ux, spokes[k].uy)]++;
		/* Only a spoke that is alone in its octant, one of eight at most, has to look at all others. */
		for (uint32_t k = 0; k < vertex->spoke_count && !pause_after(1); k++, looks++) {
			if (spokes[k].feature == FEATURE_FACE)
				continue;
			if (in_octant[direction_octant(spokes[k].ux, spokes[k].uy)] > 1 ||
			    spoke_is_acute(spokes, vertex->spoke_count, &spokes[k], &looks))
				world->walls.segments[spokes[k].segment].acute = true;
		}
	}
	return looks;
}

bool
vertices_build(struct world *world)
{
	uint32_t most = 0;

	if (!ends_group(world) || !junctions_find(world) || pause_stopped())
		return false;
	for (uint32_t i = 0; i < world->walls.vertex_count && !pause_after(1); i++)
		most = world->walls.vertices[i].spoke_count > most ? world->walls.vertices[i].spoke_count : most;

	struct spoke *scratch = memory_alloc(((size_t)most + 1) * sizeof *scratch);

	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(1); i++)
		world->walls.segments[i].closes = false;
	for (uint32_t i = 0; i < world->walls.vertex_count && scratch && !pause_after(4); i++) {
		struct vertex *vertex = &world->walls.vertices[i];

		for (uint32_t k = 0; k < vertex->spoke_count && !pause_after(2); k++)
			vertex->sided = vertex->sided ||
			                wall_maybe_one_sided(world,
			                                     &world->walls.segments[world->walls.spokes[vertex->first_spoke + k].segment]);
		vertex->dead = vertex_is_dead(world, vertex, scratch);
		for (uint32_t k = 0; k < vertex->spoke_count && vertex->dead && !pause_after(2); k++)
			world->walls.segments[world->walls.spokes[vertex->first_spoke + k].segment].closes = true;
	}
	memory_free(scratch);
	(void)acute_find(world);
	return scratch != NULL && moving_walls_find(world) && !pause_stopped();
}
