/* How many substeps a tick of the resting solver has: two while a crowd is in motion, else four. What is told, and how well it
 * holds, is the same. */
#include "physics/event_book.h"
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/self_check.h"

#include "support/effort.h"

#include <math.h>
#include <string.h>

static const double dt = 1.0 / 64; /* a quarter of it is exact */

/* The quarters of the tick at which the solver gave paths, a bit each. */
static unsigned
quarters_led(const struct tick_report *report)
{
	unsigned quarters = 0;
	for (size_t i = 0; i < report->path_change_count; i++)
		for (unsigned k = 0; k < 4; k++)
			if (report->path_changes[i].kind == PATH_LED && report->path_changes[i].time == dt * k / 4)
				quarters |= 1u << k;
	return quarters;
}

struct tally {
	size_t two, four;
};

/* A tick of which every quarter, or every other, begins with new paths; others have no body of the solver, or get one in their
 * midst. */
static void
tally_add(struct tally *tally, const struct tick_report *report)
{
	const unsigned quarters = quarters_led(report);
	tally->two += quarters == 0x5;
	tally->four += quarters == 0xf;
}

static double
energy_of(const struct tick_report *report)
{
	return report->energy.kinetic_after + report->energy.potential_after;
}

/* From the drop to rest. The ledgers, and that nothing overlaps, are looked at by run_ticks. */
static struct tally
pile_tally(size_t count, double width, uint64_t ticks)
{
	struct scenario scenario;
	struct run run;
	struct tally tally = { 0 };
	double least = (double)INFINITY, first = 0, back = 0;
	scenario_init(&scenario);
	scene_pile(&scenario, count, width, 0.5, 1, 5);
	run_start(&run, &scenario);
	for (uint64_t tick = 0; tick < ticks; tick++) {
		run_ticks(&run, dt, 1);
		tally_add(&tally, &run.report);
		if (tick == 0)
			first = energy_of(&run.report);
		least = fmin(least, energy_of(&run.report));
		back = fmax(back, energy_of(&run.report) - least);
	}
	assert_at_most(back, 1e-3 * first);
	run_finish(&run);
	scenario_finish(&scenario);
	return tally;
}

static void
test_a_crowd_has_two_until_it_rests(void **state)
{
	(void)state;
	const struct tally falls = pile_tally(150, 12, 120), rests = pile_tally(150, 12, 900);
	assert_true(falls.two > 50);
	assert_true(rests.two < 400);
	assert_true(rests.four > 400);
}

/* 64 are a crowd. One that the solver has not taken yet is none of them. */
static void
test_few_have_four(void **state)
{
	(void)state;
	assert_int_equal(pile_tally(63, 8, 200).two, 0);
	assert_true(pile_tally(64, 8, 200).two > 0);
}

/* A heap in a box that flies, by more and by less than a radius in a tick, while it collapses. */
static void
test_what_is_fast_has_four(void **state)
{
	(void)state;
	for (int fast = 0; fast <= 1; fast++) {
		struct scenario scenario;
		struct run run;
		struct tally tally = { 0 };
		scenario_init(&scenario);
		scene_pile(&scenario, 100, 10, 0.5, 1, 5);
		/* Downwards the heap moves too. */
		const double speed = (fast ? 1.01 : 0.5) * 0.5 / dt;
		for (size_t i = 0; i < scenario.circle_count; i++)
			scenario.circles[i].vx = speed;
		for (size_t i = 0; i < scenario.segment_count; i++)
			scenario.segments[i].vx = speed;
		run_start(&run, &scenario);
		for (int tick = 0; tick < 100; tick++) {
			run_ticks(&run, dt, 1);
			tally_add(&tally, &run.report);
		}
		assert_true(fast ? tally.two == 0 && tally.four > 30 : tally.two > 30);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Each tick made twice, the second time from a snapshot or a kept state, and beside it in several shares. Nothing but the state
 * says how many substeps a tick has, and how long those were that the kept impulses are of. */
static void
test_the_same_bits_after_a_restore(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run, shared;
	struct selfcheck check = { 0 };
	struct tally tally = { 0 };
	scenario_init(&scenario);
	scene_pile(&scenario, 100, 10, 0.5, 0.25, 9);
	for (size_t i = 0; i < scenario.circle_count; i++)
		scenario.circles[i].rolling_resistance = i % 3 == 0 ? 0.05 : 0;
	scenario.def.sleep_after = 1;
	run_start(&run, &scenario);
	run_start(&shared, &scenario);
	world_workers_set(shared.world, &workers_in_turn);
	for (int tick = 0; tick < (int)effort(120, 600); tick++) {
		struct tick_report report;
		const enum status status = selfcheck_step(&check, run.world, dt, &report);
		if (status != STATUS_OK)
			print_error("tick %d: %s\n", tick, check.difference.text);
		assert_int_equal(status, STATUS_OK);
		tally_add(&tally, &report);
		run_ticks_unlogged(&shared, dt, 1);
		assert_true(world_hash(run.world) == world_hash(shared.world));
	}
	assert_true(tally.two > 30 && tally.four > 10);
	selfcheck_finish(&check);
	run_abandon(&run);
	run_end(&shared, &scenario);
}

/* Whether the pair collided then; a touch that begins without that, begins by what the solver has it carry. */
static bool
begins_by_collision(const struct tick_report *report, const struct pair_event *event)
{
	for (size_t i = 0; i < report->contact_count; i++) {
		const struct contact *contact = &report->contacts[i];
		if (contact->time == event->time && contact->a == event->a && contact->b == event->b && contact->other == event->other)
			return true;
	}
	return false;
}

/* Touches begin in all quarters of the tick, and end when the two are apart, also where a substep is two quarters long. */
static void
test_touches_of_a_crowd(void **state)
{
	size_t begun[4] = { 0 };
	(void)state;
	struct scenario scenario;
	struct run run;
	struct event_book book = { 0 };
	struct tally tally = { 0 };
	scenario_init(&scenario);
	scene_pile(&scenario, 80, 8, 0, 1, 3);
	scenario.def.events = WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST;
	run_start(&run, &scenario);
	for (int tick = 0; tick < 200; tick++) {
		run_ticks(&run, dt, 1);
		tally_add(&tally, &run.report);
		event_book_take(&book, &run.report, dt, true);
		for (size_t i = 0; i < run.report.pair_event_count && quarters_led(&run.report) == 0x5; i++) {
			const struct pair_event *event = &run.report.pair_events[i];
			if (event->kind == PAIR_EVENT_BEGIN && event->time < dt && !begins_by_collision(&run.report, event))
				begun[(size_t)(4 * event->time / dt)]++;
		}
		for (size_t i = 0; i < book.open_count; i++) {
			const struct book_pair *pair = &book.open[i];
			if (pair->other != CONTACT_CIRCLE)
				continue;
			const struct body_state a = world_body(run.world, pair->a), b = world_body(run.world, pair->b);
			/* Nearer than the distance at which a touch ends. */
			assert_at_most(hypot(a.x - b.x, a.y - b.y) - a.radius - b.radius, 0.0201 * fmin(a.radius, b.radius));
		}
	}
	assert_true(tally.two > 50);
	for (size_t k = 0; k < 4; k++)
		assert_true(begun[k] > 5);
	assert_true(book.counts[PAIR_EVENT_BEGIN] > 80);
	assert_true(book.counts[PAIR_EVENT_END] > 20);
	event_book_finish(&book);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_crowd_has_two_until_it_rests),
		cmocka_unit_test(test_few_have_four),
		cmocka_unit_test(test_what_is_fast_has_four),
		cmocka_unit_test(test_the_same_bits_after_a_restore),
		cmocka_unit_test(test_touches_of_a_crowd),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
