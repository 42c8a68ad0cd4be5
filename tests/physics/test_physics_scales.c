/* gravity_scale: the acceleration of a circle is its scale times gravity, wherever the engine asks for gravity. */
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/soup.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>

static const double dt = 1.0 / 60;

/* Powers of two, and their negatives with gravity turned around, round nothing: gravity / s with scale s is gravity, to the
 * last bit, whatever the engine does with either. */
static void
soup_hashes(uint64_t seed, double scale, size_t ticks, uint64_t *hashes)
{
	struct soup soup;
	struct world *world;
	struct def_problem problem;
	soup_make(&soup, seed, seed % 2 == 0);
	/* Counted work is not the same: a path with another scale counts as a curve beside those that fall with gravity. */
	soup.scenario.def.work_per_tick_max = PHYSICS_WORK_PER_TICK_MOST;
	soup.scenario.def.gravity_x /= scale;
	soup.scenario.def.gravity_y /= scale;
	for (size_t k = 0; k < soup.scenario.circle_count; k++)
		soup.scenario.circles[k].gravity_scale *= scale;
	assert_int_equal(world_create(scenario_def(&soup.scenario), &problem, &world), STATUS_OK);
	for (size_t k = 0; k < ticks; k++) {
		struct tick_report report = { 0 };
		if (world_step(world, soup.dt, &report) != STATUS_OK) {
			hashes[k] = 1;
			break;
		}
		hashes[k] = world_hash(world);
	}
	world_destroy(world);
	soup_finish(&soup);
}

static void
test_scale_is_a_factor_of_gravity_everywhere(void **state)
{
	(void)state;
	enum { TICKS = 40 };
	static const double scales[] = { -1, 4, -0.125 };
	for (uint64_t seed = 1; seed <= effort(12, 60); seed++) {
		uint64_t plain[TICKS] = { 0 }, scaled[TICKS] = { 0 };
		soup_hashes(seed, 1, TICKS, plain);
		soup_hashes(seed, scales[seed % 3], TICKS, scaled);
		for (int k = 0; k < TICKS; k++)
			if (plain[k] != scaled[k])
				fail_msg("soup %llu at scale %g: tick %d differs", (unsigned long long)seed, scales[seed % 3], k + 1);
	}
}

/* Scale 0 for all is a world without gravity. */
static void
test_scale_0_is_no_gravity(void **state)
{
	(void)state;
	uint64_t hashes[2];
	for (int weightless = 0; weightless < 2; weightless++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scene_mixed(&scenario, 25, 5, 17);
		for (size_t k = 0; k < scenario.circle_count; k++) {
			scenario.circles[k].restitution = 0.3 + 0.02 * (double)k;
			scenario.circles[k].gravity_scale = weightless ? 0 : 1;
		}
		scenario.def.gravity_x = weightless ? 3 : 0;
		scenario.def.gravity_y = weightless ? 10 : 0;
		run_start(&run, &scenario);
		run_ticks(&run, dt, 200);
		hashes[weightless] = world_hash(run.world);
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_true(hashes[0] == hashes[1]);
}

/* One over the other, pulled differently: the gap is D + w t + (s - u) g t^2 / 2, a quadratic. */
static void
test_time_of_two_that_fall_differently(void **state)
{
	(void)state;
	uint64_t random = 5;
	for (int k = 0; k < 300; k++) {
		const double s = random_between(&random, -3, 3), u = s + random_between(&random, 0.01, 4);
		const double g = random_between(&random, 1, 20), apart = random_between(&random, 0.1, 3);
		const double w = random_between(&random, -2, 2), r = 0.5;
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.gravity_y = -g;
		/* The upper one is pulled down more. */
		scenario_circle(&scenario, 0, 0, 0, 1, r)->gravity_scale = s;
		scenario_circle(&scenario, 0, 2 * r + apart, 0, 1 + w, r)->gravity_scale = u;
		run_start(&run, &scenario);
		run_ticks(&run, 10, 1);
		const double skin = pair_skin(2 * r + apart, r), gap = apart - skin, a = (u - s) * g;
		const double t = (w + sqrt(w * w + 2 * a * gap)) / a;
		if (t < 10) {
			assert_true(run.contact_count > 0);
			/* The skin is that of the coordinates at the event: up to 2^-46 of them. */
			const double far = fabs(t) * (1 + fabs(w) + 3 * g * t) + 4;
			assert_double_near(run.contacts[0].contact.time, t, 0x1p-44 * far / sqrt(w * w + 2 * a * gap) + 1e-15);
			assert_double_near(run.contacts[0].contact.approach_speed, sqrt(w * w + 2 * a * gap), 1e-9);
		}
		run_abandon(&run);
		scenario_finish(&scenario);
	}
}

/* Two parabolas in the plane, against the first time at which long doubles see them touch, in steps and halvings. */
static double
first_touch(const struct scenario *scenario, double reach, double until)
{
	const struct circle_def *a = &scenario->circles[0], *b = &scenario->circles[1];
	const struct world_def *def = &scenario->def;
	const long double x = a->x - b->x, y = a->y - b->y, vx = a->vx - b->vx, vy = a->vy - b->vy,
					  s = a->gravity_scale - b->gravity_scale;
	const long double qx = s * def->gravity_x, qy = s * def->gravity_y;
	long double before = 0;
	for (int k = 1; k <= 100000; k++) {
		long double t = until * (long double)k / 100000, low = before, high = t;
		const long double dx = x + t * (vx + t * qx / 2), dy = y + t * (vy + t * qy / 2);
		before = t;
		if (dx * dx + dy * dy > (long double)reach * reach)
			continue;
		for (int halving = 0; halving < 70; halving++) {
			const long double m = (low + high) / 2, mx = x + m * (vx + m * qx / 2), my = y + m * (vy + m * qy / 2);
			if (mx * mx + my * my > (long double)reach * reach)
				low = m;
			else
				high = m;
		}
		return (double)high;
	}
	return -1;
}

static void
test_parabolas_of_two_scales_meet_in_the_plane(void **state)
{
	(void)state;
	uint64_t random = 9;
	int met = 0;
	for (int k = 0; k < (int)effort(40, 300); k++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.gravity_x = random_between(&random, -3, 3);
		scenario.def.gravity_y = -10;
		for (int i = 0; i < 2; i++) {
			struct circle_def *ball = scenario_circle(&scenario, 4 * i, random_between(&random, -2, 2),
			                                          random_between(&random, 0, 4) * (1 - 2 * i),
			                                          random_between(&random, -3, 3), random_between(&random, 0.3, 1));
			ball->gravity_scale = random_between(&random, -1.5, 1.5);
		}
		const double radii = scenario.circles[0].radius + scenario.circles[1].radius;
		run_start(&run, &scenario);
		run_ticks(&run, 2, 1);
		/* The skin is at least 1e-9 of the smaller radius, and no coordinate here makes it more. */
		const double reach = radii + 1e-9 * fmin(scenario.circles[0].radius, scenario.circles[1].radius);
		const double t = first_touch(&scenario, reach, 2);
		if (t < 0) {
			/* Both may disagree about a graze that the steps pass over. */
			if (run.contact_count > 0)
				assert_at_most(run.contacts[0].contact.approach_speed, 0.01);
		} else {
			met++;
			assert_true(run.contact_count > 0);
			assert_double_near(run.contacts[0].contact.time, t,
			                   1e-12 / fmax(run.contacts[0].contact.approach_speed, 1e-3) + 1e-13);
		}
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_true(met > (int)effort(6, 50));
}

/* A path under scaled gravity is the parabola, at every tick's end. */
static void
test_free_fall_at_every_scale(void **state)
{
	(void)state;
	static const double scales[] = { 1, 0, -1, 0.5, -2.25, 1e6 };
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_x = 0.5;
	scenario.def.gravity_y = -10;
	for (int k = 0; k < 6; k++)
		scenario_circle(&scenario, 1e3 * k, 0, 0, 1, 0.5)->gravity_scale = scales[k];
	run_start(&run, &scenario);
	run_ticks(&run, dt, 120);
	for (uint32_t k = 0; k < 6; k++) {
		const struct body_state ball = run_body(&run, k);
		const double s = scales[k], t = 2;
		assert_double_near(ball.vy, 1 - 10 * s * t, 1e-12 * (1 + fabs(s) * 20));
		assert_double_near(ball.y, t - 5 * s * t * t, 1e-11 * (1 + fabs(s) * 20));
		assert_double_near(ball.x, 1e3 * k + 0.25 * s * t * t, 1e-11 * (1e3 * k + 1 + fabs(s)));
	}
	/* That of scale 0 goes straight, to the bit. */
	assert_same(run_body(&run, 1).vy, 1);
	assert_same(run_body(&run, 1).vx, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A balloon rises to the ceiling and rests there, smooth as rough, alone as in a crowd; asleep if it may. */
static void
test_balloons_rest_under_a_ceiling(void **state)
{
	(void)state;
	for (int k = 0; k < 8; k++) {
		const bool rough = k % 2, crowd = k / 2 % 2, sleeps = k / 4;
		const int count = crowd ? 14 : 1;
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario.def.sleep_after = sleeps ? 0.5 : 0;
		scenario_box(&scenario, -4, -4, 4, 4);
		for (int i = 0; i < count; i++)
			scenario_circle(&scenario, -3 + 1.05 * (i % 6), 1 - 1.05 * (i / 6), 0, 0, 0.5)->gravity_scale = -0.5;
		for (size_t i = 0; i < scenario.circle_count; i++)
			scenario.circles[i].friction = rough ? 0.5 : 0;
		for (size_t i = 0; i < scenario.segment_count; i++)
			scenario.segments[i].friction = rough ? 0.5 : 0;
		scenario_restitution(&scenario, 0);
		run_start(&run, &scenario);
		run_ticks(&run, dt, 900);
		double highest = -9;
		for (uint32_t i = 0; i < (uint32_t)count; i++) {
			highest = fmax(highest, run_body(&run, i).y);
			assert_true(run_body(&run, i).y > 1.2);
			assert_at_most(hypot(run_body(&run, i).vx, run_body(&run, i).vy), 0.05);
		}
		assert_double_near(highest, 3.5, 0.011);
		if (sleeps && (rough || crowd))
			assert_true(run.report.asleep == (uint64_t)count);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Among those that fall one floats: it stays to the bit until something touches it, and is then an obstacle like any other. */
static void
test_floater_in_a_pile(void **state)
{
	(void)state;
	for (int rough = 0; rough < 2; rough++) {
		for (int bouncy = 0; bouncy < 2; bouncy++) {
			struct scenario scenario;
			struct run run;
			scenario_init(&scenario);
			scene_pile(&scenario, 40, 6, rough ? 0.4 : 0, 0.7, 5);
			for (size_t i = 0; i < scenario.circle_count; i += 4)
				scenario.circles[i].gravity_scale = i % 8 ? -0.25 : 0;
			if (bouncy)
				scenario_restitution(&scenario, 0.4);
			struct circle_def *alone = scenario_circle(&scenario, 100, 5, 0, 0, 0.5);
			alone->gravity_scale = 0;
			const uint32_t id = alone->id;
			run_start(&run, &scenario);
			run_ticks(&run, dt, 300);
			assert_same(run_body(&run, id).y, 5);
			assert_same(run_body(&run, id).vy, 0);
			run_finish(&run);
			scenario_finish(&scenario);
		}
	}
}

/* One that falls upwards and one that falls down are pressed together by gravity, and hold each other in the air if they weigh
 * the same. */
static void
test_opposite_weights_hold_each_other(void **state)
{
	(void)state;
	for (int rough = 0; rough < 2; rough++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario_circle(&scenario, 0, 1, 0, 0, 0.5);
		scenario_circle(&scenario, 0, -1, 0, 0, 0.5)->gravity_scale = -1;
		scenario.circles[0].friction = scenario.circles[1].friction = rough ? 0.5 : 0;
		scenario_restitution(&scenario, 0.5);
		run_start(&run, &scenario);
		run_ticks(&run, dt, 600);
		assert_double_near(run_body(&run, 0).vy, 0, 1e-9);
		assert_double_near(run_body(&run, 0).y - run_body(&run, 1).y, 1, 0.011);
		assert_double_near(run_body(&run, 0).y + run_body(&run, 1).y, 0, 1e-9);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* At restitution 1 nothing is lost, however it is pulled. */
static void
test_elastic_balloon_keeps_its_energy(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_box(&scenario, -5, -5, 5, 5);
	for (int k = 0; k < 6; k++)
		scenario_circle(&scenario, -4 + 1.5 * k, 0.1 * k, 1 - 0.3 * k, 0, 0.5)->gravity_scale = k - 2.5;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 1);
	const double before = run.report.energy.kinetic_before + run.report.energy.potential_before;
	run_ticks(&run, dt, 3600);
	assert_double_near(run.report.energy.kinetic_after + run.report.energy.potential_after, before, 1e-9 * fabs(before) + 1e-9);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_free_fall_at_every_scale),
		cmocka_unit_test(test_scale_is_a_factor_of_gravity_everywhere),
		cmocka_unit_test(test_scale_0_is_no_gravity),
		cmocka_unit_test(test_time_of_two_that_fall_differently),
		cmocka_unit_test(test_parabolas_of_two_scales_meet_in_the_plane),
		long_case(test_balloons_rest_under_a_ceiling),
		long_case(test_floater_in_a_pile),
		cmocka_unit_test(test_opposite_weights_hold_each_other),
		cmocka_unit_test(test_elastic_balloon_keeps_its_energy),
	};
	return cmocka_run_group_tests_name("physics/scales", tests, NULL, NULL);
}
