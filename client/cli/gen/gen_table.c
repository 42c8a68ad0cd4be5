/* Scenes with a known result: break, cradle, galperin and loop. */
#include "client/cli/gen/gen.h"

#include "client/cli/scene/packing.h"
#include "client/cli/scene/random.h"

#include <math.h>
#include <stdio.h>

static struct build_circle
circle_at(const struct gen_options *options, double x, double y)
{
	return (struct build_circle){
		.x = round_position(x),
		.y = round_position(y),
		.radius = options->radius,
		.mass = 1,
		.restitution = options->restitution,
	};
}

/* The next multiple of 1e-6 at or above: a rack rounded outwards touches but never overlaps. */
static double
round_up(double value)
{
	return ceil(value * 1e6) / 1e6;
}

/* A table twice as long as wide. The apex of the rack is at three quarters of its length, the cue ball at one quarter. Seed 0
 * aims at the centre of the apex, any other seed slightly beside it. */
bool
gen_break(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	(void)error;
	(void)error_size;
	double radius = options->radius;
	/* Half the distance between neighbours in a row, and the distance between rows. */
	double half_across = round_up(radius * (2 + options->gap) / 2);
	double along = round_up(2 * half_across * 0.8660254037844387 + 1e-6);
	uint64_t rows = 1;
	while (rows * (rows + 1) / 2 < options->count)
		rows++;
	double half_width = round_up(fmax(18 * radius, 1.6 * half_across * (double)rows + 6 * radius));
	double half_length = 2 * half_width;
	scene_build_box(build, -half_length, -half_width, half_length, half_width, options->restitution);

	struct build_circle cue = circle_at(options, -half_length / 2, 0);
	cue.vx = round_speed(options->speed);
	if (options->seed != 0) {
		struct random random;
		random_init(&random, options->seed);
		cue.y = round_position(random_between(&random, -0.4, 0.4) * radius);
	}
	scene_build_circle(build, cue);
	/* The rack ends at the cushion behind it at the latest: the apex of a large rack moves towards the middle. */
	double apex = fmin(half_length / 2, half_length - 2 * radius - along * (double)(rows - 1));
	uint64_t placed = 0;
	for (uint64_t row = 0; row < rows; row++) {
		for (uint64_t i = 0; i <= row && placed < options->count; i++, placed++) {
			/* Twice the position in a row is an integer, so the rack is symmetric to the last bit. */
			double steps = (double)(2 * i) - (double)row;
			scene_build_circle(build, circle_at(options, apex + along * (double)row, steps * half_across));
		}
	}
	return true;
}

bool
gen_cradle(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	if (options->moving >= options->count) {
		snprintf(error, error_size, "--moving must be less than --count (%llu)", (unsigned long long)options->count);
		return false;
	}
	double pitch = round_up(options->radius * (2 + options->gap));
	for (uint64_t i = 0; i < options->count; i++) {
		bool comes_in = i < options->moving;
		/* The incoming circles start four radii before the row. */
		double x = pitch * (double)i - (comes_in ? 4 * options->radius : 0);
		struct build_circle circle = circle_at(options, x, 0);
		circle.vx = comes_in ? round_speed(options->speed) : 0;
		scene_build_circle(build, circle);
	}
	return true;
}

bool
gen_galperin(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	(void)error;
	(void)error_size;
	double radius = options->radius, mass = 1;
	/* Most collisions fall into one moment: 31,415 and more need a higher limit than the usual 10,000 in a tick, and more
	 * work. */
	build->events_per_body_max = options->count >= 4 ? 1000000 : 0;
	build->work_per_tick_max = options->count >= 4 ? 1000000000 : 0;
	for (uint64_t i = 0; i < options->count; i++)
		mass *= 100;
	scene_build_segment(build, segment_between(0, -3 * radius, 0, 3 * radius, options->restitution));
	scene_build_circle(build, circle_at(options, 4 * radius, 0));
	struct build_circle heavy = circle_at(options, 10 * radius, 0);
	heavy.mass = mass;
	heavy.vx = -round_speed(options->speed);
	scene_build_circle(build, heavy);
	return true;
}

/* Seven corners about ten units from the middle, counter-clockwise, convex; no side is parallel to an axis or to another. */
static const double loop_corners[][2] = {
	{ 9.3, 2.1 }, { 5.4, 8.5 }, { -1.8, 10.2 }, { -8.1, 6.0 }, { -9.6, -2.7 }, { -3.2, -9.5 }, { 6.1, -7.9 },
};
enum { LOOP_CORNERS = sizeof loop_corners / sizeof loop_corners[0] };
/* Draws of places per circle before giving up. */
enum { LOOP_DRAWS_MAX = 1000000 };

/* Whether the circle is inside and keeps `reach` from every side. */
static bool
loop_holds(double x, double y, double scale, double reach)
{
	for (int i = 0; i < LOOP_CORNERS; i++) {
		const double *a = loop_corners[i], *b = loop_corners[(i + 1) % LOOP_CORNERS];
		double dx = b[0] - a[0], dy = b[1] - a[1];
		double side = (dx * (y - scale * a[1]) - dy * (x - scale * a[0])) / sqrt(dx * dx + dy * dy);
		if (side <= reach)
			return false;
	}
	return true;
}

bool
gen_loop(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	/* About 20 radii wide for up to five circles. For more circles the area fraction stays the same. */
	double radius = options->radius, gap = fmax(options->gap, 1e-3) * radius;
	double scale = radius * fmax(1, sqrt((double)options->count / 5));
	struct random random;
	random_init(&random, options->seed);
	for (int i = 0; i < LOOP_CORNERS; i++) {
		const double *a = loop_corners[i], *b = loop_corners[(i + 1) % LOOP_CORNERS];
		struct build_segment side = segment_between(scale * a[0], scale * a[1], scale * b[0], scale * b[1],
		                                            options->restitution);
		scene_build_segment(build, segment_rounded(side));
	}
	struct packing *packing = packing_create(-11 * scale, -11 * scale, 11 * scale, 11 * scale, radius, options->count);
	if (!packing) {
		snprintf(error, error_size, "no memory");
		return false;
	}
	/* The circles cover about a twentieth of the loop, so nearly every second draw fits. */
	for (unsigned draw = 0; build->circle_count < options->count && !build->failed; draw++) {
		if (draw == LOOP_DRAWS_MAX) {
			snprintf(error, error_size, "only %zu of %llu circles fit; try fewer, or a smaller gap", build->circle_count,
			         (unsigned long long)options->count);
			packing_destroy(packing);
			return false;
		}
		/* In separate statements: compilers differ in which argument they evaluate first. */
		double x = random_between(&random, -11, 11) * scale;
		double y = random_between(&random, -11, 11) * scale;
		struct build_circle circle = circle_at(options, x, y);
		if (!loop_holds(circle.x, circle.y, scale, radius + gap) || !packing_is_free(packing, circle.x, circle.y, radius, gap))
			continue;
		packing_add(packing, circle.x, circle.y, radius);
		random_direction(&random, options->speed, &circle.vx, &circle.vy);
		circle.vx = round_speed(circle.vx);
		circle.vy = round_speed(circle.vy);
		scene_build_circle(build, circle);
		draw = 0;
	}
	packing_destroy(packing);
	return true;
}
