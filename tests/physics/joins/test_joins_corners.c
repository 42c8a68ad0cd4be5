/* Corners with ends that cross or part by some ulp: every angle, ulp, way of moving the ends, offset and kind of wall. Circles
 * of all sizes are shot at it from all around, and roll into it and over it, with gravity and without. Nothing may get through
 * or into a wall. Ends that are far enough apart are a gap, which no circle passes that is larger: the same judge (judge.h).
 *
 * -cells N (default 600 of the 23,000, 0: all), -seed S (1), -cell C: one of them. */
#include "physics/joins/shots.h"

#include <math.h>
#include <stdio.h>

static const double angles[] = { 1, 5, 10, 30, 60, 90, 120, 170 };
static const int ulps[] = { 0, 1, -1, 2, -2, 4, -4, 8, -8, 16, -16, 17, -17, 24, -24, 32, -32, 40, -40, 64, -64, 70, -70 };
static const double offsets[] = { 0, 1, 1e3, 1e6, 1e9 };

/* How the ends are moved. */
enum move { BOTH_ALONG, ONE_ALONG, ONE_ACROSS, STEPS, ANYHOW, MOVES };
enum walls { THIN, THICK, SIDED_IN, SIDED_OUT, SIDED_MIXED, WALLS };

#define COUNT(array) (sizeof array / sizeof(array)[0])
#define CELLS (COUNT(angles) * COUNT(ulps) * MOVES * COUNT(offsets) * WALLS)

static uint64_t seed = 1, cells = 600, only = CELLS;

struct corner {
	uint64_t random;
	double angle, offset;
	int ulps;
	enum move move;
	enum walls walls;
	double x, y, arm;
	double heading[2]; /* of the arms, the second counter-clockwise from the first */
	double end[2][2];  /* of the arms, at the corner */
	double far[2][2];
};

static double
pick(struct corner *c, double low, double high)
{
	return random_between(&c->random, low, high);
}

static bool
one_in(struct corner *c, uint64_t count)
{
	return random_below(&c->random, count) == 0;
}

static struct corner
corner_decode(uint64_t cell)
{
	struct corner c = { .random = (seed << 32) + cell };
	c.angle = angles[cell % COUNT(angles)] * DEGREE;
	cell /= COUNT(angles);
	c.ulps = ulps[cell % COUNT(ulps)];
	cell /= COUNT(ulps);
	c.offset = offsets[cell % COUNT(offsets)];
	cell /= COUNT(offsets);
	c.move = (enum move)(cell % MOVES);
	c.walls = (enum walls)(cell / MOVES);
	return c;
}

/* Moves an end along a direction by ulp of the corner's largest coordinate; or each coordinate by steps of its own. */
static void
end_move(struct corner *c, int arm, double unit)
{
	const double ux = cos(c->heading[arm]), uy = sin(c->heading[arm]);
	double *end = c->end[arm];
	if (c->move == BOTH_ALONG || (c->move == ONE_ALONG && arm == 1)) {
		end[0] += c->ulps * unit * ux;
		end[1] += c->ulps * unit * uy;
	} else if (c->move == ONE_ACROSS && arm == 1) {
		end[0] -= c->ulps * unit * uy;
		end[1] += c->ulps * unit * ux;
	} else if (c->move == STEPS) {
		/* What draws back along an axis is apart, what goes on crosses. */
		end[0] = ulps_moved(end[0], ux > 0 ? c->ulps : -c->ulps);
		end[1] = ulps_moved(end[1], uy > 0 ? c->ulps : -c->ulps);
	} else if (c->move == ANYHOW) {
		end[0] += c->ulps * unit * pick(c, -1, 1);
		end[1] += c->ulps * unit * pick(c, -1, 1);
	}
}

static void
corner_place(struct corner *c)
{
	const double bisector = one_in(c, 3) ? 45 * DEGREE * (double)random_below(&c->random, 8) : pick(c, 0, 2 * JOINS_PI);
	const bool round = one_in(c, 2);
	c->arm = one_in(c, 3) ? 3 : pick_log(&c->random, 0.1, 30);
	c->x = (round ? 3 : pick(c, -4, 4)) + c->offset;
	c->y = (round ? 3 : pick(c, -4, 4)) + c->offset * (one_in(c, 2) ? 1 : pick(c, -1, 1));
	c->heading[0] = bisector - c->angle / 2;
	c->heading[1] = bisector + c->angle / 2;
	double unit = 0;
	for (int arm = 0; arm < 2; arm++) {
		const double length = c->arm * (round ? 1 : pick(c, 0.5, 1));
		c->end[arm][0] = c->x;
		c->end[arm][1] = c->y;
		c->far[arm][0] = c->x + length * cos(c->heading[arm]);
		c->far[arm][1] = c->y + length * sin(c->heading[arm]);
		unit = fmax(unit, ulp_of(fmax(fmax(fabs(c->x), fabs(c->y)), fmax(fabs(c->far[arm][0]), fabs(c->far[arm][1])))));
	}
	for (int arm = 0; arm < 2; arm++)
		end_move(c, arm, unit);
}

/* Outwards from the corner, or towards it. */
static struct segment_def *
arm_add(struct corner *c, struct scenario *scenario, int arm, bool outwards)
{
	const double *end = c->end[arm], *far = c->far[arm];
	return outwards ? scenario_segment(scenario, end[0], end[1], far[0], far[1])
	                : scenario_segment(scenario, far[0], far[1], end[0], end[1]);
}

static void
walls_add(struct corner *c, struct trial *trial, double radius)
{
	const int first = one_in(c, 2);
	for (int i = 0; i < 2; i++) {
		const int arm = i ^ first;
		const bool in = c->walls == SIDED_IN || (c->walls == SIDED_MIXED && one_in(c, 2));
		const bool sided = c->walls == SIDED_IN || c->walls == SIDED_OUT || (c->walls == SIDED_MIXED && i == 0);
		/* The first arm's left is the inside. */
		struct segment_def *wall = arm_add(c, &trial->scenario, arm, sided ? (arm == 0) == in : one_in(c, 2));
		wall->one_sided = sided;
		wall->radius = c->walls == THICK || (sided && one_in(c, 4)) ? radius : 0;
	}
	if (c->walls >= SIDED_IN && trial->scenario.segments[0].radius > 0)
		trial->scenario.segments[1].radius = trial->scenario.segments[0].radius;
}

static void
gravity_set(struct corner *c, struct trial *trial, double radius)
{
	const double pull = radius * pick_log(&c->random, 1e-4, 1) / (trial->dt * trial->dt);
	const int arm = one_in(c, 2), side = one_in(c, 2) ? 1 : -1;
	const double to = one_in(c, 2) ? c->heading[arm] + side * JOINS_PI / 2 : pick(c, 0, 2 * JOINS_PI);
	trial->scenario.def.gravity_x = pull * cos(to);
	trial->scenario.def.gravity_y = pull * sin(to);
}

/* Restitution and friction of all: elastic half the time. */
static void
materials_set(struct corner *c, struct trial *trial, bool gravity)
{
	if (one_in(c, 2)) {
		trial->elastic = !gravity;
		return;
	}
	scenario_restitution(&trial->scenario, one_in(c, 2) ? 0.5 : 0);
	if (!one_in(c, 3))
		return;
	for (size_t i = 0; i < trial->scenario.circle_count; i++)
		trial->scenario.circles[i].friction = 0.5;
	for (size_t i = 0; i < trial->scenario.segment_count; i++)
		trial->scenario.segments[i].friction = 0.5;
}

static void
corner_trial(uint64_t cell, struct trial *trial)
{
	struct corner c = corner_decode(cell);
	trial_init(trial);
	corner_place(&c);
	const double radius = c.arm * pick_log(&c.random, 1e-3, 10);
	const bool gravity = one_in(&c, 3);
	walls_add(&c, trial, radius * pick_log(&c.random, 0.01, 3));
	const struct shots shots = {
		.x = c.x,
		.y = c.y,
		.count = 20,
		.from = c.heading[0],
		.to = c.heading[0] + 2 * JOINS_PI,
		.radius_low = radius / 2,
		.radius_high = radius,
		.speed_low = 0.01,
		.speed_high = 1000,
	};
	struct shots narrow = shots;
	narrow.count = 6; /* from inside, which may be a narrow part of all around */
	narrow.to = c.heading[1];
	if (gravity)
		gravity_set(&c, trial, radius);
	shots_add(trial, &shots, &c.random);
	shots_add(trial, &narrow, &c.random);
	for (int i = 0; i < 4; i++) {
		const struct segment_def *wall = &trial->scenario.segments[i & 1];
		const double length = hypot(wall->x2 - wall->x1, wall->y2 - wall->y1), size = radius * pick(&c, 0.5, 1);
		const double way = size * pick_log(&c.random, 0.01, 10);
		const bool outwards = hypot(wall->x1 - c.x, wall->y1 - c.y) < length / 2;
		const double along = fmin(length, way * pick(&c, 0.2, 0.6 * trial->ticks));
		(void)shot_roll(trial, wall, outwards ? along : length - along, i & 2 ? 1 : -1, size,
		                (outwards ? -1 : 1) * way / trial->dt);
	}
	materials_set(&c, trial, gravity);
}

static bool
cell_run(uint64_t cell, struct tally *tally)
{
	struct trial trial;
	corner_trial(cell, &trial);
	const struct corner c = corner_decode(cell);
	char what[100];
	(void)snprintf(what, sizeof what, "corner of %g degrees, %d ulp, move %d, offset %g, walls %d", c.angle / DEGREE, c.ulps,
	               (int)c.move, c.offset, (int)c.walls);
	const bool good = trial_run(&trial, tally, what, cell);
	trial_finish(&trial);
	return good;
}

static void
test_corners_cross_and_part(void **state)
{
	(void)state;
	struct tally tally = { .name = "corners" };
	uint64_t random = seed, bad_by_angle[COUNT(angles)] = { 0 };
	const uint64_t count = only < CELLS ? 1 : cells > 0 ? cells : CELLS;
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t cell = only < CELLS ? only : cells > 0 ? random_below(&random, CELLS) : i;
		bad_by_angle[cell % COUNT(angles)] += !cell_run(cell, &tally);
	}
	for (size_t i = 0; i < COUNT(angles) && tally.bad > 0; i++)
		printf("  %g degrees: %llu wrong\n", angles[i], (unsigned long long)bad_by_angle[i]);
	tally_print(&tally);
	tally_judge(&tally);
}

/* The scene that this began with: two ends that cross by one ulp, at one tick a unit. */
static void
test_a_corner_that_crosses_by_some_ulp_stops_a_slow_ball(void **state)
{
	(void)state;
	static const double degrees[] = { 90, 60, 30, 10 };
	struct tally total = { .name = "crossings" };
	for (size_t i = 0; i < COUNT(degrees); i++) {
		struct tally tally = { .name = "crossings" };
		for (int k = 0; k <= 64; k++) {
			struct trial trial;
			trial_init(&trial);
			trial.dt = 1;
			trial.ticks = 20;
			/* From the corner at (3, 3) on: the one arm level, the other turned; each goes on by k ulp beyond it. */
			const double ux = cos(degrees[i] * DEGREE), uy = sin(degrees[i] * DEGREE), unit = 0x1p-51;
			(void)scenario_segment(&trial.scenario, 3 - k * unit, 3, 6, 3);
			(void)scenario_segment(&trial.scenario, 3 - k * unit * ux, 3 - k * unit * uy, 3 + 3 * ux, 3 + 3 * uy);
			const double hx = cos(degrees[i] / 2 * DEGREE), hy = sin(degrees[i] / 2 * DEGREE);
			(void)scenario_circle(&trial.scenario, 3 - 3 * hx, 3 - 3 * hy, hx / 3, hy / 3, 0.5);
			(void)trial_run(&trial, &tally, "crossing", (uint64_t)k);
			trial_finish(&trial);
		}
		if (tally.bad > 0)
			printf("  %g degrees: %llu of 65 wrong\n", degrees[i], (unsigned long long)tally.bad);
		tally_add(&total, &tally);
	}
	tally_print(&total);
	tally_judge(&total);
}

/* Ends that are apart by more than rounding are a gap: a circle a millionth smaller falls through, one a millionth larger does
 * not, although nothing else stops it. */
static void
test_a_gap_lets_through_what_is_smaller(void **state)
{
	static const double gaps[] = { 1, 0.1, 0.001 }, places[] = { 0, 1, 1000 };

	(void)state;
	for (size_t i = 0; i < COUNT(gaps) * COUNT(places) * 2; i++) {
		const double half = gaps[i / 2 % COUNT(gaps)] / 2, at = places[i / 2 / COUNT(gaps)];
		const bool smaller = i % 2;
		struct scenario scenario;
		struct tick_report report;
		scenario_init(&scenario);
		(void)scenario_segment(&scenario, at - 5, at, at - half, at);
		(void)scenario_segment(&scenario, at + half, at, at + 5, at);
		(void)scenario_circle(&scenario, at, at + 3 * half, 0, -12 * half, half * (smaller ? 1 - 1e-6 : 1 + 1e-6));
		struct world *world = scenario_world(&scenario);
		for (int tick = 0; tick < 60; tick++)
			assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
		const double end = world_circle(world, 0).y - at;
		assert_true(smaller ? end < -8 * half : end > 0.99 * half);
		world_destroy(world);
		scenario_finish(&scenario);
	}
}

int
main(int argc, char **argv)
{
	trial_shown_max = argument_read(argc, argv, "-show", trial_shown_max);
	seed = argument_read(argc, argv, "-seed", seed);
	cells = argument_read(argc, argv, "-cells", cells);
	only = argument_read(argc, argv, "-cell", only);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_corner_that_crosses_by_some_ulp_stops_a_slow_ball),
		cmocka_unit_test(test_corners_cross_and_part),
		cmocka_unit_test(test_a_gap_lets_through_what_is_smaller),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
