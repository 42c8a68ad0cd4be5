/* Balls under uniform gravity, which is part of the path: bounces that keep their energy, bounces that die out, rest. */
#include "physics/scenario.h"
#include "support/effort.h"

#include <math.h>

static const double g = 10;

/* A ball dropped from `fall` above its place on the floor y = 0. */
static void
drop_scenario(struct scenario *scenario, double fall, double radius, double restitution)
{
	scenario_init(scenario);
	scenario->def.gravity_y = -g;
	scenario_segment(scenario, -1000, 0, 1000, 0);
	scenario_circle(scenario, 0, radius + fall, 0, 0, radius);
	scenario_restitution(scenario, restitution);
}

static void
drop_elastic_run(double dt, uint64_t ticks)
{
	const double fall = 5, radius = 0.5;
	struct scenario scenario;
	drop_scenario(&scenario, fall, radius, 1);
	struct run run;
	run_start_uncertified(&run, &scenario);
	/* Energy above the floor's contact: E0 = m g fall, so that 1e-12 of it means something. */
	const double floor_energy = g * radius, e0 = g * fall;
	double worst = 0;
	for (uint64_t i = 0; i < ticks; i++) {
		run_ticks_unlogged(&run, dt, 1);
		worst = fmax(worst, fabs((run_energy(&run, &scenario) - floor_energy) / e0 - 1));
	}
	assert_at_most(worst, 1e-12);
	/* One bounce in every 2 sqrt(2 h / g) seconds, h being the fall less the skin; the first after half of that. */
	const double half = sqrt(2 * (fall - pair_skin(1000, radius)) / g);
	assert_double_near((double)run.collisions, floor((run.time / half + 1) / 2), 0);
	const struct body_state body = run_body(&run, 0);
	assert_same(body.x, 0);
	assert_same(body.vx, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_ball_dropped_elastic_1e5_ticks_at_60_hz_keeps_its_energy(void **state)
{
	(void)state;
	drop_elastic_run(1.0 / 60, effort(20000, 100000));
}

static void
test_ball_dropped_elastic_1e5_ticks_at_20_hz_keeps_its_energy(void **state)
{
	(void)state;
	drop_elastic_run(1.0 / 20, effort(20000, 100000));
}

/* With restitution e the speeds at the floor are v0 e^k and the flights between them 2 t0 e^k. So apexes shrink by e^2 and all
 * bounces are over at t0 + 2 t0 (e + e^2 + ...) = t0 (1 + e) / (1 - e). */
static void
drop_inelastic_run(double e, double dt)
{
	const double fall = 5, radius = 0.5, skin = pair_skin(1000, radius);
	const double v0 = sqrt(2 * g * (fall - skin)), t0 = v0 / g, rest = t0 * (1 + e) / (1 - e);
	struct scenario scenario;
	drop_scenario(&scenario, fall, radius, e);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, dt, (uint64_t)ceil(1.1 * rest / dt));

	assert_true(run.contact_count > 5);
	double at = t0, speed = v0;
	size_t checked = 0;
	for (size_t i = 0; i < run.contact_count && speed > 1e-2 * v0; i++, checked++) {
		const struct contact *contact = &run.contacts[i].contact;
		assert_double_near(run.contacts[i].at, at, 1e-9);
		assert_double_near(contact->approach_speed, speed, 1e-9 * v0);
		assert_double_near(contact->a_after[1], e * speed, 1e-9 * v0);
		/* The apex over the floor before and after: v^2 / 2g each. */
		const double ratio = contact->a_after[1] * contact->a_after[1] / (contact->a_before[1] * contact->a_before[1]);
		assert_double_near(ratio, e * e, 1e-9);
		speed *= e;
		at += 2 * speed / g;
	}
	assert_true(checked >= 4);

	/* It came to rest when it was first carried (PATH_SUPPORTED with no acceleration left), a guard against Zeno's endless
	 * series may round the last of it up or down. 1/1000 of the whole is granted. */
	double supported = -1;
	for (size_t i = 0; i < run.change_count && supported < 0; i++)
		if (run.changes[i].change.kind == PATH_SUPPORTED)
			supported = run.changes[i].at;
	assert_double_near(supported, rest, 1e-3 * rest);

	/* At rest: not moving, not sinking, and never again a bounce. */
	const struct body_state before = run_body(&run, 0);
	assert_same(before.vx, 0);
	assert_double_near(before.vy, 0, 1e-9);
	assert_double_near(before.y, radius, 1e-6);
	assert_true(before.y >= radius);
	const uint64_t collisions = run.collisions;
	run_ticks(&run, dt, 1000);
	const struct body_state after = run_body(&run, 0);
	assert_double_near(after.y, before.y, 1e-9);
	assert_double_near(after.vy, 0, 1e-9);
	assert_same(after.x, 0);
	assert_int_equal(run.collisions, collisions);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_ball_dropped_inelastic_rests_in_time_with_apex_ratio_e_squared(void **state)
{
	(void)state;
	static const double restitutions[] = { 0.3, 0.5, 0.75, 0.9 };
	for (size_t i = 0; i < sizeof restitutions / sizeof *restitutions; i++) {
		drop_inelastic_run(restitutions[i], 1.0 / 60);
		drop_inelastic_run(restitutions[i], 1.0 / 20);
	}
}

/* e = 0: one contact, then rest at once. */
static void
test_ball_dropped_plastic_stops_at_the_first_contact(void **state)
{
	(void)state;
	struct scenario scenario;
	drop_scenario(&scenario, 5, 0.5, 0);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 120);
	assert_true(run.contact_count >= 1);
	assert_double_near(run.contacts[0].at, 1, 1e-8);
	assert_double_near(run.contacts[0].contact.approach_speed, 10, 1e-8);
	const struct body_state body = run_body(&run, 0);
	assert_double_near(body.vy, 0, 1e-12);
	assert_double_near(body.y, 0.5, 1e-6);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Each tick's ledger closes: after - before = contact + work + push + support, and a plastic landing loses m g h. */
static void
test_ledger_of_a_drop_closes_and_books_the_loss(void **state)
{
	(void)state;
	struct scenario scenario;
	drop_scenario(&scenario, 5, 0.5, 0.5);
	struct run run;
	run_start(&run, &scenario);
	double lost = 0;
	for (int i = 0; i < 600; i++) {
		run_ticks(&run, 1.0 / 60, 1);
		const struct energy_ledger *energy = &run.report.energy;
		const double before = energy->kinetic_before + energy->potential_before;
		const double after = energy->kinetic_after + energy->potential_after;
		assert_double_near(after - before, energy->contact + energy->work + energy->push + energy->support, 1e-11);
		assert_double_near(after, run_energy(&run, &scenario), 1e-11);
		assert_at_most(energy->contact, 1e-13);
		assert_same(energy->work, 0);
		lost += energy->contact + energy->support;
	}
	assert_double_near(lost, -g * 5, 1e-6);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Faces at angles `left` and `right` from the x axis, apex at the origin. Both push on the ball at rest, so its centre is at
 * distance r from both, and a hair: physics.h promises contact at r + skin. The resting cushion is at most 1e-6 r. */
static void
wedge_rest_run(double right, double left, double x, double dt)
{
	const double radius = 1;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -g;
	scenario_segment(&scenario, 0, 0, 50 * cos(right * DEGREE), 50 * sin(right * DEGREE));
	scenario_segment(&scenario, 50 * cos(left * DEGREE), 50 * sin(left * DEGREE), 0, 0);
	scenario_circle(&scenario, x, 8, 0, 0, radius);
	scenario_restitution(&scenario, 0.5);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, dt, (uint64_t)(60 / dt));

	const struct body_state before = run_body(&run, 0);
	for (size_t i = 0; i < 2; i++) {
		const double gap = segment_distance(&scenario.segments[i], before.x, before.y) - radius;
		assert_true(gap >= 0);
		assert_at_most(gap, 1e-6 * radius);
	}
	assert_at_most(hypot(before.vx, before.vy), 1e-9);
	/* No jitter: another minute changes nothing and makes no collision. */
	const uint64_t collisions = run.collisions;
	run_ticks(&run, dt, (uint64_t)(60 / dt));
	const struct body_state after = run_body(&run, 0);
	assert_at_most(hypot(after.x - before.x, after.y - before.y), 1e-9);
	assert_at_most(hypot(after.vx, after.vy), 1e-9);
	assert_int_equal(run.collisions, collisions);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_wedge_under_gravity_rests_on_both_faces(void **state)
{
	(void)state;
	wedge_rest_run(45, 135, 0, 1.0 / 60); /* falls on both faces at once */
	wedge_rest_run(45, 135, 1.5, 1.0 / 60);
	wedge_rest_run(30, 110, -0.5, 1.0 / 60); /* steep and flat face */
	wedge_rest_run(60, 120, 0.7, 1.0 / 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ball_dropped_elastic_1e5_ticks_at_60_hz_keeps_its_energy),
		cmocka_unit_test(test_ball_dropped_elastic_1e5_ticks_at_20_hz_keeps_its_energy),
		cmocka_unit_test(test_ball_dropped_inelastic_rests_in_time_with_apex_ratio_e_squared),
		cmocka_unit_test(test_ball_dropped_plastic_stops_at_the_first_contact),
		cmocka_unit_test(test_ledger_of_a_drop_closes_and_books_the_loss),
		cmocka_unit_test(test_wedge_under_gravity_rests_on_both_faces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
