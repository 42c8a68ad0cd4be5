#include "physics/dense_state.h"

#include <math.h>
#include <string.h>

/* At most this many cells per body: more would cost more to clear than they save. */
#define CELLS_PER_BODY_MAX 4

struct frame {
	double x0, y0, inverse;
	uint32_t columns, rows;
};

/* How far each body sees in this sub-step; true if some body may come so far that a pair not in the list could be a contact. */
static bool
bodies_survey(struct dense *dense, const struct dense_bodies *bodies, double h)
{
	double kick = (fabs(dense->scene.gravity_x) + fabs(dense->scene.gravity_y)) * h;
	bool used_up = !dense->list_valid;

	for (uint32_t i = 0; i < bodies->count; i++) {
		double speed = fabs(bodies->vx[i]) + fabs(bodies->vy[i]) + kick;
		double reach = ACTIVE_RADII * bodies->radius[i] + speed * h;
		double moved = fabs(bodies->x[i] - dense->built_x[i]) + fabs(bodies->y[i] - dense->built_y[i]);

		dense->reach[i] = reach;
		used_up |= bodies->active[i] != 0 ? !dense->listed[i] || moved + reach > dense->share[i] : dense->listed[i] != 0;
	}
	return used_up;
}

static struct frame
frame_make(const struct dense *dense, const struct dense_bodies *bodies)
{
	double x0 = (double)INFINITY, y0 = (double)INFINITY, x1 = -(double)INFINITY, y1 = -(double)INFINITY, reach = 0.0;

	for (uint32_t i = 0; i < bodies->count; i++) {
		if (!dense->listed[i])
			continue;
		x0 = fmin(x0, bodies->x[i]);
		y0 = fmin(y0, bodies->y[i]);
		x1 = fmax(x1, bodies->x[i]);
		y1 = fmax(y1, bodies->y[i]);
		reach = fmax(reach, bodies->radius[i] + dense->share[i]);
	}

	double cell = 2.0 * reach * (1.0 + 0x1p-20);
	double most = (double)CELLS_PER_BODY_MAX * bodies->count + 64.0;

	while ((floor((x1 - x0) / cell) + 1.0) * (floor((y1 - y0) / cell) + 1.0) > most)
		cell *= 1.5;
	return (struct frame){
		.x0 = x0,
		.y0 = y0,
		.inverse = 1.0 / cell,
		.columns = (uint32_t)((x1 - x0) / cell) + 1,
		.rows = (uint32_t)((y1 - y0) / cell) + 1,
	};
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
frame_cell(const struct frame *f, double x, double y)
{
	return axis_cell(y - f->y0, f->inverse, f->rows) * f->columns + axis_cell(x - f->x0, f->inverse, f->columns);
}

/* Counting sort of the bodies into cells, ascending within each. */
static bool
bodies_sort(struct dense *dense, const struct dense_bodies *bodies, const struct frame *f)
{
	size_t cells = (size_t)f->columns * f->rows;

	if (!dense_reserve(&dense->cell_start, &dense->cell_capacity, cells + 2, sizeof *dense->cell_start) ||
	    !dense_reserve(&dense->cell_items, &dense->item_capacity, bodies->count, sizeof *dense->cell_items))
		return false;

	uint32_t *start = dense->cell_start;

	memset(start, 0, (cells + 2) * sizeof *start);
	for (uint32_t i = 0; i < bodies->count; i++)
		start[frame_cell(f, bodies->x[i], bodies->y[i]) + 2] += dense->listed[i];
	for (size_t c = 2; c < cells + 2; c++)
		start[c] += start[c - 1];
	for (uint32_t i = 0; i < bodies->count; i++)
		if (dense->listed[i])
			dense->cell_items[start[frame_cell(f, bodies->x[i], bodies->y[i]) + 1]++] = i;
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

	/* Ascending by b within a; few per body. */
	size_t hole = dense->pair_count++;

	while (hole > 0 && dense->pairs[hole - 1].a == a && dense->pairs[hole - 1].b > b) {
		dense->pairs[hole] = dense->pairs[hole - 1];
		hole--;
	}
	dense->pairs[hole] = pair;
	return true;
}

static bool
body_pairs_add(struct dense *dense, const struct dense_bodies *bodies, const struct frame *f, uint32_t i)
{
	double x = bodies->x[i], y = bodies->y[i], reach = bodies->radius[i] + dense->share[i];
	uint32_t column = axis_cell(x - f->x0, f->inverse, f->columns), row = axis_cell(y - f->y0, f->inverse, f->rows);
	uint32_t c0 = column > 0 ? column - 1 : 0, c1 = column + 1 < f->columns ? column + 1 : column;
	uint32_t r0 = row > 0 ? row - 1 : 0, r1 = row + 1 < f->rows ? row + 1 : row;

	for (uint32_t r = r0; r <= r1; r++) {
		uint32_t end = dense->cell_start[(size_t)r * f->columns + c1 + 1];

		for (uint32_t k = dense->cell_start[(size_t)r * f->columns + c0]; k < end; k++) {
			uint32_t j = dense->cell_items[k];

			if (j <= i || (bodies->inverse_mass[i] == 0.0 && bodies->inverse_mass[j] == 0.0))
				continue;

			double dx = bodies->x[j] - x, dy = bodies->y[j] - y;
			double R = (reach + bodies->radius[j] + dense->share[j]) * (1.0 + 2.0 * SKIN_PER_RADIUS);

			if (dx * dx + dy * dy < R * R && !pair_add(dense, i, j))
				return false;
		}
	}
	return true;
}

static bool
walls_add(struct dense *dense, const struct dense_bodies *bodies, uint32_t i)
{
	double reach = (bodies->radius[i] + dense->share[i]) * (1.0 + 2.0 * SKIN_PER_RADIUS);

	return bodies->inverse_mass[i] == 0.0 || walls_near(dense, bodies->x[i], bodies->y[i], reach, i, pair_add);
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
		{ &dense->led, sizeof *dense->led },
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
		{ &dense->pair_of, sizeof *dense->pair_of },   { &dense->slot_kind, sizeof *dense->slot_kind },
		{ &dense->contacts, sizeof *dense->contacts }, { &dense->spacings, sizeof *dense->spacings },
		{ &dense->rollers, sizeof *dense->rollers },   { &dense->colour, sizeof *dense->colour },
		{ &dense->sorted, sizeof *dense->sorted },     { &dense->impulses, sizeof *dense->impulses },
		{ &dense->change, sizeof *dense->change },     { &dense->direction, sizeof *dense->direction },
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
	for (uint32_t i = 0; i < bodies->count; i++) {
		bool listed = bodies->active[i] != 0;
		double share = listed ? fmax(SHARE_RADII * bodies->radius[i], 3.0 * dense->reach[i]) : 0.0;

		listing_set(dense, bodies, i,
		            &(struct dense_listing){ .listed = listed, .x = bodies->x[i], .y = bodies->y[i], .share = share });
	}
}

bool
pairs_update(struct dense *dense, const struct dense_bodies *bodies, double h, bool *rebuilt)
{
	if (!body_arrays_reserve(dense, (size_t)bodies->count + 1))
		return false;
	*rebuilt = bodies_survey(dense, bodies, h);
	if (!*rebuilt)
		return true;
	order_release(dense);
	list_begin(dense, bodies);
	if (bodies->count > 0) {
		struct frame f = frame_make(dense, bodies);

		if (!bodies_sort(dense, bodies, &f))
			return false;
		for (uint32_t i = 0; i < bodies->count; i++) {
			if (dense->listed[i] && (!body_pairs_add(dense, bodies, &f, i) || !walls_add(dense, bodies, i)))
				return false;
		}
	}
	if (!slot_arrays_reserve(dense, 2 * dense->pair_count + 2 * LANES))
		return false;
	impulses_carry(dense);
	dormant_carry(dense);
	dense->list_valid = true;
	return true;
}
