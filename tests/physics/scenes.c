#include "physics/scenes.h"

#include "support/random.h"

#include <math.h>
#include <stdlib.h>

bool
scene_clear(const struct scenario *scenario, double x, double y, double radius, double gap)
{
	for (size_t i = 0; i < scenario->segment_count; i++)
		if (segment_distance(&scenario->segments[i], x, y) < radius + gap)
			return false;
	for (size_t i = 0; i < scenario->circle_count; i++) {
		const struct circle_def *other = &scenario->circles[i];
		if (hypot(other->x - x, other->y - y) < radius + other->radius + gap)
			return false;
	}
	return true;
}

double
scene_gas(struct scenario *scenario, size_t count, double speed, uint64_t seed)
{
	const double radius = 0.5, pi = 180 * DEGREE;
	const double side = sqrt((double)count * pi * radius * radius / 0.3);
	const size_t columns = (size_t)ceil(sqrt((double)count));
	const double pitch = side / (double)columns, jitter = (pitch - 2 * radius) * 0.98;
	scenario_box(scenario, 0, 0, side, side);
	for (size_t i = 0; i < count; i++) {
		const double x = ((double)(i % columns) + 0.5) * pitch + (random_between(&seed, 0, 1) - 0.5) * jitter;
		const double y = ((double)(i / columns) + 0.5) * pitch + (random_between(&seed, 0, 1) - 0.5) * jitter;
		const double angle = 2 * pi * random_between(&seed, 0, 1);
		scenario_circle(scenario, x, y, speed * cos(angle), speed * sin(angle), radius);
	}
	return side;
}

struct spot {
	double x, y, radius;
	size_t next; /* in its cell, SIZE_MAX: none */
};

static int
spot_compare_radius(const void *left, const void *right)
{
	const double l = ((const struct spot *)left)->radius, r = ((const struct spot *)right)->radius;
	return (l < r) - (l > r);
}

static int
spot_compare_row(const void *left, const void *right)
{
	const struct spot *l = left, *r = right;
	const double row_l = floor(l->y), row_r = floor(r->y);
	if (row_l != row_r)
		return row_l < row_r ? -1 : 1;
	return (l->x > r->x) - (l->x < r->x);
}

/* Whether a place is clear of all that are in the cells around its own; cells are wider than two of the largest. */
static bool
spot_clear(const struct spot *spots, const size_t *heads, size_t columns, double cell, const struct spot *spot)
{
	const size_t column = (size_t)(spot->x / cell), row = (size_t)(spot->y / cell);
	for (size_t r = row > 0 ? row - 1 : 0; r <= row + 1 && r < columns; r++) {
		for (size_t c = column > 0 ? column - 1 : 0; c <= column + 1 && c < columns; c++) {
			for (size_t k = heads[r * columns + c]; k != SIZE_MAX; k = spots[k].next) {
				const double gap = hypot(spots[k].x - spot->x, spots[k].y - spot->y);
				if (gap < 1.0001 * (spots[k].radius + spot->radius))
					return false;
			}
		}
	}
	return true;
}

/* Places circles of such radii, which are scaled to the area fraction 0.3, and makes the box. Takes the places. */
static void
gas_place(struct scenario *scenario, struct spot *spots, size_t count, double speed, uint64_t seed)
{
	const double pi = 180 * DEGREE;
	double squares = 0;
	for (size_t i = 0; i < count; i++)
		squares += spots[i].radius * spots[i].radius;
	/* As many discs of radius 0.5 fill the same part of the box. */
	const double scale = 0.5 / sqrt(squares / (double)count), side = sqrt((double)count * pi * 0.25 / 0.3);
	for (size_t i = 0; i < count; i++)
		spots[i].radius *= scale;
	qsort(spots, count, sizeof *spots, spot_compare_radius);

	const double cell = 2.01 * spots[0].radius;
	const size_t columns = (size_t)(side / cell) + 1;
	size_t *heads = malloc(columns * columns * sizeof *heads);
	assert_non_null(heads);
	for (size_t c = 0; c < columns * columns; c++)
		heads[c] = SIZE_MAX;
	for (size_t i = 0; i < count; i++) {
		const double low = 1.001 * spots[i].radius;
		do {
			spots[i].x = random_between(&seed, low, side - low);
			spots[i].y = random_between(&seed, low, side - low);
		} while (!spot_clear(spots, heads, columns, cell, &spots[i]));
		size_t *head = &heads[(size_t)(spots[i].y / cell) * columns + (size_t)(spots[i].x / cell)];
		spots[i].next = *head;
		*head = i;
	}
	qsort(spots, count, sizeof *spots, spot_compare_row);
	scenario_box(scenario, 0, 0, side, side);
	for (size_t i = 0; i < count; i++) {
		const double angle = 2 * pi * random_between(&seed, 0, 1);
		scenario_circle(scenario, spots[i].x, spots[i].y, speed * cos(angle), speed * sin(angle), spots[i].radius);
	}
	free(heads);
	free(spots);
}

static struct spot *
spots_alloc(size_t count)
{
	struct spot *spots = malloc(count * sizeof *spots);
	assert_non_null(spots);
	return spots;
}

void
scene_gas_mixed(struct scenario *scenario, size_t count, double ratio, double speed, uint64_t seed)
{
	struct spot *spots = spots_alloc(count);
	for (size_t i = 0; i < count; i++)
		spots[i] = (struct spot){ .radius = pow(ratio, random_between(&seed, 0, 1)), .next = SIZE_MAX };
	gas_place(scenario, spots, count, speed, seed);
}

void
scene_gas_sizes(struct scenario *scenario, size_t count, double ratio, size_t large, double speed, uint64_t seed)
{
	struct spot *spots = spots_alloc(count);
	for (size_t i = 0; i < count; i++)
		spots[i] = (struct spot){ .radius = i < large ? ratio : 1, .next = SIZE_MAX };
	gas_place(scenario, spots, count, speed, seed);
}

void
scene_bullets(struct scenario *scenario, double speed, uint64_t seed)
{
	const double side = 20, radius = 0.05, pi = 180 * DEGREE;
	scenario_box(scenario, 0, 0, side, side);
	for (int i = 0; i < 40; i++) {
		const double x = 1 + 18 * random_between(&seed, 0, 1), y = 1 + 18 * random_between(&seed, 0, 1);
		const double angle = 2 * pi * random_between(&seed, 0, 1), length = 0.5 + 1.5 * random_between(&seed, 0, 1);
		scenario_segment(scenario, x, y, fmin(19.8, fmax(0.2, x + length * cos(angle))),
		                 fmin(19.8, fmax(0.2, y + length * sin(angle))));
	}
	while (scenario->circle_count < 1000) {
		const double x = side * random_between(&seed, 0, 1), y = side * random_between(&seed, 0, 1);
		const double angle = 2 * pi * random_between(&seed, 0, 1);
		if (x > radius && x < side - radius && y > radius && y < side - radius && scene_clear(scenario, x, y, radius, 0.01))
			scenario_circle(scenario, x, y, speed * cos(angle), speed * sin(angle), radius);
	}
}

void
scene_mixed(struct scenario *scenario, size_t count, double speed, uint64_t seed)
{
	const double around = 10, pi = 180 * DEGREE;
	double x[6], y[6];
	for (int i = 0; i < 6; i++) {
		x[i] = around * cos(0.2 + i * pi / 3);
		y[i] = around * sin(0.2 + i * pi / 3);
	}
	for (int i = 0; i < 6; i++)
		scenario_segment(scenario, x[i], y[i], x[(i + 1) % 6], y[(i + 1) % 6]);
	scenario_segment(scenario, -3, -1, 2.5, 1.75);
	while (scenario->circle_count < count) {
		const double px = 8 * (2 * random_between(&seed, 0, 1) - 1), py = 8 * (2 * random_between(&seed, 0, 1) - 1);
		const double radius = 0.2 + 0.8 * random_between(&seed, 0, 1), mass = 0.5 + 3.5 * random_between(&seed, 0, 1);
		const double angle = 2 * pi * random_between(&seed, 0, 1), fast = speed * (0.2 + 0.8 * random_between(&seed, 0, 1));
		if (hypot(px, py) > 0.86 * around - radius || !scene_clear(scenario, px, py, radius, 0.05))
			continue;
		scenario_circle(scenario, px, py, fast * cos(angle), fast * sin(angle), radius)->mass = mass;
	}
}

void
scene_pile(struct scenario *scenario, size_t count, double width, double friction, double smallest, uint64_t seed)
{
	const double r = 0.5, pitch = 1.08;
	const size_t columns = (size_t)((width - 1) / pitch);
	scenario->def.gravity_y = -10;
	for (size_t k = 0; k < count; k++) {
		const double size = r * pow(smallest, random_between(&seed, 0, 1));
		/* One after the other: in which order a call's arguments are computed is the compiler's. */
		const double y = 0.7 + (double)(k / columns) * pitch + random_between(&seed, -0.03, 0.03);
		const double x = 0.6 + r + (double)(k % columns) * pitch + random_between(&seed, -0.03, 0.03);
		struct circle_def *circle = scenario_circle(scenario, x, y, 0, 0, size);
		circle->mass = size * size * 4;
		circle->friction = friction;
	}
	const double height = 3 * pitch * (double)(count / columns + 2);
	scenario_segment(scenario, 0, 0, width, 0)->friction = friction;
	scenario_segment(scenario, 0, height, 0, 0)->friction = friction;
	scenario_segment(scenario, width, 0, width, height)->friction = friction;
	scenario_restitution(scenario, 0);
}

void
scene_shelves(struct scenario *scenario, size_t count, size_t bouncing)
{
	const size_t row = 200;
	const double r = 0.5, pitch = 1.2, rise = 1.5;
	scenario->def.gravity_y = -10;
	for (size_t k = 0; k < count; k++)
		scenario_circle(scenario, 0.6 + pitch * (double)(k % row), r + rise * (double)(k / row), 0, 0, r);
	for (size_t k = 0; k < (count + row - 1) / row; k++)
		scenario_segment(scenario, 0, rise * (double)k, pitch * (double)row, rise * (double)k);
	scenario_dull(scenario, 0.5, 0);
	for (size_t k = 0; k < bouncing; k++) {
		const double x = -3 * (double)(k + 1);
		scenario_circle(scenario, x, 2 + 0.3 * (double)k, 0, 0, r)->restitution = 1;
		scenario_segment(scenario, x - 1, 0, x + 1, 0)->restitution = 1;
	}
}

void
scene_hexagonal(struct scenario *scenario, size_t layers, size_t wide, double gap, double friction)
{
	const double r = 0.5, d = 2 * r + gap, rise = d * sqrt(0.75);
	scenario_init(scenario);
	scenario->def.gravity_y = -10;
	for (size_t layer = 0; layer < layers; layer++) {
		for (size_t i = 0; i < wide - layer % 2; i++)
			scenario_circle(scenario, r + gap + d * ((double)i + (double)(layer % 2) / 2), r + gap + rise * (double)layer, 0, 0,
			                r);
	}
	/* Room for the skins of a row. */
	const double width = 2 * (r + gap) + d * (double)(wide - 1) + 1e-6, height = rise * (double)layers + 2;
	scenario_segment(scenario, 0, 0, width, 0);
	scenario_segment(scenario, 0, height, 0, 0);
	scenario_segment(scenario, width, 0, width, height);
	scenario_dull(scenario, friction, 0);
}
