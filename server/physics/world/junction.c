/* Happy path: no end lies on another segment. A line sweeps over all ends from left to right and has a list of the segments
 * that it crosses, which are few. If they are not, each end queries a tree for the segments around it. What can go wrong:
 * memory; many long segments that cross each other everywhere, for which the search tests a bounded number of pairs. */
#include "physics/world/junction.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/geometry/box_tree.h"
#include "physics/geometry/toi.h"
#include "physics/math/sort.h"
#include "physics/world/collision_filter.h"
#include "physics/world/moving_walls.h"

#include <math.h>
#include <string.h>

/* How far an end may be off the segment: 16 ulp of the larger coordinate. Computed points are off by a few ulp. The limit is a
 * quarter of the skin (SKIN_PER_COORDINATE), so that an end which is left out never shows as overlap. */
#define OFF_PER_SKIN 0.25
/* Let the segment end at q, at distance d from the vertex. Let a centre beyond q be at distance R from the vertex. If the
 * segment is thicker by w, the centre is nearer to q by d^2 / 2(R + w), less the vertex's distance `off` from the segment. From
 * d^2 = NEARER * off * (R + w) on, the remainder is seven times `off`. */
#define NEARER 16.0
/* Up to this many segments the lowest ones count where too many meet; else those that the tree has first. */
#define FEW 128
/* Up to this many segments each end is compared with the boxes of all of them. */
#define VERY_FEW 12
/* Segments under the sweep line that are looked at, on average over the ends: with more a tree is faster. */
#define SWEEP_LOOKS 64

/* A segment that a vertex lies on, at `foot` along it; `off`: the uncertainty by rounding. */
struct junction {
	uint32_t vertex, segment;
	double foot, off;
};

struct junction_search {
	struct world *world;
	const struct vertex *vertex;
	double x, y, rounding; /* its place, as segment_ends has it */
	struct junction found[JUNCTION_SEGMENTS_MAX];
	uint32_t count;
	uint64_t tests;
};

/* A segment that ends at the vertex. */
static const struct segment *
vertex_segment(const struct world *world, const struct vertex *vertex)
{
	return &world->walls.segments[world->walls.spokes[vertex->first_spoke].segment];
}

static double
ends_rounding(const double ends[4])
{
	return SKIN_PER_COORDINATE * larger(larger(fabs(ends[0]), fabs(ends[1])), larger(fabs(ends[2]), fabs(ends[3])));
}

/* Prepares the search for the segments that another vertex lies on. */
static void
search_set(struct junction_search *search, const struct vertex *vertex)
{
	const struct spoke *spoke = &search->world->walls.spokes[vertex->first_spoke];
	bool second = spoke->feature == FEATURE_END_2;
	double ends[4];

	segment_ends(&search->world->walls.segments[spoke->segment], ends);
	search->vertex = vertex;
	search->x = ends[second ? 2 : 0];
	search->y = ends[second ? 3 : 1];
	search->rounding = SKIN_PER_COORDINATE * larger(fabs(search->x), fabs(search->y));
	search->count = 0;
}

/* Whether the vertex's cap lies inside the segment and touches its surface, up to rounding. */
static bool
lies_on(const struct junction_search *search, uint32_t index, struct junction *out)
{
	const struct vertex *vertex = search->vertex;
	const struct segment *segment = &search->world->walls.segments[index];
	double ends[4];

	if (segment->radius < vertex->radius || !segments_move_together(segment, vertex_segment(search->world, vertex)))
		return false;
	segment_ends(segment, ends);

	double px = search->x - ends[0], py = search->y - ends[1], length = segment->length;
	double off = OFF_PER_SKIN * larger(search->rounding, ends_rounding(ends));
	double foot = (px * segment->ux + py * segment->uy) / length;

	if (!(foot >= -off && foot <= length + off))
		return false;

	double height = fabs(cross_exact(segment->ux, segment->uy, px, py)) / length;

	*out = (struct junction){ (uint32_t)(vertex - search->world->walls.vertices), index, foot, off };
	return fabs(height - (segment->radius - vertex->radius)) <= off;
}

/* A segment that ends at the vertex already has a spoke. */
static bool
ends_at(const struct world *world, const struct vertex *vertex, uint32_t segment)
{
	const uint32_t *ends = world->walls.segments[segment].vertex, index = (uint32_t)(vertex - world->walls.vertices);

	return ends[0] == index || ends[1] == index;
}

static bool
on_segment(void *context, uint32_t index)
{
	struct junction_search *search = context;

	search->tests++;
	if (lies_on(search, index, &search->found[search->count]) && !ends_at(search->world, search->vertex, index))
		search->count++;
	return search->count < JUNCTION_SEGMENTS_MAX;
}

static struct box
segment_box(const struct segment *s)
{
	double ends[4];

	segment_ends(s, ends);

	double pad = 2.0 * s->radius + ends_rounding(ends);

	return (struct box){ fmin(ends[0], ends[2]) - pad, fmin(ends[1], ends[3]) - pad, fmax(ends[0], ends[2]) + pad,
		                 fmax(ends[1], ends[3]) + pad };
}

static int
junction_compare(const void *left, const void *right)
{
	const struct junction *a = left, *b = right;

	return a->segment < b->segment ? -1 : a->segment > b->segment;
}

struct junctions {
	struct junction *list;
	size_t count, capacity;
};

/* As box_tree_query, of a vertex's box, in the order of the segments. */
static void
boxes_query(const struct box *boxes, uint32_t count, const struct box *box, struct junction_search *search)
{
	for (uint32_t k = 0; k < count; k++) {
		const struct box *b = &boxes[k];

		if ((b->x0 <= box->x1) & (b->x1 >= box->x0) & (b->y0 <= box->y1) & (b->y1 >= box->y0) && !on_segment(search, k))
			return;
	}
}

/* The sweep over walls that stand still: their vertices ascend by x. */
struct end_sweep {
	const struct walls *walls;
	const struct box *boxes;
	uint32_t *active, *hits; /* segments under the line; those of them with boxes that meet an end's */
	uint32_t active_count;
	uint32_t next;        /* vertex: segments that begin there, or right of it, are not active yet */
	double pad, rounding; /* the largest of any segment */
	uint64_t looks, looks_max;
};

/* False without memory. */
static bool
sweep_begin(struct end_sweep *sweep, const struct walls *walls, const struct box *boxes)
{
	uint32_t count = walls->segment_count;

	*sweep = (struct end_sweep){ .walls = walls,
		                         .boxes = boxes,
		                         .active = memory_alloc(2 * (size_t)count * sizeof *sweep->active) };
	sweep->looks_max = (uint64_t)SWEEP_LOOKS * walls->vertex_count;
	if (!sweep->active)
		return false;
	sweep->hits = sweep->active + count;
	for (uint32_t i = 0; i < count && !pause_after(1); i++) {
		sweep->rounding = fmax(sweep->rounding, walls->segments[i].rounding);
		sweep->pad = fmax(sweep->pad, 2.0 * walls->segments[i].radius + walls->segments[i].rounding);
	}
	return true;
}

/* Moves the line to the end at x, and lists the boxes that meet its own. Returns their number. */
static uint32_t
sweep_to(struct end_sweep *sweep, double x, const struct box *box)
{
	const struct walls *walls = sweep->walls;
	uint32_t hit_count = 0;

	for (; sweep->next < walls->vertex_count && walls->vertices[sweep->next].x - sweep->pad <= x + sweep->rounding &&
	       !pause_after(2);
	     sweep->next++) {
		const struct vertex *vertex = &walls->vertices[sweep->next];

		for (uint32_t k = vertex->first_spoke; k < vertex->first_spoke + vertex->spoke_count && !pause_after(1); k++) {
			const uint32_t segment = walls->spokes[k].segment, *ends = walls->segments[segment].vertex;

			if (sweep->next == (ends[0] < ends[1] ? ends[0] : ends[1]))
				sweep->active[sweep->active_count++] = segment;
		}
	}
	sweep->looks += sweep->active_count;
	for (uint32_t k = 0; k < sweep->active_count && !pause_after(1);) {
		const uint32_t segment = sweep->active[k];
		const struct box *b = &sweep->boxes[segment];

		if (b->x1 < x - sweep->rounding) {
			sweep->active[k] = sweep->active[--sweep->active_count];
			continue;
		}
		sweep->hits[hit_count] = segment;
		hit_count += (b->x0 <= box->x1) & (b->x1 >= box->x0) & (b->y0 <= box->y1) & (b->y1 >= box->y0);
		k++;
	}
	return hit_count;
}

/* How the boxes around an end are found. */
struct finder {
	const struct box *boxes;
	uint32_t count;
	bool all, sweeps; /* by asking all; by the sweep as long as it pays; else by the tree */
	struct end_sweep sweep;
	struct box_tree tree;
	bool has_tree;
};

static int
index_compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* By the sweep. False: more segments meet here than count, and the tree says which of them do. */
static bool
sweep_search(struct finder *finder, const struct box *box, struct junction_search *search)
{
	uint64_t tests = search->tests;
	uint32_t count = sweep_to(&finder->sweep, search->x, box);
	bool few = finder->count <= FEW;

	if (few && count > 1)
		array_sort(finder->sweep.hits, count, sizeof *finder->sweep.hits, index_compare);
	for (uint32_t k = 0; k < count; k++)
		if (!on_segment(search, finder->sweep.hits[k]))
			break;
	if (few || search->count < JUNCTION_SEGMENTS_MAX)
		return true;
	search->count = 0;
	search->tests = tests;
	return false;
}

/* Searches around one vertex; false without memory. */
static bool
finder_search(struct finder *finder, struct junction_search *search)
{
	struct box box = { search->x - search->rounding, search->y - search->rounding, search->x + search->rounding,
		               search->y + search->rounding };

	if (finder->all) {
		boxes_query(finder->boxes, finder->count, &box, search);
		return true;
	}
	/* The sweep goes on where it was, whatever the tree finds. */
	if (finder->sweeps && (finder->count <= FEW || finder->sweep.looks <= finder->sweep.looks_max) &&
	    sweep_search(finder, &box, search))
		return true;
	if (!finder->has_tree && !box_tree_build(&finder->tree, finder->boxes, finder->count))
		return false;
	finder->has_tree = true;
	(void)box_tree_query(&finder->tree, &box, on_segment, search);
	return true;
}

/* Searches for every vertex; false without memory. Ascending by vertex and segment. */
static bool
junctions_list(struct world *world, struct finder *finder, struct junctions *found)
{
	struct junction_search search = { .world = world };
	uint64_t tests_max = JUNCTION_TESTS + (uint64_t)JUNCTION_TESTS_EACH * world->walls.vertex_count;

	for (uint32_t i = 0; i < world->walls.vertex_count && search.tests < tests_max && !pause_after(8); i++) {
		search_set(&search, &world->walls.vertices[i]);
		if (!finder_search(finder, &search))
			return false;
		if (search.count == 0)
			continue;
		if (!array_reserve(&found->list, &found->capacity, found->count + search.count, sizeof *found->list))
			return false;
		array_sort(search.found, search.count, sizeof *search.found, junction_compare);
		memcpy(&found->list[found->count], search.found, search.count * sizeof *search.found);
		found->count += search.count;
	}
	return true;
}

/* The largest R + w at which the segment hides the vertex beyond an end at distance `far`; 0 if it never does. */
static double
hide_max(double far, double off)
{
	return far > off ? far * far / (NEARER * off) : 0.0;
}

static struct spoke
spoke_of_junction(const struct world *world, const struct junction *junction)
{
	const struct segment *segment = &world->walls.segments[junction->segment];
	const struct vertex *vertex = &world->walls.vertices[junction->vertex];
	double rest = segment->length - junction->foot, off = junction->off, within = segment->radius - vertex->radius;

	return (struct spoke){
		.ux = segment->ux,
		.uy = segment->uy,
		.length = segment->length,
		.low = -junction->foot,
		.high = rest,
		.before_max = hide_max(junction->foot, off) - within,
		.behind_max = hide_max(rest, off) - within,
		.segment = junction->segment,
		.feature = FEATURE_FACE,
		.begins = within == 0.0 && junction->foot <= off,
		.ends = within == 0.0 && rest <= off,
	};
}

/* Makes room for the new spokes after those of each vertex. */
static bool
spokes_spread(struct world *world, const struct junctions *found)
{
	struct spoke *spokes = memory_zeroed((size_t)world->walls.spoke_count + found->count + 1, sizeof *spokes);
	uint32_t at = 0;
	size_t next = 0;

	if (!spokes)
		return false;
	for (uint32_t i = 0; i < world->walls.vertex_count && !pause_after(4); i++) {
		struct vertex *vertex = &world->walls.vertices[i];

		(void)pause_copy(&spokes[at], &world->walls.spokes[vertex->first_spoke], vertex->spoke_count * sizeof *spokes);
		vertex->first_spoke = at;
		at += vertex->spoke_count;
		for (; next < found->count && found->list[next].vertex == i; next++, vertex->spoke_count++)
			spokes[at++] = spoke_of_junction(world, &found->list[next]);
	}
	memory_free(world->walls.spokes);
	world->walls.spokes = spokes;
	world->walls.spoke_count = at;
	return true;
}

/* Whether some wall moves: then vertices do not ascend by x. */
static bool
some_move(const struct walls *walls)
{
	for (uint32_t i = 0; i < walls->segment_count && !pause_after(1); i++)
		if (walls->segments[i].moving)
			return true;
	return false;
}

bool
junctions_find(struct world *world)
{
	uint32_t count = world->walls.segment_count;
	struct box *boxes = memory_alloc(((size_t)count + 1) * sizeof *boxes);
	bool moving = some_move(&world->walls);
	struct finder finder = {
		.boxes = boxes, .count = count, .all = count <= VERY_FEW || (moving && count <= FEW), .sweeps = !moving
	};
	struct junctions found = { 0 };

	for (uint32_t i = 0; i < count && boxes && !pause_after(2); i++)
		boxes[i] = segment_box(&world->walls.segments[i]);

	bool done = boxes && (finder.all || moving || sweep_begin(&finder.sweep, &world->walls, boxes)) &&
	            junctions_list(world, &finder, &found) && (found.count == 0 || spokes_spread(world, &found));

	box_tree_finish(&finder.tree);
	memory_free(finder.sweep.active);
	memory_free(found.list);
	memory_free(boxes);
	return done;
}
