/* Ends of walls in heaps: many within some ulp of one point, on another wall and beside it, near its end. There are crossings
 * that end a little beyond, and walls close behind one another. They rest or move together, from far away too; they are thin,
 * thick and one-sided. Circles are of ordinary size and huge. Nothing may get through.
 *
 * -scenes N (default 1,600), -seed S (1), -scene I: one of them. */
#include "physics/joins/cluster.h"

#include <math.h>
#include <stdio.h>

enum motion { STILL, TOGETHER, COMING };

enum { WORK_MANY = 100 };

static uint64_t seed = 1, scenes = 1600, only = UINT64_MAX;

static double
pick(struct cluster *c, double low, double high)
{
	return random_between(&c->random, low, high);
}

static bool
one_in(struct cluster *c, uint64_t count)
{
	return random_below(&c->random, count) == 0;
}

static double
any_heading(struct cluster *c)
{
	return one_in(c, 3) ? JOINS_PI / 2 * (double)random_below(&c->random, 4) : pick(c, 0, 2 * JOINS_PI);
}

/* Walls that move with the circles: all the same as at rest, while the coordinates become large. */
static void
motion_together(struct cluster *c, struct trial *trial, struct shots *shots)
{
	const double heading = any_heading(c), speed = shots->radius_high * pick_log(&c->random, 0.01, 1e4) / trial->dt;
	shots->vx = speed * cos(heading);
	shots->vy = speed * sin(heading);
	for (size_t i = 0; i < trial->scenario.segment_count; i++) {
		trial->scenario.segments[i].vx = shots->vx;
		trial->scenario.segments[i].vy = shots->vy;
	}
	shots_add(trial, shots, &c->random);
}

/* The walls come to circles that wait, in some ticks from up to 1e9 away. */
static void
motion_coming(struct cluster *c, struct trial *trial, struct shots *shots)
{
	const double heading = any_heading(c), ticks = (double)(1 + random_below(&c->random, 20));
	const double way = fmin(1e9 / ticks, shots->radius_high * pick_log(&c->random, 0.1, 1e5));
	shots->from = heading - 0.3;
	shots->to = heading + 0.3;
	shots->speed_low = 1e-6;
	shots->speed_high = 1e-3;
	shots->begin_max = way * pick(c, 0, 1);
	shots_add(trial, shots, &c->random);
	for (size_t i = 0; i < trial->scenario.segment_count; i++) {
		struct segment_def *wall = &trial->scenario.segments[i];
		const double dx = ticks * way * cos(heading), dy = ticks * way * sin(heading);
		wall->x1 -= dx;
		wall->y1 -= dy;
		wall->x2 -= dx;
		wall->y2 -= dy;
		wall->vx = way / trial->dt * cos(heading);
		wall->vy = way / trial->dt * sin(heading);
	}
	cluster_points_drop(&trial->scenario);
	/* Where they come from another circle may wait. */
	struct scenario *scenario = &trial->scenario;
	size_t kept = 0;
	for (size_t i = 0; i < scenario->circle_count; i++)
		if (shot_clear(scenario, scenario->circles[i].x, scenario->circles[i].y, scenario->circles[i].radius))
			scenario->circles[kept++] = scenario->circles[i];
	scenario->circle_count = kept;
}

/* Some circles do not meet the walls of the second category. */
static void
masks_set(struct cluster *c, struct trial *trial)
{
	for (size_t i = 0; i < trial->scenario.circle_count && c->masked; i++)
		trial->scenario.circles[i].mask = (uint32_t)(1 + random_below(&c->random, 3));
}

static void
materials_set(struct cluster *c, struct trial *trial, double radius)
{
	if (trial->elastic && one_in(c, 4)) {
		const double down = any_heading(c), pull = radius * pick_log(&c->random, 1e-4, 0.3) / (trial->dt * trial->dt);
		trial->scenario.def.gravity_x = pull * cos(down);
		trial->scenario.def.gravity_y = pull * sin(down);
		trial->elastic = false;
	}
	if (one_in(c, 4)) {
		scenario_restitution(&trial->scenario, one_in(c, 2) ? 0.5 : 0);
		trial->elastic = false;
	}
}

static enum motion
cluster_trial(struct cluster *c, struct trial *trial)
{
	const enum motion motion = one_in(c, 4) ? one_in(c, 2) ? TOGETHER : COMING : STILL;
	trial_init(trial);
	trial->ticks = 20;
	trial->elastic = motion == STILL;
	const double size = fmax(fabs(c->x), fabs(c->y)) + c->arm;
	const bool huge = motion == STILL && size < 1e4 && one_in(c, 8);
	const double radius = huge ? size * pick_log(&c->random, 10, 1e4) : c->arm * pick_log(&c->random, 1e-2, 10);
	if (motion != COMING && one_in(c, 5)) {
		c->thick = fmin(radius, c->arm) * pick_log(&c->random, 0.01, 1);
		c->mixed = one_in(c, 3);
	}
	c->crowded = c->crowded && !huge && motion == STILL;
	cluster_walls_add(c, &trial->scenario);
	struct shots shots = { .x = c->x,
		                   .y = c->y,
		                   .count = 20,
		                   .from = 0,
		                   .to = 2 * JOINS_PI,
		                   .radius_low = radius / 3,
		                   .radius_high = radius,
		                   .speed_low = 0.01,
		                   .speed_high = 1000 };
	if (motion == TOGETHER)
		motion_together(c, trial, &shots);
	else if (motion == COMING)
		motion_coming(c, trial, &shots);
	else
		shots_add(trial, &shots, &c->random);
	masks_set(c, trial);
	materials_set(c, trial, radius);
	return motion;
}

static void
test_clusters_of_ends(void **state)
{
	(void)state;
	struct tally total = { .name = "clusters" }, tallies[CLUSTER_KINDS] = { 0 };
	for (uint64_t i = only < UINT64_MAX ? only : 0; i < (only < UINT64_MAX ? only + 1 : scenes); i++) {
		struct cluster c = cluster_begin((seed << 32) + i, 300);
		struct trial trial;
		char what[120];
		const enum motion motion = cluster_trial(&c, &trial);
		/* Between walls that fly at 10,000 radii a tick a circle has hundreds of contacts. What it meets is in question here,
		 * not what becomes of one that is parked. */
		trial.scenario.def.work_per_tick_max = WORK_MANY * PHYSICS_WORK_PER_TICK;
		tallies[c.kind].name = cluster_kind_names[c.kind];
		(void)snprintf(what, sizeof what, "%s, up to %d ulp, motion %d%s%s%s", cluster_kind_names[c.kind], c.ulps, (int)motion,
		               c.sided > 0 ? ", one-sided" : "", c.thick > 0 ? ", thick" : "", c.masked ? ", masked" : "");
		(void)trial_run(&trial, &tallies[c.kind], what, i);
		trial_finish(&trial);
	}
	for (int i = 0; i < CLUSTER_KINDS; i++) {
		if (tallies[i].scenes > 0)
			tally_print(&tallies[i]);
		tally_add(&total, &tallies[i]);
	}
	tally_print(&total);
	/* No wall of these is too short. */
	assert_int_equal(total.refused, 0);
	tally_judge(&total);
}

int
main(int argc, char **argv)
{
	trial_shown_max = argument_read(argc, argv, "-show", trial_shown_max);
	seed = argument_read(argc, argv, "-seed", seed);
	scenes = argument_read(argc, argv, "-scenes", scenes);
	only = argument_read(argc, argv, "-scene", only);
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_clusters_of_ends) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
