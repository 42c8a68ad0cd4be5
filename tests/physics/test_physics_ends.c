/* Balls that roll off the end of a wall, in ticks from a thousandth of a second to ten. Gravity's work is all they may win, at
 * restitution 1 they win all of it, and a ball leaves a point where the textbook says. */
#include "physics/scenario.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>

#define SCENES effort(100, 400)
/* Those of two balls may hop thousands of times in a tick. */
#define PAIRS effort(10, 40)
/* Of gravity's work: what a velocity square to the normal is off by, a few skins of a radius. */
#define WORK_PART 4e-9

/* A ball of radius 1 that touches the upper end of a wall at the origin, and goes around it. */
static void
scene_make(struct scenario *s, uint64_t *random, double restitution)
{
	const double angle = random_between(random, -60, 60) * DEGREE, speed = random_between(random, -3, 3);
	const double c = cos(angle), d = sin(angle), away = 1 + 0.5e-9;

	scenario_init(s);
	s->def.gravity_y = -10;
	scenario_segment(s, 0, 0, random_between(random, -0.2, 0.2), -5);
	scenario_circle(s, away * d, away * c, speed * c, -speed * d, 1);
	scenario_restitution(s, restitution);
}

/* Nothing but gravity gives energy; `kept`: nothing takes any. */
static void
rolls_check(double restitution, bool kept)
{
	static const double ticks[] = { 0.001, 1.0 / 60, 1.0 / 7, 1, 10 };
	size_t held = 0, short_of = 0;

	for (uint64_t seed = 1; seed <= SCENES; seed++) {
		uint64_t random = seed;
		const double dt = ticks[seed % 5];
		struct scenario scenario;
		struct run run;

		scene_make(&scenario, &random, restitution);
		run_start(&run, &scenario);
		for (int tick = 0; tick < 8; tick++) {
			const double before = run_energy(&run, &scenario), x = run_body(&run, 0).x, y = run_body(&run, 0).y;
			const size_t changes = run.change_count;

			run_ticks(&run, dt, 1);

			const double gain = run_energy(&run, &scenario) - before;
			const double way = hypot(run_body(&run, 0).x - x, run_body(&run, 0).y - y) + 1;

			/* What is over the point at a tick's end has yet to fall to it, and to lose that. */
			const double above = kept ? 0 : 10 * fmax(hypot(run_body(&run, 0).x, run_body(&run, 0).y) - 1, 0);

			if (gain > WORK_PART * 10 * way + fmin(above, 1e-5) || (kept && gain < -WORK_PART * 10 * way))
				fail_msg("seed %llu, tick %d of %g s: %g of energy come in", (unsigned long long)seed, tick, dt, gain);
			held += run.change_count > changes && run.changes[changes].change.kind == PATH_SUPPORTED;
		}
		short_of += run.shortfall_count > 0;
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_true(held > SCENES / 4);
	/* Hops of less than 1/10,000 of a tick may use up its events. */
	assert_true(short_of < SCENES / 50);
}

static void
test_ball_rolls_off_an_end_and_keeps_its_energy(void **state)
{
	(void)state;
	rolls_check(1, true);
}

static void
test_dull_ball_rolls_off_an_end_and_wins_nothing(void **state)
{
	(void)state;
	rolls_check(0, false);
}

/* A ball goes off the end of a slope, and another one follows it in touch: all that they win is gravity's work. */
static void
test_ball_that_another_follows_off_an_end_keeps_its_energy(void **state)
{
	size_t off = 0;
	(void)state;

	for (uint64_t seed = 1; seed <= PAIRS; seed++) {
		uint64_t random = seed;
		const double angle = random_between(&random, -30, 30) * DEGREE, speed = random_between(&random, 1, 3);
		const double c = cos(angle), d = sin(angle), along = -random_between(&random, 0, 1), above = 1 + 0.5e-9;
		const double mass = pow(10, random_between(&random, -3, 3));
		struct scenario scenario;
		struct run run;

		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario_segment(&scenario, -20 * c, -20 * d, 0, 0);
		for (int k = 0; k < 2; k++) {
			const double at = along - k * (2 + 0.5e-9);

			scenario_circle(&scenario, at * c - above * d, at * d + above * c, speed * c, speed * d, 1)->mass = k ? mass : 1;
		}
		scenario_restitution(&scenario, 1);
		run_start(&run, &scenario);
		for (int tick = 0; tick < 40; tick++) {
			const double before = run_energy(&run, &scenario), x = run_body(&run, 0).x, y = run_body(&run, 0).y;

			run_ticks(&run, 1.0 / 60, 1);

			const double gain = run_energy(&run, &scenario) - before;
			const double way = hypot(run_body(&run, 0).x - x, run_body(&run, 0).y - y) + 1;

			if (fabs(gain) > WORK_PART * 10 * way * (1 + mass))
				fail_msg("seed %llu, tick %d: %g of energy come in", (unsigned long long)seed, tick, gain);
		}
		off += run_body(&run, 0).x * c + run_body(&run, 0).y * d > 0.1;
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_true(off > PAIRS / 4);
}

/* Far out, where a skin is much: what an end holds wins back no more than the skin that it had lost. */
static void
test_ball_on_an_end_wins_back_its_skin_only(void **state)
{
	size_t rose = 0;
	(void)state;

	for (uint64_t seed = 1; seed <= SCENES; seed++) {
		uint64_t random = seed;
		const double at = 0x1p29, skin = ldexp(at, -46), used = random_between(&random, 0.5, 1) * skin;
		const double angle = random_between(&random, -40, 40) * DEGREE, speed = random_between(&random, -1, 1);
		const double c = cos(angle), d = sin(angle), away = 1 + skin - used;
		struct scenario scenario;
		struct run run;

		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario_segment(&scenario, at, 0, at, -5);
		scenario_circle(&scenario, at + away * d, away * c, speed * c, -speed * d, 1);
		scenario_restitution(&scenario, 0);
		run_start(&run, &scenario);

		const double before = run_energy(&run, &scenario);

		run_ticks(&run, 1.0 / 60, 1);

		/* Beside that the place is rounded, and a path around a point may be as far above it as what it falls in the time. */
		const double gain = run_energy(&run, &scenario) - before;

		assert_at_most(gain, 10 * (used + 2 * ldexp(at, -52)));
		rose += gain > 0.1 * used;
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_true(rose > SCENES / 10);
}

/* From rest on the top of a point it leaves at a third of the radius below, at v^2 = 2 g R / 3 and an angle of cosine 2/3. Then
 * nothing changes its speed along the horizon. */
static void
test_ball_leaves_a_point_at_a_third_of_its_radius(void **state)
{
	static const struct {
		double dt, tolerance;
		uint64_t ticks;
	} cases[] = { { 0.001, 0.001, 3000 }, { 1.0 / 60, 0.01, 200 }, { 1.0 / 8, 0.03, 30 }, { 1, 0.03, 8 }, { 10, 0.03, 1 } };
	(void)state;

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct scenario scenario;
		struct run run;

		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario_segment(&scenario, 0, 0, 0, -5);
		scenario_circle(&scenario, 0.001, 0.9999995, 0, 0, 1);
		scenario_restitution(&scenario, 0);
		run_start(&run, &scenario);
		run_ticks(&run, cases[k].dt, cases[k].ticks);
		assert_at_most(fabs(run_body(&run, 0).vx - sqrt(20.0 / 3) * 2 / 3), cases[k].tolerance * sqrt(20.0 / 3) * 2 / 3);
		run_end(&run, &scenario);
	}
}

/* The same on a circle, where a path may win what holds it for a way of 2^-12 of the radii, but no more. */
static void
test_ball_rolls_off_a_circle_in_a_long_tick(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SCENES; seed++) {
		uint64_t random = seed;
		struct scenario scenario;
		struct run run;
		const double angle = random_between(&random, -60, 60) * DEGREE, speed = random_between(&random, -3, 3);
		const double c = cos(angle), d = sin(angle), away = 1 + 0.5e-9;

		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario_circle(&scenario, 0, 0, 0, 0, 0.5)->kind = BODY_STATIC;
		scenario_circle(&scenario, away * d, away * c, speed * c, -speed * d, 0.5);
		scenario_restitution(&scenario, seed % 2 ? 0 : 1);
		run_start(&run, &scenario);

		const double before = run_energy(&run, &scenario);

		run_ticks(&run, seed % 3 ? 10 : 1, 1);
		assert_at_most(run_energy(&run, &scenario) - before, 10.0 / 4096 * 4);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ball_rolls_off_an_end_and_keeps_its_energy),
		cmocka_unit_test(test_ball_that_another_follows_off_an_end_keeps_its_energy),
		cmocka_unit_test(test_ball_on_an_end_wins_back_its_skin_only),
		cmocka_unit_test(test_dull_ball_rolls_off_an_end_and_wins_nothing),
		cmocka_unit_test(test_ball_leaves_a_point_at_a_third_of_its_radius),
		cmocka_unit_test(test_ball_rolls_off_a_circle_in_a_long_tick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
