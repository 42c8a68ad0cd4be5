/* Happy path: the bodies that are due query their neighbourhoods, in the order of their indices. Pairs that may touch in this
 * tick are predicted, and each body is due again when it may touch something next. What can go wrong: memory (world->failed);
 * too many bodies are dirty (the world is predicted as a whole for some ticks). */
#include "physics/prediction/schedule_looks.h"

#include "base/memory.h"
#include "base/pages.h"
#include "base/pause.h"
#include "physics/math/double2.h"
#include "physics/math/double8.h"
#include "physics/prediction/contact_bound.h"
#include "physics/prediction/prefetch.h"
#include "physics/world/substep.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The schedule is used while at most this fraction of the bodies is dirty, and begun when at most the second fraction is. */
#define BUSY_PART 2u
#define BUSY_PART_BEGIN 3u
/* It is also given up when all but this fraction of the bodies are queried. */
#define CALM_PART 8u
/* The least number of bodies in a workspace: schedule_suits. */
#define BODIES_MIN 16u
/* A tick over this many clean bodies ends before other threads have woken up; a dirty body counts as several. */
#define SPARE_BODIES 40960u
#define SPARE_PER_STIRRED 64u
/* Ticks without the schedule after too many bodies were dirty, or one became an outlier. */
#define PAUSE_TICKS 32u
/* How many queries ahead a body is prefetched, and its neighbours are listed and prefetched. */
#define CELLS_AHEAD 16u
#define AROUND_AHEAD 8u
/* In large worlds, which are hardly in the cache: how many queries before that the cells around it are prefetched. */
#define HEADS_AHEAD 8u
/* Most neighbours that are listed before a query; among equal circles there is not even room for half as many. */
#define AROUND_MAX 48u

/* A clean query body. */
struct query_body {
	two position, velocity;
	double radius; /* contact_bound_radius */
	uint32_t body;
};

static inline struct query_body
query_body_of(const struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies.paths[body];

	return (struct query_body){ two_load(&path->x), two_load(&path->vx), contact_bound_radius(world, path), body };
}

/* For a dirty body, which will be due in the next tick in any case. */
static void
dirty_look(struct world *world, uint32_t body)
{
	double leave = predict_leave(world, body, 0.0);

	if (grid_has_walls(&world->grid, world->grid.rows[body].cell))
		predict_walls(world, body, world->grid.rows[body].cell);
	world->schedule.strayed = world->schedule.strayed || is_outlier(world, body);
	if (world->grid.level_count > 1 || is_outlier(world, body))
		predict_levels(world, body, 0, 0.0, leave);
}

/* When a clean body may leave its cell. Returns in how many ticks to test that again. */
static unsigned
leave_look(struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies.paths[body];
	const struct body_place place = { two_load(&path->x), two_load(&path->vx) };

	if (becomes_outlier(world, path)) {
		world->schedule.strayed = true;
		dirty_look(world, body);
		return 1;
	}

	double leave = contact_bound_leave(world, body, &place);

	if (!contact_bound_is_later(world, 0.0, leave))
		predict_leave_soon(world, body, 0.0, leave);
	return contact_bound_cell_ticks(world, 0.0, leave);
}

/* A clean body against the walls of its cell. */
static void
walls_look(struct world *world, const struct query_body *query_body, struct contact_bound *contact_bound)
{
	const struct body *path = &world->bodies.paths[query_body->body];
	const struct body_place place = { query_body->position, query_body->velocity };
	uint32_t cell = world->grid.rows[query_body->body].cell;

	if (!grid_has_walls(&world->grid, cell))
		return;
	double reached = contact_bound_walls(world, path, &place, cell);
	if (!contact_bound_is_later(world, 0.0, reached))
		predict_walls(world, query_body->body, cell);
	contact_bound->then = lesser(contact_bound->then, reached);
}

/* Whether a body that is due tests another: of two that are due, the later one does. All dirty bodies are due. It reads which
 * bodies were due when the queries began, so their order does not matter. */
static inline bool
looks_at(const struct world *world, uint32_t body, uint32_t other)
{
	return (other != body) & ((other < body) | !(world->schedule.now[other / 64] >> (other % 64) & 1));
}

/* A clean body against another clean one. */
static inline double
pair_look(struct world *world, const struct query_body *query_body, uint32_t other, double late)
{
	const struct body *that = &world->bodies.paths[other];
	uint32_t body = query_body->body;
	double reached = contact_bound_pair(query_body->position - two_load(&that->x), query_body->velocity - two_load(&that->vx),
	                                    query_body->radius + that->radius, larger(late, world->step.dt / CONTACT_BOUND_SURE));

	if (!contact_bound_is_later(world, 0.0, reached))
		predict_circles(world, body < other ? body : other, body < other ? other : body);
	return reached;
}

/* A clean body against one that may be dirty. */
static inline void
clean_look(struct world *world, const struct query_body *query_body, uint32_t other, struct contact_bound *contact_bound)
{
	uint32_t body = query_body->body;

	if (upkeep_is_clean(world->bodies.clean[other]))
		contact_bound_add(contact_bound, other, pair_look(world, query_body, other, contact_bound->then));
	else
		predict_circles(world, body < other ? body : other, body < other ? other : body);
}

/* A clean body against the other levels: along its path in its cell, over the longest time that the schedule may leave it
 * alone. */
static void
levels_look(struct world *world, const struct query_body *query_body, struct contact_bound *contact_bound)
{
	uint32_t body = query_body->body;
	const struct grid *grid = &world->grid;
	const struct body_place here = { query_body->position, query_body->velocity };
	struct grid_look look = look_beyond(world, body, &here, SCHEDULE_LAST * world->step.dt);

	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
		for (uint32_t place = grid->heads[cell]; place != NONE; place = grid_onward(grid, place))
			if (looks_at(world, body, grid_body(place)))
				clean_look(world, query_body, grid_body(place), contact_bound);
}

/* The neighbours that a body which is due must test. */
struct around {
	uint32_t count; /* more than AROUND_MAX: they are not listed */
	uint32_t others[AROUND_MAX + 1];
};

/* Lists and prefetches them. */
static void
around_list(const struct world *world, uint32_t body, struct around *around)
{
	const struct grid *grid = &world->grid;
	struct grid_ring ring = grid_ring(grid, body);
	uint32_t count = 0;

	while (ring.cells != 0 && count <= AROUND_MAX) {
		for (uint32_t place = grid->heads[grid_ring_next(&ring)]; place != NONE && count <= AROUND_MAX;
		     place = grid_onward(grid, place)) {
			uint32_t other = grid_body(place);

			line_fetch(&world->bodies.paths[other]);
			around->others[count] = other;
			count += looks_at(world, body, other);
		}
	}
	around->count = count;
}

/* Whether a body that is due needs a neighbourhood query. */
static inline bool
looks_around(const struct world *world, uint32_t body)
{
	return *schedule_due(&world->schedule, body) == (uint8_t)world->tick;
}

/* A clean body against its neighbours. */
static void
clean_look_around(struct world *world, const struct query_body *query_body, const struct around *around,
                  struct contact_bound *contact_bound)
{
	const struct grid *grid = &world->grid;

	if (around->count <= AROUND_MAX) {
		for (uint32_t k = 0; k < around->count; k++)
			clean_look(world, query_body, around->others[k], contact_bound);
		return;
	}
	for (struct grid_ring ring = grid_ring(grid, query_body->body); ring.cells != 0;)
		for (uint32_t place = grid->heads[grid_ring_next(&ring)]; place != NONE; place = grid_onward(grid, place))
			if (looks_at(world, query_body->body, grid_body(place)))
				clean_look(world, query_body, grid_body(place), contact_bound);
}

/* A dirty body against its neighbours. */
static void
dirty_look_around(struct world *world, uint32_t body)
{
	const struct grid *grid = &world->grid;
	bool clear = handover_clear(world, body);

	for (struct grid_ring ring = grid_ring(grid, body); ring.cells != 0;) {
		for (uint32_t place = grid->heads[grid_ring_next(&ring)]; place != NONE; place = grid_onward(grid, place)) {
			uint32_t other = grid_body(place);

			if (looks_at(world, body, other) &&
			    !(clear && !upkeep_is_clean(world->bodies.clean[other]) && handover_clear(world, other)))
				predict_circles(world, body < other ? body : other, body < other ? other : body);
		}
	}
}

/* A clean body's neighbourhood query, and when it is due again. */
static void
around_look(struct world *world, uint32_t body, const struct around *around)
{
	const struct query_body query_body = query_body_of(world, body);
	struct schedule_eight *eight = &world->schedule.eights[body / 8];
	struct contact_bound contact_bound = contact_bound_clear();

	clean_look_around(world, &query_body, around, &contact_bound);
	if (world->grid.level_count > 1)
		levels_look(world, &query_body, &contact_bound);
	walls_look(world, &query_body, &contact_bound);
	eight->due[body % 8] = (uint8_t)(world->tick + contact_bound_ticks(world, 0.0, contact_bound.then));
	eight->meets[body % 8] = (uint8_t)(world->tick + contact_bound_ticks(world, 0.0, contact_bound.soon));
	eight->partners[body % 8] = contact_bound.with;
}

/* A clean body against its partner only. A dirty partner has queried this body itself. */
static void
partner_look(struct world *world, uint32_t body)
{
	const struct query_body query_body = query_body_of(world, body);
	struct schedule_eight *eight = &world->schedule.eights[body / 8];
	uint32_t other = eight->partners[body % 8];
	double reached = (double)INFINITY;

	if (other != NONE && upkeep_is_clean(world->bodies.clean[other]))
		reached = pair_look(world, &query_body, other, (double)INFINITY);
	eight->meets[body % 8] = (uint8_t)(world->tick + contact_bound_ticks(world, 0.0, reached));
	eight->partners[body % 8] = reached < (double)INFINITY ? other : NONE;
}

/* The neighbourhood query of a body. */
static void
body_look(struct world *world, uint32_t body, const struct around *around)
{
	world->report.cost.looks++;
	if (upkeep_is_clean(world->bodies.clean[body])) {
		around_look(world, body, around);
		return;
	}
	dirty_look_around(world, body);
	dirty_look(world, body);
	*schedule_due(&world->schedule, body) = *schedule_leaves(&world->schedule, body) = (uint8_t)(world->tick + 1);
}

/* Makes room for all bodies; false without memory. */
static bool
schedule_reserve(struct schedule *schedule, const struct world *world)
{
	/* They are read eight at a time. */
	size_t bodies = (world->bodies.count + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);

	if (bodies <= schedule->body_capacity)
		return true;
	memory_free(schedule->eights);
	memory_free(schedule->now);
	schedule->body_capacity = 0;
	schedule->eights = pages_alloc(bodies / 8 * sizeof *schedule->eights);
	schedule->now = memory_zeroed(schedule_words(bodies), sizeof *schedule->now);
	if (!schedule->eights || !schedule->now)
		return false;
	schedule->body_capacity = bodies;
	return true;
}

/* Makes every body due. False without memory. The memory of the prediction as a whole is reserved too, as it may be needed in
 * the middle of a run. */
static bool
schedule_make(struct world *world)
{
	if (!swept_boxes_reserve(&world->scratch.swept_boxes, world->grid.cell_count, world->bodies.count))
		return false;
	for (uint32_t k = 0; 8 * k < world->bodies.count && !pause_after(1); k++) {
		struct schedule_eight *eight = &world->schedule.eights[k];

		memset(eight, (uint8_t)world->tick, sizeof *eight);
		memset(eight->partners, 0xff, sizeof eight->partners); /* NONE */
	}
	world->schedule.dt = world->step.dt;
	return !pause_stopped();
}

/* Whether the schedule suits this kind of world. The few bodies of a small one that takes turns with others are predicted as a
 * whole in less time than one more cache miss. */
static bool
schedule_suits(const struct world *world)
{
	if (world->workspace && world->bodies.count < BODIES_MIN)
		return false;
	return world->bodies.count > 1 && !world->settings.kicks && !world->step.has_substeps && world->walls.moving_count == 0 &&
	       !world->grid.stale;
}

/* Whether the schedule is to be used in this tick, and is valid. Failure sets world->failed. */
static bool
schedule_ready(struct world *world)
{
	struct schedule *schedule = &world->schedule;
	bool there = schedule_is_for(schedule, world->tick);
	uint32_t bodies = world->bodies.count;
	bool busy = schedule->dirty > bodies / (there ? BUSY_PART : BUSY_PART_BEGIN) ||
	            (there && schedule->looks > bodies - bodies / CALM_PART);

	if (schedule->rest > 0) {
		schedule->rest--;
		return false;
	}
	if (!schedule_suits(world))
		return false;
	/* In a new world's first tick all bodies are dirty, and many a world has no second one. */
	if (busy && !schedule->wanted) {
		schedule->wanted = true;
		return false;
	}
	/* Even while too many bodies are dirty: it may be needed in the middle of a run. */
	if (!schedule_reserve(schedule, world)) {
		world->failed = true;
		return false;
	}
	if (busy) {
		schedule->rest = there ? PAUSE_TICKS : 0;
		return false;
	}
	if (!there && !schedule_make(world))
		world->failed = true;
	return !world->failed;
}

bool
schedule_spares(const struct world *world)
{
	const struct schedule *schedule = &world->schedule;

	return schedule->rest == 0 && schedule_suits(world) &&
	       world->bodies.count + SPARE_PER_STIRRED * (uint64_t)schedule->dirty < SPARE_BODIES;
}

#ifndef NDEBUG
/* Whether all dirty bodies are due. */
static bool
schedule_lists_dirty(const struct world *world)
{
	for (uint32_t i = 0; i < world->bodies.count; i++)
		if (!upkeep_is_clean(world->bodies.clean[i]) && *schedule_due(&world->schedule, i) != (uint8_t)world->tick)
			return false;
	return true;
}
#endif

/* The low byte of the tick's number, eight times. */
static inline uint64_t
ticks_of(const struct world *world)
{
	return UINT64_C(0x0101010101010101) * (uint8_t)world->tick;
}

bool
schedule_enter(struct world *world)
{
	if (!schedule_ready(world))
		return false;
	assert(schedule_lists_dirty(world));
	world->schedule.strayed = false;
	return true;
}

void
schedule_mark(const struct world *world, uint32_t first, uint32_t end)
{
	const struct schedule *schedule = &world->schedule;
	uint64_t ticks = ticks_of(world), bits = 0, eight;

	/* There is room for the bytes that are read behind the last body; their results are never used. */
	for (uint32_t i = first; i < end; i += (uint32_t)sizeof eight) {
		memcpy(&eight, schedule->eights[i / 8].due, sizeof eight);
		bits |= tops_of(zeros_of(eight ^ ticks)) << i % 64;
		schedule->now[i / 64] = bits;
		bits = i % 64 == 56 ? 0 : bits;
	}
}

/* Which of eight bodies are due, or may leave their cells, a bit each. */
static inline uint64_t
eight_is_due(const struct schedule_eight *eight, uint64_t ticks)
{
	uint64_t looks, meets, leaves;

	memcpy(&looks, eight->due, sizeof looks);
	memcpy(&meets, eight->meets, sizeof meets);
	memcpy(&leaves, eight->leaves, sizeof leaves);
	return tops_of(zeros_of(looks ^ ticks) | zeros_of(meets ^ ticks) | zeros_of(leaves ^ ticks));
}

uint32_t
schedule_take(const struct world *world, uint32_t *first, uint32_t end, uint32_t out[SCHEDULE_TAKEN_MAX])
{
	uint64_t ticks = ticks_of(world), due;
	uint32_t count = 0, i = *first;

	/* All bits of a word at once, because the number of bodies that are due is unpredictable. */
	for (; i < end && count + 64 <= SCHEDULE_TAKEN_MAX; i += 64) {
		due = 0;
		for (uint32_t k = i; k < i + 64 && k < end; k += 8)
			due |= eight_is_due(&world->schedule.eights[k / 8], ticks) << (k - i);
		for (; due != 0; due &= due - 1)
			out[count++] = i + (uint32_t)__builtin_ctzll(due);
	}
	/* There is room for the bytes that are read behind the last body; those results are dropped. */
	while (count > 0 && out[count - 1] >= end)
		count--;
	*first = i;
	return count;
}

/* The bodies that are due, sorted by purpose, because a branch on the purpose of each would be unpredictable. A body that may
 * leave its cell may be due for another purpose too. */
struct dues {
	uint32_t around_count, partner_count, leave_count;
	uint32_t around[SCHEDULE_TAKEN_MAX], partner[SCHEDULE_TAKEN_MAX], leave[SCHEDULE_TAKEN_MAX];
};

static void
dues_sort(const struct world *world, const uint32_t *bodies, uint32_t count, struct dues *dues)
{
	const struct schedule *schedule = &world->schedule;
	uint8_t tick = (uint8_t)world->tick;

	dues->around_count = dues->partner_count = dues->leave_count = 0;
	for (uint32_t k = 0; k < count; k++) {
		uint32_t body = bodies[k];
		bool around = looks_around(world, body), meets = *schedule_meets(schedule, body) == tick;
		bool clean = upkeep_is_clean(world->bodies.clean[body]), leaves = *schedule_leaves(schedule, body) == tick;

		dues->around[dues->around_count] = body;
		dues->around_count += around;
		dues->partner[dues->partner_count] = body;
		dues->partner_count += !around & meets;
		/* For a dirty body this is part of its neighbourhood query. */
		dues->leave[dues->leave_count] = body;
		dues->leave_count += clean & leaves;
	}
}

static inline void
row_fetch(const struct world *world, const uint32_t *bodies, uint32_t count, uint32_t k)
{
	if (k < count) {
		line_fetch(&world->bodies.paths[bodies[k]]);
		line_fetch(&world->grid.rows[bodies[k]]);
	}
}

static void
dues_look_around(struct world *world, const uint32_t *bodies, uint32_t count)
{
	struct around around[AROUND_AHEAD];
	bool far = world->bodies.count >= FETCH_BODIES_MIN;

	/* Neighbours are listed some queries ahead. */
	for (uint32_t k = 0; k < count + AROUND_AHEAD && !world->failed; k++) {
		row_fetch(world, bodies, count, k + CELLS_AHEAD);
		if (far && k + HEADS_AHEAD < count)
			grid_fetch_around(&world->grid, bodies[k + HEADS_AHEAD]);
		if (k >= AROUND_AHEAD)
			body_look(world, bodies[k - AROUND_AHEAD], &around[k % AROUND_AHEAD]);
		if (k < count)
			around_list(world, bodies[k], &around[k % AROUND_AHEAD]);
	}
}

static void
dues_look_partner(struct world *world, const uint32_t *bodies, uint32_t count)
{
	const struct schedule *schedule = &world->schedule;

	for (uint32_t k = 0; k < count && !world->failed; k++) {
		row_fetch(world, bodies, count, k + CELLS_AHEAD);
		uint32_t partner = k + AROUND_AHEAD < count ? *schedule_partner(schedule, bodies[k + AROUND_AHEAD]) : NONE;

		if (partner != NONE)
			line_fetch(&world->bodies.paths[partner]);
		partner_look(world, bodies[k]);
	}
}

static void
dues_look_leave(struct world *world, const uint32_t *bodies, uint32_t count)
{
	for (uint32_t k = 0; k < count && !world->failed; k++) {
		row_fetch(world, bodies, count, k + CELLS_AHEAD);
		*schedule_leaves(&world->schedule, bodies[k]) = (uint8_t)(world->tick + leave_look(world, bodies[k]));
	}
}

void
schedule_look(struct world *world, const uint32_t *bodies, uint32_t count)
{
	struct dues dues;

	dues_sort(world, bodies, count, &dues);
	dues_look_around(world, dues.around, dues.around_count);
	dues_look_partner(world, dues.partner, dues.partner_count);
	dues_look_leave(world, dues.leave, dues.leave_count);
}

void
schedule_leave(struct world *world, uint64_t looks)
{
	struct schedule *schedule = &world->schedule;
	bool anew = !schedule_is_for(schedule, world->tick);

	schedule->looks = anew ? 0 : (uint32_t)((3 * (uint64_t)schedule->looks + looks) / 4);
	schedule->ticks++;
	schedule->tick = world->tick + 1;
	schedule->made = true;
	if (schedule->strayed) {
		schedule_forget(schedule);
		schedule->rest = PAUSE_TICKS;
	}
}

bool
schedule_predict(struct world *world)
{
	uint32_t bodies[SCHEDULE_TAKEN_MAX], first = 0, count;
	uint64_t before = world->report.cost.looks;

	if (!schedule_enter(world))
		return world->failed;
	schedule_mark(world, 0, world->bodies.count);
	while (!world->failed && (count = schedule_take(world, &first, world->bodies.count, bodies)) > 0) {
		schedule_look(world, bodies, count);
		(void)world_pause(world, count * LOOK_UNITS);
	}
	schedule_leave(world, world->report.cost.looks - before);
	return true;
}
