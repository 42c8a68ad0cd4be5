/* The list of near pairs, from cells with a margin. It serves several substeps, until some body has used up its share of the
 * margin; impulses are carried over to the next list. */
#include "physics/math/sort.h"
#include "physics/rest_solver/solver_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More cells per body would cost more to clear than they save. */
#define CELLS_PER_BODY_MAX 4

/* Number of levels of the grid, each for bodies of similar reach, and of octaves that reaches are sorted into. */
#define FRAMES_MAX 8
#define OCTAVES 32
/* How many smaller bodies per cell of the larger ones justify a level of their own. */
#define CROWD 4.0

/* Lists up to this length are sorted by insertion. */
#define NEAR_FEW 24

/* One level: its cells are first + row * columns + column. */
struct frame {
	double x0, y0, x1, y1; /* of its bodies' centres */
	double reach;          /* the largest */
	double inverse;
	uint32_t count, first, columns, rows;
};

struct frames {
	struct frame frame[FRAMES_MAX]; /* descending by reach */
	uint32_t count, cell_count;
	uint32_t top;               /* exponent of the largest reach */
	uint8_t of_octave[OCTAVES]; /* the octaves go down from the top */
};

/* A body's search range in this substep, and whether it may move so far that a pair outside the list could be a contact. */
static inline bool
body_range_set(const struct solver *solver, const struct solver_bodies *bodies, uint32_t i, double kick, double h)
{
	double speed = fabs(bodies->vx[i]) + fabs(bodies->vy[i]) + kick * fabs(body_scale(bodies, i));
	double reach = ACTIVE_RADII * bodies->radius[i] + speed * h;
	double moved = fabs(bodies->x[i] - solver->built_x[i]) + fabs(bodies->y[i] - solver->built_y[i]);
	bool active = bodies->active[i] != 0, listed = solver->listed[i] != 0;

	solver->reach[i] = reach;
	return (active != listed) | (active & (moved + reach > solver->share[i]));
}

/* Removes sleeping bodies from a list that came from outside; returns whether there were any. Otherwise solver_dormant_take has
 * done so. */
static bool
sleepers_unlist(struct solver *solver, const struct solver_bodies *bodies)
{
	bool some = false;

	for (uint32_t i = 0; i < bodies->count && solver->listing_given; i++) {
		if (!solver->listed[i] || awake_from(&bodies->awake, i, i + 1) == i)
			continue;
		listing_set(solver, bodies, i, &(struct solver_listing){ 0 });
		some = true;
	}
	solver->listing_given = false;
	return some;
}

/* The same for all. */
static bool
bodies_range_set(struct solver *solver, const struct solver_bodies *bodies, double h)
{
	/* Copies, which the compiler knows to be constant. */
	const struct solver own = *solver;
	const struct solver_bodies columns = *bodies;
	double kick = (fabs(solver->scene.gravity_x) + fabs(solver->scene.gravity_y)) * h;
	bool used_up = !solver->list_valid || (solver->scene.moving_count > 0 && solver->wall_room < h);

	for (struct span s = awake_span(&columns.awake, 0, columns.count); s.first < s.end;
	     s = awake_span(&columns.awake, s.end, columns.count))
		for (uint32_t i = s.first; i < s.end; i++)
			used_up |= body_range_set(&own, &columns, i, kick, h);
	return sleepers_unlist(solver, bodies) || used_up;
}

/* The largest distance of a listed body's surface from its centre, for the search. */
static double
body_reach(const struct solver *solver, const struct solver_bodies *bodies, uint32_t i)
{
	return bodies->radius[i] + solver->share[i];
}

/* The exponent of a positive number. */
static uint32_t
exponent(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return (uint32_t)(bits >> 52);
}

static uint32_t
octave(uint32_t top, double reach)
{
	uint32_t below = top - exponent(reach);

	return below < OCTAVES ? below : OCTAVES - 1;
}

static const struct frame *
frame_of(const struct frames *frames, double reach)
{
	return &frames->frame[frames->of_octave[octave(frames->top, reach)]];
}

static const struct frame frame_empty = {
	.x0 = (double)INFINITY,
	.y0 = (double)INFINITY,
	.x1 = -(double)INFINITY,
	.y1 = -(double)INFINITY,
};

static void
frame_add(struct frame *frame, double x, double y, double reach)
{
	frame->x0 = fmin(frame->x0, x);
	frame->y0 = fmin(frame->y0, y);
	frame->x1 = fmax(frame->x1, x);
	frame->y1 = fmax(frame->y1, y);
	frame->reach = fmax(frame->reach, reach);
	frame->count++;
}

static struct frame
frame_of_all(const struct solver *solver, const struct solver_bodies *bodies)
{
	struct frame all = frame_empty;

	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count))
		if (solver->listed[i])
			frame_add(&all, bodies->x[i], bodies->y[i], body_reach(solver, bodies, i));
	return all;
}

/* Assigns the octaves to levels, from the largest down: a level ends where the smaller bodies would crowd its cells. */
static void
frames_choose(struct frames *frames, const struct solver *solver, const struct solver_bodies *bodies, struct frame all)
{
	uint32_t counts[OCTAVES] = { 0 };
	double reaches[OCTAVES] = { 0 };

	frames->top = exponent(all.reach);
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		if (!solver->listed[i])
			continue;

		uint32_t o = octave(frames->top, body_reach(solver, bodies, i));

		counts[o]++;
		reaches[o] = fmax(reaches[o], body_reach(solver, bodies, i));
	}

	double reach = all.reach;
	uint32_t left = all.count;

	frames->count = all.count > 0;
	for (uint32_t o = 0; o < OCTAVES && all.count > 0; o++) {
		double cell = 2.0 * reach, area = fmax(all.x1 - all.x0, cell) * fmax(all.y1 - all.y0, cell);

		if (o > 0 && counts[o] > 0 && frames->count < FRAMES_MAX && left * (cell * cell) > CROWD * area) {
			frames->count++;
			reach = reaches[o];
		}
		frames->of_octave[o] = (uint8_t)(frames->count - 1);
		left -= counts[o];
	}
}

static struct frames
frames_make(const struct solver *solver, const struct solver_bodies *bodies)
{
	struct frames frames = { 0 };
	struct frame all = frame_of_all(solver, bodies);

	frames_choose(&frames, solver, bodies, all);
	for (uint32_t l = 0; l < frames.count; l++)
		frames.frame[l] = frames.count > 1 ? frame_empty : all;
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count && frames.count > 1;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		if (!solver->listed[i])
			continue;

		double reach = body_reach(solver, bodies, i);

		frame_add(&frames.frame[frames.of_octave[octave(frames.top, reach)]], bodies->x[i], bodies->y[i], reach);
	}
	for (uint32_t l = 0; l < frames.count; l++) {
		struct frame *f = &frames.frame[l];
		double cell = 2.0 * f->reach * (1.0 + 0x1p-20), most = (double)CELLS_PER_BODY_MAX * f->count + 64.0;

		while ((floor((f->x1 - f->x0) / cell) + 1.0) * (floor((f->y1 - f->y0) / cell) + 1.0) > most)
			cell *= 1.5;
		f->inverse = 1.0 / cell;
		f->columns = (uint32_t)((f->x1 - f->x0) / cell) + 1;
		f->rows = (uint32_t)((f->y1 - f->y0) / cell) + 1;
		f->first = frames.cell_count;
		frames.cell_count += f->columns * f->rows;
	}
	return frames;
}

static uint32_t
axis_cell(double offset, double inverse, uint32_t count)
{
	double index = offset * inverse;

	if (!(index > 0.0))
		return 0;
	return index >= (double)count ? count - 1 : (uint32_t)index;
}

static uint32_t
body_cell(const struct frames *frames, const struct solver *solver, const struct solver_bodies *bodies, uint32_t i)
{
	const struct frame *f = frame_of(frames, body_reach(solver, bodies, i));

	return f->first + axis_cell(bodies->y[i] - f->y0, f->inverse, f->rows) * f->columns +
	       axis_cell(bodies->x[i] - f->x0, f->inverse, f->columns);
}

/* Counting sort of the bodies into cells, ascending within each. */
static bool
bodies_sort(struct solver *solver, const struct solver_bodies *bodies, const struct frames *frames)
{
	size_t cells = frames->cell_count;

	if (!solver_reserve(&solver->cell_start, &solver->cell_capacity, cells + 2, sizeof *solver->cell_start) ||
	    !solver_reserve(&solver->cell_items, &solver->item_capacity, bodies->count, sizeof *solver->cell_items) ||
	    !solver_reserve(&solver->near, &solver->near_capacity, bodies->count, sizeof *solver->near))
		return false;

	uint32_t *start = solver->cell_start, *cell_of = solver->near; /* not in use yet */

	memset(start, 0, (cells + 2) * sizeof *start);
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count))
		if (solver->listed[i])
			start[(cell_of[i] = body_cell(frames, solver, bodies, i)) + 2]++;
	for (size_t c = 2; c < cells + 2; c++)
		start[c] += start[c - 1];
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count))
		if (solver->listed[i])
			solver->cell_items[start[cell_of[i] + 1]++] = i;
	return true;
}

static bool
near_add(struct solver *solver, uint32_t b)
{
	if (!solver_reserve(&solver->near, &solver->near_capacity, solver->near_count + 1, sizeof *solver->near))
		return false;
	solver->near[solver->near_count++] = b;
	return true;
}

static bool
pair_add(struct solver *solver, uint32_t a, uint32_t b)
{
	struct near_pair pair = { .a = a, .b = b, .kind = PAIR_FAR };

	if (!solver->scene.pair(solver->scene.context, a, b, &pair.material))
		return true;
	if (!solver_reserve(&solver->pairs, &solver->pair_capacity, solver->pair_count + 1, sizeof *solver->pairs))
		return false;
	solver->any_rolling |= pair.material.rolling > 0.0;
	solver->pairs[solver->pair_count++] = pair;
	return true;
}

/* Puts the bodies of one level that are after body i and near it into solver->near. */
static bool
frame_collect(struct solver *solver, const struct solver_bodies *bodies, const struct frame *f, uint32_t i)
{
	double x = bodies->x[i], y = bodies->y[i], reach = body_reach(solver, bodies, i);
	double wide = (reach + f->reach) * (1.0 + 0x1p-20);
	uint32_t c0 = axis_cell(x - wide - f->x0, f->inverse, f->columns);
	uint32_t c1 = axis_cell(x + wide - f->x0, f->inverse, f->columns);
	uint32_t r1 = axis_cell(y + wide - f->y0, f->inverse, f->rows);

	for (uint32_t r = axis_cell(y - wide - f->y0, f->inverse, f->rows); r <= r1; r++) {
		uint32_t row = f->first + r * f->columns, end = solver->cell_start[row + c1 + 1];

		for (uint32_t k = solver->cell_start[row + c0]; k < end; k++) {
			uint32_t j = solver->cell_items[k];

			if (j <= i || (bodies->inverse_mass[i] == 0.0 && bodies->inverse_mass[j] == 0.0))
				continue;

			double dx = bodies->x[j] - x, dy = bodies->y[j] - y;
			double R = (reach + bodies->radius[j] + solver->share[j]) * (1.0 + 2.0 * SKIN_PER_RADIUS);

			if (dx * dx + dy * dy < R * R && !near_add(solver, j))
				return false;
		}
	}
	return true;
}

static int
index_compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static void
near_sort(uint32_t *near, size_t count)
{
	if (count > NEAR_FEW) {
		array_sort(near, count, sizeof *near, index_compare);
		return;
	}
	for (size_t k = 1; k < count; k++) {
		uint32_t b = near[k];
		size_t hole = k;

		for (; hole > 0 && near[hole - 1] > b; hole--)
			near[hole] = near[hole - 1];
		near[hole] = b;
	}
}

/* Adds the pairs of body i with bodies after it, and with walls. */
static bool
body_pairs_add(struct solver *solver, const struct solver_bodies *bodies, const struct frames *frames, uint32_t i)
{
	double reach = body_reach(solver, bodies, i) * (1.0 + 2.0 * SKIN_PER_RADIUS);

	solver->near_count = 0;
	for (uint32_t l = 0; l < frames->count; l++)
		if (!frame_collect(solver, bodies, &frames->frame[l], i))
			return false;
	if (bodies->inverse_mass[i] > 0.0 &&
	    (!walls_near(solver, bodies->x[i], bodies->y[i], reach, near_add) ||
	     !walls_moving_near(solver, bodies->x[i], bodies->y[i], reach, solver->wall_room, near_add)))
		return false;
	near_sort(solver->near, solver->near_count);
	for (size_t k = 0; k < solver->near_count; k++)
		if (!pair_add(solver, i, solver->near[k]))
			return false;
	return true;
}

/* Copies the impulses of the pairs that are in both lists. */
static void
impulses_carry(struct solver *solver)
{
	if (solver->old_count == 0)
		return;

	const struct near_pair *old = solver->old_pairs, *old_end = old + solver->old_count;

	for (size_t k = 0; k < solver->pair_count && old < old_end; k++) {
		struct near_pair *pair = &solver->pairs[k];

		while (old < old_end && (old->a < pair->a || (old->a == pair->a && old->b < pair->b)))
			old++;
		if (old < old_end && old->a == pair->a && old->b == pair->b) {
			pair->normal = old->normal;
			pair->tangent = old->tangent;
			pair->rolling = old->rolling;
			pair->kind = old->kind;
		}
	}
}

void
listing_set(struct solver *solver, const struct solver_bodies *bodies, uint32_t i, const struct solver_listing *listing)
{
	solver->built_x[i] = listing->x;
	solver->built_y[i] = listing->y;
	solver->listed[i] = listing->listed;
	solver->share[i] = listing->share;
	solver->mass[i] = listing->listed && bodies->inverse_mass[i] > 0.0 ? 1.0 / bodies->inverse_mass[i] : 0.0;
	solver->rim[i] = surface_unit(bodies->inverse_mass[i], bodies->inverse_inertia[i], bodies->radius[i]);
}

/* The old list is kept for its impulses. */
static void
list_begin(struct solver *solver, const struct solver_bodies *bodies)
{
	struct near_pair *swap = solver->old_pairs;
	size_t swap_capacity = solver->old_capacity;

	solver->old_pairs = solver->pairs;
	solver->old_count = solver->pair_count;
	solver->old_capacity = solver->pair_capacity;
	solver->pairs = swap;
	solver->pair_capacity = swap_capacity;
	solver->pair_count = 0;
	solver->any_rolling = false;
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		bool listed = bodies->active[i] != 0;
		double share = listed ? fmax(SHARE_RADII * bodies->radius[i], 3.0 * solver->reach[i]) : 0.0;

		solver->woken |= listed && !solver->listed[i] && solver->bedded[i];
		listing_set(solver, bodies, i,
		            &(struct solver_listing){ .listed = listed, .x = bodies->x[i], .y = bodies->y[i], .share = share });
	}
}

bool
pairs_update(struct solver *solver, const struct solver_bodies *bodies, double h, bool *rebuilt)
{
	if (!body_arrays_reserve(solver, (size_t)bodies->count + 1 + solver->scene.moving_count))
		return false;
	*rebuilt = bodies_range_set(solver, bodies, h);
	if (!*rebuilt)
		return true;
	order_release(solver);
	list_begin(solver, bodies);
	solver->wall_room = solver->scene.moving_count > 0 ? WALL_STEPS * h : 0.0;
	if (bodies->count > 0) {
		struct frames frames = frames_make(solver, bodies);

		if (!bodies_sort(solver, bodies, &frames))
			return false;
		for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
		     i = awake_from(&bodies->awake, i + 1, bodies->count))
			if (solver->listed[i] && !body_pairs_add(solver, bodies, &frames, i))
				return false;
	}
	if (!slot_arrays_reserve(solver, solver->pair_count + 2 * LANES))
		return false;
	impulses_carry(solver);
	dormant_carry(solver);
	kinds_guess(solver, bodies);
	solver->list_valid = true;
	return true;
}
