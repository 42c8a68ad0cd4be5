/* Leg after leg: what does the circle touch, which velocity enters none of that, how far does it lead, and is that way free?
 * What can go wrong: no room to back off; then it slides as near as it is. A leg that rounding would lead into a shape is
 * shortened. */
#include "physics/mover.h"

#include "base/memory.h"
#include "physics/queries/mover_private.h"
#include "physics/world/world.h"

#include <math.h>
#include <string.h>

/* In skins: the distance at which the circle counts as touching; the distance below which it backs off; the least distance that
 * it keeps, if it has the room. */
#define NEAR 1.25
#define TOO_NEAR 0.5
#define MARGIN_MIN 0.25
/* Each stop is nearer by this than the shape that the circle slides along, so that a collinear continuation of a wall is no
 * obstacle. */
#define MARGIN_STEP 0x1p-10
/* Limit of legs for backing off: more are needed only among shapes that push it to and fro. */
#define BACK_OFF_LEGS 8
/* A velocity below this fraction of the push is a rounded zero. */
#define STANDSTILL 0x1p-40
/* How often a leg that is not free is halved. */
#define HALVINGS 12

void
mover_path_finish(struct mover_path *path)
{
	memory_free(path->legs);
	memory_free(path->contacts);
	memory_free(path->near);
	memory_free(path->pressed);
	memory_free(path->before);
	memory_free(path->planes);
	*path = (struct mover_path){ .leg_count = 0 };
}

static double
least_gap(const struct mover_path *path)
{
	double least = (double)INFINITY;

	for (size_t i = 0; i < path->near_count && !pause_after(2); i++)
		least = fmin(least, path->near[i].distance.gap);
	return least;
}

/* The distance at which the next stop is made. */
static double
margin_of(const struct mover_run *run)
{
	double margin = fmin(run->skin, least_gap(run->path) - run->skin * MARGIN_STEP);

	return fmax(margin, run->skin * MARGIN_MIN);
}

/* Adds a shape that must not be entered; `least`: the least speed away from it. False without memory. */
static bool
press(struct mover_run *run, const struct mover_near *near, double least)
{
	struct mover_path *path = run->path;

	if (!array_reserve(&path->pressed, &path->pressed_capacity, path->pressed_count + 1, sizeof *path->pressed) ||
	    !array_reserve(&path->planes, &path->plane_capacity, path->pressed_count + 1, sizeof *path->planes)) {
		run->failed = true;
		return false;
	}
	path->planes[path->pressed_count] = (struct slide_plane){ { near->distance.normal[0], near->distance.normal[1] }, least };
	path->pressed[path->pressed_count++] = *near;
	return true;
}

static const struct mover_near *
near_find(const struct mover_path *path, const struct mover_hit *hit)
{
	for (size_t i = 0; i < path->near_count && !pause_after(1); i++)
		if (path->near[i].segment == hit->segment && path->near[i].index == hit->index)
			return &path->near[i];
	return NULL;
}

/* The velocity nearest to `wanted` that enters nothing that the circle touches, and how far it leads. Each shape that would be
 * met at once is added, and another velocity is computed. False: there is none, or no memory. */
static bool
leg_plan(struct mover_run *run, const double wanted[2], double v[2], double *time)
{
	struct mover_path *path = run->path;
	double margin = margin_of(run);

	for (;;) {
		if (!slide_velocity(path->planes, path->pressed_count, wanted, v))
			return false;

		struct mover_hit hit = mover_cast(run, v, margin);
		const struct mover_near *near = hit.any ? near_find(path, &hit) : NULL;

		*time = hit.time;
		if (!near)
			return true;
		if (!press(run, near, 0.0))
			return false;
	}
}

/* Makes the leg by v * time, or a part of it that is free. False: no part is, or no memory. *time: the part made. */
static bool
leg_make(struct mover_run *run, const double v[2], double *time, double fraction_left)
{
	struct mover_path *path = run->path;

	for (int i = 0; i < HALVINGS; i++) {
		double x = fma(v[0], *time, path->x), y = fma(v[1], *time, path->y);

		if (!mover_leg_free(run, x, y)) {
			*time *= 0.5;
			continue;
		}
		if (!array_reserve(&path->legs, &path->leg_capacity, path->leg_count + 1, sizeof *path->legs)) {
			run->failed = true;
			return false;
		}
		path->x = x;
		path->y = y;
		path->fraction = *time == 1.0 && fraction_left > 0.0 ? 1.0 : path->fraction + fraction_left * *time;
		path->legs[path->leg_count++] = (struct mover_leg){ x, y, path->fraction };
		return true;
	}
	return false;
}

/* Backs off from what is too near, as far as there is room; takes no time. */
static void
back_off(struct mover_run *run)
{
	struct mover_path *path = run->path;
	const double nowhere[2] = { 0.0, 0.0 };

	for (int i = 0; i < BACK_OFF_LEGS && path->leg_count < run->mover->legs_max; i++) {
		double v[2], time, x = path->x, y = path->y;

		path->pressed_count = 0;
		if (!mover_near_list(run, run->skin * NEAR) || least_gap(path) >= run->skin * TOO_NEAR)
			return;
		for (size_t k = 0; k < path->near_count && !pause_after(2); k++)
			if (path->near[k].distance.gap < run->skin * TOO_NEAR &&
			    !press(run, &path->near[k], run->skin - path->near[k].distance.gap))
				return;
		if (!leg_plan(run, nowhere, v, &time) || !leg_make(run, v, &time, 0.0))
			return;
		if (path->x == x && path->y == y) {
			path->leg_count--;
			return;
		}
	}
}

static bool
was_pressed(const struct mover_path *path, const struct mover_near *near)
{
	for (size_t i = 0; i < path->before_count && !pause_after(2); i++)
		if (path->before[i].segment == near->segment && path->before[i].index == near->index)
			return true;
	return false;
}

/* Reports the shapes that are added with this leg, and remembers all that count now. */
static bool
contacts_report(struct mover_run *run, size_t leg)
{
	struct mover_path *path = run->path;
	const struct sorted_shapes *shapes = &run->space->shapes;

	if (!array_reserve(&path->contacts, &path->contact_capacity, path->contact_count + path->pressed_count,
	                   sizeof *path->contacts) ||
	    !array_reserve(&path->before, &path->before_capacity, path->pressed_count, sizeof *path->before)) {
		run->failed = true;
		return false;
	}
	for (size_t i = 0; i < path->pressed_count && !pause_after(2); i++) {
		const struct mover_near *near = &path->pressed[i];
		const struct shape_distance *c = &near->distance;

		if (!was_pressed(path, near))
			path->contacts[path->contact_count++] = (struct mover_contact){
				.leg = (uint32_t)leg,
				.segment = near->segment,
				.id = near->segment ? shapes->segments[near->index].id : shapes->circles[near->index].id,
				.feature = c->feature,
				.gap = c->gap,
				.point = { c->b_point[0], c->b_point[1] },
				.normal = { c->normal[0], c->normal[1] },
			};
	}
	if (path->pressed_count > 0)
		memcpy(path->before, path->pressed, path->pressed_count * sizeof *path->before);
	path->before_count = path->pressed_count;
	return true;
}

/* Slides on with the rest of the push until it is done or blocked. */
static enum mover_end
slide_on(struct mover_run *run)
{
	struct mover_path *path = run->path;
	const struct mover *mover = run->mover;
	double push = larger(fabs(mover->move_x), fabs(mover->move_y));

	while (path->fraction < 1.0 && push > 0.0) {
		double left = 1.0 - path->fraction, v[2], time;
		const double wanted[2] = { mover->move_x * left, mover->move_y * left };

		if (path->leg_count >= mover->legs_max)
			return MOVER_LEGS;
		path->pressed_count = 0;
		if (!mover_near_list(run, run->skin * NEAR))
			return MOVER_BLOCKED;

		bool planned = leg_plan(run, wanted, v, &time);

		if (run->failed || !contacts_report(run, path->leg_count))
			return MOVER_BLOCKED;
		if (!planned || larger(fabs(v[0]), fabs(v[1])) <= push * left * STANDSTILL || !leg_make(run, v, &time, left))
			return MOVER_BLOCKED;
	}
	path->fraction = 1.0;
	return MOVER_DONE;
}

/* The largest number that contributes to the rounding of the way among the shapes: outside them nothing can be missed. */
static double
size_of(const struct space *space, const struct mover *mover)
{
	double start = larger(fabs(mover->x), fabs(mover->y)), way = larger(fabs(mover->move_x), fabs(mover->move_y));

	return larger(start, fmin(way, 2.0 * (start + space->extent)));
}

static bool
mover_good(const struct mover *mover)
{
	return space_coordinate_good(mover->x) && space_coordinate_good(mover->y) && mover->radius >= PHYSICS_RADIUS_MIN &&
	       mover->radius <= PHYSICS_RADIUS_MAX && fabs(mover->move_x) <= SPACE_MOVE_MAX &&
	       fabs(mover->move_y) <= SPACE_MOVE_MAX && mover->skin >= 0.0 && mover->skin <= PHYSICS_RADIUS_MAX &&
	       mover->legs_max >= 1 && mover->legs_max <= MOVER_LEGS_MAX;
}

enum status
space_move(const struct space *space, const struct mover *mover, const struct space_filter *filter, struct mover_path *path)
{
	struct mover_run run = { .space = space, .mover = mover, .filter = filter, .path = path };

	path->leg_count = path->contact_count = path->before_count = 0;
	path->fraction = path->depth = 0.0;
	if (!mover_good(mover))
		return STATUS_INVALID_ARGUMENT;

	run.skin = larger(mover->skin > 0.0 ? mover->skin : mover->radius * MOVER_SKIN_PER_RADIUS,
	                  size_of(space, mover) * MOVER_SKIN_PER_SIZE);
	path->skin = run.skin;
	path->x = mover->x;
	path->y = mover->y;
	back_off(&run);
	if (!run.failed)
		path->end = slide_on(&run);
	if (!run.failed && mover_near_list(&run, 0.0) && path->near_count > 0)
		path->depth = larger(-least_gap(path), 0.0);
	path->remaining_x = 0.0 + mover->move_x * (1.0 - path->fraction); /* no -0 */
	path->remaining_y = 0.0 + mover->move_y * (1.0 - path->fraction);
	if (pause_stopped())
		return STATUS_CANCELLED;
	return run.failed ? STATUS_RESOURCE_EXHAUSTED : STATUS_OK;
}
