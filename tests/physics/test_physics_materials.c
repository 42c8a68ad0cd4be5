/* What a contact does follows from its two sides: restitution and its mixing, threshold, masses, kinds, masks. */
#include "physics/scenario.h"

#include <math.h>

/* Head-on with masses m1, m2 and restitution e: the relative velocity is reversed and multiplied by e, momentum is kept:
 * v1' = (m1 v1 + m2 v2 - m2 e (v1 - v2)) / (m1 + m2). */
static void
test_masses_share_the_momentum(void **state)
{
	(void)state;
	static const double masses[] = { 1, 2, 3, 0.125, 1e6, 1e-6 };
	static const double restitutions[] = { 1, 0.5, 0 };
	for (size_t i = 0; i < 6; i++) {
		for (size_t k = 0; k < 3; k++) {
			const double m1 = masses[i], m2 = 2, v1 = 3, v2 = -1, e = restitutions[k];
			struct scenario scenario;
			scenario_init(&scenario);
			scenario_circle(&scenario, -2, 0, v1, 0, 1)->mass = m1;
			scenario_circle(&scenario, 2, 0, v2, 0, 1)->mass = m2;
			scenario_restitution(&scenario, e);
			struct run run;
			run_start(&run, &scenario);
			run_ticks(&run, 1, 1);
			const double sum = (m1 * v1 + m2 * v2) / (m1 + m2), apart = e * (v1 - v2);
			assert_int_equal(run.contact_count, 1);
			assert_double_near(run_body(&run, 0).vx, sum - m2 / (m1 + m2) * apart, 1e-14 * 4);
			assert_double_near(run_body(&run, 1).vx, sum + m1 / (m1 + m2) * apart, 1e-14 * 4);
			/* impulse = m_eff (1 + e) (v1 - v2), energy lost = m_eff (1 - e^2) (v1 - v2)^2 / 2 */
			const double m_eff = m1 * m2 / (m1 + m2);
			assert_double_near(run.contacts[0].contact.impulse, m_eff * (1 + e) * (v1 - v2), 1e-14 * 8 * m_eff);
			assert_double_near(run.contacts[0].contact.a_before[0], v1, 0);
			assert_double_near(run.contacts[0].contact.b_before[0], v2, 0);
			assert_double_near(run.contacts[0].contact.b_after[0], run_body(&run, 1).vx, 0);
			assert_double_near(run.report.energy.contact, -m_eff * (1 - e * e) * 16 / 2, 1e-14 * (m1 + m2) * 10);
			assert_double_near(run.report.energy.work, 0, 0);
			run_finish(&run);
			scenario_finish(&scenario);
		}
	}
}

static double
mixed(enum restitution_mix mix, double a, double b)
{
	switch (mix) {
	case RESTITUTION_MIX_MAX: return fmax(a, b);
	case RESTITUTION_MIX_MIN: return fmin(a, b);
	case RESTITUTION_MIX_PRODUCT: return a * b;
	case RESTITUTION_MIX_MEAN: return (a + b) / 2;
	}
	return NAN;
}

/* The speed of separation over that of approach is the mixed restitution, for circles and for a wall. */
static void
test_restitution_mixes(void **state)
{
	(void)state;
	static const double pairs[][2] = { { 0.5, 0.75 }, { 0.75, 0.5 }, { 0, 1 }, { 1, 1 }, { 0.25, 0.25 }, { 0, 0 } };
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		for (int mix = RESTITUTION_MIX_MAX; mix <= RESTITUTION_MIX_MEAN; mix++) {
			struct scenario scenario;
			scenario_init(&scenario);
			scenario.def.restitution_mix = (enum restitution_mix)mix;
			scenario_circle(&scenario, -2, 5, 2, 0, 1)->restitution = pairs[i][0];
			scenario_circle(&scenario, 2, 5, -2, 0, 1)->restitution = pairs[i][1];
			scenario_circle(&scenario, 20, 2, 0, -2, 1)->restitution = pairs[i][0];
			scenario_segment(&scenario, 10, 0, 30, 0)->restitution = pairs[i][1];
			struct run run;
			run_start(&run, &scenario);
			run_ticks(&run, 1, 1);
			const double e = mixed((enum restitution_mix)mix, pairs[i][0], pairs[i][1]);
			assert_double_near(run_body(&run, 1).vx - run_body(&run, 0).vx, 4 * e, 1e-14);
			assert_double_near(run_body(&run, 0).vx + run_body(&run, 1).vx, 0, 1e-14);
			assert_double_near(run_body(&run, 2).vy, 2 * e, 1e-14);
			run_finish(&run);
			scenario_finish(&scenario);
		}
	}
}

/* Below the threshold restitution counts as 0; at it and above it does not. Speeds are exact on the axis. */
static void
test_restitution_threshold(void **state)
{
	(void)state;
	static const double speeds[] = { 0.5, 0.999, 1, 1.001, 4 };
	for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
		const double v = speeds[i];
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.restitution_threshold = 1;
		scenario_circle(&scenario, 0, 2, 0, -v, 1);
		scenario_segment(&scenario, -10, 0, 10, 0);
		/* Approach speed of the pair: v. */
		scenario_circle(&scenario, 20, 2, v / 2, 0, 1);
		scenario_circle(&scenario, 23, 2, -v / 2, 0, 1);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 4, 1);
		const double e = v < 1 ? 0 : 1;
		assert_double_near(run_body(&run, 0).vy, e * v, 1e-15);
		assert_double_near(run_body(&run, 1).vx, -e * v / 2, 1e-15);
		assert_double_near(run_body(&run, 2).vx, e * v / 2, 1e-15);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A kinematic circle with velocity V hits a resting ball: the ball leaves at V (1 + e) for any mass, the kinematic one keeps
 * its velocity to the bit. What the ball gains, m V^2 (1 + e)^2 / 2, is the work done by the force on the kinematic circle,
 * impulse * V = m (1 + e) V^2, less what the collision loses. That is m (1 - e^2) V^2 / 2, seen from the kinematic circle.
 * physics.h may be read as booking the gain as work; a physicist would call work what the moving side does. The sum is the
 * same. */
static void
test_kinematic_momentum_transfer(void **state)
{
	(void)state;
	static const double restitutions[] = { 0, 0.5, 1 };
	for (size_t i = 0; i < 3; i++) {
		const double e = restitutions[i], v = 3;
		struct scenario scenario;
		scenario_init(&scenario);
		scenario_circle(&scenario, -4, 0, v, 0, 1)->kind = BODY_KINEMATIC;
		scenario_circle(&scenario, 0, 0, 0, 0, 1)->mass = 5;
		scenario_restitution(&scenario, e);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1, 1);
		assert_same(run_body(&run, 0).vx, v);
		assert_same(run_body(&run, 0).x, -4 + v);
		assert_double_near(run_body(&run, 1).vx, (1 + e) * v, 1e-14 * v);
		assert_true(run_body(&run, 0).mass > 1e300);
		assert_double_near(run.report.energy.work + run.report.energy.contact, 5 * v * v * (1 + e) * (1 + e) / 2, 1e-12);
		assert_double_near(run.report.energy.work, 5 * v * v * (1 + e), 1e-12);
		assert_double_near(run.report.energy.contact, -5 * v * v * (1 - e * e) / 2, 1e-12);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A ball on a floor, and a kinematic circle that comes down on it, off the vertical by an angle, all elastic. In a wide wedge
 * the ball leaves after some turns, which are two per pi / angle of it, faster than it is pushed. In a narrow one they are more
 * than 64: then it is pushed out without rebound, at V cot(angle) along the floor, and that is told. */
static void
test_what_is_pushed_out_of_a_narrow_wedge_does_not_rebound(void **state)
{
	(void)state;
	static const double angles[] = { 0.3, 0.2, 0.1, 0.02, 0.01, 0.003 };
	for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
		const double angle = angles[i], v = 1, r = 0.5, R = 5, gap = 1e-3;
		const bool narrow = angle < 0.03;
		struct scenario scenario;
		struct run run;
		size_t resting = 0;
		scenario_init(&scenario);
		scenario_circle(&scenario, 0, r, 0, 0, r);
		scenario_circle(&scenario, -(r + R) * sin(angle), r + (r + R) * cos(angle) + gap, 0, -v, R)->kind = BODY_KINEMATIC;
		scenario_segment(&scenario, -50, 0, 50, 0);
		scenario_restitution(&scenario, 1);
		run_start(&run, &scenario);
		run_ticks(&run, 2 * gap / v, 1);
		for (size_t k = 0; k < run.contact_count; k++)
			resting += (run.contacts[k].contact.flags & CONTACT_RESTING) != 0;
		assert_int_equal(resting, narrow ? 2 : 0);
		assert_int_equal(run.shortfall_flags & (BODY_FLAG_CRUSHED | BODY_FLAG_BUDGET), 0);
		const struct body_state ball = run_body(&run, 0);
		assert_same(run_body(&run, 1).vy, -v);
		if (narrow) {
			assert_double_near(ball.vy, 0, 1e-12 / angle);
			assert_double_near(ball.vx * tan(angle), v, 1e-6);
		} else {
			assert_true(ball.vx * tan(angle) > 1.1 * v);
		}
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Kinematic and static circles pass through each other and through walls; dynamic ones bounce from static ones as from a wall.
 * Gravity moves neither. */
static void
test_kinds_of_bodies(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -1;
	scenario_circle(&scenario, -5, 0, 10, 0, 1)->kind = BODY_KINEMATIC;
	scenario_circle(&scenario, 0, 0, 0, 0, 1)->kind = BODY_STATIC;
	scenario_segment(&scenario, 2, -5, 2, 5);
	scenario_circle(&scenario, 20, 0, 0, 0, 1)->kind = BODY_STATIC;
	scenario_circle(&scenario, 20, 3, 0, 0, 1);
	struct run run;
	run_start(&run, &scenario);
	/* The ball falls 1 unit in sqrt(2) and is back at its height after another sqrt(2). */
	run_ticks(&run, 0.5, 2);
	assert_same(run_body(&run, 0).x, 5);
	assert_same(run_body(&run, 0).y, 0);
	assert_same(run_body(&run, 0).vx, 10);
	assert_same(run_body(&run, 1).x, 0);
	assert_same(run_body(&run, 2).y, 0);
	assert_int_equal(run.contact_count, 0);
	run_ticks(&run, sqrt(2), 1);
	assert_int_equal(run.contact_count, 1);
	run_ticks(&run, sqrt(2) - 1, 1);
	assert_double_near(run_body(&run, 3).y, 3, 1e-7);
	assert_double_near(run_body(&run, 3).vy, 0, 1e-7);
	assert_same(run_body(&run, 2).y, 0);
	run_abandon(&run); /* kinematic and static do overlap here, by design */
	scenario_finish(&scenario);
}

/* Two shapes meet if each one's mask has a bit of the other's category: one willing side is not enough. */
static void
test_categories_and_masks(void **state)
{
	(void)state;
	static const struct {
		uint32_t category_a, mask_a, category_b, mask_b;
		bool meet;
	} rows[] = {
		{ 1, 0xffffffff, 1, 0xffffffff, true },
		{ 1, 2, 2, 1, true },
		{ 1, 2, 2, 2, false }, /* b does not want a */
		{ 1, 1, 2, 1, false }, /* a does not want b */
		{ 1, 1, 2, 2, false },
		{ 6, 8, 8, 4, true }, /* one common bit is enough */
		{ 1, 0, 1, 1, false },
		{ 0, 1, 1, 0xffffffff, false }, /* in no layer */
		{ 0x80000000, 0x80000000, 0x80000000, 0x80000000, true },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct scenario scenario;
		scenario_init(&scenario);
		struct circle_def *a = scenario_circle(&scenario, -2, 0, 1, 0, 1);
		a->category = rows[i].category_a;
		a->mask = rows[i].mask_a;
		struct circle_def *b = scenario_circle(&scenario, 2, 0, -1, 0, 1);
		b->category = rows[i].category_b;
		b->mask = rows[i].mask_b;
		struct circle_def *c = scenario_circle(&scenario, 0, 22, 0, -1, 1);
		c->category = rows[i].category_a;
		c->mask = rows[i].mask_a;
		struct segment_def *wall = scenario_segment(&scenario, -5, 20, 5, 20);
		wall->category = rows[i].category_b;
		wall->mask = rows[i].mask_b;
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 4, 1);
		assert_int_equal(run.contact_count, rows[i].meet ? 2 : 0);
		assert_same(run_body(&run, 0).vx, rows[i].meet ? -1 : 1);
		assert_same(run_body(&run, 1).vx, rows[i].meet ? 1 : -1);
		assert_same(run_body(&run, 2).vy, rows[i].meet ? 1 : -1);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Both sides of a segment are walls. */
static void
test_segment_has_two_sides(void **state)
{
	(void)state;
	for (int flip = 0; flip < 2; flip++) {
		struct scenario scenario;
		scenario_init(&scenario);
		if (flip)
			scenario_segment(&scenario, 10, 0, -10, 0);
		else
			scenario_segment(&scenario, -10, 0, 10, 0);
		scenario_circle(&scenario, -5, 3, 0, -4, 1);
		scenario_circle(&scenario, 5, -3, 0, 4, 1);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1, 1);
		assert_int_equal(run.contact_count, 2);
		assert_same(run_body(&run, 0).vy, 4);
		assert_same(run_body(&run, 1).vy, -4);
		for (size_t i = 0; i < 2; i++)
			assert_same(run.contacts[i].contact.normal[1], run.contacts[i].contact.a == 0 ? 1 : -1);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_masses_share_the_momentum),
		cmocka_unit_test(test_restitution_mixes),
		cmocka_unit_test(test_restitution_threshold),
		cmocka_unit_test(test_kinematic_momentum_transfer),
		cmocka_unit_test(test_kinds_of_bodies),
		cmocka_unit_test(test_categories_and_masks),
		cmocka_unit_test(test_segment_has_two_sides),
		cmocka_unit_test(test_what_is_pushed_out_of_a_narrow_wedge_does_not_rebound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
