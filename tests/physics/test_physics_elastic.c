/* Restitution 1 under gravity: what lies on a floor approaches it by rounding, or by less than a hop that could be followed,
 * and is struck by others meanwhile. No blow may lose energy to that rest. Rows along a floor move as in one dimension: the
 * textbook's two-body formula. */
#include "physics/scenario.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>

static const double pi = 3.14159265358979323846, dt = 1.0 / 60;

/* A disc of radius .5 on a slope through the origin, `along` it; `in` is how fast it goes into the slope. */
static struct circle_def *
slope_disc(struct scenario *scenario, double slope, double along, double speed, double in)
{
	const double c = cos(slope), s = sin(slope), off = 0.5 + 1e-10; /* within a skin */
	const double vx = speed * c + in * s, vy = speed * s - in * c;
	return scenario_circle(scenario, along * c - off * s, along * s + off * c, vx, vy, 0.5);
}

static void
slope_build(struct scenario *scenario, double slope)
{
	const double x = 1000 * cos(slope), y = 1000 * sin(slope);
	scenario_init(scenario);
	scenario->def.gravity_y = -1;
	scenario_segment(scenario, -x, -y, x, y);
}

/* Slower than what is followed of hops: dt / 2^15 of gravity, 5e-7. */
static double
approach_small(uint64_t *random)
{
	return random_below(random, 4) ? pow(10, random_between(random, -17, -7)) : 0;
}

static void
test_two_on_a_slope_meet_head_on(void **state)
{
	(void)state;
	uint64_t random = 31;
	for (int round = 0; round < (int)effort(100, 400); round++) {
		const double slope = round % 4 ? random_between(&random, -1, 1) : 0, meet = random_between(&random, 0.5, 4);
		const double masses[2] = { 1, pow(10, random_between(&random, -3, 3)) };
		struct scenario scenario;
		struct run run;
		slope_build(&scenario, slope);
		(void)slope_disc(&scenario, slope, 0, meet, approach_small(&random));
		slope_disc(&scenario, slope, 1 + 1e-10, -meet, approach_small(&random))->mass = masses[1];
		scenario_restitution(&scenario, 1);
		run_start(&run, &scenario);
		const double before = run_energy(&run, &scenario);
		run_ticks(&run, dt, 1);
		const double kinetic = 0.5 * (masses[0] + masses[1]) * meet * meet;
		assert_double_near(run_energy(&run, &scenario), before, 1e-12 * (kinetic + fabs(before)));
		for (uint32_t k = 0; k < 2; k++) {
			const struct body_state disc = run_body(&run, k);
			const double away = k ? meet : -meet, other = masses[1 - k];
			const double elastic = (-away * (masses[k] - other) + 2 * other * away) / (masses[0] + masses[1]);
			const double along = disc.vx * cos(slope) + disc.vy * sin(slope);
			assert_double_near(along, elastic - sin(slope) * dt, 1e-6);
		}
		run_end(&run, &scenario);
	}
}

/* Two that lie still on a slope, in touch or up to two skins apart: nothing presses them, so both slide down as if alone. One
 * may begin some skins above the slope, and falls as far. */
static void
test_two_that_touch_slide_down_a_slope(void **state)
{
	(void)state;
	uint64_t random = 33;
	for (int round = 0; round < (int)effort(30, 400); round++) {
		const double slope = random_between(&random, 0.05, 1.4), gap = round % 4 ? random_between(&random, 0, 1e-9) : 0;
		const double above = round % 3 ? 0 : random_between(&random, 0, 2e-9), time = 30 * dt;
		struct scenario scenario;
		struct run run;
		slope_build(&scenario, slope);
		slope_disc(&scenario, slope, 0, 0, 0)->y += above;
		slope_disc(&scenario, slope, 1 + gap, 0, 0)->mass = pow(10, random_between(&random, -3, 3));
		scenario_restitution(&scenario, 1);
		run_start(&run, &scenario);
		run_ticks(&run, dt, 30);
		assert_int_equal(run.shortfall_flags & BODY_FLAG_BUDGET, 0);
		for (uint32_t k = 0; k < 2; k++) {
			const struct body_state disc = run_body(&run, k);
			const double along = disc.x * cos(slope) + disc.y * sin(slope);
			assert_double_near(along, k - 0.5 * sin(slope) * time * time, 1e-8);
		}
		run_end(&run, &scenario);
	}
}

/* Rows and what falls onto them. */
static void
crowd_build(struct scenario *scenario, uint64_t *random, double decades)
{
	const double slope = random_below(random, 2) ? random_between(random, -0.5, 0.5) : 0;
	const size_t count = 2 + random_below(random, 6);
	slope_build(scenario, slope);
	for (size_t k = 0; k < count; k++) {
		const double speed = random_below(random, 3) ? random_between(random, -10, 10) : 0;
		struct circle_def *disc = slope_disc(scenario, slope, (double)k * (1 + 1e-10), speed, approach_small(random));
		disc->mass = pow(10, random_between(random, -decades, decades));
	}
	for (size_t k = 0; k + 1 < count; k++) {
		if (random_below(random, 2))
			continue;
		/* In the notch between two, of which it touches one or both. */
		const struct circle_def *left = &scenario->circles[k];
		const double way = slope + pi / 3 + 1e-10 + (random_below(random, 2) ? 0 : 1e-3);
		const double x = left->x + (1 + 1e-10) * cos(way), y = left->y + (1 + 1e-10) * sin(way);
		struct circle_def *disc = scenario_circle(scenario, x, y, random_between(random, -10, 10),
		                                          random_between(random, -10, 2), 0.5);
		disc->mass = pow(10, random_between(random, -decades, decades));
		k++;
	}
	scenario_restitution(scenario, 1);
}

static double
crowd_size(const struct scenario *scenario)
{
	double sum = 0;
	for (size_t k = 0; k < scenario->circle_count; k++) {
		const struct circle_def *c = &scenario->circles[k];
		sum += c->mass * (0.5 * (c->vx * c->vx + c->vy * c->vy) + fabs(c->y));
	}
	return sum;
}

static void
test_crowds_on_a_floor_keep_their_energy(void **state)
{
	(void)state;
	uint64_t random = 32;
	for (int round = 0; round < (int)effort(100, 1000); round++) {
		struct scenario scenario;
		struct run run;
		crowd_build(&scenario, &random, round % 4);
		run_start(&run, &scenario);
		const double before = run_energy(&run, &scenario);
		for (int tick = 0; tick < 2; tick++) {
			run_ticks(&run, dt, 1);
			assert_double_near(run_energy(&run, &scenario), before, 1e-12 * crowd_size(&scenario));
		}
		run_end(&run, &scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_on_a_slope_meet_head_on),
		cmocka_unit_test(test_two_that_touch_slide_down_a_slope),
		cmocka_unit_test(test_crowds_on_a_floor_keep_their_energy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
