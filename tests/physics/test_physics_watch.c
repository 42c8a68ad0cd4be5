/* What ends from outside between two ticks, as the functions that add, remove and change shapes use it (watch.h), and that the
 * certificate sees every spoiled event. */
#include "physics/event_book.h"
#include "physics/reports/watch.h"
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/soup.h"

#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dt = 1.0 / 60;

/* Two balls on a floor, both in a sensor. */
static void
resting_scene(struct scenario *scenario)
{
	scenario_init(scenario);
	scenario->def.gravity_y = -10;
	scenario->def.events = WORLD_EVENTS_TOUCH;
	scenario_segment(scenario, -5, 0, 5, 0);
	scenario_circle(scenario, -2, 1, 0, 0, 0.5);
	scenario_circle(scenario, 2, 1, 0, 0, 0.5);
	scenario_restitution(scenario, 0);
	struct circle_def *sensor = scenario_circle(scenario, 0, 1, 0, 0, 4);
	sensor->kind = BODY_STATIC;
	sensor->sensor = true;
}

/* The events of one tick are these kinds of these pairs, at time 0. */
static void
dropped_are(const struct tick_report *report, const struct pair_event *expected, size_t count)
{
	assert_int_equal(report->pair_event_count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(report->pair_events[i].kind, expected[i].kind);
		assert_int_equal(report->pair_events[i].a, expected[i].a);
		assert_int_equal(report->pair_events[i].b, expected[i].b);
		assert_int_equal(report->pair_events[i].other, expected[i].other);
		assert_same(report->pair_events[i].time, 0);
	}
}

static void
book_ticks(struct event_book *book, struct world *world, int ticks, struct tick_report *report)
{
	for (int i = 0; i < ticks; i++) {
		assert_int_equal(world_step(world, dt, report), STATUS_OK);
		event_book_take(book, report, dt, true);
	}
}

static void
edit_one(struct world *world, struct edit edit)
{
	struct def_problem problem;
	assert_int_equal(world_edit(world, &edit, 1, &problem), STATUS_OK);
}

static void
mask_change(struct world *world, uint32_t mask)
{
	const struct circle_def circle = { .id = 0, .mask = mask };
	edit_one(world, edit_circle_change(&circle, edit_field(DEF_CIRCLE_MASK)));
}

/* Masks changed so that a ball meets nothing: its touch and its sensing end; changed back, it enters again, and touches when it
 * next meets the floor. Also across a snapshot taken before the tick that tells it. */
static void
test_a_changed_mask_ends_what_it_had(void **state)
{
	(void)state;
	for (int restored = 0; restored <= 1; restored++) {
		struct scenario scenario;
		struct run run;
		struct event_book book = { 0 };
		struct tick_report report;
		resting_scene(&scenario);
		run_start_uncertified(&run, &scenario);
		book_ticks(&book, run.world, 60, &report);
		assert_int_equal(book.open_count, 4);
		mask_change(run.world, 0);
		if (restored) {
			const size_t size = world_snapshot_bytes(run.world);
			uint8_t *bytes = malloc(size);
			struct snapshot_problem problem;
			struct world *other;
			assert_non_null(bytes);
			assert_int_equal(world_snapshot(run.world, bytes, size), STATUS_OK);
			assert_int_equal(world_restore(bytes, size, 0, &problem, &other), STATUS_OK);
			world_destroy(run.world);
			run.world = other;
			free(bytes);
		}
		book_ticks(&book, run.world, 1, &report);
		const struct pair_event gone[] = { { .kind = PAIR_EVENT_EXIT, .a = 0, .b = 2, .other = CONTACT_CIRCLE },
			                               { .kind = PAIR_EVENT_END, .a = 0, .b = 0, .other = CONTACT_SEGMENT } };
		dropped_are(&report, gone, 2);
		mask_change(run.world, UINT32_MAX);
		book_ticks(&book, run.world, 1, &report);
		/* It has fallen into the floor meanwhile and is pushed out of it. */
		assert_true(report.pair_event_count > 0);
		assert_int_equal(report.pair_events[0].kind, PAIR_EVENT_ENTER);
		assert_int_equal(report.pair_events[0].a, 0);
		assert_int_equal(book.open_count, 4);
		event_book_finish(&book);
		run_abandon(&run);
		scenario_finish(&scenario);
	}
}

/* The first ball is gone (its index goes to no other, the others move up): both of its pairs end, the other's go on. */
static void
test_a_removed_shape_ends_what_it_had(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	struct event_book book = { 0 };
	struct tick_report report;
	resting_scene(&scenario);
	run_start_uncertified(&run, &scenario);
	book_ticks(&book, run.world, 60, &report);
	edit_one(run.world, edit_circle_remove(0));
	book_ticks(&book, run.world, 1, &report);
	const struct pair_event gone[] = { { .kind = PAIR_EVENT_EXIT, .a = 0, .b = 2, .other = CONTACT_CIRCLE },
		                               { .kind = PAIR_EVENT_END, .a = 0, .b = 0, .other = CONTACT_SEGMENT } };
	dropped_are(&report, gone, 2);
	assert_int_equal(book.open_count, 2);
	/* The floor gone as well, and then the sensor, the last thing that told anything of this pair. */
	edit_one(run.world, edit_segment_remove(0));
	book_ticks(&book, run.world, 1, &report);
	const struct pair_event floor = { .kind = PAIR_EVENT_END, .a = 1, .b = 0, .other = CONTACT_SEGMENT };
	dropped_are(&report, &floor, 1);
	edit_one(run.world, edit_circle_remove(2));
	book_ticks(&book, run.world, 1, &report);
	const struct pair_event sensor = { .kind = PAIR_EVENT_EXIT, .a = 1, .b = 2, .other = CONTACT_CIRCLE };
	dropped_are(&report, &sensor, 1);
	assert_int_equal(book.open_count, 0);
	event_book_finish(&book);
	run_abandon(&run);
	scenario_finish(&scenario);
}

/* Asked for in the middle, and not any more. */
static void
test_asked_for_later(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	resting_scene(&scenario);
	scenario.def.events = 0;
	scenario.circle_count = 2;
	run_start_uncertified(&run, &scenario);
	run_ticks(&run, dt, 60);
	assert_int_equal(run.pair_event_count, 0);
	assert_int_equal(world_events_set(run.world, 16), STATUS_INVALID_ARGUMENT);
	assert_int_equal(world_events_set(run.world, WORLD_EVENTS_TOUCH | WORLD_EVENTS_PATHS), STATUS_OK);
	run_ticks(&run, dt, 1);
	assert_int_equal(run.report.path_count, 2);
	assert_int_equal(run.report.pair_event_count, 2);
	assert_int_equal(run.report.pair_events[0].kind, PAIR_EVENT_BEGIN);
	assert_int_equal(world_events_set(run.world, 0), STATUS_OK);
	run_ticks(&run, dt, 1);
	assert_int_equal(run.report.pair_event_count, 0);
	assert_int_equal(run.report.path_count, 0);
	run_abandon(&run);
	scenario_finish(&scenario);
}

/* Two circles meet in the seventh tick, and a third flies on alone: in that tick alone there are paths, of the two, in two
 * pieces each. Asked for all paths, the world tells all three in every tick. */
static void
test_paths_that_change(void **state)
{
	(void)state;
	for (int all = 0; all < 2; all++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario_circle(&scenario, -3.25, 0, 30, 0, 1);
		scenario_circle(&scenario, 2, 0, 0, 0, 1);
		scenario_circle(&scenario, 0, 50, 3, 0, 1);
		run_start_uncertified(&run, &scenario);
		assert_int_equal(world_events_set(run.world, all ? WORLD_EVENTS_PATHS : WORLD_EVENTS_CHANGED_PATHS), STATUS_OK);
		for (int tick = 1; tick <= 12; tick++) {
			run_ticks(&run, dt, 1);
			bool meet = run.report.contact_count > 0;
			assert_int_equal(meet, tick == 7);
			assert_int_equal(run.report.path_count, (meet ? 4 : 0) + (all ? (meet ? 1 : 3) : 0));
			for (size_t i = 0; i < run.report.path_count; i++)
				assert_true(all || run.report.paths[i].body <= 2);
		}
		run_abandon(&run);
		scenario_finish(&scenario);
	}
}

/* For each contact that a tick may have, four rows of pair events: at the limit and one over it, without any contact. */
static void
test_the_limit_on_rows(void **state)
{
	(void)state;
	for (uint32_t count = 11; count <= 13; count++) {
		struct scenario scenario;
		struct run run;
		struct tick_report report = { 0 };
		scenario_init(&scenario);
		scenario.def.contacts_per_tick_max = 3;
		scenario.def.events = WORLD_EVENTS_TOUCH;
		scenario_circle(&scenario, 0, 0, 0, 0, 1000)->sensor = true;
		for (uint32_t i = 0; i < count; i++)
			scenario_circle(&scenario, 10.0 * i, 0, 0, 0, 1);
		run_start_uncertified(&run, &scenario);
		assert_int_equal(world_step(run.world, dt, &report), count <= 12 ? STATUS_OK : STATUS_RESOURCE_EXHAUSTED);
		assert_int_equal(report.contact_count, 0);
		if (count <= 12)
			assert_int_equal(report.pair_event_count, count);
		run_abandon(&run);
		scenario_finish(&scenario);
	}
}

/* ---- Spoiled events. */

enum spoil { SPOIL_NOTHING, SPOIL_DROP, SPOIL_TWICE, SPOIL_LATE, SPOIL_OTHER, SPOIL_KIND, SPOIL_IMPULSE, SPOIL_COUNT };

static bool
event_spoil(enum spoil spoil, struct pair_event *events, size_t *count, size_t at)
{
	struct pair_event *event = &events[at];
	switch (spoil) {
	case SPOIL_NOTHING: return true;
	case SPOIL_DROP:
		memmove(event, event + 1, (*count - at - 1) * sizeof *event);
		--*count;
		return true;
	case SPOIL_TWICE:
		memmove(event + 1, event, (*count - at) * sizeof *event);
		++*count;
		return true;
	case SPOIL_LATE:
		if (event->kind != PAIR_EVENT_ENTER && event->kind != PAIR_EVENT_EXIT)
			return false;
		event->time += event->time < 0.5 * dt ? 0.1 * dt : -0.1 * dt;
		return true;
	case SPOIL_OTHER: event->b ^= 1; return true;
	case SPOIL_KIND: event->kind = (uint8_t)(event->kind ^ 1); return true;
	case SPOIL_IMPULSE: event->impulse *= 1 + 1e-15; return event->kind == PAIR_EVENT_HIT;
	case SPOIL_COUNT: break;
	}
	return false;
}

/* A run in which event number `at` or the next that suits is spoiled; how many faults the certificate counts. */
static uint64_t
spoiled_run(uint64_t seed, enum spoil spoil, size_t at, bool *spoiled)
{
	struct scenario scenario;
	struct run run;
	size_t seen = 0;
	scenario_init(&scenario);
	scene_mixed(&scenario, 10, 25, seed);
	scenario_restitution(&scenario, 0.5);
	scenario.def.events = WORLD_EVENTS_PERSIST;
	for (int i = 0; i < 3; i++) {
		struct circle_def *sensor = scenario_circle(&scenario, 2 * i - 2, 1 - i, 0, 0, 1.5 + i);
		sensor->kind = BODY_STATIC;
		sensor->sensor = true;
	}
	run_start_uncertified(&run, &scenario);
	struct certified *certified = certified_create(scenario_def(&scenario));
	assert_non_null(certified);
	*spoiled = false;
	for (int tick = 0; tick < 40; tick++) {
		assert_int_equal(world_step(run.world, dt, &run.report), STATUS_OK);
		struct pair_event *events = malloc((run.report.pair_event_count + 2) * sizeof *events);
		size_t count = run.report.pair_event_count;
		assert_non_null(events);
		if (count > 0)
			memcpy(events, run.report.pair_events, count * sizeof *events);
		for (size_t i = 0; i < run.report.pair_event_count && !*spoiled; i++)
			if (seen++ >= at)
				*spoiled = event_spoil(spoil, events, &count, i);
		struct tick_report report = run.report;
		report.pair_events = events;
		report.pair_event_count = count;
		assert_int_equal(certified_tick(certified, run.world, dt, &report), STATUS_OK);
		free(events);
	}
	const uint64_t faults = certified_report(certified)->event_faults;
	certified_destroy(certified);
	run_abandon(&run);
	scenario_finish(&scenario);
	return faults;
}

/* Each side's tag, if it is a circle and is there. */
static void
test_tags(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	struct tick_report report;
	size_t seen = 0;
	resting_scene(&scenario);
	for (size_t i = 0; i < scenario.circle_count; i++)
		scenario.circles[i].tag = UINT64_MAX - i;
	run_start_uncertified(&run, &scenario);
	for (int tick = 0; tick < 60; tick++) {
		assert_int_equal(world_step(run.world, dt, &report), STATUS_OK);
		for (size_t i = 0; i < report.pair_event_count; i++, seen++) {
			const struct pair_event *event = &report.pair_events[i];
			assert_true(event->a_tag == UINT64_MAX - event->a);
			assert_true(event->b_tag == (event->other == CONTACT_CIRCLE ? UINT64_MAX - event->b : 0));
		}
	}
	assert_true(seen >= 3);
	edit_one(run.world, edit_circle_remove(0));
	assert_int_equal(world_step(run.world, dt, &report), STATUS_OK);
	assert_int_equal(report.pair_event_count, 2);
	assert_true(report.pair_events[0].a == 0 && report.pair_events[0].b == 2);
	assert_true(report.pair_events[0].a_tag == 0 && report.pair_events[0].b_tag == UINT64_MAX - 2);
	run_abandon(&run);
	scenario_finish(&scenario);
}

static void
test_the_certificate_sees_spoiled_events(void **state)
{
	(void)state;
	for (int spoil = SPOIL_NOTHING; spoil < SPOIL_COUNT; spoil++) {
		size_t tried = 0;
		for (uint64_t seed = 1; seed <= 12; seed++) {
			bool spoiled;
			const uint64_t faults = spoiled_run(seed, (enum spoil)spoil, 7 * (size_t)seed, &spoiled);
			if (!spoiled)
				continue;
			if ((faults > 0) != (spoil != SPOIL_NOTHING))
				fail_msg("spoil %d of seed %llu: %llu faults", spoil, (unsigned long long)seed, (unsigned long long)faults);
			tried++;
		}
		assert_true(tried >= 6);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_changed_mask_ends_what_it_had),
		cmocka_unit_test(test_a_removed_shape_ends_what_it_had),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_asked_for_later),
		cmocka_unit_test(test_paths_that_change),
		cmocka_unit_test(test_the_limit_on_rows),
		cmocka_unit_test(test_the_certificate_sees_spoiled_events),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
