/* Ends of walls in heaps: many within some ulp of one point, on another wall and beside it, near its end, crossings that end a
 * little beyond, walls close behind one another; at rest and moving together, from far away too; thin, thick and one-sided;
 * with circles of ordinary size and huge ones. Nothing may get through.
 *
 * -scenes N (default 4,000), -seed S (1), -scene I: one of them. */
#include "physics/joins/shots.h"

#include <math.h>
#include <stdio.h>

enum kind { STAR, JUNCTION, NEAR_END, CROSSING, LAYERS, KINDS };
static const char *const kind_names[] = { "stars", "junctions", "near ends", "crossings", "layers" };
enum motion { STILL, TOGETHER, COMING, MOTIONS };

static uint64_t seed = 1, scenes = 4000, only = UINT64_MAX;

struct cluster {
	uint64_t random;
	enum kind kind;
	enum motion motion;
	double x, y, arm;
	double unit; /* ulp of the largest coordinate */
	int ulps;    /* that an end is off at most */
	double sided, thick;
	bool mixed; /* thick and thin ones */
};

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
off(struct cluster *c)
{
	return c->unit *
	       (one_in(c, 3) ? (double)random_below(&c->random, 2 * (uint64_t)c->ulps + 1) - c->ulps : pick(c, -1, 1) * c->ulps);
}

/* A small length: some ulp, or anything up to an arm. */
static double
little(struct cluster *c)
{
	return one_in(c, 2) ? c->unit * pick(c, 0, 70) : pick_log(&c->random, c->unit, 0.3 * c->arm);
}

static void
wall_add(struct cluster *c, struct trial *trial, double x1, double y1, double x2, double y2)
{
	const bool turned = one_in(c, 2);
	if (x1 == x2 && y1 == y2)
		return;
	struct segment_def *wall = turned ? scenario_segment(&trial->scenario, x2, y2, x1, y1)
	                                  : scenario_segment(&trial->scenario, x1, y1, x2, y2);
	wall->one_sided = pick(c, 0, 1) < c->sided;
	wall->radius = c->mixed && one_in(c, 2) ? 0 : c->thick;
}

/* From (x, y) on. */
static void
ray_add(struct cluster *c, struct trial *trial, double x, double y, double heading)
{
	const double length = c->arm * (one_in(c, 3) ? pick_log(&c->random, 1e-6, 1) : pick(c, 0.3, 1));
	wall_add(c, trial, x, y, x + length * cos(heading), y + length * sin(heading));
}

static double
any_heading(struct cluster *c)
{
	return one_in(c, 3) ? JOINS_PI / 2 * (double)random_below(&c->random, 4) : pick(c, 0, 2 * JOINS_PI);
}

static void
star_add(struct cluster *c, struct trial *trial)
{
	const int count = 2 + (int)random_below(&c->random, one_in(c, 2) ? 3 : 19);
	const double middle = any_heading(c), half = one_in(c, 2) ? JOINS_PI : pick(c, 0.01, 1.5);
	double x = c->x, y = c->y;
	for (int i = 0; i < count; i++) {
		/* Some share their end with the one before. */
		if (!one_in(c, 3)) {
			x = c->x + off(c);
			y = c->y + off(c);
		}
		ray_add(c, trial, x, y, one_in(c, 4) ? any_heading(c) : middle + pick(c, -half, half));
	}
}

/* Stubs that end at the place, up to ulps. */
static void
stubs_add(struct cluster *c, struct trial *trial, double heading)
{
	const int count = 1 + (int)random_below(&c->random, 5);
	for (int i = 0; i < count; i++)
		ray_add(c, trial, c->x + off(c), c->y + off(c), one_in(c, 4) ? heading + JOINS_PI / 2 : any_heading(c));
}

static void
junction_add(struct cluster *c, struct trial *trial)
{
	const double heading = any_heading(c), ux = cos(heading), uy = sin(heading), a = c->arm * pick(c, 0.2, 1),
				 b = c->arm * pick(c, 0.2, 1);
	wall_add(c, trial, c->x - a * ux, c->y - a * uy, c->x + b * ux, c->y + b * uy);
	stubs_add(c, trial, heading);
}

/* The wall goes on beyond the place by little, or ends before it. */
static void
near_end_add(struct cluster *c, struct trial *trial)
{
	const double heading = any_heading(c), ux = cos(heading), uy = sin(heading), a = c->arm * pick(c, 0.2, 1);
	const double b = one_in(c, 3) ? -c->unit * pick(c, 0, 70) : little(c);
	wall_add(c, trial, c->x - a * ux, c->y - a * uy, c->x + b * ux, c->y + b * uy);
	stubs_add(c, trial, heading);
	if (one_in(c, 3)) /* and goes on from there as another wall */
		ray_add(c, trial, c->x + b * ux + off(c), c->y + b * uy + off(c), heading + pick(c, -1, 1));
}

static void
crossing_add(struct cluster *c, struct trial *trial)
{
	const int count = 2 + (int)random_below(&c->random, 4);
	for (int i = 0; i < count; i++) {
		const double heading = any_heading(c), ux = cos(heading), uy = sin(heading), a = c->arm * pick(c, 0.2, 1);
		const double b = one_in(c, 3) ? c->arm * pick(c, 0.2, 1) : little(c), dx = off(c), dy = off(c);
		wall_add(c, trial, c->x - a * ux + dx, c->y - a * uy + dy, c->x + b * ux + dx, c->y + b * uy + dy);
	}
}

/* Walls along each other, little apart, each of which ends somewhere. */
static void
layers_add(struct cluster *c, struct trial *trial)
{
	const double heading = any_heading(c), ux = cos(heading), uy = sin(heading);
	const int count = 2 + (int)random_below(&c->random, 4);
	for (int i = 0; i < count; i++) {
		const double h = one_in(c, 3) ? off(c) : (one_in(c, 2) ? 1 : -1) * little(c), bend = one_in(c, 2) ? 0 : little(c);
		const double a = one_in(c, 2) ? c->arm * pick(c, 0.2, 1) : little(c), b = one_in(c, 2) ? c->arm : little(c);
		wall_add(c, trial, c->x - a * ux - h * uy, c->y - a * uy + h * ux, c->x + b * ux - (h + bend) * uy,
		         c->y + b * uy + (h + bend) * ux);
	}
	if (one_in(c, 2))
		stubs_add(c, trial, heading);
}

static void
cluster_begin(struct cluster *c, uint64_t index)
{
	static const double offsets[] = { 0, 1, 1e3, 1e6, 1e9 };
	static const int ulps[] = { 0, 1, 2, 4, 8, 16, 17, 40, 70 };
	*c = (struct cluster){ .random = (seed << 32) + index };
	c->kind = (enum kind)random_below(&c->random, KINDS);
	c->motion = one_in(c, 4) ? one_in(c, 2) ? TOGETHER : COMING : STILL;
	const double offset = offsets[random_below(&c->random, 5)];
	c->arm = one_in(c, 3) ? 3 : pick_log(&c->random, 0.1, c->motion == COMING ? 1e4 : 30);
	c->x = (one_in(c, 2) ? 3 : pick(c, -4, 4)) + offset;
	c->y = (one_in(c, 2) ? 3 : pick(c, -4, 4)) + offset * (one_in(c, 2) ? 1 : pick(c, -1, 1));
	c->unit = ulp_of(fmax(fabs(c->x), fabs(c->y)) + c->arm);
	c->ulps = ulps[random_below(&c->random, 9)];
	c->sided = one_in(c, 6) ? one_in(c, 2) ? 0.5 : 1 : 0;
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
	/* Where they come from another circle may wait. */
	struct scenario *scenario = &trial->scenario;
	size_t kept = 0;
	for (size_t i = 0; i < scenario->circle_count; i++)
		if (shot_clear(scenario, scenario->circles[i].x, scenario->circles[i].y, scenario->circles[i].radius))
			scenario->circles[kept++] = scenario->circles[i];
	scenario->circle_count = kept;
}

static void
walls_add(struct cluster *c, struct trial *trial)
{
	static void (*const makers[])(struct cluster *, struct trial *) = { star_add, junction_add, near_end_add, crossing_add,
		                                                                layers_add };
	makers[c->kind](c, trial);
}

/* What was a wall may have come to be a point where numbers are large. */
static void
points_drop(struct scenario *scenario)
{
	size_t kept = 0;
	for (size_t i = 0; i < scenario->segment_count; i++) {
		const struct segment_def wall = scenario->segments[i];
		if (wall.x1 != wall.x2 || wall.y1 != wall.y2)
			scenario->segments[kept++] = wall;
	}
	scenario->segment_count = kept;
}

static void
cluster_trial(uint64_t index, struct cluster *c, struct trial *trial)
{
	cluster_begin(c, index);
	trial_init(trial);
	trial->ticks = 20;
	const double size = fmax(fabs(c->x), fabs(c->y)) + c->arm;
	const bool huge = c->motion == STILL && size < 1e4 && one_in(c, 8);
	const double radius = huge ? size * pick_log(&c->random, 10, 1e4) : c->arm * pick_log(&c->random, 1e-2, 10);
	if (c->motion != COMING && one_in(c, 5)) {
		c->thick = fmin(radius, c->arm) * pick_log(&c->random, 0.01, 1);
		c->mixed = one_in(c, 3);
	}
	walls_add(c, trial);
	struct shots shots = { .x = c->x,
		                   .y = c->y,
		                   .count = 20,
		                   .from = 0,
		                   .to = 2 * JOINS_PI,
		                   .radius_low = radius / 3,
		                   .radius_high = radius,
		                   .speed_low = 0.01,
		                   .speed_high = 1000 };
	const bool gravity = c->motion == STILL && one_in(c, 4);
	if (c->motion == TOGETHER)
		motion_together(c, trial, &shots);
	else if (c->motion == COMING)
		motion_coming(c, trial, &shots);
	else
		shots_add(trial, &shots, &c->random);
	points_drop(&trial->scenario);
	if (gravity) {
		const double down = any_heading(c), pull = radius * pick_log(&c->random, 1e-4, 0.3) / (trial->dt * trial->dt);
		trial->scenario.def.gravity_x = pull * cos(down);
		trial->scenario.def.gravity_y = pull * sin(down);
	}
	trial->elastic = !gravity && c->motion == STILL;
	if (one_in(c, 4)) {
		scenario_restitution(&trial->scenario, one_in(c, 2) ? 0.5 : 0);
		trial->elastic = false;
	}
}

static void
test_clusters_of_ends(void **state)
{
	(void)state;
	struct tally total = { .name = "clusters" }, tallies[KINDS] = { 0 };
	for (uint64_t i = only < UINT64_MAX ? only : 0; i < (only < UINT64_MAX ? only + 1 : scenes); i++) {
		struct cluster c;
		struct trial trial;
		char what[120];
		cluster_trial(i, &c, &trial);
		tallies[c.kind].name = kind_names[c.kind];
		(void)snprintf(what, sizeof what, "%s, up to %d ulp, motion %d%s%s", kind_names[c.kind], c.ulps, (int)c.motion,
		               c.sided > 0 ? ", one-sided" : "", c.thick > 0 ? ", thick" : "");
		(void)trial_run(&trial, &tallies[c.kind], what, i);
		trial_finish(&trial);
	}
	for (int i = 0; i < KINDS; i++) {
		if (tallies[i].scenes > 0)
			tally_print(&tallies[i]);
		tally_add(&total, &tallies[i]);
	}
	tally_print(&total);
	/* What falls onto a point when it is moved is left out: nothing else may be refused. */
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
