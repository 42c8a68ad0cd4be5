/* Coulomb friction, spin and rolling resistance in collisions, against rigid-body mechanics worked out by hand. A disc's moment
 * of inertia is m r^2 / 2, so at a wall a tangential impulse L changes the slip of its rim by L (1 + 2) / m. */
#include "physics/scenario.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>

/* A ball comes down on a floor with velocity (u, -v) and spin w. Sticking takes the impulse m slip / 3, sliding gives
 * friction * m v (1 + e); the smaller of the two is what there is. */
static void
test_bounce_on_a_rough_floor(void **state)
{
	(void)state;
	static const double frictions[] = { 0, 0.05, 0.25, 1, 1000 }, slides[] = { 3, -3, 0.1, 0 }, spins[] = { 0, 5, -4 };
	for (size_t f = 0; f < 5; f++) {
		for (size_t s = 0; s < 4; s++) {
			for (size_t w = 0; w < 3; w++) {
				const double u = slides[s], v = 2, spin = spins[w], e = 0.5, m = 3, r = 0.5, friction = frictions[f];
				struct scenario scenario;
				scenario_init(&scenario);
				scenario.def.friction_mix = FRICTION_MIX_MAX;
				struct circle_def *ball = scenario_circle(&scenario, 0, 2, u, -v, r);
				ball->mass = m;
				ball->angular_velocity = spin;
				ball->friction = friction;
				scenario_segment(&scenario, -10, 0, 10, 0);
				scenario_restitution(&scenario, e);
				struct run run;
				run_start(&run, &scenario);
				run_ticks(&run, 1, 1);
				/* The floor is below: seen from it the surface of the ball moves at u + r w. */
				const double slip = u + r * spin, most = friction * m * v * (1 + e), stick = m * slip / 3;
				const double impulse = -copysign(fmin(fabs(stick), most), slip);
				const struct body_state after = run_body(&run, 0);
				assert_int_equal(run.contact_count, 1);
				assert_double_near(after.vx, u + impulse / m, 1e-15 * 8);
				assert_double_near(after.vy, e * v, 1e-15 * 8);
				assert_double_near(after.angular_velocity, spin + impulse * r / (m * r * r / 2), 1e-14 * 8);
				/* The normal points up, turned left to the left. */
				assert_double_near(run.contacts[0].contact.friction_impulse, -impulse, 1e-14);
				assert_double_near(run.contacts[0].contact.a_spin_before, spin, 0);
				assert_double_near(run.contacts[0].contact.a_spin_after, after.angular_velocity, 0);
				if (friction == 1000)
					assert_double_near(after.vx + r * after.angular_velocity, 0, 1e-14 * 8);
				/* It takes the slip's energy: the impulse times the mean of the slips before and after. */
				const double slip_after = after.vx + r * after.angular_velocity;
				assert_double_near(run.report.energy.friction, impulse * (slip + slip_after) / 2, 1e-13);
				assert_double_near(run.report.energy.contact - run.report.energy.friction, -m * v * v * (1 - e * e) / 2, 1e-13);
				assert_double_near(run.report.energy.kinetic_after - run.report.energy.kinetic_before,
				                   run.report.energy.contact, 1e-13);
				run_finish(&run);
				scenario_finish(&scenario);
			}
		}
	}
}

/* Friction and rolling resistance that are both strong enough leave neither slip nor roll: the ball stands, whatever it came
 * with. Each alone would set the other going again: they have to be found together. */
static void
test_slip_and_roll_stop_together(void **state)
{
	(void)state;
	static const double inertias[] = { 0.5, 1, 0.2 }; /* of m r^2: a disc, a ring, a disc with its mass inside */
	for (size_t i = 0; i < 3; i++) {
		const double u = 7, v = 2, m = 3, r = 0.5;
		struct scenario scenario;
		scenario_init(&scenario);
		struct circle_def *ball = scenario_circle(&scenario, 0, 2, u, -v, r);
		ball->mass = m;
		ball->angular_velocity = 11;
		ball->moment_of_inertia = inertias[i] * m * r * r;
		ball->friction = 100;
		ball->rolling_resistance = 100;
		scenario_segment(&scenario, -10, 0, 10, 0)->friction = 100;
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1, 1);
		const struct body_state after = run_body(&run, 0);
		assert_int_equal(run.contact_count, 1);
		assert_double_near(after.vx, 0, 1e-11 * u);
		assert_double_near(after.angular_velocity, 0, 1e-11 * u / r);
		assert_double_near(run.contacts[0].contact.friction_impulse, m * u, 1e-11 * m * u);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* The angle is spin times time, from hit to hit, not reduced to a turn. */
static void
test_angle_is_the_integral_of_spin(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	struct circle_def *ball = scenario_circle(&scenario, 0, 2, 0, -2, 1);
	ball->angle = 1;
	ball->angular_velocity = 30;
	ball->friction = 1;
	scenario_segment(&scenario, -10, 0, 10, 0)->friction = 1;
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	/* Hit after half a second; the floor's impulse of 2 m v = 4 at friction 1 allows 4 >= 30 / 3 = 10 times less: it slides. */
	const struct body_state after = run_body(&run, 0);
	assert_double_near(after.angular_velocity, 30 - 2 * 4.0, 1e-12);
	assert_double_near(run.contacts[0].contact.time, 0.5, 1e-8);
	assert_double_near(after.angle, 1 + 30 * run.contacts[0].contact.time + 22 * (1 - run.contacts[0].contact.time), 1e-12);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Whether friction could act decides whether angles are told at all. */
static void
test_a_smooth_world_does_not_turn(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 2, 1, -2, 1);
	scenario_segment(&scenario, -10, 0, 10, 0);
	struct run run;
	run_start(&run, &scenario);
	assert_false(world_turns(run.world));
	run_ticks(&run, 1, 2);
	assert_same(run_body(&run, 0).angular_velocity, 0);
	assert_same(run_body(&run, 0).angle, 0);
	run_finish(&run);
	scenario.segments[0].friction = 0.1;
	run_start(&run, &scenario);
	assert_true(world_turns(run.world));
	run_finish(&run);
	scenario_finish(&scenario);
}

static double
friction_mixed(enum friction_mix mix, double a, double b)
{
	switch (mix) {
	case FRICTION_MIX_GEOMETRIC: return sqrt(a * b);
	case FRICTION_MIX_MAX: return fmax(a, b);
	case FRICTION_MIX_MIN: return fmin(a, b);
	case FRICTION_MIX_PRODUCT: return a * b;
	case FRICTION_MIX_MEAN: return (a + b) / 2;
	}
	return NAN;
}

/* While it slides, friction impulse over impulse is the mixed coefficient, for circles and for a wall. */
static void
test_friction_mixes(void **state)
{
	(void)state;
	static const double pairs[][2] = { { 0.25, 0.0625 }, { 0.04, 0.09 }, { 0, 0.3 }, { 0.2, 0.2 } };
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		for (int mix = FRICTION_MIX_GEOMETRIC; mix <= FRICTION_MIX_MEAN; mix++) {
			struct scenario scenario;
			scenario_init(&scenario);
			scenario.def.friction_mix = (enum friction_mix)mix;
			scenario_circle(&scenario, 0, 1.5, 100, -1, 1)->friction = pairs[i][0];
			scenario_segment(&scenario, -10, 0, 1000, 0)->friction = pairs[i][1];
			struct circle_def *still = scenario_circle(&scenario, 0, 50, 0, 0, 1);
			still->friction = pairs[i][0];
			still->angular_velocity = 1000;
			scenario_circle(&scenario, 3, 50, -2, 0, 1)->friction = pairs[i][1];
			struct run run;
			run_start(&run, &scenario);
			run_ticks(&run, 1, 1);
			assert_int_equal(run.contact_count, 2);
			for (size_t k = 0; k < 2; k++) {
				const struct contact *contact = &run.contacts[k].contact;
				assert_double_near(fabs(contact->friction_impulse),
				                   friction_mixed((enum friction_mix)mix, pairs[i][0], pairs[i][1]) * contact->impulse, 1e-14);
			}
			run_finish(&run);
			scenario_finish(&scenario);
		}
	}
}

/* A kinematic roller that turns under a ball throws it sideways: the rim's speed is shared as sticking demands, the roller
 * keeps its spin, and its work is booked. */
static void
test_roller_throws_a_ball(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	struct circle_def *roller = scenario_circle(&scenario, 0, 0, 0, 0, 2);
	roller->kind = BODY_KINEMATIC;
	roller->angular_velocity = -3;
	roller->friction = 100;
	struct circle_def *ball = scenario_circle(&scenario, 0, 4, 0, -2, 1);
	ball->friction = 100;
	ball->mass = 5;
	scenario_restitution(&scenario, 0.5);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	/* The roller's top moves right at 3 * 2 = 6. The ball's rim follows: a third of it as movement, two as spin. */
	const struct body_state after = run_body(&run, 1);
	assert_double_near(after.vx, 2, 1e-8);
	assert_double_near(after.vy, 1, 1e-8);
	assert_double_near(after.angular_velocity, 4, 1e-8);
	assert_same(run_body(&run, 0).angular_velocity, -3);
	assert_double_near(run_body(&run, 0).angle, -3, 1e-15);
	/* Impulse 5 * 2 along the rim's movement of 6. */
	assert_double_near(run.report.energy.work, 60, 1e-6);
	const struct energy_ledger *energy = &run.report.energy;
	assert_double_near(energy->kinetic_after - energy->kinetic_before, energy->contact + energy->work, 1e-12);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A rolling disc (no slip) is slowed by rolling resistance alone: the torque impulse is at most coefficient * r * impulse. */
static void
test_rolling_resistance_slows_a_roll(void **state)
{
	(void)state;
	static const double coefficients[] = { 0, 0.01, 100 };
	for (size_t i = 0; i < 3; i++) {
		const double r = 0.5, spin = 8, m = 1, c = coefficients[i];
		struct scenario scenario;
		scenario_init(&scenario);
		struct circle_def *ball = scenario_circle(&scenario, 0, 1, -r * spin, -1, r);
		ball->angular_velocity = spin;
		ball->rolling_resistance = c;
		scenario_segment(&scenario, -30, 0, 10, 0);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1, 1);
		const double inertia = m * r * r / 2, most = c * r * 2 * m;
		assert_double_near(run_body(&run, 0).angular_velocity, spin - fmin(most / inertia, spin), 1e-13);
		assert_same(run_body(&run, 0).vx, -r * spin);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

struct sums {
	double px, py, turn, energy;
};

static struct sums
sums_of(const struct run *run, const struct scenario *scenario)
{
	struct sums sums = { 0, 0, 0, 0 };
	for (size_t i = 0; i < scenario->circle_count; i++) {
		const struct body_state body = run_body(run, (uint32_t)i);
		const double inertia = scenario->circles[i].moment_of_inertia > 0 ? scenario->circles[i].moment_of_inertia
		                                                                  : body.mass * body.radius * body.radius / 2;
		sums.px += body.mass * body.vx;
		sums.py += body.mass * body.vy;
		sums.turn += body.mass * (body.x * body.vy - body.y * body.vx) + inertia * body.angular_velocity;
		sums.energy += body.mass * (body.vx * body.vx + body.vy * body.vy) / 2 +
		               inertia * body.angular_velocity * body.angular_velocity / 2;
	}
	return sums;
}

/* Rough discs of all sizes and masses in free space, many of them touching. Momentum and angular momentum stay, energy never
 * grows and is what the ledger says, every friction impulse is within its cone. */
static void
test_momenta_of_rough_heaps(void **state)
{
	(void)state;
	uint64_t random = 7;
	size_t contacts = 0, clusters = 0, sliding = 0;
	for (int heap = 0; heap < (int)effort(60, 300); heap++) {
		struct scenario scenario;
		scenario_init(&scenario);
		const size_t side = 2 + (size_t)heap % 4;
		const double e = heap % 3 == 0 ? 1 : heap % 3 == 1 ? 0 : 0.5, friction = random_between(&random, 0.05, 1);
		for (size_t k = 0; k < side * side; k++) {
			/* Touching rows, flung at the middle. */
			const double x = 2.0 * (double)(k % side) - (double)side + 1, y = 2.0 * (double)(k / side) - (double)side + 1;
			struct circle_def *ball = scenario_circle(&scenario, x * (heap % 2 ? 1 : 1.2), y,
			                                          random_between(&random, -2, 2) - x, random_between(&random, -2, 2) - y,
			                                          1 - 1e-8);
			ball->mass = random_between(&random, 0.2, 5);
			ball->friction = friction;
			ball->rolling_resistance = heap % 5 == 0 ? 0.1 : 0;
			ball->angular_velocity = random_between(&random, -3, 3);
			ball->moment_of_inertia = heap % 7 == 0 ? 10 : 0;
		}
		scenario_restitution(&scenario, e);
		struct run run;
		run_start(&run, &scenario);
		const struct sums before = sums_of(&run, &scenario);
		double last = before.energy;
		size_t change = 0;
		bool led = false;
		for (int tick = 0; tick < 8; tick++) {
			run_ticks(&run, 0.125, 1);
			const struct sums now = sums_of(&run, &scenario);
			const struct energy_ledger *energy = &run.report.energy;
			const double size = 1 + before.energy;
			assert_at_most(fabs(now.px - before.px), 1e-11 * size);
			assert_at_most(fabs(now.py - before.py), 1e-11 * size);
			/* A contact is made a skin early, or where the solver drives bodies a cushion of 1 % of the radius: the lever is
			 * longer by it. */
			for (; change < run.change_count; change++)
				led = led || run.changes[change].change.kind == PATH_LED;
			assert_at_most(fabs(now.turn - before.turn), (led ? 1e-4 : 1e-7) * size);
			assert_at_most(now.energy, last * (1 + 1e-12));
			assert_double_near(energy->kinetic_after - energy->kinetic_before,
			                   energy->contact + energy->support + energy->push + energy->clip, 1e-11 * size);
			assert_at_most(energy->friction, 0);
			last = now.energy;
		}
		for (size_t i = 0; i < run.contact_count; i++) {
			const struct contact *contact = &run.contacts[i].contact;
			assert_at_most(fabs(contact->friction_impulse), friction * contact->impulse * (1 + 1e-14));
			sliding += fabs(contact->friction_impulse) > friction * contact->impulse * (1 - 1e-9) && contact->impulse > 1e-6;
		}
		contacts += run.contact_count;
		clusters += run.clusters;
		run_finish(&run);
		scenario_finish(&scenario);
	}
	/* The scenes are what they are meant to be. */
	assert_true(contacts > effort(1000, 5000) && clusters > effort(100, 500) && sliding > effort(100, 500));
}

/* A disc with spin w falls at v into a notch as wide as it is. The floor's friction presses it against one wall. Friction there
 * takes load off the floor: N = m v / (1 + mu^2) is left, and mu N presses on the wall. Both frictions slow the spin. */
static void
test_a_disc_spins_in_a_notch(void **state)
{
	(void)state;
	static const double coefficients[] = { 0.05, 0.3, 0.5, 0.7, 0.9 };
	const double v = 3, spin = 200, r = 0.5, m = 2, inertia = m * r * r / 2;
	for (size_t k = 0; k < 2 * (sizeof coefficients / sizeof *coefficients); k++) {
		const double mu = coefficients[k / 2], side = k % 2 ? 1 : -1;
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		struct circle_def *disc = scenario_circle(&scenario, 0, r + 1e-3, 0, -v, r);
		disc->mass = m, disc->angular_velocity = side * spin;
		scenario_box(&scenario, -r * (1 + 1e-10), 0, r * (1 + 1e-10), 5);
		scenario_restitution(&scenario, 0);
		disc->friction = mu;
		for (size_t i = 0; i < scenario.segment_count; i++)
			scenario.segments[i].friction = mu;
		run_start(&run, &scenario);
		run_ticks(&run, 1e-3, 1);
		const double floor = m * v / (1 + mu * mu), slowed = (mu + mu * mu) * floor * r / inertia;
		const struct body_state state_after = run_body(&run, 0);
		assert_double_near(state_after.vx, 0, 1e-6);
		assert_double_near(state_after.vy, 0, 1e-6);
		assert_double_near(state_after.angular_velocity, side * (spin - slowed), 1e-3);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

static void
test_bad_materials_are_named(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 0, 0, 0, 1);
	scenario_segment(&scenario, 5, 5, 6, 6);
	struct circle_def good = scenario.circles[0];
	struct segment_def wall = scenario.segments[0];
	struct {
		double *field;
		double value;
		enum def_field expected;
	} cases[] = {
		{ &scenario.circles[0].friction, -1, DEF_CIRCLE_FRICTION },
		{ &scenario.circles[0].friction, NAN, DEF_CIRCLE_FRICTION },
		{ &scenario.circles[0].rolling_resistance, -0.5, DEF_CIRCLE_ROLLING_RESISTANCE },
		{ &scenario.circles[0].angle, INFINITY, DEF_CIRCLE_ANGLE },
		{ &scenario.circles[0].angular_velocity, 1e13, DEF_CIRCLE_ANGULAR_VELOCITY },
		{ &scenario.circles[0].moment_of_inertia, -1, DEF_CIRCLE_MOMENT_OF_INERTIA },
		{ &scenario.segments[0].friction, 1e7, DEF_SEGMENT_FRICTION },
		{ &scenario.segments[0].rolling_resistance, NAN, DEF_SEGMENT_ROLLING_RESISTANCE },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct def_problem problem;
		struct world *world = NULL;
		scenario.circles[0] = good;
		scenario.segments[0] = wall;
		*cases[i].field = cases[i].value;
		assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_INVALID_ARGUMENT);
		assert_int_equal(problem.field, cases[i].expected);
	}
	struct def_problem problem;
	struct world *world = NULL;
	scenario.circles[0] = good;
	scenario.segments[0] = wall;
	scenario.circles[0].kind = BODY_STATIC;
	scenario.circles[0].angular_velocity = 1;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.field, DEF_CIRCLE_ANGULAR_VELOCITY);
	scenario.circles[0] = good;
	scenario.def.friction_mix = (enum friction_mix)9;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.field, DEF_WORLD_FRICTION_MIX);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounce_on_a_rough_floor),
		cmocka_unit_test(test_angle_is_the_integral_of_spin),
		cmocka_unit_test(test_slip_and_roll_stop_together),
		cmocka_unit_test(test_a_smooth_world_does_not_turn),
		cmocka_unit_test(test_friction_mixes),
		cmocka_unit_test(test_roller_throws_a_ball),
		cmocka_unit_test(test_rolling_resistance_slows_a_roll),
		cmocka_unit_test(test_momenta_of_rough_heaps),
		cmocka_unit_test(test_a_disc_spins_in_a_notch),
		cmocka_unit_test(test_bad_materials_are_named),
	};
	return cmocka_run_group_tests_name("physics/friction", tests, NULL, NULL);
}
