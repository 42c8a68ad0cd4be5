/* Begin, hit, persist and end of touches: their times, that they match, their order, and that nothing flickers. */
#include "physics/event_book.h"
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/soup.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dt = 1.0 / 60;

struct booked {
	struct run run;
	struct event_book book;
};

static void
booked_start(struct booked *booked, struct scenario *scenario)
{
	*booked = (struct booked){ 0 };
	scenario->def.events |= WORLD_EVENTS_TOUCH;
	run_start(&booked->run, scenario);
}

static void
booked_ticks(struct booked *booked, double step, uint64_t ticks)
{
	for (uint64_t i = 0; i < ticks; i++) {
		run_ticks(&booked->run, step, 1);
		event_book_take(&booked->book, &booked->run.report, step, true);
	}
}

static void
booked_finish(struct booked *booked, struct scenario *scenario)
{
	run_finish(&booked->run);
	event_book_finish(&booked->book);
	scenario_finish(scenario);
}

static void
event_is(const struct run *run, size_t index, enum pair_event_kind kind, double at, double tolerance)
{
	assert_true(index < run->pair_event_count);
	assert_int_equal(run->pair_events[index].event.kind, kind);
	if (fabs(run->pair_events[index].at - at) > tolerance)
		fail_msg("event %zu at %.17g, not %.17g", index, run->pair_events[index].at, at);
}

/* Two that bounce off each other: begin, hit and end at one time; and so with a wall after that. */
static void
test_a_rebound_begins_and_ends_at_once(void **state)
{
	(void)state;
	struct scenario scenario;
	struct booked booked;
	scenario_init(&scenario);
	scenario_segment(&scenario, 20, -5, 20, 5);
	scenario_circle(&scenario, 0, 0, 6, 0, 1);
	scenario_circle(&scenario, 8, 0, 0, 0, 1);
	booked_start(&booked, &scenario);
	booked_ticks(&booked, dt, 180);
	for (size_t i = 0; i < 3; i++) {
		static const enum pair_event_kind kinds[] = { PAIR_EVENT_BEGIN, PAIR_EVENT_HIT, PAIR_EVENT_END };
		event_is(&booked.run, i, kinds[i], 1, 1e-8);
		event_is(&booked.run, 3 + i, kinds[i], 1 + 11.0 / 6, 1e-8);
		assert_true(booked.run.pair_events[i].at == booked.run.pair_events[0].at);
	}
	assert_int_equal(booked.run.pair_event_count, 6);
	assert_double_near(booked.run.pair_events[1].event.impulse, 6, 1e-12);
	assert_double_near(booked.run.pair_events[1].event.approach_speed, 6, 1e-12);
	assert_double_near(booked.run.pair_events[1].event.normal[0], -1, 1e-12);
	assert_double_near(booked.run.pair_events[4].event.point[0], 20, 1e-7);
	booked_finish(&booked, &scenario);
}

/* Without a rebound both go on together, over hundreds of ticks, up to where a wall stops the first and the second leaves it:
 * no, stops both. A third from behind hits the touching pair: that is a hit and no more for what touches. */
static void
test_without_rebound_they_touch_until_they_part(void **state)
{
	(void)state;
	struct scenario scenario;
	struct booked booked;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 0, 2, 0, 1);
	scenario_circle(&scenario, 4, 0, 0, 0, 1);
	scenario_restitution(&scenario, 0);
	/* Its mask has the first of the two alone, which it drives away from the other, up and down. */
	struct circle_def *puller = scenario_circle(&scenario, 8, -50, 0, 10, 1);
	puller->restitution = 1;
	scenario.circles[1].category = 2;
	scenario.circles[0].mask = 2;
	puller->mask = 2;
	booked_start(&booked, &scenario);
	booked_ticks(&booked, dt, 270);
	event_is(&booked.run, 0, PAIR_EVENT_BEGIN, 1, 1e-8);
	event_is(&booked.run, 1, PAIR_EVENT_HIT, 1, 1e-8);
	assert_int_equal(booked.run.pair_event_count, 2);
	assert_true(event_book_has(&booked.book, 0, 1, CONTACT_CIRCLE, false));
	booked_ticks(&booked, dt, 90);
	/* The puller's blow, and their parting when the centres are 2.02 apart. */
	assert_int_equal(booked.book.open_count, 0);
	assert_int_equal(booked.book.counts[PAIR_EVENT_BEGIN], booked.book.counts[PAIR_EVENT_END]);
	for (size_t i = 2; i < booked.run.pair_event_count; i++) {
		const struct logged_event *logged = &booked.run.pair_events[i];
		if (logged->event.kind != PAIR_EVENT_END || logged->event.a != 0)
			continue;
		assert_int_equal(logged->event.b, 1);
		const struct body_state a = run_body(&booked.run, 0), b = run_body(&booked.run, 1);
		const double left = booked.run.time - logged->at;
		assert_double_near(hypot(a.x - left * a.vx - b.x + left * b.vx, a.y - left * a.vy - b.y + left * b.vy), 2.02, 1e-7);
	}
	booked_finish(&booked, &scenario);
}

/* A ball that bounces lower and lower: every bounce begins and ends, each half as fast as the one before; when no more is given
 * it touches for good. */
static void
test_a_ball_comes_to_rest(void **state)
{
	(void)state;
	struct scenario scenario;
	struct booked booked;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_segment(&scenario, -5, 0, 5, 0);
	scenario_circle(&scenario, 0, 5.5, 0, 0, 0.5);
	scenario_restitution(&scenario, 0.5);
	booked_start(&booked, &scenario);
	booked_ticks(&booked, dt, 400);
	const size_t bounces = (size_t)booked.book.counts[PAIR_EVENT_END];
	assert_true(bounces > 6);
	assert_int_equal(booked.book.open_count, 1);
	assert_int_equal(booked.book.counts[PAIR_EVENT_BEGIN], bounces + 1);
	double at = 1, flight = 1, speed = 10;
	for (size_t i = 0; i < bounces; i++) {
		event_is(&booked.run, 3 * i, PAIR_EVENT_BEGIN, at, 1e-6);
		event_is(&booked.run, 3 * i + 1, PAIR_EVENT_HIT, at, 1e-6);
		event_is(&booked.run, 3 * i + 2, PAIR_EVENT_END, at, 1e-6);
		assert_double_near(booked.run.pair_events[3 * i + 1].event.approach_speed, speed, 1e-6);
		at += flight;
		flight *= 0.5;
		speed *= 0.5;
	}
	const uint64_t begun = booked.book.counts[PAIR_EVENT_BEGIN];
	booked_ticks(&booked, dt, 600);
	assert_int_equal(booked.book.counts[PAIR_EVENT_BEGIN], begun);
	assert_int_equal(booked.book.open_count, 1);
	booked_finish(&booked, &scenario);
}

/* Only the hard blows, if so asked. */
static void
test_hit_speed(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario.def.events = WORLD_EVENTS_TOUCH;
	scenario.def.hit_speed = 2;
	scenario_segment(&scenario, -5, 0, 5, 0);
	scenario_circle(&scenario, 0, 5.5, 0, 0, 0.5);
	scenario_restitution(&scenario, 0.5);
	run_start(&run, &scenario);
	run_ticks(&run, dt, 300);
	size_t hits = 0, begins = 0;
	for (size_t i = 0; i < run.pair_event_count; i++) {
		hits += run.pair_events[i].event.kind == PAIR_EVENT_HIT;
		begins += run.pair_events[i].event.kind == PAIR_EVENT_BEGIN;
	}
	assert_int_equal(hits, 3); /* 10, 5 and 2.5 */
	assert_true(begins > 5);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Rolls off the end of a floor: the touch ends where the distance from the end is 1.02 radii. A circle that goes over the
 * joints of a chain is never without a touch on the way. */
static void
test_over_joints_and_off_the_end(void **state)
{
	(void)state;
	for (int crowd = 0; crowd <= 1; crowd++) {
		struct scenario scenario;
		struct booked booked;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		for (int i = 0; i < 10; i++)
			scenario_segment(&scenario, i, 0, i + 1, 0);
		scenario_circle(&scenario, 0.5, 0.5, 4, 0, 0.5);
		scenario_restitution(&scenario, 0);
		for (size_t i = 0; crowd && i < scenario.segment_count; i++)
			scenario.segments[i].friction = scenario.circles[0].friction = 0.5; /* driven by the solver */
		booked_start(&booked, &scenario);
		booked_ticks(&booked, dt, 1);
		while (run_body(&booked.run, 0).x < 9.9) {
			booked_ticks(&booked, dt, 1);
			assert_true(booked.book.open_count >= 1);
		}
		booked_ticks(&booked, dt, 60);
		assert_int_equal(booked.book.open_count, 0);
		assert_int_equal(booked.book.counts[PAIR_EVENT_BEGIN], 10);
		assert_int_equal(booked.book.counts[PAIR_EVENT_END], 10);
		size_t ends = 0;
		for (size_t i = 0; i < booked.run.pair_event_count; i++) {
			const struct pair_event *event = &booked.run.pair_events[i].event;
			if (event->kind != PAIR_EVENT_END)
				continue;
			assert_int_equal(event->feature, FEATURE_END_2);
			/* The point is on the circle's surface, towards the end. */
			const double x = event->point[0] - (event->b + 1), y = event->point[1];
			assert_double_near(hypot(x, y), 0.02 * 0.5, 1e-6);
			ends++;
		}
		assert_int_equal(ends, 10);
		booked_finish(&booked, &scenario);
	}
}

static uint64_t
touch_changes(const struct event_book *book)
{
	return book->counts[PAIR_EVENT_BEGIN] + book->counts[PAIR_EVENT_END];
}

/* A pile that has settled, tells nothing in 600 ticks; each persists; asleep
 * too. */
static void
test_a_pile_does_not_flicker(void **state)
{
	(void)state;
	for (int sleeps = (int)effort(1, 0); sleeps <= 1; sleeps++) {
		struct scenario scenario;
		struct booked booked;
		scenario_init(&scenario);
		const size_t count = effort(24, 60);
		scene_pile(&scenario, count, 9, 0.5, 1, 3);
		/* Without it a disc may roll on for ever. */
		for (size_t i = 0; i < scenario.circle_count; i++)
			scenario.circles[i].rolling_resistance = 0.01;
		if (sleeps)
			scenario.def.sleep_after = 0.5;
		scenario.def.events = WORLD_EVENTS_PERSIST;
		booked_start(&booked, &scenario);
		booked_ticks(&booked, dt, 1200);
		const uint64_t changes = touch_changes(&booked.book), persists = booked.book.counts[PAIR_EVENT_PERSIST];
		const size_t open = booked.book.open_count;
		assert_true(open >= count);
		booked_ticks(&booked, dt, 600);
		assert_int_equal(touch_changes(&booked.book), changes);
		assert_int_equal(booked.book.counts[PAIR_EVENT_PERSIST], persists + 600 * open);
		if (sleeps)
			assert_int_equal(booked.run.report.asleep, count);
		booked_finish(&booked, &scenario);
	}
}

/* PERSIST carries what the solver had the pair carry: the floor carries the weight. */
static void
test_persist_carries_the_weight(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scene_pile(&scenario, effort(30, 60), 8, 0, 1, 3);
	scenario.def.events = WORLD_EVENTS_PERSIST;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 900);
	double weight = 0, carried = 0;
	for (size_t i = 0; i < scenario.circle_count; i++)
		weight += 10 * scenario.circles[i].mass;
	for (size_t i = 0; i < run.report.pair_event_count; i++) {
		const struct pair_event *event = &run.report.pair_events[i];
		if (event->kind == PAIR_EVENT_PERSIST && event->other == CONTACT_SEGMENT)
			carried += event->impulse * event->normal[1];
	}
	/* The side walls, without friction, carry nothing. */
	assert_double_near(carried, weight * dt, 1e-3 * weight * dt);
	/* And each disc is held by what its pairs carry. */
	for (size_t i = 0; i < scenario.circle_count; i++) {
		double x = 0, y = 0;
		for (size_t k = 0; k < run.report.pair_event_count; k++) {
			const struct pair_event *event = &run.report.pair_events[k];
			const bool is_a = event->a == i, is_b = event->other == CONTACT_CIRCLE && event->b == i;
			if (event->kind != PAIR_EVENT_PERSIST || (!is_a && !is_b))
				continue;
			x += (is_a ? event->impulse : -event->impulse) * event->normal[0];
			y += (is_a ? event->impulse : -event->impulse) * event->normal[1];
		}
		assert_double_near(x, 0, 1e-3 * weight * dt);
		assert_double_near(y, 10 * scenario.circles[i].mass * dt, 1e-3 * weight * dt);
	}
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A scene that begins at rest, a column: all that come to carry begin, though nothing ever struck. */
static void
test_a_scene_begins_at_rest(void **state)
{
	(void)state;
	struct scenario scenario;
	struct booked booked;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_segment(&scenario, -5, 0, 15, 0);
	for (int i = 0; i < 12; i++)
		scenario_circle(&scenario, 0, 0.505 + 1.01 * i, 0, 0, 0.5)->friction = 0.8;
	scenario.segments[0].friction = 0.8;
	scenario_restitution(&scenario, 0);
	booked_start(&booked, &scenario);
	booked_ticks(&booked, dt, 30);
	assert_int_equal(booked.book.open_count, 12);
	assert_int_equal(booked.book.counts[PAIR_EVENT_BEGIN], 12);
	assert_true(event_book_has(&booked.book, 0, 0, CONTACT_SEGMENT, false));
	for (uint32_t i = 1; i < 12; i++)
		assert_true(event_book_has(&booked.book, i - 1, i, CONTACT_CIRCLE, false));
	booked_finish(&booked, &scenario);
}

/* Adds sensors to a soup. */
static void
soup_sense(struct soup *soup, uint64_t seed)
{
	uint64_t random = seed + 77;
	for (int i = 0; i < 3; i++) {
		struct circle_def *circle = scenario_circle(&soup->scenario, random_between(&random, -8, 8),
		                                            random_between(&random, -8, 8), 0, 0, random_between(&random, 0.3, 5));
		circle->sensor = true;
		circle->kind = (enum body_kind)(i % 3);
		if (i == 1)
			circle->vx = random_between(&random, -20, 20);
	}
	struct segment_def *wire = scenario_segment(&soup->scenario, random_between(&random, -8, 8), random_between(&random, -8, 8),
	                                            random_between(&random, -8, 8), random_between(&random, -8, 8));
	wire->sensor = true;
	soup->scenario.def.events = WORLD_EVENTS_PERSIST;
}

static struct world *
world_of(const struct world_def *def)
{
	struct def_problem problem;
	struct world *world = NULL;
	if (world_create(def, &problem, &world) != STATUS_OK)
		return NULL;
	return world;
}

static void
reports_same(const struct tick_report *a, const struct tick_report *b)
{
	assert_int_equal(a->pair_event_count, b->pair_event_count);
	for (size_t i = 0; i < a->pair_event_count; i++) {
		const struct pair_event *x = &a->pair_events[i], *y = &b->pair_events[i];
		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->a, y->a);
		assert_int_equal(x->b, y->b);
		assert_int_equal(x->other, y->other);
		assert_int_equal(x->feature, y->feature);
		assert_same(x->time, y->time);
		assert_same(x->impulse, y->impulse);
		assert_same(x->point[0], y->point[0]);
		assert_same(x->point[1], y->point[1]);
	}
}

static void
def_shuffle(struct scenario *scenario, uint64_t seed)
{
	uint64_t random = seed;
	for (size_t i = scenario->circle_count; i > 1; i--) {
		const size_t j = (size_t)random_between(&random, 0, (double)i - 1e-9);
		const struct circle_def keep = scenario->circles[i - 1];
		scenario->circles[i - 1] = scenario->circles[j];
		scenario->circles[j] = keep;
	}
	for (size_t i = scenario->segment_count; i > 1; i--) {
		const size_t j = (size_t)random_between(&random, 0, (double)i - 1e-9);
		const struct segment_def keep = scenario->segments[i - 1];
		scenario->segments[i - 1] = scenario->segments[j];
		scenario->segments[j] = keep;
	}
}

static struct world *
world_copy(const struct world *world)
{
	const size_t size = world_snapshot_bytes(world);
	void *bytes = malloc(size);
	struct snapshot_problem problem;
	struct world *copy = NULL;
	assert_non_null(bytes);
	assert_int_equal(world_snapshot(world, bytes, size), STATUS_OK);
	if (world_restore(bytes, size, 0, &problem, &copy) != STATUS_OK)
		fail_msg("world_restore: %s[%zu] %s", problem.field, problem.index, problem.text);
	free(bytes);
	return copy;
}

/* What the book has open is what truly is: inside by the states at the end, touching by their distance. */
static void
book_against_states(const struct event_book *book, const struct world *world)
{
	for (size_t i = 0; i < book->open_count; i++) {
		const struct book_pair *pair = &book->open[i];
		const struct body_state a = world_body(world, pair->a);
		double gap, radius = a.radius;
		if (pair->other == CONTACT_SEGMENT) {
			const struct segment_def b = world_segment(world, pair->b); /* where it is by now */
			gap = segment_distance(&b, a.x, a.y) - a.radius;
		} else {
			const struct body_state b = world_body(world, pair->b);
			gap = hypot(a.x - b.x, a.y - b.y) - a.radius - b.radius;
			radius = fmin(radius, b.radius);
		}
		const double room = 1e-9 * (1 + fabs(a.x) + fabs(a.y) + radius);
		assert_at_most(gap, pair->sensed ? room : 0.02 * radius + room);
	}
}

/* Random scenes of everything, hostile ones too: all matches, in order, the same whatever the order of definition, and after a
 * snapshot in the middle. What is open at the end is so by the states. */
static void
soups_check(uint64_t first, uint64_t count, uint64_t ticks_max)
{
	uint64_t counts[PAIR_EVENT_EXIT + 1] = { 0 };
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct soup soup;
		soup_make(&soup, seed, seed % 7 == 0);
		soup_sense(&soup, seed);
		const uint64_t ticks = soup.ticks < ticks_max ? soup.ticks : ticks_max;
		struct world *world = world_of(scenario_def(&soup.scenario)), *copy = NULL;
		struct scenario shuffled = soup.scenario;
		shuffled.circles = malloc((soup.scenario.circle_count + 1) * sizeof *shuffled.circles);
		shuffled.segments = malloc((soup.scenario.segment_count + 1) * sizeof *shuffled.segments);
		assert_true(shuffled.circles && shuffled.segments);
		memcpy(shuffled.circles, soup.scenario.circles, soup.scenario.circle_count * sizeof *shuffled.circles);
		memcpy(shuffled.segments, soup.scenario.segments, soup.scenario.segment_count * sizeof *shuffled.segments);
		def_shuffle(&shuffled, seed);
		struct world *other = world_of(scenario_def(&shuffled));
		struct event_book book = { 0 };
		for (uint64_t tick = 0; world && tick < ticks; tick++) {
			struct tick_report report, again;
			if (world_step(world, soup.dt, &report) != STATUS_OK)
				break;
			event_book_take(&book, &report, soup.dt, true);
			book_against_states(&book, world);
			assert_int_equal(world_step(other, soup.dt, &again), STATUS_OK);
			reports_same(&report, &again);
			if (copy) {
				assert_int_equal(world_step(copy, soup.dt, &again), STATUS_OK);
				reports_same(&report, &again);
			} else if (tick == ticks / 2) {
				copy = world_copy(world);
			}
		}
		for (int kind = PAIR_EVENT_BEGIN; kind <= PAIR_EVENT_EXIT; kind++)
			counts[kind] += book.counts[kind];
		event_book_finish(&book);
		world_destroy(world);
		world_destroy(other);
		world_destroy(copy);
		free(shuffled.circles);
		free(shuffled.segments);
		soup_finish(&soup);
	}
	for (int kind = PAIR_EVENT_BEGIN; kind <= PAIR_EVENT_EXIT; kind++)
		assert_true(counts[kind] > count / 10);
}

static uint64_t soups;

static void
test_all_matches_in_random_scenes(void **state)
{
	(void)state;
	soups_check(1, soups, 30);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_rebound_begins_and_ends_at_once),
		cmocka_unit_test(test_without_rebound_they_touch_until_they_part),
		cmocka_unit_test(test_a_ball_comes_to_rest),
		cmocka_unit_test(test_hit_speed),
		cmocka_unit_test(test_over_joints_and_off_the_end),
		cmocka_unit_test(test_a_pile_does_not_flicker),
		long_case(test_persist_carries_the_weight),
		cmocka_unit_test(test_a_scene_begins_at_rest),
		cmocka_unit_test(test_all_matches_in_random_scenes),
	};
	soups = argc > 1 ? strtoull(argv[1], NULL, 10) : effort(16, 80);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
