/* Many circles in a box: gas and bullets. Places are drawn at random and taken if they are free; a gas too dense for that is
 * a hexagonal lattice shaken by less than its free space. */
#include "client/cli/gen.h"

#include "client/cli/packing.h"
#include "client/cli/random.h"

#include <math.h>
#include <stdio.h>

/* Above this area fraction drawing places at random takes too long (it jams at 0.547). */
static const double random_fraction_max = 0.45;
/* Draws per circle before giving up. At a fraction of 0.45 about one draw in thirty fits the last circle. */
enum { DRAWS_MAX = 100000 };

static struct build_circle
circle_moving(const struct gen_options *options, struct random *random, double x, double y)
{
	struct build_circle circle = {
		.x = x,
		.y = y,
		.radius = options->radius,
		.mass = 1,
		.restitution = options->restitution,
	};
	random_direction(random, options->speed, &circle.vx, &circle.vy);
	circle.vx = round_speed(circle.vx);
	circle.vy = round_speed(circle.vy);
	return circle;
}

/* `walls`: also keep clear of the segments of the scene; the box itself is kept by the range of the draw. */
static bool
circles_scatter(const struct gen_options *options, struct random *random, double side, bool walls, struct scene_build *build,
                char *error, size_t error_size)
{
	double radius = options->radius, gap = options->gap * radius;
	/* Rounding a place moves it by half of this at most. */
	double low = radius + gap + 1e-6, high = side - low;
	struct packing *packing = packing_create(0, 0, side, side, radius, options->count);
	if (packing == NULL) {
		(void)snprintf(error, error_size, "no memory");
		return false;
	}
	bool placed = low < high;
	for (uint64_t i = 0; i < options->count && placed; i++) {
		placed = false;
		for (int draw = 0; draw < DRAWS_MAX && !placed; draw++) {
			double x = round_position(random_between(random, low, high));
			double y = round_position(random_between(random, low, high));
			placed = packing_is_free(packing, x, y, radius, gap) && (!walls || scene_build_is_clear(build, x, y, radius + gap));
			if (placed) {
				packing_add(packing, x, y, radius);
				scene_build_circle(build, circle_moving(options, random, x, y));
			}
		}
	}
	packing_destroy(packing);
	if (!placed) {
		(void)snprintf(error, error_size, "only %zu of %llu circles fit; try fewer, or a smaller radius or gap",
		               build->circle_count, (unsigned long long)options->count);
	}
	return placed;
}

/* Rows of a hexagonal lattice that fills the square, each circle shaken so little that no two can meet. */
static bool
circles_lattice(const struct gen_options *options, struct random *random, double side, struct scene_build *build, char *error,
                size_t error_size)
{
	double radius = options->radius, gap = options->gap * radius, low = radius + gap + 1e-6;
	/* The widest lattice that still holds all: shrink the pitch until enough places are there. */
	double pitch = 2 * side / sqrt(sqrt(12.0) * (double)options->count) * 1.05, pitch_min = 2 * radius + gap + 4e-6;
	double inner = side - 2 * low;
	uint64_t columns = 0, rows = 0;
	while (columns * rows < options->count && pitch >= pitch_min) {
		pitch *= 0.9995;
		columns = inner > pitch / 2 ? (uint64_t)((inner - pitch / 2) / pitch) + 1 : 0;
		rows = inner > 0 ? (uint64_t)(inner / (pitch * 0.8660254037844387)) + 1 : 0;
	}
	if (columns * rows < options->count || pitch < pitch_min) {
		(void)snprintf(error, error_size, "%llu circles at fraction %g do not fit a square; try a smaller fraction",
		               (unsigned long long)options->count, options->fraction);
		return false;
	}
	double shake = fmax(0, (pitch - 2 * radius - gap) / 2 * 0.7 - 2e-6);
	for (uint64_t i = 0; i < options->count; i++) {
		uint64_t row = i / columns;
		double x = low + pitch * ((double)(i % columns) + (row % 2 == 1 ? 0.5 : 0));
		double y = low + pitch * 0.8660254037844387 * (double)row;
		x = fmin(fmax(x + random_between(random, -shake, shake), low), side - low);
		y = fmin(fmax(y + random_between(random, -shake, shake), low), side - low);
		scene_build_circle(build, circle_moving(options, random, round_position(x), round_position(y)));
	}
	return true;
}

bool
gen_gas(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	struct random random;
	random_init(&random, options->seed);
	double area = (double)options->count * 3.141592653589793 * options->radius * options->radius;
	double side = round_position(sqrt(area / options->fraction));
	scene_build_box(build, 0, 0, side, side, options->restitution);
	if (options->fraction <= random_fraction_max) {
		return circles_scatter(options, &random, side, false, build, error, error_size);
	}
	return circles_lattice(options, &random, side, build, error, error_size);
}

bool
gen_bullets(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	/* 20 by 20 for the usual 1,000 circles of radius 0.05, and in proportion to the radius otherwise. */
	double side = round_position(400 * options->radius);
	struct random random;
	random_init(&random, options->seed);
	scene_build_box(build, 0, 0, side, side, options->restitution);
	for (uint64_t i = 0; i < options->segments; i++) {
		double dx, dy;
		random_direction(&random, random_between(&random, 0.05, 0.2) * side, &dx, &dy);
		double x = random_between(&random, 0.12, 0.88) * side, y = random_between(&random, 0.12, 0.88) * side;
		struct build_segment wall = segment_between(x - dx / 2, y - dy / 2, x + dx / 2, y + dy / 2, options->restitution);
		scene_build_segment(build, segment_rounded(wall));
	}
	return circles_scatter(options, &random, side, true, build, error, error_size);
}
