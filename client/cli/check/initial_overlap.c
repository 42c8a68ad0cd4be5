/* Sweep and prune: a sweep along x over circles sorted by their left ends. */
#include "client/cli/check/initial_overlap.h"

#include "client/cli/scene/packing.h"

#include <math.h>
#include <stdlib.h>

struct left_end {
	double left;
	size_t index;
};

struct initial_search {
	const struct world_def *def;
	struct left_end *by_left_end; /* of circles, by left end */
	double radius_max;
	size_t left_over; /* pairs that may still be reported */
	initial_overlap_fn report;
	void *context;
	uint8_t kinds[PHYSICS_GROUPS][PHYSICS_GROUPS]; /* enum relation_kind */
};

static int
left_end_compare(const void *left, const void *right)
{
	const struct left_end *a = left, *b = right;
	if (a->left != b->left)
		return a->left < b->left ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static double
skin(double coordinate, double radius)
{
	return fmax(0x1p-46 * coordinate, 1e-9 * radius);
}

static double
extent(const struct circle_def *circle)
{
	return fmax(fabs(circle->x), fabs(circle->y));
}

struct filter_of_shape {
	uint32_t category, mask;
	int32_t filter_group;
	uint32_t group;
	uint64_t report_groups; /* 0 of a segment */
};

/* Whether two shapes collide: by filter group, mask, relation and what either only reports. Groups out of range are reported
 * elsewhere. */
static bool
shapes_meet(const struct initial_search *search, struct filter_of_shape a, struct filter_of_shape b)
{
	if (a.filter_group != 0 && a.filter_group == b.filter_group ? a.filter_group < 0
	                                                            : (a.mask & b.category) == 0 || (b.mask & a.category) == 0)
		return false;
	if (a.group >= PHYSICS_GROUPS || b.group >= PHYSICS_GROUPS)
		return true;
	if ((a.report_groups >> b.group & 1) != 0 || (b.report_groups >> a.group & 1) != 0)
		return false;
	enum relation_kind kind = (enum relation_kind)search->kinds[a.group][b.group];
	return kind != RELATION_KIND_NONE && kind != RELATION_KIND_SENSOR;
}

static void
found(struct initial_search *search, struct initial_overlap overlap)
{
	search->report(search->context, &overlap);
	search->left_over--;
}

static bool
circle_ignores(const struct circle_def *circle, const struct circle_def *other)
{
	return circle->ignore != IGNORE_NONE && circle->ignored_circle == other->id;
}

static struct filter_of_shape
filter_of_circle(const struct circle_def *circle)
{
	return (struct filter_of_shape){ circle->category, circle->mask, circle->filter_group, circle->group,
		                             circle->report_groups };
}

static void
circles_compare(struct initial_search *search, size_t one, size_t other)
{
	const struct circle_def *a = &search->def->circles[one], *b = &search->def->circles[other];
	bool meet = !a->sensor && !b->sensor && shapes_meet(search, filter_of_circle(a), filter_of_circle(b)) &&
	            !circle_ignores(a, b) && !circle_ignores(b, a);
	double reach = a->radius + b->radius, dx = a->x - b->x, dy = a->y - b->y;
	if (fabs(dy) >= reach || !meet || (a->kind != BODY_DYNAMIC && b->kind != BODY_DYNAMIC))
		return;
	double depth = reach - sqrt(dx * dx + dy * dy);
	if (depth > skin(fmax(extent(a), extent(b)), fmin(a->radius, b->radius)))
		found(search, (struct initial_overlap){ one > other ? one : other, one > other ? other : one, false, depth });
}

static void
circles_search(struct initial_search *search)
{
	const struct world_def *def = search->def;
	for (size_t i = 0; i < def->circle_count && search->left_over > 0; i++) {
		const struct circle_def *circle = &def->circles[search->by_left_end[i].index];
		double right = circle->x + circle->radius;
		for (size_t j = i + 1; j < def->circle_count && search->by_left_end[j].left < right && search->left_over > 0; j++)
			circles_compare(search, search->by_left_end[i].index, search->by_left_end[j].index);
	}
}

/* The first circle in this order with its left end at `left` or beyond. */
static size_t
left_end_find(const struct initial_search *search, double left)
{
	size_t low = 0, high = search->def->circle_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (search->by_left_end[middle].left < left)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
segment_compare(struct initial_search *search, size_t circle_index, size_t segment_index)
{
	const struct circle_def *circle = &search->def->circles[circle_index];
	const struct segment_def *wall = &search->def->segments[segment_index];
	/* A one-sided wall lets pass what overlaps it. */
	bool meet = !wall->disabled && !wall->sensor && !wall->one_sided && !circle->sensor &&
	            shapes_meet(search, filter_of_circle(circle),
	                        (struct filter_of_shape){ wall->category, wall->mask, wall->filter_group, wall->group, 0 });
	if (circle->kind != BODY_DYNAMIC || !meet)
		return;
	double distance = sqrt(segment_distance_squared(circle->x, circle->y, wall->x1, wall->y1, wall->x2, wall->y2));
	double far = fmax(fmax(fabs(wall->x1), fabs(wall->y1)), fmax(fabs(wall->x2), fabs(wall->y2)));
	double depth = circle->radius + wall->radius - distance;
	if (depth > skin(fmax(far, extent(circle)), circle->radius))
		found(search, (struct initial_overlap){ circle_index, segment_index, true, depth });
}

static void
segments_search(struct initial_search *search)
{
	const struct world_def *def = search->def;
	for (size_t i = 0; i < def->segment_count; i++) {
		const struct segment_def *wall = &def->segments[i];
		double left = fmin(wall->x1, wall->x2) - wall->radius, right = fmax(wall->x1, wall->x2) + wall->radius;
		for (size_t j = left_end_find(search, left - 2 * search->radius_max);
		     j < def->circle_count && search->by_left_end[j].left < right && search->left_over > 0; j++)
			segment_compare(search, search->by_left_end[j].index, i);
	}
}

bool
initial_overlaps_find(const struct world_def *def, initial_overlap_fn report, void *context)
{
	struct initial_search search = {
		.def = def, .left_over = 1024 + 8 * def->circle_count, .report = report, .context = context
	};
	search.by_left_end = calloc(def->circle_count + 1, sizeof *search.by_left_end);
	if (!search.by_left_end)
		return false;
	for (size_t i = 0; i < def->circle_count; i++) {
		search.by_left_end[i] = (struct left_end){ def->circles[i].x - def->circles[i].radius, i };
		search.radius_max = fmax(search.radius_max, def->circles[i].radius);
	}
	for (size_t i = 0; i < def->relation_count; i++) {
		const struct relation_def *relation = &def->relations[i];
		if (relation->group_a < PHYSICS_GROUPS && relation->group_b < PHYSICS_GROUPS)
			search.kinds[relation->group_a][relation->group_b] = search.kinds[relation->group_b][relation->group_a] =
				(uint8_t)relation->kind;
	}
	qsort(search.by_left_end, def->circle_count, sizeof *search.by_left_end, left_end_compare);
	circles_search(&search);
	segments_search(&search);
	free(search.by_left_end);
	return true;
}
