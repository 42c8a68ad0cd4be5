/* Elastic contacts that take energy, or give it, while momentum and paths are as they should be. */
#include "certificate/made_tick.h"

#include "support/assert_double.h"

#include <math.h>

/* Circle 10 at speed 10 hits circle 20 of another mass; they part at `restitution` times the speed, along x. */
static void
made_hit(struct made_tick *made, double mass, double restitution, double wind)
{
	const double hit = 0.3, impulse = (1 + restitution) * 10 / (1 + 1 / mass), a = 10 - impulse, b = impulse / mass;

	made_init(made);
	made_circle(made, -3, 0, 10 + wind, 0, 1);
	made_circle(made, 2 + 1e-9, 0, wind, 0, 1)->mass = mass;
	made_end(made, 0, wind + a * (1 - hit), 0, wind + a, 0);
	made_end(made, 1, 2 + 1e-9 + wind + b * (1 - hit), 0, wind + b, 0);
	made->contacts[0] = (struct certificate_contact){ .time = hit,
		                                              .a = 10,
		                                              .b = 20,
		                                              .point = { 1 + hit * wind, 0 },
		                                              .normal = { -1, 0 },
		                                              .approach_speed = 10,
		                                              .impulse = impulse,
		                                              .a_before = { 10 + wind, 0 },
		                                              .b_before = { wind, 0 },
		                                              .a_after = { wind + a, 0 },
		                                              .b_after = { wind + b, 0 } };
	made->contact_count = 1;
}

/* Whether that is all that is wrong with it, once. */
static void
assert_fault(struct made_tick *made, double part)
{
	struct certificate_report report = made_report(made);

	assert_int_equal(report.jumps + report.escapes + report.overlaps, 0);
	assert_int_equal(report.energy_faults, 1);
	assert_double_near(report.largest_energy_fault, part, 1e-3 * part);
	assert_non_null(strstr(report.first_problem, "elastic contacts"));
}

static void
test_a_hit_that_takes_or_gives_is_noticed(void **state)
{
	static const double masses[] = { 1e-9, 0.1, 1, 3, 1e9 };

	(void)state;
	for (size_t i = 0; i < sizeof masses / sizeof masses[0]; i++) {
		struct made_tick made;

		made_hit(&made, masses[i], 1, 0);
		made_assert_clean(&made);
		made_hit(&made, masses[i], 0.5, 0);
		assert_fault(&made, 0.75);
		made_hit(&made, masses[i], 0, 0);
		assert_fault(&made, 1);
		made_hit(&made, masses[i], 1.25, 0);
		assert_fault(&made, 1 - 1 / (1.25 * 1.25));
		made_hit(&made, masses[i], 1 - 1e-8, 0);
		assert_fault(&made, 2e-8);
		made_hit(&made, masses[i], 1 - 1e-13, 0);
		made_assert_clean(&made);
	}
}

/* What both have in common is no part of it, however fast. */
static void
test_energy_is_that_of_the_centre_of_mass(void **state)
{
	struct made_tick made;

	(void)state;
	made_hit(&made, 2, 1, 1024);
	made_assert_clean(&made);
	made_hit(&made, 2, 0.9, 1024);
	assert_fault(&made, 0.19);
}

static void
test_who_may_take_energy_is_not_judged(void **state)
{
	struct made_tick made;
	const struct certificate_relation dull = { .kind = CERTIFICATE_RELATION_BOUNCE, .has_elasticity = true, .elasticity = 0.5 };
	const struct certificate_relation lively = { .kind = CERTIFICATE_RELATION_BOUNCE, .has_elasticity = true, .elasticity = 1 };

	(void)state;
	made_hit(&made, 1, 0.5, 0);
	made.circles[1].restitution = 0.5;
	made_assert_clean(&made);
	made.scene.relations = &lively;
	made.scene.relation_count = 1;
	assert_fault(&made, 0.75);
	made_hit(&made, 1, 0.5, 0);
	made.scene.relations = &dull;
	made.scene.relation_count = 1;
	made_assert_clean(&made);
	made_hit(&made, 1, 0.5, 0);
	made.scene.restitution_threshold = 11;
	made_assert_clean(&made);
	made.scene.restitution_threshold = 9;
	assert_fault(&made, 0.75);
	made_hit(&made, 1, 0.5, 0);
	made.circles[0].rolling_resistance = 0.1;
	made_assert_clean(&made);
	made_hit(&made, 1, 0, 0);
	made.circles[0].response = CERTIFICATE_SLIDE;
	made_assert_clean(&made);
}

/* A ball lands so slowly that gravity brings it back within a part of the tick, and stays; a little faster it must bounce. */
static void
test_hops_may_become_rest(void **state)
{
	(void)state;
	for (int fast = 0; fast < 2; fast++) {
		struct made_tick made;
		const double speed = (fast ? 1.01 : 0.99) * 16 * 0x1p-15, fall = speed * speed / 32;

		made_init(&made);
		made.scene.gravity_y = -16;
		made_circle(&made, 0, 1 + 1e-10 + fall, 0, 0, 1);
		made_segment(&made, -9, 0, 9, 0);
		made_change(&made, speed / 16, 10, CERTIFICATE_SUPPORTED, 0, 0);
		made_end(&made, 0, 0, 1 + 1e-10, 0, 0);
		made.contacts[0] = (struct certificate_contact){ .time = speed / 16,
			                                             .a = 10,
			                                             .b = 10,
			                                             .with_segment = true,
			                                             .point = { 0, 1e-10 },
			                                             .normal = { 0, 1 },
			                                             .approach_speed = speed,
			                                             .impulse = speed,
			                                             .a_before = { 0, -speed } };
		made.contact_count = 1;
		if (fast)
			assert_fault(&made, 1);
		else
			made_assert_clean(&made);
	}
}

/* A wall that moves works; seen from it the energy is the same. */
static void
test_a_wall_that_moves(void **state)
{
	(void)state;
	for (int dull = 0; dull < 2; dull++) {
		struct made_tick made;
		const double hit = (4 - 1e-9) / 12, after = dull ? -13 : -14;

		made_init(&made);
		made_circle(&made, 0, 0, 10, 0, 1);
		made_segment(&made, 5, -9, 5, 9)->vx = -2;
		made_end(&made, 0, 10 * hit + after * (1 - hit), 0, after, 0);
		made.contacts[0] = (struct certificate_contact){ .time = hit,
			                                             .a = 10,
			                                             .b = 10,
			                                             .with_segment = true,
			                                             .point = { 10 * hit + 1, 0 },
			                                             .normal = { -1, 0 },
			                                             .approach_speed = 12,
			                                             .impulse = 10 - after,
			                                             .a_before = { 10, 0 },
			                                             .a_after = { after, 0 },
			                                             .b_before = { -2, 0 },
			                                             .b_after = { -2, 0 } };
		made.contact_count = 1;
		if (dull)
			assert_fault(&made, 1 - 121.0 / 144);
		else
			made_assert_clean(&made);
	}
}

/* Three in a row: the first hits the second, which at the same time, by then faster, hits the third. `second` is the
 * restitution of the latter. */
static void
made_row(struct made_tick *made, double second)
{
	const double hit = 0.25, v = 5 * (1 - second), w = 5 * (1 + second);

	made_init(made);
	made_circle(made, -5, 0, 10, 0, 1);
	made_circle(made, -0.5 + 1e-9, 0, 0, 0, 1);
	made_circle(made, 1.5 + 2e-9, 0, 0, 0, 1);
	made_end(made, 0, -2.5, 0, 0, 0);
	made_end(made, 1, -0.5 + 1e-9 + v * (1 - hit), 0, v, 0);
	made_end(made, 2, 1.5 + 2e-9 + w * (1 - hit), 0, w, 0);
	made->contacts[0] = (struct certificate_contact){ .time = hit,
		                                              .a = 10,
		                                              .b = 20,
		                                              .point = { -1.5, 0 },
		                                              .normal = { -1, 0 },
		                                              .approach_speed = 10,
		                                              .impulse = 10,
		                                              .a_before = { 10, 0 },
		                                              .b_after = { 10, 0 } };
	made->contacts[1] = (struct certificate_contact){ .time = hit,
		                                              .a = 20,
		                                              .b = 30,
		                                              .point = { 0.5 + 1e-9, 0 },
		                                              .normal = { -1, 0 },
		                                              .approach_speed = 10,
		                                              .impulse = w,
		                                              .a_before = { 10, 0 },
		                                              .a_after = { v, 0 },
		                                              .b_after = { w, 0 } };
	made->contact_count = 2;
}

static void
test_clusters_at_one_time_are_told_apart(void **state)
{
	struct made_tick made;

	(void)state;
	made_row(&made, 1);
	made_assert_clean(&made);
	made_row(&made, 0.5);
	assert_fault(&made, 0.75);
	/* The third may take it: then it is only the first that is judged. */
	made.circles[2].restitution = 0.5;
	made_assert_clean(&made);
	/* One cluster of both, from one velocity to another: one of its contacts takes, so none is judged. */
	made.contacts[0].b_after[0] = made.contacts[1].a_after[0];
	made.contacts[1].a_before[0] = 0;
	made_assert_clean(&made);
	/* If none may, the whole is. */
	made.circles[2].restitution = 1;
	assert_fault(&made, 0.5625);
}

/* What the engine told of a ball that came to a cusp before two that stand, in hexadecimal. At the fourth time 4,096
 * reflections did not end, and what was left of its speed was taken away as if it were rounding. */
static void
made_jam(struct made_tick *made)
{
	static const struct {
		uint32_t with;
		double time, point[2], normal[2], approach, impulse, after[2];
	} told[] = {
		{ 10,
		  0x1.eb82d29b7cb6bp-5,
		  { -0x1.cb76868d654f8p-16, 0x1.0000000671448p-1 },
		  { 0x1.cb76868d654f8p-15, 0x1.fffffff31d771p-1 },
		  0x1.66f4991e77262p-9,
		  0x1.66f4991e77261p-8,
		  { 0x1.8fffffd7bc140p+5, -0x1.66f499156e988p-8 } },
		{ 20,
		  0x1.eb835a88fd787p-5,
		  { -0x1.6144fa019bf26p-16, -0x1.00000003cefe9p-1 },
		  { 0x1.6144fa019bf26p-15, -0x1.fffffff86202ep-1 },
		  0x1.f0f38aaad4472p-8,
		  0x1.f0f38aaad4470p-7,
		  { 0x1.8fffff82035d0p+5, 0x1.3d793e18b84e0p-7 } },
		{ 10,
		  0x1.eb837dfe450bdp-5,
		  { -0x1.45915a1f6e108p-16, 0x1.000000033c14cp-1 },
		  { 0x1.45915a1f6e108p-15, 0x1.fffffff987d69p-1 },
		  0x1.7d0fa19ad1b70p-7,
		  0x1.7d0fa19ad1b6ep-6,
		  { 0x1.8fffff08dc0ffp+5, -0x1.bca6051349e50p-7 } },
		{ 10,
		  0x1.eb838f9050cd5p-5,
		  { -0x1.37d740f6db320p-16, 0x1.00000002f7b96p-1 },
		  { 0x1.37d740f6db320p-15, 0x1.fffffffa108d4p-1 },
		  0x1.39af123fe3aa6p-6,
		  0x1.485f64b044d3ap+19,
		  { -0x1.4876c00000000p-29, -0x1.0000000000000p-61 } },
		{ 20,
		  0x1.eb838f9050cd5p-5,
		  { -0x1.37d740f8dabb6p-16, -0x1.00000002f7b96p-1 },
		  { 0x1.37d740f8dabb6p-15, -0x1.fffffffa108d4p-1 },
		  0x1.f98e0f991b7cap-7,
		  0x1.485f651f6e54fp+19,
		  { -0x1.4876c00000000p-29, -0x1.0000000000000p-61 } },
	};

	made_init(made);
	made->dt = 0.1;
	made_circle(made, 0, 1, 0, 0, 0.5)->kind = CERTIFICATE_STATIC;
	made_circle(made, 0, -1, 0, 0, 0.5)->kind = CERTIFICATE_STATIC;
	made_circle(made, -3, 1e-9, 50, 0, 0.5);
	made_end(made, 2, -0x1.37d740fb7867bp-15, -0x1.a3efc01481100p-33, -0x1.4876c00000000p-29, -0x1.0000000000000p-61);
	for (size_t i = 0; i < 5; i++) {
		/* The last two are one cluster. */
		const size_t before = i == 4 ? 2 : i - 1;

		made->contacts[i] = (struct certificate_contact){
			.time = told[i].time,
			.a = told[i].with,
			.b = 30,
			.point = { told[i].point[0], told[i].point[1] },
			.normal = { told[i].normal[0], told[i].normal[1] },
			.approach_speed = told[i].approach,
			.impulse = told[i].impulse,
			.b_before = { i ? told[before].after[0] : 50, i ? told[before].after[1] : 0 },
			.b_after = { told[i].after[0], told[i].after[1] },
		};
	}
	made->contact_count = 5;
	made_change(made, told[3].time, 30, CERTIFICATE_PARKED, 0, 0);
}

static void
test_the_jam_that_took_all_is_noticed(void **state)
{
	struct made_tick made;

	(void)state;
	made_jam(&made);
	assert_fault(&made, 1);
	/* Turned back instead: whole again. Its impulses, the sum of which along the normals is the change. */
	struct certificate_contact *a = &made.contacts[3], *b = &made.contacts[4];

	const double *last = a->normal;
	const double *other = b->normal;
	for (int k = 0; k < 2; k++)
		a->b_after[k] = b->b_after[k] = -a->b_before[k];
	made_end(&made, 2, made.x[2], made.y[2], a->b_after[0], a->b_after[1]);

	double px = 2 * a->b_before[0], py = 2 * a->b_before[1], across = last[0] * other[1] - last[1] * other[0];

	a->impulse = (px * other[1] - py * other[0]) / across;
	b->impulse = (last[0] * py - last[1] * px) / across;
	made_assert_clean(&made);
	/* And a parked circle keeps its velocity. */
	made_end(&made, 2, made.x[2], made.y[2], 0, 0);
	assert_true(made_report(&made).jumps > 0);
	made_end(&made, 2, made.x[2], made.y[2], a->b_after[0] * (1 - 1e-9), a->b_after[1]);
	assert_true(made_report(&made).jumps > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_hit_that_takes_or_gives_is_noticed),
		cmocka_unit_test(test_energy_is_that_of_the_centre_of_mass),
		cmocka_unit_test(test_who_may_take_energy_is_not_judged),
		cmocka_unit_test(test_hops_may_become_rest),
		cmocka_unit_test(test_a_wall_that_moves),
		cmocka_unit_test(test_clusters_at_one_time_are_told_apart),
		cmocka_unit_test(test_the_jam_that_took_all_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
