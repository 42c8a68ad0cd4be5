/* Islands that have come to rest sleep, and wake in time: at the exact time of what wakes them, never later. Each tick of each
 * scene is certified, and its ledgers close. */
#include "physics/scenario.h"
#include "physics/scenes.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

static const double dt = 1.0 / 60;

/* Runs until everything that can sleep does; fails the test if that takes longer than `seconds`. */
static void
run_to_sleep(struct run *run, uint64_t sleepers, double seconds)
{
	const double until = run->time + seconds;
	while (run->time < until) {
		run_ticks(run, dt, 1);
		if (run->report.asleep == sleepers)
			return;
	}
	fail_msg("%llu asleep after %g s, not %llu", (unsigned long long)run->report.asleep, seconds, (unsigned long long)sleepers);
}

static size_t
changes_of(const struct run *run, enum path_change_kind kind, size_t from)
{
	size_t count = 0;
	for (size_t i = from; i < run->change_count; i++)
		count += run->changes[i].change.kind == kind;
	return count;
}

static void
pile_start(struct scenario *scenario, struct run *run, size_t count)
{
	scenario_init(scenario);
	scene_pile(scenario, count, 12, 0.5, 1, 3);
	scenario->def.sleep_after = 0.5;
	run_start(run, scenario);
	/* Three of them may roll as gears do, at a hundredth of a unit a second, until they meet others. */
	run_to_sleep(run, count, 60);
}

/* Asleep, nothing moves by a bit, for as long as one likes. What little it had of energy is told. */
static void
test_a_pile_falls_asleep_and_lies_still(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	pile_start(&scenario, &run, 100);
	assert_true(run.report.energy.sleep <= 0);
	assert_at_most(-run.report.energy.sleep, 1e-6 * run.report.energy.potential_after);
	assert_int_equal(changes_of(&run, PATH_ASLEEP, 0) - changes_of(&run, PATH_WOKEN, 0), 100);
	const uint64_t hash = world_hash(run.world);
	const size_t changes = run.change_count, contacts = run.contact_count;
	double before[100][3];
	for (uint32_t i = 0; i < 100; i++) {
		const struct body_state body = run_body(&run, i);
		assert_same(body.vx, 0);
		assert_same(body.vy, 0);
		assert_same(body.angular_velocity, 0);
		before[i][0] = body.x;
		before[i][1] = body.y;
		before[i][2] = body.angle;
	}
	run_ticks(&run, dt, 600);
	for (uint32_t i = 0; i < 100; i++) {
		const struct body_state body = run_body(&run, i);
		assert_same(body.x, before[i][0]);
		assert_same(body.y, before[i][1]);
		assert_same(body.angle, before[i][2]);
	}
	assert_int_equal(world_hash(run.world), hash);
	assert_int_equal(run.change_count, changes);
	assert_int_equal(run.contact_count, contacts);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A ball that falls on sleepers meets the first of them when the formula says, wakes all of its pile and none of the other. */
static void
test_a_blow_wakes_the_pile_in_time(void **state)
{
	(void)state;
	const double height = 400;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario.def.sleep_after = 0.25;
	scenario_segment(&scenario, -50, 0, 50, 0)->friction = 0.5;
	scenario_segment(&scenario, -50, 40, -50, 0)->friction = 0.5;
	scenario_segment(&scenario, 50, 0, 50, 40)->friction = 0.5;
	for (int row = 0; row < 4; row++) {
		for (int k = 0; k < 8; k++) {
			scenario_circle(&scenario, -49 + 2.001 * k, 1.01 + 2.05 * row, 0, 0, 1);
			scenario_circle(&scenario, 49 - 2.001 * k, 1.01 + 2.05 * row, 0, 0, 1);
		}
	}
	scenario_circle(&scenario, -45.2, height, 0, 0, 1)->mass = 3;
	for (uint32_t i = 0; i < 65; i++) {
		scenario.circles[i].friction = 0.5;
		scenario.circles[i].rolling_resistance = 0.05;
	}
	scenario_restitution(&scenario, 0);
	scenario.circles[64].restitution = 0.5;
	run_start(&run, &scenario);
	run_to_sleep(&run, 64, 8);

	/* The first that the ball can touch is met after the shortest fall. */
	double fall = height;
	uint32_t first = 64;
	for (uint32_t i = 0; i < 64; i++) {
		const struct body_state body = run_body(&run, i);
		const double dx = body.x - scenario.circles[64].x, distance = 2 + pair_skin(height, 1);
		if (fabs(dx) >= distance)
			continue;
		const double drop = height - (body.y + sqrt(distance * distance - dx * dx));
		if (drop < fall) {
			fall = drop;
			first = i;
		}
	}
	const size_t contacts = run.contact_count, changes = run.change_count;
	while (run.contact_count == contacts && run.time < 20)
		run_ticks(&run, dt, 1);
	const struct logged_contact *hit = &run.contacts[contacts];
	assert_int_equal(hit->contact.a, first);
	assert_int_equal(hit->contact.b, 64);
	assert_double_near(hit->at, sqrt(2 * fall / 10), 1e-9);
	assert_double_near(hit->contact.b_before[1], -sqrt(2 * fall * 10), 1e-8);
	/* Two bodies: the impulse along the normal is (1 + e) approach times the reduced mass. */
	assert_double_near(hit->contact.impulse, 1.5 * hit->contact.approach_speed * 3 / 4, 1e-8);
	size_t woken = 0;
	for (size_t i = changes; i < run.change_count; i++) {
		if (run.changes[i].change.kind != PATH_WOKEN)
			continue;
		assert_true(run.changes[i].change.body < 64 && run_body(&run, run.changes[i].change.body).x < 0);
		assert_same(run.changes[i].at, hit->at);
		woken++;
	}
	assert_int_equal(woken, 32);
	assert_int_equal(run.report.asleep, 32);
	run_to_sleep(&run, 65, 30);
	assert_at_most(run_overlap(&run, &scenario), 0);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Not asleep: what rolls, what floats, what lies on something that moves by itself, what hangs at the top of its flight. */
static void
test_who_moves_stays_awake(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario.def.sleep_after = 0.1;
	scenario_segment(&scenario, -100, 0, 100, 0)->friction = 0.5;
	scenario_circle(&scenario, 0, 1, 0.3, 0, 1);                         /* rolls for ever */
	scenario_circle(&scenario, -50, 20, 0, 0, 1)->kind = BODY_KINEMATIC; /* turns: what lies on it is carried off */
	scenario.circles[1].angular_velocity = 0.05;
	scenario_circle(&scenario, -50, 22.001, 0, 0, 1);
	scenario_circle(&scenario, 50, 1, 0, 0, 1);                   /* this one sleeps */
	scenario_circle(&scenario, 20, 1, 0, 30, 1)->restitution = 1; /* flies for 6 s */
	for (uint32_t i = 0; i < 5; i++)
		scenario.circles[i].friction = 0.5;
	for (uint32_t i = 0; i < 4; i++)
		scenario.circles[i].restitution = 0;
	scenario.segments[0].restitution = 0;
	run_start(&run, &scenario);
	for (int tick = 0; tick < 300; tick++) {
		run_ticks(&run, dt, 1);
		for (size_t i = 0; i < run.report.path_change_count; i++)
			if (run.report.path_changes[i].kind == PATH_ASLEEP)
				assert_int_equal(run.report.path_changes[i].body, 3);
	}
	assert_int_equal(run.report.asleep, 1);
	assert_double_near(run_body(&run, 0).x, 0.2 * 300 * dt, 0.1); /* a third of the speed went into its spin */
	run_finish(&run);
	scenario_finish(&scenario);

	/* Without gravity and walls: there is nothing to give momentum to. */
	scenario_init(&scenario);
	scenario.def.sleep_after = 0.1;
	for (int i = 0; i < 12; i++)
		scenario_circle(&scenario, 2.0 * i, 0, i == 0 ? 0.01 : 0, 0, 1);
	scenario_restitution(&scenario, 0);
	run_start(&run, &scenario);
	run_ticks(&run, dt, 200);
	assert_int_equal(changes_of(&run, PATH_ASLEEP, 0), 0);
	double momentum = 0;
	for (uint32_t i = 0; i < 12; i++)
		momentum += run_body(&run, i).vx;
	assert_double_near(momentum, 0.01, 1e-12);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A row of circles without friction lies on a floor, one of them turns for ever. While it turns, the heap that it lies in stays
 * awake; the same row, with nothing that turns, sleeps. */
static void
test_what_turns_in_its_place_stays_awake(void **state)
{
	(void)state;
	for (int turning = 0; turning < 2; turning++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario.def.sleep_after = 0.25;
		scenario_segment(&scenario, 0, 0, 20, 0);
		scenario_segment(&scenario, 0, 9, 0, 0);
		scenario_segment(&scenario, 20, 0, 20, 9);
		for (int k = 0; k < 19; k++)
			scenario_circle(&scenario, k < 10 ? 1 + 2 * k : 2 * (k - 9), k < 10 ? 1 : 2.74, 0, 0, 1);
		scenario.circles[4].angular_velocity = turning ? 0.5 : 0;
		scenario_dull(&scenario, 0, 0);
		run_start(&run, &scenario);
		run_ticks(&run, dt, 600);
		assert_int_equal(run.report.asleep, turning ? 0 : 19);
		assert_double_near(run_body(&run, 4).angle, turning ? 0.5 * 600 * dt : 0, 1e-9);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Something that cannot yield goes through sleepers as through anything else. */
static void
test_a_kinematic_circle_wakes(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario.def.sleep_after = 0.25;
	scenario_segment(&scenario, -100, 0, 100, 0)->friction = 0.5;
	for (int k = 0; k < 10; k++)
		scenario_circle(&scenario, 2.01 * k, 1, 0, 0, 1)->friction = 0.5;
	scenario_circle(&scenario, -30, 1, 10, 0, 1)->kind = BODY_KINEMATIC;
	scenario_restitution(&scenario, 0);
	run_start(&run, &scenario);
	run_to_sleep(&run, 10, 2.5);
	run_ticks(&run, dt, (uint64_t)((5 - run.time) / dt));
	const double skin = pair_skin(30, 1);
	double at = NAN;
	for (size_t i = run.contact_count; i-- > 0;)
		if (run.contacts[i].contact.b == 10)
			at = run.contacts[i].at;
	assert_double_near(at, (30 - (2 + skin)) / 10, 1e-3); /* the row may have settled by a little */
	assert_double_near(run_body(&run, 10).x, -30 + 10 * run.time, 1e-9);
	assert_int_equal(run.report.asleep, 0);
	assert_true(run_body(&run, 9).vx > 5);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Rooms in which things fall, lie down, sleep, and are struck again and again by others: certified, nothing overlaps, what
 * sleeps stands still. Written in another order they have the same bits. */
static void
room_fill(struct scenario *scenario, uint64_t seed, bool reversed)
{
	uint64_t random = seed;
	scenario_init(scenario);
	scenario->def.gravity_y = -10;
	scenario->def.sleep_after = random_between(&random, 0.05, 0.4);
	const double friction = random_between(&random, 0.2, 1);
	scenario_box(scenario, 0, 0, 14, 60);
	for (int k = 0; k < 4; k++)
		scenario_segment(scenario, random_between(&random, 0, 10), random_between(&random, 1, 8),
		                 random_between(&random, 0, 14), random_between(&random, 1, 12));
	for (int k = 0; k < 40; k++) {
		const double radius = random_between(&random, 0.2, 0.6);
		const double x = random_between(&random, 1, 13), y = 2 + 1.4 * k;
		if (scene_clear(scenario, x, y, radius, 0.01))
			scenario_circle(scenario, x, y, random_between(&random, -1, 1), 0, radius)->friction = friction;
	}
	for (size_t i = 0; i < scenario->circle_count; i++)
		scenario->circles[i].restitution = random_between(&random, 0, 1) < 0.3 ? 0.4 : 0;
	for (size_t i = 0; i < scenario->segment_count; i++) {
		scenario->segments[i].friction = friction;
		scenario->segments[i].restitution = 0;
	}
	for (size_t i = 0, k = scenario->circle_count; reversed && i + 1 < k--; i++) {
		const struct circle_def swap = scenario->circles[i];
		scenario->circles[i] = scenario->circles[k];
		scenario->circles[k] = swap;
	}
}

static void
test_rooms_that_fall_asleep_and_wake(void **state)
{
	(void)state;
	uint64_t woken = 0, fallen = 0;
	for (uint64_t seed = 1; seed <= effort(2, 12); seed++) {
		struct scenario scenario, other;
		struct run run, mirror;
		room_fill(&scenario, seed, false);
		room_fill(&other, seed, true);
		run_start(&run, &scenario);
		run_start_uncertified(&mirror, &other);
		for (int tick = 0; tick < 420; tick++) {
			run_ticks_unlogged(&run, dt, 1);
			run_ticks_unlogged(&mirror, dt, 1);
			assert_int_equal(world_hash(run.world), world_hash(mirror.world));
			assert_at_most(run_overlap(&run, &scenario), 0);
			for (size_t i = 0; i < run.report.path_change_count; i++) {
				fallen += run.report.path_changes[i].kind == PATH_ASLEEP;
				woken += run.report.path_changes[i].kind == PATH_WOKEN;
			}
		}
		assert_int_equal(run.shortfall_count, 0);
		run_finish(&run);
		run_abandon(&mirror);
		scenario_finish(&scenario);
		scenario_finish(&other);
	}
	assert_true(woken > effort(5, 100) && fallen > woken);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		long_case(test_a_pile_falls_asleep_and_lies_still), cmocka_unit_test(test_a_blow_wakes_the_pile_in_time),
		cmocka_unit_test(test_who_moves_stays_awake),       long_case(test_what_turns_in_its_place_stays_awake),
		cmocka_unit_test(test_a_kinematic_circle_wakes),    long_case(test_rooms_that_fall_asleep_and_wake),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
