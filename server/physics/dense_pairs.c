#include "physics/dense_state.h"
#include "physics/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At most this many cells per body: more would cost more to clear than they save. */
#define CELLS_PER_BODY_MAX 4

/* Levels of the grid, each for bodies of like reach, and into how many octaves reaches are sorted. */
#define FRAMES_MAX 8
#define OCTAVES 32
/* How many smaller bodies there must be in a cell of the larger ones before they get a level of their own. */
#define CROWD 4.0

/* Lists up to this long are sorted by insertion. */
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

/* How far a body sees in this sub-step, and whether it may come so far that a pair not in the list could be a contact. */
static inline bool
body_survey(const struct dense *dense, const struct dense_bodies *bodies, uint32_t i, double kick, double h)
{
	double speed = fabs(bodies->vx[i]) + fabs(bodies->vy[i]) + kick * fabs(body_scale(bodies, i));
	double reach = ACTIVE_RADII * bodies->radius[i] + speed * h;
	double moved = fabs(bodies->x[i] - dense->built_x[i]) + fabs(bodies->y[i] - dense->built_y[i]);
	bool active = bodies->active[i] != 0, listed = dense->listed[i] != 0;

	dense->reach[i] = reach;
	return (active != listed) | (active & (moved + reach > dense->share[i]));
}

/* Takes sleepers off a list that came from outside; whether there were any. Else dense_dormant_take has done so. */
static bool
sleepers_unlist(struct dense *dense, const struct dense_bodies *bodies)
{
	bool some = false;

	for (uint32_t i = 0; i < bodies->count && dense->listing_given; i++) {
		if (!dense->listed[i] || awake_from(&bodies->awake, i, i + 1) == i)
			continue;
		listing_set(dense, bodies, i, &(struct dense_listing){ 0 });
		some = true;
	}
	dense->listing_given = false;
	return some;
}

/* The same of all. */
static bool
bodies_survey(struct dense *dense, const struct dense_bodies *bodies, double h)
{
	/* Copies, which the compiler knows not to change. */
	const struct dense own = *dense;
	const struct dense_bodies columns = *bodies;
	double kick = (fabs(dense->scene.gravity_x) + fabs(dense->scene.gravity_y)) * h;
	bool used_up = !dense->list_valid || (dense->scene.moving_count > 0 && dense->wall_room < h);

	for (struct span s = awake_span(&columns.awake, 0, columns.count); s.first < s.end;
	     s = awake_span(&columns.awake, s.end, columns.count))
		for (uint32_t i = s.first; i < s.end; i++)
			used_up |= body_survey(&own, &columns, i, kick, h);
	return sleepers_unlist(dense, bodies) || used_up;
}

/* How far from its centre a listed body's rim may be when it is looked for. */
static double
body_reach(const struct dense *dense, const struct dense_bodies *bodies, uint32_t i)
{
	return bodies->radius[i] + dense->share[i];
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
frame_of_all(const struct dense *dense, const struct dense_bodies *bodies)
{
	struct frame all = frame_empty;

	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count))
		if (dense->listed[i])
			frame_add(&all, bodies->x[i], bodies->y[i], body_reach(dense, bodies, i));
	return all;
}

/* Deals the octaves out to levels: from the largest down, one ends where the smaller bodies would crowd its cells. */
static void
frames_choose(struct frames *frames, const struct dense *dense, const struct dense_bodies *bodies, struct frame all)
{
	uint32_t counts[OCTAVES] = { 0 };
	double reaches[OCTAVES] = { 0 };

	frames->top = exponent(all.reach);
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		if (!dense->listed[i])
			continue;

		uint32_t o = octave(frames->top, body_reach(dense, bodies, i));

		counts[o]++;
		reaches[o] = fmax(reaches[o], body_reach(dense, bodies, i));
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
frames_make(const struct dense *dense, const struct dense_bodies *bodies)
{
	struct frames frames = { 0 };
	struct frame all = frame_of_all(dense, bodies);

	frames_choose(&frames, dense, bodies, all);
	for (uint32_t l = 0; l < frames.count; l++)
		frames.frame[l] = frames.count > 1 ? frame_empty : all;
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count && frames.count > 1;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		if (!dense->listed[i])
			continue;

		double reach = body_reach(dense, bodies, i);

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
body_cell(const struct frames *frames, const struct dense *dense, const struct dense_bodies *bodies, uint32_t i)
{
	const struct frame *f = frame_of(frames, body_reach(dense, bodies, i));

	return f->first + axis_cell(bodies->y[i] - f->y0, f->inverse, f->rows) * f->columns +
	       axis_cell(bodies->x[i] - f->x0, f->inverse, f->columns);
}

/* Counting sort of the bodies into cells, ascending within each. */
static bool
bodies_sort(struct dense *dense, const struct dense_bodies *bodies, const struct frames *frames)
{
	size_t cells = frames->cell_count;

	if (!dense_reserve(&dense->cell_start, &dense->cell_capacity, cells + 2, sizeof *dense->cell_start) ||
	    !dense_reserve(&dense->cell_items, &dense->item_capacity, bodies->count, sizeof *dense->cell_items) ||
	    !dense_reserve(&dense->near, &dense->near_capacity, bodies->count, sizeof *dense->near))
		return false;

	uint32_t *start = dense->cell_start, *cell_of = dense->near; /* not in use yet */

	memset(start, 0, (cells + 2) * sizeof *start);
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count))
		if (dense->listed[i])
			start[(cell_of[i] = body_cell(frames, dense, bodies, i)) + 2]++;
	for (size_t c = 2; c < cells + 2; c++)
		start[c] += start[c - 1];
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count))
		if (dense->listed[i])
			dense->cell_items[start[cell_of[i] + 1]++] = i;
	return true;
}

static bool
near_add(struct dense *dense, uint32_t b)
{
	if (!dense_reserve(&dense->near, &dense->near_capacity, dense->near_count + 1, sizeof *dense->near))
		return false;
	dense->near[dense->near_count++] = b;
	return true;
}

static bool
pair_add(struct dense *dense, uint32_t a, uint32_t b)
{
	struct pair pair = { .a = a, .b = b, .kind = PAIR_FAR };

	if (!dense->scene.pair(dense->scene.context, a, b, &pair.material))
		return true;
	if (!dense_reserve(&dense->pairs, &dense->pair_capacity, dense->pair_count + 1, sizeof *dense->pairs))
		return false;
	dense->any_rolling |= pair.material.rolling > 0.0;
	dense->pairs[dense->pair_count++] = pair;
	return true;
}

/* Puts those after body i that are near it, of one level, into dense->near. */
static bool
frame_collect(struct dense *dense, const struct dense_bodies *bodies, const struct frame *f, uint32_t i)
{
	double x = bodies->x[i], y = bodies->y[i], reach = body_reach(dense, bodies, i);
	double wide = (reach + f->reach) * (1.0 + 0x1p-20);
	uint32_t c0 = axis_cell(x - wide - f->x0, f->inverse, f->columns);
	uint32_t c1 = axis_cell(x + wide - f->x0, f->inverse, f->columns);
	uint32_t r1 = axis_cell(y + wide - f->y0, f->inverse, f->rows);

	for (uint32_t r = axis_cell(y - wide - f->y0, f->inverse, f->rows); r <= r1; r++) {
		uint32_t row = f->first + r * f->columns, end = dense->cell_start[row + c1 + 1];

		for (uint32_t k = dense->cell_start[row + c0]; k < end; k++) {
			uint32_t j = dense->cell_items[k];

			if (j <= i || (bodies->inverse_mass[i] == 0.0 && bodies->inverse_mass[j] == 0.0))
				continue;

			double dx = bodies->x[j] - x, dy = bodies->y[j] - y;
			double R = (reach + bodies->radius[j] + dense->share[j]) * (1.0 + 2.0 * SKIN_PER_RADIUS);

			if (dx * dx + dy * dy < R * R && !near_add(dense, j))
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
body_pairs_add(struct dense *dense, const struct dense_bodies *bodies, const struct frames *frames, uint32_t i)
{
	double reach = body_reach(dense, bodies, i) * (1.0 + 2.0 * SKIN_PER_RADIUS);

	dense->near_count = 0;
	for (uint32_t l = 0; l < frames->count; l++)
		if (!frame_collect(dense, bodies, &frames->frame[l], i))
			return false;
	if (bodies->inverse_mass[i] > 0.0 &&
	    (!walls_near(dense, bodies->x[i], bodies->y[i], reach, near_add) ||
	     !walls_moving_near(dense, bodies->x[i], bodies->y[i], reach, dense->wall_room, near_add)))
		return false;
	near_sort(dense->near, dense->near_count);
	for (size_t k = 0; k < dense->near_count; k++)
		if (!pair_add(dense, i, dense->near[k]))
			return false;
	return true;
}

/* Impulses of the pairs that are in both lists. */
static void
impulses_carry(struct dense *dense)
{
	if (dense->old_count == 0)
		return;

	const struct pair *old = dense->old_pairs, *old_end = old + dense->old_count;

	for (size_t k = 0; k < dense->pair_count && old < old_end; k++) {
		struct pair *pair = &dense->pairs[k];

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

/* Several arrays that share one capacity. */
struct growth {
	void *array;
	size_t size;
};

static bool
arrays_reserve(const struct growth *arrays, size_t array_count, size_t *capacity, size_t count)
{
	size_t grown = *capacity;

	for (size_t i = 0; i < array_count; i++) {
		grown = *capacity;
		if (!dense_reserve(arrays[i].array, &grown, count, arrays[i].size))
			return false;
	}
	*capacity = grown;
	return true;
}

bool
body_arrays_reserve(struct dense *dense, size_t count)
{
	const struct growth arrays[] = {
		{ &dense->built_x, sizeof *dense->built_x },
		{ &dense->built_y, sizeof *dense->built_y },
		{ &dense->share, sizeof *dense->share },
		{ &dense->mass, sizeof *dense->mass },
		{ &dense->rim, sizeof *dense->rim },
		{ &dense->listed, sizeof *dense->listed },
		{ &dense->bedded, sizeof *dense->bedded },
		{ &dense->led, sizeof *dense->led },
		{ &dense->was_led, sizeof *dense->was_led },
		{ &dense->unclear, sizeof *dense->unclear },
		{ &dense->reach, sizeof *dense->reach },
		{ &dense->place, sizeof *dense->place },
		{ &dense->body, sizeof *dense->body },
		{ &dense->islands, sizeof *dense->islands },
		{ &dense->root, sizeof *dense->root },
		{ &dense->colour_mask, sizeof *dense->colour_mask },
		{ &dense->hot, sizeof *dense->hot },
		{ &dense->hot_start, sizeof *dense->hot_start },
		{ &dense->hot_before, sizeof *dense->hot_before },
		{ &dense->hot_direction, sizeof *dense->hot_direction },
		{ &dense->spots, sizeof *dense->spots },
		{ &dense->legs, sizeof *dense->legs },
		{ &dense->kept, sizeof *dense->kept },
	};

	return arrays_reserve(arrays, sizeof arrays / sizeof *arrays, &dense->body_capacity, count);
}

bool
slot_arrays_reserve(struct dense *dense, size_t count)
{
	const struct growth arrays[] = {
		{ &dense->slot_of, sizeof *dense->slot_of },     { &dense->pair_of, sizeof *dense->pair_of },
		{ &dense->slot_kind, sizeof *dense->slot_kind }, { &dense->contacts, sizeof *dense->contacts },
		{ &dense->spacings, sizeof *dense->spacings },   { &dense->rollers, sizeof *dense->rollers },
		{ &dense->colour, sizeof *dense->colour },       { &dense->sorted, sizeof *dense->sorted },
		{ &dense->impulses, sizeof *dense->impulses },   { &dense->drives, sizeof *dense->drives },
		{ &dense->outside, sizeof *dense->outside },     { &dense->change, sizeof *dense->change },
		{ &dense->direction, sizeof *dense->direction },
	};

	return arrays_reserve(arrays, sizeof arrays / sizeof *arrays, &dense->slot_capacity, count);
}

void
listing_set(struct dense *dense, const struct dense_bodies *bodies, uint32_t i, const struct dense_listing *listing)
{
	dense->built_x[i] = listing->x;
	dense->built_y[i] = listing->y;
	dense->listed[i] = listing->listed;
	dense->share[i] = listing->share;
	dense->mass[i] = listing->listed && bodies->inverse_mass[i] > 0.0 ? 1.0 / bodies->inverse_mass[i] : 0.0;
	dense->rim[i] = rim_unit(bodies->inverse_mass[i], bodies->inverse_inertia[i], bodies->radius[i]);
}

/* The old list is kept aside for its impulses. */
static void
list_begin(struct dense *dense, const struct dense_bodies *bodies)
{
	struct pair *swap = dense->old_pairs;
	size_t swap_capacity = dense->old_capacity;

	dense->old_pairs = dense->pairs;
	dense->old_count = dense->pair_count;
	dense->old_capacity = dense->pair_capacity;
	dense->pairs = swap;
	dense->pair_capacity = swap_capacity;
	dense->pair_count = 0;
	dense->any_rolling = false;
	for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
	     i = awake_from(&bodies->awake, i + 1, bodies->count)) {
		bool listed = bodies->active[i] != 0;
		double share = listed ? fmax(SHARE_RADII * bodies->radius[i], 3.0 * dense->reach[i]) : 0.0;

		dense->woken |= listed && !dense->listed[i] && dense->bedded[i];
		listing_set(dense, bodies, i,
		            &(struct dense_listing){ .listed = listed, .x = bodies->x[i], .y = bodies->y[i], .share = share });
	}
}

bool
pairs_update(struct dense *dense, const struct dense_bodies *bodies, double h, bool *rebuilt)
{
	if (!body_arrays_reserve(dense, (size_t)bodies->count + 1 + dense->scene.moving_count))
		return false;
	*rebuilt = bodies_survey(dense, bodies, h);
	if (!*rebuilt)
		return true;
	order_release(dense);
	list_begin(dense, bodies);
	dense->wall_room = dense->scene.moving_count > 0 ? WALL_STEPS * h : 0.0;
	if (bodies->count > 0) {
		struct frames frames = frames_make(dense, bodies);

		if (!bodies_sort(dense, bodies, &frames))
			return false;
		for (uint32_t i = awake_from(&bodies->awake, 0, bodies->count); i < bodies->count;
		     i = awake_from(&bodies->awake, i + 1, bodies->count))
			if (dense->listed[i] && !body_pairs_add(dense, bodies, &frames, i))
				return false;
	}
	if (!slot_arrays_reserve(dense, dense->pair_count + 2 * LANES))
		return false;
	impulses_carry(dense);
	dormant_carry(dense);
	kinds_guess(dense, bodies);
	dense->list_valid = true;
	return true;
}
