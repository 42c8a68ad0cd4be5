/* The mover's queries of the space: what it touches, what is in its way, and whether a leg may be made. */
#include "physics/geometry/clearance.h"
#include "physics/geometry/view.h"
#include "physics/math/sort.h"
#include "physics/queries/mover_private.h"
#include "physics/world/world.h"

#include <stdlib.h>

struct near_search {
	struct mover_run *run;
	struct disc disc;
	double reach;
};

/* The circle at its place. Its movement tells the side of a wall that the centre is on. */
static struct disc
disc_here(const struct mover_run *run)
{
	const struct mover *mover = run->mover;

	return (struct disc){ run->path->x, run->path->y, mover->radius, mover->move_x, mover->move_y };
}

static bool
near_add(struct near_search *search, bool segment, uint32_t index, const struct shape_distance *distance)
{
	struct mover_path *path = search->run->path;

	if (distance->gap > search->reach)
		return true;
	if (!array_reserve(&path->near, &path->near_capacity, path->near_count + 1, sizeof *path->near)) {
		search->run->failed = true;
		return false;
	}
	path->near[path->near_count++] = (struct mover_near){ segment, index, *distance };
	return true;
}

static bool
near_circle(void *context, uint32_t index)
{
	struct near_search *search = context;
	const struct sorted_shapes *shapes = &search->run->space->shapes;
	const struct tolerance none = { 0.0, 0.0 };

	if (!space_filter_circle(search->run->filter, &shapes->circles[index]))
		return true;

	struct shape_distance distance = distance_circles(&search->disc, &shapes->discs[index], &none);

	return near_add(search, false, index, &distance);
}

/* Whether a segment stops the circle at its place: a one-sided one only from its left, and only if the circle is not inside
 * it. */
static bool
wall_holds(const struct disc *disc, const struct wall *wall, const struct shape_distance *distance)
{
	if (!wall->one_sided)
		return true;

	struct wall_view view = wall_view_of(disc, wall);

	return distance->gap >= 0.0 && dd_sign(view.turn) > 0.0;
}

static bool
near_segment(void *context, uint32_t index)
{
	struct near_search *search = context;
	const struct sorted_shapes *shapes = &search->run->space->shapes;
	const struct tolerance none = { 0.0, 0.0 };
	struct shape_distance distance;

	if (!space_filter_segment(search->run->filter, &shapes->segments[index]))
		return true;
	/* The points differ: that was checked. */
	(void)!distance_segment(&search->disc, &shapes->walls[index], READING_FILLED, &none, &distance);
	return !wall_holds(&search->disc, &shapes->walls[index], &distance) || near_add(search, true, index, &distance);
}

static int
near_compare(const void *left, const void *right)
{
	const struct mover_near *a = left, *b = right;

	if (a->segment != b->segment)
		return a->segment ? 1 : -1;
	return a->index < b->index ? -1 : a->index > b->index;
}

bool
mover_near_list(struct mover_run *run, double reach)
{
	struct mover_path *path = run->path;
	struct near_search search = { run, disc_here(run), reach };
	struct box box = space_box_padded(path->x, path->y, path->x, path->y, run->mover->radius + reach);

	path->near_count = 0;
	if (!box_tree_query(&run->space->circle_tree, &box, near_circle, &search) ||
	    !box_tree_query(&run->space->segment_tree, &box, near_segment, &search))
		return false;
	if (path->near_count > 1)
		array_sort(path->near, path->near_count, sizeof *path->near, near_compare);
	return true;
}

struct cast_search {
	const struct mover_run *run;
	struct disc disc;
	struct space_way way;
	double margin;
	struct mover_hit hit;
};

static double
cast_bound(const void *context, const struct box *box)
{
	const struct cast_search *search = context;

	return space_way_bound(&search->way, box);
}

static bool
is_pressed(const struct mover_path *path, bool segment, uint32_t index)
{
	for (size_t i = 0; i < path->pressed_count && !pause_after(1); i++)
		if (path->pressed[i].segment == segment && path->pressed[i].index == index)
			return true;
	return false;
}

/* Keeps the earliest; of equal ones circles before segments, then by id. */
static void
cast_keep(struct cast_search *search, bool segment, uint32_t index, const struct sweep *sweep)
{
	struct mover_hit *hit = &search->hit;

	if (sweep->outcome != SWEEP_HIT && sweep->outcome != SWEEP_AT_START)
		return;
	if (hit->any &&
	    (sweep->time > hit->time || (sweep->time == hit->time && (segment != hit->segment ? segment : index > hit->index))))
		return;
	*hit = (struct mover_hit){ true, segment, index, sweep->time };
}

static double
cast_circle(void *context, uint32_t index)
{
	struct cast_search *search = context;
	const struct sorted_shapes *shapes = &search->run->space->shapes;
	struct disc b = shapes->discs[index];

	if (!is_pressed(search->run->path, false, index) && space_filter_circle(search->run->filter, &shapes->circles[index])) {
		b.vx = b.vy = 0.0;

		struct sweep sweep = sweep_circles(&search->disc, &b, search->margin, 1.0);

		cast_keep(search, false, index, &sweep);
	}
	return search->hit.time;
}

static double
cast_segment(void *context, uint32_t index)
{
	struct cast_search *search = context;
	const struct sorted_shapes *shapes = &search->run->space->shapes;
	struct sweep sweep;

	if (!is_pressed(search->run->path, true, index) && space_filter_segment(search->run->filter, &shapes->segments[index])) {
		/* The points differ: that was checked. */
		(void)!sweep_segment(&search->disc, &shapes->walls[index], READING_FILLED, search->margin, 1.0, &sweep);
		cast_keep(search, true, index, &sweep);
	}
	return search->hit.time;
}

struct mover_hit
mover_cast(const struct mover_run *run, const double v[2], double margin)
{
	struct cast_search search = { .run = run, .disc = disc_here(run), .margin = margin, .hit = { .time = 1.0 } };
	struct box_walk walk = { .bound = cast_bound, .found = cast_circle, .context = &search, .most = 1.0 };

	search.disc.vx = v[0];
	search.disc.vy = v[1];
	search.way = space_way_of(search.disc.x, search.disc.y, v[0], v[1], search.disc.radius + margin);
	box_tree_walk(&run->space->circle_tree, &walk);
	walk.found = cast_segment;
	walk.most = search.hit.time;
	box_tree_walk(&run->space->segment_tree, &walk);
	return search.hit;
}

struct leg_check {
	const struct mover_run *run;
	struct core leg, here;
};

/* For one shape, given by its centre or points and the sum of both radii. */
static bool
shape_is_clear(const struct leg_check *check, const struct core *shape, double radius)
{
	struct dd radii = dd_sum(check->run->mover->radius, radius);
	struct dd least = dd_subtract(clearance(&check->leg, shape), radii);

	return dd_sign(least) >= 0.0 || dd_compare(least, dd_subtract(clearance(&check->here, shape), radii)) >= 0.0;
}

static bool
clear_of_circle(void *context, uint32_t index)
{
	const struct leg_check *check = context;
	const struct sorted_shapes *shapes = &check->run->space->shapes;
	const struct disc *disc = &shapes->discs[index];
	struct core centre = core_point(disc->x, disc->y);

	return !space_filter_circle(check->run->filter, &shapes->circles[index]) || shape_is_clear(check, &centre, disc->radius);
}

/* Whether the leg enters a one-sided segment from the side that is free, or starts inside it. */
static bool
leg_passes(const struct leg_check *check, const struct wall *wall)
{
	const double *from = check->leg.corners[0], *to = check->leg.corners[check->leg.corner_count - 1];
	const struct disc disc = { from[0], from[1], check->run->mover->radius, to[0] - from[0], to[1] - from[1] };
	struct sweep sweep;

	/* The points differ: that was checked. */
	(void)!sweep_segment(&disc, wall, READING_FILLED, 0.0, 1.0, &sweep);
	return sweep.outcome != SWEEP_HIT && sweep.outcome != SWEEP_AT_START;
}

static bool
clear_of_segment(void *context, uint32_t index)
{
	const struct leg_check *check = context;
	const struct sorted_shapes *shapes = &check->run->space->shapes;
	const struct wall *wall = &shapes->walls[index];
	struct core core = core_segment(wall->x1, wall->y1, wall->x2, wall->y2);

	if (!space_filter_segment(check->run->filter, &shapes->segments[index]))
		return true;
	return shape_is_clear(check, &core, wall->radius) || (wall->one_sided && leg_passes(check, wall));
}

bool
mover_leg_free(const struct mover_run *run, double x, double y)
{
	const struct mover_path *path = run->path;
	struct leg_check check = { run, core_segment(path->x, path->y, x, y), core_point(path->x, path->y) };
	struct box box = space_box_padded(path->x, path->y, x, y, run->mover->radius);

	return box_tree_query(&run->space->circle_tree, &box, clear_of_circle, &check) &&
	       box_tree_query(&run->space->segment_tree, &box, clear_of_segment, &check);
}
