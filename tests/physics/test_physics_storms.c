/* Crowds in which impacts follow each other within moments: no circle has more events in a tick than it could have had, and
 * none is cut short. What rests on each other in such a crowd is the rest solver's, and impacts go through it from one substep
 * to the next. */
#include "physics/scenes.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dt = 1.0 / 60;

/* 500 balls fall through 1,000 static pegs: the scene `pegs` of the benchmark. */
static void
scene_pegs(struct scenario *scenario)
{
	enum { BALLS = 500, PEGS = 1000, WIDE = 40, ROWS = PEGS / WIDE };
	const double pitch_x = 1.5, pitch_y = 1.3, width = pitch_x * (WIDE + 0.5), bottom = 10, top = bottom + pitch_y * ROWS;
	uint64_t seed = 1;

	scenario_init(scenario);
	scenario_box(scenario, 0, 0, width, top + 0.9 * (BALLS / 50 + 2));
	for (int i = 0; i < BALLS; i++) {
		const double x = width / 50 * (i % 50 + 0.5) + random_between(&seed, -0.25, 0.25);
		scenario_circle(scenario, x, top + 0.9 * (i / 50 + 1), 0, 0, 0.3);
	}
	for (int i = 0; i < PEGS; i++) {
		const int row = i / WIDE;
		scenario_circle(scenario, pitch_x * (i % WIDE + (row % 2 ? 1 : 0.5)), bottom + pitch_y * row, 0, 0, 0.2)->kind =
			BODY_STATIC;
	}
	scenario_restitution(scenario, 0.3);
	for (size_t i = 0; i < scenario->circle_count; i++)
		scenario->circles[i].friction = 0.2;
	for (size_t i = 0; i < scenario->segment_count; i++)
		scenario->segments[i].friction = 0.2;
	scenario->def.gravity_y = -10;
}

/* Circles of three sizes and restitution 0.9 fall into a bowl y = x^2 / half, as those of `collide gen pile`. */
static void
scene_bowl(struct scenario *scenario, int count, uint64_t seed)
{
	static const double sizes[] = { 1, 0.7, 1.4 };
	enum { STEPS = 24 };
	const double half = 6 + 1.7 * sqrt(count), wall_top = 1.6 * (half + 9. * count / half), pitch = 3;
	int placed = 0;

	scenario_init(scenario);
	for (int i = -STEPS; i < STEPS; i++) {
		const double x1 = half * i / STEPS, x2 = half * (i + 1) / STEPS;
		scenario_segment(scenario, x1, x1 * x1 / half, x2, x2 * x2 / half);
	}
	scenario_segment(scenario, -half, half, -half, wall_top);
	scenario_segment(scenario, half, half, half, wall_top);
	for (int row = 0; placed < count; row++) {
		for (double x = 2 - half; x < half - 2 && placed < count; x += pitch, placed++) {
			const double size = sizes[placed % 3];
			const double jitter_x = random_between(&seed, -0.1, 0.1), jitter_y = random_between(&seed, -0.1, 0.1);
			scenario_circle(scenario, x + jitter_x, half + 2 + pitch * row + jitter_y, 0, 0, size)->mass = size * size;
		}
	}
	scenario_restitution(scenario, 0.9);
	scenario->def.gravity_y = -20;
}

/* The most contacts that one circle has in a tick; `counts` is scratch for all ids. */
static uint32_t
contacts_most(const struct tick_report *report, uint32_t *counts, size_t count)
{
	uint32_t most = 0;

	memset(counts, 0, count * sizeof *counts);
	for (size_t k = 0; k < report->contact_count; k++) {
		const struct contact *contact = &report->contacts[k];

		most = ++counts[contact->a] > most ? counts[contact->a] : most;
		if (contact->other == CONTACT_CIRCLE)
			most = ++counts[contact->b] > most ? counts[contact->b] : most;
	}
	return most;
}

/* Steps; each tick is certified. No circle may have more contacts in a tick than `most`, and none may be cut short. */
static void
storm_run(struct scenario *scenario, int ticks, uint32_t most)
{
	struct run run;
	uint32_t *counts = calloc(scenario->circle_count, sizeof *counts);

	assert_non_null(counts);
	run_start(&run, scenario);
	for (int tick = 0; tick < ticks; tick++) {
		run_ticks_unlogged(&run, dt, 1);
		assert_at_most(contacts_most(&run.report, counts, scenario->circle_count), most);
		assert_int_equal(run.report.shortfall_count, 0);
	}
	run_finish(&run);
	free(counts);
}

/* One had 15,184 contacts in a tick: a pair that hung was resolved by events, and was in no cluster around its neighbours'. So
 * two clusters beside each other were resolved in turns. */
static void
test_balls_through_pegs(void **state)
{
	(void)state;
	struct scenario scenario;
	scene_pegs(&scenario);
	storm_run(&scenario, (int)effort(60, 120), 1000);
	scenario_finish(&scenario);
}

/* Some had been hit again and again while they stood. Such circles may not stand any more in a substep, nor may what they meet:
 * in the end that was the whole crowd. With seed 4 one circle had 2,537 contacts in a tick. */
static void
test_rough_circles_fall_into_a_bowl(void **state)
{
	static const uint64_t seeds[] = { 4, 1, 2 };

	(void)state;
	for (size_t i = 0; i < effort_most(1, 2, 3); i++) {
		struct scenario scenario;
		scene_bowl(&scenario, 1000, seeds[i]);
		storm_run(&scenario, (int)effort(250, 400), 2000);
		scenario_finish(&scenario);
	}
}

/* A crowd of thousands is pressed together: circles had 5,000 contacts in a tick, of clusters of up to 990, and 7,277 were cut
 * short. Not certified here, which would take a minute. */
static void
test_thousands_fall_into_a_bowl(void **state)
{
	static const double restitutions[] = { 0.9, 0.5, 0 };

	(void)state;
	for (size_t i = 0; i < effort_most(1, 2, 3); i++) {
		struct scenario scenario;
		struct tick_report report;
		double most = 0;
		scene_bowl(&scenario, (int)effort(1000, 5000), 1);
		scenario_restitution(&scenario, restitutions[i]);
		struct world *world = scenario_world(&scenario);
		for (int tick = 0; tick < (int)effort(120, 300); tick++) {
			assert_int_equal(world_step(world, dt, &report), STATUS_OK);
			assert_int_equal(report.shortfall_count, 0);
			most = fmax(most, (double)report.work / (double)report.work_max);
		}
		print_message("restitution %g: at most %.3g of the work\n", restitutions[i], most);
		assert_at_most(most, 0.75);
		world_destroy(world);
		scenario_finish(&scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balls_through_pegs),
		cmocka_unit_test(test_rough_circles_fall_into_a_bowl),
		cmocka_unit_test(test_thousands_fall_into_a_bowl),
	};
	return cmocka_run_group_tests_name("physics/storms", tests, NULL, NULL);
}
