/* Prediction after an event. Happy path: the neighbours of one or two bodies that were hit, or the bodies in the cells that a
 * body comes to; most of them it does not meet. A body that will be clean when the next tick begins is queried for the coming
 * ticks as well, while its neighbours are in the cache (schedule.h). What can go wrong: the queue finds no memory
 * (world->failed). */
#include "physics/broadphase/grid_fast.h"
#include "physics/prediction/contact_bound.h"
#include "physics/prediction/neighbours.h"
#include "physics/world/substep.h"

#include <math.h>

/* A query body at a time of the tick. */
struct watcher {
	struct body_place here;
	double time, left; /* within the tick; what is left of it */
	double late;       /* from `time` on: later contacts need not be found */
	double radius;     /* contact_bound_radius, if it looks ahead */
	uint32_t body;
	bool ahead; /* the query covers the ticks after this one too */
	struct contact_bound contact_bound;
};

/* Whether a body moves freely and, as far as can be told, will be clean when the next tick begins, for which the schedule is
 * valid. Then a bound of its next contact can be kept. */
static inline bool
body_becomes_clean(const struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies.paths[body];
	const struct body_info *info = &world->bodies.infos[body];

	if (!schedule_listens(world) || world->step.has_substeps || !world->bodies.marks[body].is_free)
		return false;
	if (!upkeep_is_clean(world->bodies.clean[body]) &&
	    (info->handover != 0 || info->gravity_scale != 1.0 || path->ax != world->settings.gravity_x ||
	     path->ay != world->settings.gravity_y))
		return false;
	return !becomes_outlier(world, path);
}

static inline struct watcher
watcher_of(const struct world *world, uint32_t body, double time, bool ahead)
{
	const struct body *path = &world->bodies.paths[body];
	double left = world->step.dt - time;

	return (struct watcher){
		.here = body_place_at(path, time),
		.time = time,
		.left = left,
		.late = ahead ? contact_bound_most(world) : left,
		.radius = ahead ? contact_bound_radius(world, path) : look_radius(path),
		.body = body,
		.ahead = ahead,
		.contact_bound = contact_bound_clear(),
	};
}

/* Tests two bodies that may meet, with their offset and relative velocity at the watcher's time. False: they do not meet in
 * this tick. A body that is due in the next tick queries the watcher then. */
static inline bool
watcher_meets(const struct world *world, struct watcher *watcher, uint32_t other, two d, two w)
{
	const struct body *path = &world->bodies.paths[watcher->body], *that = &world->bodies.paths[other];

	/* A body with another acceleration is not clean. */
	if (!watcher->ahead || path->ax != that->ax || path->ay != that->ay)
		return true;
	double reached = contact_bound_pair(d, w, watcher->radius + that->radius,
	                                    larger(watcher->late, watcher->left / CONTACT_BOUND_SURE));
	if (reached < watcher->late && schedule_wait(&world->schedule, other) > 1) {
		contact_bound_add(&watcher->contact_bound, other, reached);
		watcher->late = lesser(watcher->late, watcher->contact_bound.then);
	}
	return !(CONTACT_BOUND_SURE * reached >= watcher->left);
}

/* A body's events other than those with circles. */
static void
watcher_end(struct world *world, struct watcher *watcher)
{
	struct schedule *schedule = &world->schedule;
	uint32_t body = watcher->body, cell = world->grid.rows[body].cell;

	if (grid_has_walls(&world->grid, cell)) {
		const struct body *path = &world->bodies.paths[body];

		predict_walls(world, body, cell);
		if (schedule_wait(schedule, body) > 1) {
			/* From the end of the tick on: a body that was just hit by a wall is still within touching distance of it. */
			const struct body_place end = body_place_at(path, world->step.dt);

			schedule_hasten(schedule, body,
			                contact_bound_ticks(world, world->step.dt, contact_bound_walls(world, path, &end, cell)));
		}
	}
	double leave = contact_bound_leave(world, body, &watcher->here);
	if (!contact_bound_is_later(world, watcher->time, leave))
		predict_leave_soon(world, body, watcher->time, leave);
	schedule_stays(schedule, body, contact_bound_cell_ticks(world, watcher->time, leave));
}

/* A body that looks ahead against the bodies of a cell that it has not queried before, without one of them (NONE: with all). */
static void
predict_new(struct world *world, struct watcher *watcher, uint32_t cell, uint32_t without)
{
	uint32_t body = watcher->body;

	for (uint32_t place = world->grid.heads[cell]; place != NONE; place = grid_onward(&world->grid, place)) {
		uint32_t other = grid_body(place);
		const struct body_place there = body_place_at(&world->bodies.paths[other], watcher->time);

		if (other != without && watcher_meets(world, watcher, other, watcher->here.position - there.position,
		                                      watcher->here.velocity - there.velocity))
			predict_circles(world, body < other ? body : other, body < other ? other : body);
	}
}

/* The same against those of other levels, as far as this query covers. */
static void
predict_beyond(struct world *world, struct watcher *watcher, uint32_t without)
{
	struct grid_look look = look_beyond(world, watcher->body, &watcher->here, larger(watcher->late, watcher->left));

	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
		predict_new(world, watcher, cell, without);
}

/* A body at the beginning of its path and a neighbour that it may come near. */
static inline void
predict_neighbour(struct world *world, struct watcher *watcher, const struct neighbours *all, size_t n)
{
	uint32_t body = watcher->body, other = all->body[n], a = body < other ? body : other, b = body < other ? other : body;
	const struct body_place *here = &watcher->here, there = { { all->x[n], all->y[n] }, { all->vx[n], all->vy[n] } };

	/* The order of the two indices is unpredictable, and most pairs do not meet: order them after this test. */
	if (!watcher_meets(world, watcher, other, here->position - there.position, here->velocity - there.velocity))
		return;

	const struct body_place *first = body < other ? here : &there, *second = body < other ? &there : here;
	two d = first->position - second->position, w = first->velocity - second->velocity;
	two q = two_load(&world->bodies.paths[a].ax) - two_load(&world->bodies.paths[b].ax);

	predict_meeting(world, a, b, &(struct relative){ d[0], d[1], w[0], w[1], q[0], q[1] }, watcher->time,
	                circles_skin(&world->bodies.paths[a], &world->bodies.paths[b]));
}

/* The rest of predict_among for a body that looks ahead. */
static void
among_end(struct world *world, struct watcher *watcher, uint32_t hit)
{
	uint32_t body = watcher->body;

	if (world->grid.level_count > 1)
		predict_beyond(world, watcher, hit);
	schedule_plan(&world->schedule, body, contact_bound_ticks(world, watcher->time, watcher->contact_bound.then),
	              watcher->contact_bound.with, contact_bound_ticks(world, watcher->time, watcher->contact_bound.soon));
	watcher_end(world, watcher);
}

void
predict_among(struct world *world, uint32_t body, const struct neighbours *neighbours, unsigned around)
{
	const struct body *path = &world->bodies.paths[body];
	struct watcher watcher = watcher_of(world, body, path->t0, body_becomes_clean(world, body));
	const struct neighbours_asker asker = {
		.path = path,
		.here = &watcher.here,
		.reach = watcher.radius,
		.left = watcher.late,
		.around = around,
		.alike = watcher.ahead && !neighbours->bent,
	};

	for (uint64_t near = neighbours->count > 0 ? neighbours_near(neighbours, &asker) : 0; near != 0; near &= near - 1)
		predict_neighbour(world, &watcher, neighbours, (size_t)__builtin_ctzll(near));
	if (watcher.ahead)
		among_end(world, &watcher, neighbours->members[neighbours->members[0] == body]);
	else
		predict_others(world, body, watcher.time, NONE);
}

void
predict_again(struct world *world, uint32_t a, uint32_t b)
{
	const struct schedule *schedule = &world->schedule;

	predict_circles(world, a, b);
	if (!schedule_listens(world) || schedule_wait(schedule, a) == 1 || schedule_wait(schedule, b) == 1)
		return;

	/* Both look ahead. From the end of the tick on: until then they are within touching distance. */
	const struct body *i = &world->bodies.paths[a], *j = &world->bodies.paths[b];
	const struct body_place here = body_place_at(i, world->step.dt), there = body_place_at(j, world->step.dt);
	double reached = contact_bound_pair(here.position - there.position, here.velocity - there.velocity,
	                                    contact_bound_radius(world, i) + j->radius, contact_bound_most(world));

	if (reached < (double)INFINITY)
		schedule_add(&world->schedule, b, a, contact_bound_ticks(world, world->step.dt, reached));
}

/* Moves a body to the cell where it is. The result is the cells around it that were not around its last one; false if the two
 * cells are no neighbours. */
static inline bool
body_move(struct world *world, uint32_t body, two position, struct grid_rings *rings)
{
	struct grid *grid = &world->grid;
	uint32_t old = grid->rows[body].cell;

	grid_move(grid, body, grid_cell(grid, body, position[0], position[1]));
	if (!grid_rings(grid, &grid->levels[grid->rows[body].level], old, grid->rows[body].cell, rings))
		return false;
	rings->cells &= ~rings->around[0];
	return true;
}

/* predict_transfer for a body that looks ahead. */
static void
transfer_ahead(struct world *world, uint32_t body, double time)
{
	struct watcher watcher = watcher_of(world, body, time, true);
	struct grid_rings rings;
	unsigned bit;

	/* It is due then in any case. */
	watcher.late = schedule_wait(&world->schedule, body) * world->step.dt - time;
	if (!body_move(world, body, watcher.here.position, &rings)) {
		schedule_list(&world->schedule, body);
		predict_around(world, body);
		predict_others(world, body, time, NONE);
		return;
	}
	while (rings.cells != 0)
		predict_new(world, &watcher, grid_rings_next(&rings, &bit), NONE);
	if (world->grid.level_count > 1)
		predict_beyond(world, &watcher, NONE);
	if (watcher.contact_bound.with != NONE) {
		schedule_add(&world->schedule, body, watcher.contact_bound.with,
		             contact_bound_ticks(world, time, watcher.contact_bound.soon));
		schedule_hasten(&world->schedule, body, contact_bound_ticks(world, time, watcher.contact_bound.then));
	}
	watcher_end(world, &watcher);
}

void
predict_transfer(struct world *world, uint32_t body, double time)
{
	struct grid_rings rings;
	uint32_t before = world->grid.rows[body].cell;
	unsigned bit;
	bool clear;

	world->report.cost.transfers++;
	if (fast_suits(world, body, time)) {
		if (schedule_listens(world))
			schedule_list(&world->schedule, body);
		fast_enter(world, body);
		predict_from(world, body, time);
		return;
	}
	if (body_becomes_clean(world, body)) {
		transfer_ahead(world, body, time);
		return;
	}
	/* In the next tick it must query the bodies that it meets there. */
	if (schedule_listens(world))
		schedule_list(&world->schedule, body);
	if (body_move(world, body, body_place_at(&world->bodies.paths[body], time).position, &rings)) {
		clear = !world->bodies.marks[body].is_free && handover_clear(world, body);
		while (rings.cells != 0)
			predict_cell(world, body, clear, grid_rings_next(&rings, &bit));
	} else {
		predict_around(world, body);
	}
	predict_others(world, body, time, before);
}
