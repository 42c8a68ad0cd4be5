/* Chains of links as short as a skin and shorter, down to an ulp, at every offset. They are beside nothing, and between long
 * walls; on a line, on an arc, anyhow. Joints are exact, or ends are some ulp off; thick and one-sided links are among them.
 * What touches such a chain is stopped by it as by a point; or the scene is refused when it is made, with a reason.
 *
 * -scenes N (default 1,000), -seed S (1), -scene I: one of them. */
#include "physics/joins/shots.h"

#include <math.h>
#include <stdio.h>

static uint64_t seed = 1, scenes = 1000, only = UINT64_MAX;

struct chain {
	uint64_t random;
	double offset, x, y, link, unit, arm;
	int ulps;            /* that an end is off at most */
	double sided, thick; /* the part of the links that is one-sided */
};

static double
pick(struct chain *c, double low, double high)
{
	return random_between(&c->random, low, high);
}

static bool
one_in(struct chain *c, uint64_t count)
{
	return random_below(&c->random, count) == 0;
}

static void
wall_add(struct chain *c, struct trial *trial, double x1, double y1, double x2, double y2)
{
	const bool turned = one_in(c, 2);
	for (int i = 0; c->ulps > 0 && i < 2; i++) {
		double *x = i ? &x2 : &x1, *y = i ? &y2 : &y1;
		*x += c->unit * ((double)random_below(&c->random, 2 * (uint64_t)c->ulps + 1) - c->ulps);
		*y += c->unit * ((double)random_below(&c->random, 2 * (uint64_t)c->ulps + 1) - c->ulps);
	}
	if (x1 == x2 && y1 == y2)
		return;
	struct segment_def *wall = turned ? scenario_segment(&trial->scenario, x2, y2, x1, y1)
	                                  : scenario_segment(&trial->scenario, x1, y1, x2, y2);
	wall->one_sided = pick(c, 0, 1) < c->sided;
	wall->radius = c->thick;
}

static void
links_add(struct chain *c, struct trial *trial)
{
	const int count = 2 + (int)random_below(&c->random, one_in(c, 3) ? 60 : 6);
	const double bend = one_in(c, 3) ? 0 : one_in(c, 2) ? pick(c, 0.01, 0.5) : JOINS_PI;
	double heading = one_in(c, 3) ? 0 : pick(c, 0, 2 * JOINS_PI), x = c->x, y = c->y;
	if (one_in(c, 3))
		wall_add(c, trial, x - c->arm * cos(heading), y - c->arm * sin(heading), x, y);
	for (int i = 0; i < count; i++) {
		const double length = c->link * pick(c, 0.3, 3), nx = x + length * cos(heading), ny = y + length * sin(heading);
		wall_add(c, trial, x, y, nx, ny);
		x = nx;
		y = ny;
		heading += pick(c, -bend, bend);
	}
	if (one_in(c, 3))
		wall_add(c, trial, x, y, x + c->arm * cos(heading), y + c->arm * sin(heading));
	if (trial->scenario.segment_count == 0)
		(void)scenario_segment(&trial->scenario, c->x, c->y, c->x + c->arm, c->y);
}

static void
chain_trial(uint64_t index, struct chain *c, struct trial *trial)
{
	static const double offsets[] = { 0, 1, 1e3, 1e6, 1e9 };
	*c = (struct chain){ .random = (seed << 32) + index, .arm = 3 };
	trial_init(trial);
	trial->ticks = 24;
	c->offset = offsets[random_below(&c->random, 5)];
	c->x = c->offset + (one_in(c, 2) ? 0 : pick(c, -1, 1));
	c->y = c->offset * (one_in(c, 2) ? 1 : pick(c, -1, 1)) + (one_in(c, 2) ? 0 : pick(c, -1, 1));
	c->unit = ulp_of(fmax(fabs(c->x), fabs(c->y)));
	c->unit = fmax(c->unit, 0x1p-60);
	c->link = c->unit * pick_log(&c->random, 1, 1e3);
	c->ulps = one_in(c, 3) ? 1 + (int)random_below(&c->random, 16) : 0;
	c->sided = one_in(c, 3) ? one_in(c, 3) ? 1 : pick(c, 0, 1) : 0;
	c->thick = one_in(c, 6) ? pick_log(&c->random, 1e-3, 1) : 0;
	links_add(c, trial);
	const double radius = pick_log(&c->random, 1e-2, 10);
	const struct shots shots = { .x = c->x,
		                         .y = c->y,
		                         .count = 12,
		                         .from = 0,
		                         .to = 2 * JOINS_PI,
		                         .radius_low = radius / 3,
		                         .radius_high = radius,
		                         .speed_low = 0.01,
		                         .speed_high = 1000 };
	shots_add(trial, &shots, &c->random);
	trial->elastic = !one_in(c, 3);
	if (!trial->elastic) {
		const double pull = radius * pick_log(&c->random, 1e-4, 0.3) / (trial->dt * trial->dt);
		trial->scenario.def.gravity_y = -pull;
		scenario_restitution(&trial->scenario, one_in(c, 3) ? 1 : one_in(c, 2) ? 0.5 : 0);
	}
}

static void
test_chains_of_short_links(void **state)
{
	(void)state;
	struct tally total = { .name = "chains" }, tallies[5] = {
		{ .name = "chains at 0" }, { .name = "at 1" }, { .name = "at 1e3" }, { .name = "at 1e6" }, { .name = "at 1e9" },
	};
	for (uint64_t i = only < UINT64_MAX ? only : 0; i < (only < UINT64_MAX ? only + 1 : scenes); i++) {
		struct chain c;
		struct trial trial;
		char what[120];
		chain_trial(i, &c, &trial);
		(void)snprintf(what, sizeof what, "chain of links of %.3g ulp at %g, ends off by %d%s%s", c.link / c.unit, c.offset,
		               c.ulps, c.sided > 0 ? ", one-sided" : "", c.thick > 0 ? ", thick" : "");
		(void)trial_run(&trial, &tallies[c.offset < 1 ? 0 : (int)(log10(c.offset) / 3 + 1.5)], what, i);
		trial_finish(&trial);
	}
	for (int i = 0; i < 5; i++) {
		tally_print(&tallies[i]);
		tally_add(&total, &tallies[i]);
	}
	tally_print(&total);
	tally_judge(&total);
}

/* Two links of five skins each, on which a ball falls that was through them by tick 23. */
static void
test_two_short_links_stop_what_falls_on_them(void **state)
{
	(void)state;
	struct tally tally = { .name = "two links" };
	for (int scale = 0; scale < 8; scale++) {
		struct trial trial;
		trial_init(&trial);
		trial.dt = 1.0 / 60;
		trial.ticks = 60;
		/* As it was found, and with links that are some times as long. */
		const double far = scale == 0 ? 1 : 0.3 * scale, x1 = 999.99999999999557 - 1000, y1 = 1000.0000000000018 - 1000,
					 x2 = 1000.0000000000008 - 1000, y2 = 1000.0000000000028 - 1000;
		(void)scenario_segment(&trial.scenario, 1000, 1000, 1000 + far * x1, 1000 + far * y1);
		(void)scenario_segment(&trial.scenario, 1000 + far * x1, 1000 + far * y1, 1000 + far * x2, 1000 + far * y2);
		(void)scenario_circle(&trial.scenario, 999.98900182259422, 1001, 0, 0, 0.5);
		trial.scenario.def.gravity_y = -10;
		(void)trial_run(&trial, &tally, "two links", (uint64_t)scale);
		trial_finish(&trial);
	}
	tally_print(&tally);
	tally_judge(&tally);
}

int
main(int argc, char **argv)
{
	trial_shown_max = argument_read(argc, argv, "-show", trial_shown_max);
	seed = argument_read(argc, argv, "-seed", seed);
	scenes = argument_read(argc, argv, "-scenes", scenes);
	only = argument_read(argc, argv, "-scene", only);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_short_links_stop_what_falls_on_them),
		cmocka_unit_test(test_chains_of_short_links),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
