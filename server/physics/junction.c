/* Happy path: no end lies on another segment; each asks the tree for the segments around it, which are few. What can go wrong:
 * memory; long segments all over each other, of which the search tries a bounded number. */
#include "physics/junction.h"

#include "physics/box_tree.h"
#include "physics/meet.h"
#include "physics/toi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far an end may be off the line, of the larger coordinate: 16 ulp. Computed points are off by a few; and a quarter of the
 * skin (SKIN_PER_COORDINATE), so that an end which is left out never shows as overlap. */
#define OFF_PER_SKIN 0.25
/* Up to so many segments each end is held against all of them: a tree costs as much to build. */
#define FEW 128

struct search {
	struct world *world;
	const struct vertex *vertex;
	uint32_t through[JUNCTION_THROUGH_MAX];
	uint32_t count;
	uint64_t tests;
};

/* Whether the vertex's cap lies within the segment, between its ends, and reaches its surface. */
static bool
goes_through(const struct segment *segment, const struct vertex *vertex)
{
	double px = vertex->x - segment->x1, py = vertex->y - segment->y1;
	double s = px * segment->ux + py * segment->uy, square = segment->length * segment->length;
	double off = OFF_PER_SKIN * larger(vertex->rounding, segment->rounding);
	double height = fabs(cross_exact(segment->ux, segment->uy, px, py)) / segment->length;

	return segment->radius >= vertex->radius && s > 0.0 && s < square &&
	       fabs(height - (segment->radius - vertex->radius)) <= off;
}

/* One that ends there goes nowhere. */
static bool
ends_at(const struct world *world, const struct vertex *vertex, uint32_t segment)
{
	const struct spoke *spokes = &world->spokes[vertex->first_spoke];

	for (uint32_t k = 0; k < vertex->spoke_count; k++)
		if (spokes[k].segment == segment)
			return true;
	return false;
}

static bool
on_segment(void *context, uint32_t index)
{
	struct search *search = context;

	search->tests++;
	if (goes_through(&search->world->segments[index], search->vertex) && !ends_at(search->world, search->vertex, index))
		search->through[search->count++] = index;
	return search->count < JUNCTION_THROUGH_MAX;
}

static struct box
segment_box(const struct segment *s)
{
	double pad = 2.0 * s->radius + s->rounding;

	return (struct box){ fmin(s->x1, s->x2) - pad, fmin(s->y1, s->y2) - pad, fmax(s->x1, s->x2) + pad,
		                 fmax(s->y1, s->y2) + pad };
}

static int
index_compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* A segment that goes through a vertex. */
struct junction {
	uint32_t vertex, segment;
};

struct junctions {
	struct junction *list;
	size_t count, capacity;
};

/* Asks for every vertex, all segments if there is no tree; false without memory. Ascending by vertex and segment. */
static bool
junctions_list(struct world *world, const struct box_tree *tree, struct junctions *found)
{
	struct search search = { .world = world };
	uint64_t tests_max = JUNCTION_TESTS + (uint64_t)JUNCTION_TESTS_EACH * world->vertex_count;

	for (uint32_t i = 0; i < world->vertex_count && search.tests < tests_max; i++) {
		const struct vertex *v = &world->vertices[i];
		struct box box = { v->x - v->rounding, v->y - v->rounding, v->x + v->rounding, v->y + v->rounding };

		search.vertex = v;
		search.count = 0;
		if (tree)
			(void)box_tree_query(tree, &box, on_segment, &search);
		for (uint32_t k = 0; !tree && k < world->segment_count && on_segment(&search, k);)
			k++;
		if (search.count == 0)
			continue;
		if (!array_reserve(&found->list, &found->capacity, found->count + search.count, sizeof *found->list))
			return false;
		qsort(search.through, search.count, sizeof *search.through, index_compare);
		for (uint32_t k = 0; k < search.count; k++)
			found->list[found->count++] = (struct junction){ i, search.through[k] };
	}
	return true;
}

/* Makes room for the new spokes behind those of each vertex. */
static bool
spokes_spread(struct world *world, const struct junctions *found)
{
	struct spoke *spokes = calloc((size_t)world->spoke_count + found->count + 1, sizeof *spokes);
	uint32_t at = 0;
	size_t next = 0;

	if (!spokes)
		return false;
	for (uint32_t i = 0; i < world->vertex_count; i++) {
		struct vertex *vertex = &world->vertices[i];

		memcpy(&spokes[at], &world->spokes[vertex->first_spoke], vertex->spoke_count * sizeof *spokes);
		vertex->first_spoke = at;
		at += vertex->spoke_count;
		for (; next < found->count && found->list[next].vertex == i; next++, vertex->spoke_count++) {
			const struct segment *segment = &world->segments[found->list[next].segment];

			spokes[at++] = (struct spoke){
				.ux = segment->ux,
				.uy = segment->uy,
				.length = segment->length,
				.segment = found->list[next].segment,
				.feature = FEATURE_FACE,
			};
		}
	}
	free(world->spokes);
	world->spokes = spokes;
	world->spoke_count = at;
	return true;
}

bool
junctions_find(struct world *world)
{
	bool few = world->segment_count <= FEW;
	struct box *boxes = few ? NULL : malloc((size_t)world->segment_count * sizeof *boxes);
	struct box_tree tree = { 0 };
	struct junctions found = { 0 };
	bool done = few || boxes != NULL;

	for (uint32_t i = 0; i < world->segment_count && boxes; i++)
		boxes[i] = segment_box(&world->segments[i]);
	done = done && (few || box_tree_build(&tree, boxes, world->segment_count)) &&
	       junctions_list(world, few ? NULL : &tree, &found) && (found.count == 0 || spokes_spread(world, &found));
	box_tree_finish(&tree);
	free(found.list);
	free(boxes);
	return done;
}
