/* What is inside a sensor, and since when: analytic times, and solver sampling of rebuilt paths by this file's own code. */
#include "physics/scenario.h"
#include "physics/scenes.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dt = 1.0 / 60;

struct expected {
	enum pair_event_kind kind;
	double at;
};

/* The events of the run are these, each to `tolerance` in time, all between a and b. */
static void
events_expect(const struct run *run, uint32_t a, uint32_t b, enum contact_other other, double tolerance,
              const struct expected *expected, size_t count)
{
	size_t found = 0;
	for (size_t i = 0; i < run->pair_event_count; i++) {
		const struct pair_event *event = &run->pair_events[i].event;
		if (event->kind != PAIR_EVENT_ENTER && event->kind != PAIR_EVENT_EXIT)
			continue;
		if (event->a != a || event->b != b || event->other != other)
			continue;
		assert_true(found < count);
		assert_int_equal(event->kind, expected[found].kind);
		if (fabs(run->pair_events[i].at - expected[found].at) > tolerance)
			fail_msg("event %zu at %.17g, not %.17g", found, run->pair_events[i].at, expected[found].at);
		found++;
	}
	assert_int_equal(found, count);
}

#define events_are(run, a, b, other, tolerance, ...)                                     \
	events_expect(run, a, b, other, tolerance, (const struct expected[]){ __VA_ARGS__ }, \
	              sizeof((const struct expected[]){ __VA_ARGS__ }) / sizeof(struct expected))

static struct circle_def *
sensor_add(struct scenario *scenario, double x, double y, double radius)
{
	struct circle_def *circle = scenario_circle(scenario, x, y, 0, 0, radius);
	circle->kind = BODY_STATIC;
	circle->sensor = true;
	return circle;
}

/* Through the middle: in at (5 - 2 - 0.5) / 3, out at (5 + 2 + 0.5) / 3. Nothing else happens to it. */
static void
test_straight_through(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 0, 3, 0, 0.5);
	sensor_add(&scenario, 5, 0, 2);
	run_start(&run, &scenario);
	run_ticks(&run, dt, 180);
	events_are(&run, 0, 1, CONTACT_CIRCLE, 1e-12, { PAIR_EVENT_ENTER, 2.5 / 3 }, { PAIR_EVENT_EXIT, 7.5 / 3 });
	assert_int_equal(run.contact_count, 0);
	assert_double_near(run_body(&run, 0).x, 9, 1e-12);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Both move; the sensor is kinematic in one run and dynamic in the other. Relative speed 5, first 10 apart. */
static void
test_both_move(void **state)
{
	(void)state;
	for (int kind = BODY_DYNAMIC; kind <= BODY_KINEMATIC; kind++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario_circle(&scenario, 0, 0, 3, 4, 1);
		struct circle_def *sensor = scenario_circle(&scenario, 10, 0, -2, 4, 1.5);
		sensor->sensor = true;
		sensor->kind = (enum body_kind)kind;
		run_start(&run, &scenario);
		run_ticks(&run, dt, 200);
		events_are(&run, 0, 1, CONTACT_CIRCLE, 1e-12, { PAIR_EVENT_ENTER, 7.5 / 5 }, { PAIR_EVENT_EXIT, 12.5 / 5 });
		assert_int_equal(run.contact_count, 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Thrown up through a sensor above: in and out on the way up and down, the top inside. y = 8 t - 5 t^2 and the rim is there at
 * height 2.5 - 0.25 - 0.25 = 2. All of it in one tick, and in sixty. */
static void
test_parabola(void **state)
{
	(void)state;
	for (int ticks = 1; ticks <= 120; ticks += 119) {
		struct scenario scenario;
		struct run run;
		const double root = sqrt(64 - 4 * 5 * 2.0), up = (8 - root) / 10, down = (8 + root) / 10;
		const double top = sqrt(64 - 4 * 5 * 3.0), over = (8 - top) / 10, back = (8 + top) / 10;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario_circle(&scenario, 0, 0, 0, 8, 0.25);
		sensor_add(&scenario, 0, 2.5, 0.25);
		run_start(&run, &scenario);
		run_ticks(&run, 2.0 / ticks, (uint64_t)ticks);
		/* It passes 3, where it leaves at the far side, and comes back. */
		events_are(&run, 0, 1, CONTACT_CIRCLE, 1e-12, { PAIR_EVENT_ENTER, up }, { PAIR_EVENT_EXIT, over },
		           { PAIR_EVENT_ENTER, back }, { PAIR_EVENT_EXIT, down });
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A wire between (0,0) and (4,0): over its middle, past its end on a slant, and along beside it. */
static void
test_segment_and_its_ends(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario_segment(&scenario, 0, 0, 4, 0)->sensor = true;
	scenario_circle(&scenario, 2, 3, 0, -2, 0.5);      /* across: 1.25 .. 1.75 */
	scenario_circle(&scenario, 4.3, 3, 0, -2, 0.5);    /* past the end: half chord sqrt(.25 - .09) = 0.4 */
	scenario_circle(&scenario, -3, 0.25, 2, 0, 0.5);   /* along: from sqrt(.25 - .0625) before the first end to as much after */
	scenario_circle(&scenario, -1, 0.50001, 2, 0, .5); /* misses */
	for (size_t i = 0; i < scenario.circle_count; i++)
		scenario.circles[i].category = scenario.circles[i].mask = 2; /* not each other */
	for (size_t i = 0; i < scenario.circle_count; i++)
		scenario.circles[i].mask = 1;
	scenario.segments[0].mask = 2;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 300);
	const double reach = sqrt(0.25 - 0.0625);
	events_are(&run, 0, 0, CONTACT_SEGMENT, 1e-12, { PAIR_EVENT_ENTER, 1.25 }, { PAIR_EVENT_EXIT, 1.75 });
	events_are(&run, 1, 0, CONTACT_SEGMENT, 1e-12, { PAIR_EVENT_ENTER, 1.3 }, { PAIR_EVENT_EXIT, 1.7 });
	events_are(&run, 2, 0, CONTACT_SEGMENT, 1e-12, { PAIR_EVENT_ENTER, (3 - reach) / 2 }, { PAIR_EVENT_EXIT, (7 + reach) / 2 });
	assert_int_equal(run.pair_event_count, 6);
	assert_int_equal(run.contact_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* To and fro between two walls 10 apart through a sensor in the middle, many times in one tick. */
static void
test_several_times_in_a_tick(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario_segment(&scenario, 0, -5, 0, 5);
	scenario_segment(&scenario, 10, -5, 10, 5);
	scenario_circle(&scenario, 5, 0, 90, 0, 0.5); /* 9 to go between the walls: 0.1 s */
	sensor_add(&scenario, 5, 0, 0.5);
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	/* Inside at the start; through the middle at 0, .1, .2 ... .9, and at 1 on the way in. */
	assert_int_equal(run.pair_event_count, 2 + 2 * 9 + 1);
	for (size_t i = 0; i < run.pair_event_count; i++) {
		const double out = 1.0 / 90;
		assert_int_equal(run.pair_events[i].event.kind, i % 2 == 0 ? PAIR_EVENT_ENTER : PAIR_EVENT_EXIT);
		assert_double_near(run.pair_events[i].event.time,
		                   i == 0 ? 0 : (i % 2 == 0 ? 0.1 * (double)(i / 2) - out : 0.1 * (double)(i / 2) + out), 1e-8);
	}
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A wall inside the sensor: it enters, bounces there, leaves. And what starts inside enters at 0; what passes by does not. */
static void
test_bounce_inside(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario_segment(&scenario, 10, -5, 10, 5);
	scenario_circle(&scenario, 0, 0, 10, 0, 1);
	sensor_add(&scenario, 10, 0, 3);
	sensor_add(&scenario, 0, 0, 0.1)->mask = 0;
	sensor_add(&scenario, 0, 0, 0.1);
	run_start(&run, &scenario);
	run_ticks(&run, dt, 120);
	const double skin = pair_skin(10, 1);
	events_are(&run, 0, 1, CONTACT_CIRCLE, 1e-9, { PAIR_EVENT_ENTER, 0.6 }, { PAIR_EVENT_EXIT, 1.2 - 2 * skin / 10 });
	events_are(&run, 0, 3, CONTACT_CIRCLE, 1e-9, { PAIR_EVENT_ENTER, 0 }, { PAIR_EVENT_EXIT, 0.11 },
	           { PAIR_EVENT_ENTER, 1.8 - .11 }, { PAIR_EVENT_EXIT, 1.8 + .11 });
	assert_int_equal(run.pair_event_count, 6);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* From a sensor's centre to far beyond its rim within a tick, so fast that 64 ulp of where it began are passed within an ulp of
 * the time. It exits once, whatever the direction. */
static void
test_fast_from_the_centre_is_out_once(void **state)
{
	(void)state;
	uint64_t random = 9;
	for (int i = 0; i < (int)effort(150, 2000); i++) {
		struct scenario scenario;
		struct run run;
		const double speed = 400 * pow(10, random_between(&random, 0, 6)), angle = random_between(&random, 0, 6.28);
		scenario_init(&scenario);
		scenario.def.gravity_y = i % 2 ? -10 : 0;
		scenario_circle(&scenario, 0, 0, speed * cos(angle), speed * sin(angle), 1.3);
		sensor_add(&scenario, 0, 0, 1.3);
		run_start(&run, &scenario);
		run_ticks(&run, dt, 1);
		events_are(&run, 0, 1, CONTACT_CIRCLE, dt, { PAIR_EVENT_ENTER, 0 }, { PAIR_EVENT_EXIT, 2.6 / speed });
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Not static ones, not segments, not sensors; kinematic and dynamic ones, also where none of the two is dynamic. */
static void
test_who_is_seen(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 0, 0, 0, 1)->kind = BODY_STATIC;
	scenario_circle(&scenario, 0.1, 0, 0, 0, 1)->kind = BODY_KINEMATIC;
	scenario_circle(&scenario, 5, 0, 0, 0, 1)->kind = BODY_DYNAMIC;
	scenario_segment(&scenario, -4, 0, -3, 0);
	sensor_add(&scenario, 0, 0, 10);
	sensor_add(&scenario, 1, 0, 10)->kind = BODY_KINEMATIC;
	sensor_add(&scenario, 2, 0, 10)->kind = BODY_DYNAMIC;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 10);
	assert_int_equal(run.pair_event_count, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(run.pair_events[i].event.kind, PAIR_EVENT_ENTER);
		assert_int_equal(run.pair_events[i].tick, 1);
		assert_same(run.pair_events[i].event.time, 0);
		assert_int_equal(run.pair_events[i].event.a, 1 + i / 3);
		assert_int_equal(run.pair_events[i].event.b, 3 + i % 3);
	}
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A sensor that ends where a wall does hides nothing of the wall's end. */
static void
test_a_wall_behind_a_sensor_keeps_its_end(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario_segment(&scenario, 0, 0, 4, 0);
	scenario_segment(&scenario, 4, 0, 8, 0)->sensor = true;
	scenario_circle(&scenario, 10, 0, -4, 0, 0.5);
	run_start(&run, &scenario);
	run_ticks(&run, dt, 180);
	assert_int_equal(run.contact_count, 1);
	assert_int_equal(run.contacts[0].contact.feature, FEATURE_END_2);
	events_are(&run, 0, 1, CONTACT_SEGMENT, 1e-8, { PAIR_EVENT_ENTER, 1.5 / 4 }, { PAIR_EVENT_EXIT, 2 * 5.5 / 4 - 1.5 / 4 });
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Sleepers stay inside; a sensor that passes over them sees them, and does not wake them. */
static void
test_sleepers(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	const size_t count = effort(6, 60);
	scene_pile(&scenario, count, 8, 0.5, 1, 2);
	scenario.def.sleep_after = 0.5;
	struct circle_def *wide = sensor_add(&scenario, 4, 10, 100);
	const uint32_t wide_id = wide->id;
	struct circle_def *wiper = scenario_circle(&scenario, effort(1, 0) ? -240 : -700, 1, 20, 0, 1);
	const uint32_t wiper_id = wiper->id;
	wiper->kind = BODY_KINEMATIC;
	wiper->sensor = true;
	run_start(&run, &scenario);
	run_ticks(&run, dt, effort(11, 30) * 60);
	assert_int_equal(run.report.asleep, count);
	const size_t woken = run.change_count, events = run.pair_event_count;
	assert_int_equal(events, count);
	for (size_t i = 0; i < events; i++)
		assert_int_equal(run.pair_events[i].event.b, wide_id);
	run_ticks(&run, dt, effort(6, 10) * 60);
	assert_int_equal(run.report.asleep, count);
	assert_int_equal(run.change_count, woken);
	size_t enters = 0, exits = 0;
	for (size_t i = events; i < run.pair_event_count; i++) {
		assert_int_equal(run.pair_events[i].event.b, wiper_id);
		enters += run.pair_events[i].event.kind == PAIR_EVENT_ENTER;
		exits += run.pair_events[i].event.kind == PAIR_EVENT_EXIT;
	}
	assert_true(enters >= effort(4, 8));
	assert_int_equal(enters, exits);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Sensors change nothing: the same scene without them has the same states, bit for bit, a pile that the solver drives included.
 * */
static void
test_they_change_nothing(void **state)
{
	(void)state;
	for (int gas = 0; gas <= 1; gas++) {
		struct scenario with, without;
		struct run seen, plain;
		scenario_init(&with);
		scenario_init(&without);
		if (gas) {
			(void)scene_gas(&with, 200, 20, 3);
			(void)scene_gas(&without, 200, 20, 3);
		} else {
			scene_pile(&with, 80, 10, 0.5, 0.5, 3);
			scene_pile(&without, 80, 10, 0.5, 0.5, 3);
		}
		const size_t count = with.circle_count;
		for (int i = 0; i < 10; i++)
			sensor_add(&with, i, 0.7 * i, 1 + 0.3 * i);
		scenario_segment(&with, 0, 0.1, 10, 3)->sensor = true;
		with.def.events = WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST | WORLD_EVENTS_PATHS;
		run_start(&seen, &with);
		run_start(&plain, &without);
		for (int tick = 0; tick < (int)effort(40, 200); tick++) {
			run_ticks(&seen, dt, 1);
			run_ticks(&plain, dt, 1);
			for (size_t i = 0; i < count; i++) {
				const struct body_state a = world_body(seen.world, i), b = world_body(plain.world, i);
				assert_same(a.x, b.x);
				assert_same(a.y, b.y);
				assert_same(a.vx, b.vx);
				assert_same(a.vy, b.vy);
			}
		}
		assert_true(seen.pair_event_count > 100);
		assert_int_equal(plain.pair_event_count, 0);
		run_finish(&seen);
		run_finish(&plain);
		scenario_finish(&with);
		scenario_finish(&without);
	}
}

/* ---- Dense sampling of the reported paths. */

enum { SAMPLES = 100, BODIES_MAX = 64, SHAPES_MAX = 16 };

struct sampler {
	const struct scenario *scenario;
	const struct tick_report *report;
	double dt;
};

static void
sample_position(const struct sampler *sampler, uint32_t id, double time, double position[2])
{
	const struct path_piece *piece = NULL;
	for (size_t i = 0; i < sampler->report->path_count; i++)
		if (sampler->report->paths[i].body == id && (!piece || sampler->report->paths[i].time <= time))
			piece = &sampler->report->paths[i];
	if (!piece) {
		position[0] = sampler->scenario->circles[id].x;
		position[1] = sampler->scenario->circles[id].y;
		return;
	}
	const double t = time - piece->time;
	for (int k = 0; k < 2; k++)
		position[k] = piece->position[k] + t * piece->velocity[k] + 0.5 * t * t * piece->acceleration[k];
}

static double
sample_gap(const struct sampler *sampler, uint32_t a, uint32_t b, bool segment, double time)
{
	double p[2], q[2];
	sample_position(sampler, a, time, p);
	if (segment)
		return segment_distance(&sampler->scenario->segments[b], p[0], p[1]) - sampler->scenario->circles[a].radius;
	sample_position(sampler, b, time, q);
	return hypot(p[0] - q[0], p[1] - q[1]) - sampler->scenario->circles[a].radius - sampler->scenario->circles[b].radius;
}

/* The events of the pair in this tick, against the samples between them: inside where the events say so, at a gap of 0 where
 * they are. */
static void
pair_sampled(const struct sampler *sampler, uint32_t a, uint32_t b, bool segment, bool *inside, size_t *seen)
{
	double from = 0, room = 1e-11;
	size_t next = 0;
	const struct tick_report *report = sampler->report;
	for (;;) {
		const struct pair_event *event = NULL;
		for (; next < report->pair_event_count && !event; next++) {
			const struct pair_event *e = &report->pair_events[next];
			if ((e->kind == PAIR_EVENT_ENTER || e->kind == PAIR_EVENT_EXIT) && e->a == a && e->b == b &&
			    (e->other == CONTACT_SEGMENT) == segment)
				event = e;
		}
		const double until = event ? event->time : sampler->dt;
		for (int k = 0; k <= SAMPLES && until > from; k++) {
			const double time = from + (until - from) * k / SAMPLES;
			const double gap = sample_gap(sampler, a, b, segment, time);
			if (*inside ? gap > room : gap < -room)
				fail_msg("circle %u and sensor %u: gap %g at %.17g of tick %llu, though %s", a, b, gap, time,
				         (unsigned long long)report->tick, *inside ? "inside" : "outside");
		}
		if (!event)
			return;
		assert_int_equal(event->kind, *inside ? PAIR_EVENT_EXIT : PAIR_EVENT_ENTER);
		if (event->time > 0)
			assert_at_most(fabs(sample_gap(sampler, a, b, segment, event->time)), room);
		*inside = !*inside;
		*seen += 1;
		from = event->time;
	}
}

/* Random scenes of moving circles with sensors of all kinds, under gravity or not, with piles that the solver drives. Every
 * sensor and every circle is sampled at 100 times a stretch. */
static void
test_against_sampling(void **state)
{
	(void)state;
	size_t seen = 0;
	for (uint64_t seed = 1; seed <= effort(10, 40); seed++) {
		struct scenario scenario;
		struct run run;
		uint64_t random = seed;
		scenario_init(&scenario);
		if (seed % 2)
			scene_mixed(&scenario, 10, 25, seed);
		else
			scene_pile(&scenario, 20, 6, 0.4, 0.5, seed);
		if (seed % 4 == 1)
			scenario.def.gravity_y = -10;
		if (seed % 3 == 0)
			scenario_restitution(&scenario, 0.4);
		const uint32_t movers = (uint32_t)scenario.circle_count, walls = (uint32_t)scenario.segment_count;
		for (int i = 0; i < 5; i++) {
			struct circle_def *sensor = sensor_add(&scenario, random_between(&random, -4, 6), random_between(&random, -3, 6),
			                                       random_between(&random, 0.2, 3));
			if (i > 1)
				sensor->kind = i == 2 ? BODY_KINEMATIC : BODY_DYNAMIC;
			if (i > 1) {
				sensor->vx = random_between(&random, -9, 9);
				sensor->vy = random_between(&random, -9, 9);
			}
		}
		for (int i = 0; i < 3; i++)
			scenario_segment(&scenario, random_between(&random, -4, 6), random_between(&random, -3, 6),
			                 random_between(&random, -4, 6), random_between(&random, -3, 6))
				->sensor = true;
		scenario.def.events = WORLD_EVENTS_PATHS;
		run_start(&run, &scenario);
		bool inside[BODIES_MAX][SHAPES_MAX] = { { false } };
		for (int tick = 0; tick < 12; tick++) {
			run_ticks(&run, seed % 5 ? 1.0 / 30 : 0.2, 1);
			const struct sampler sampler = { &scenario, &run.report, seed % 5 ? 1.0 / 30 : 0.2 };
			for (uint32_t a = 0; a < movers; a++) {
				for (uint32_t k = 0; k < 5; k++)
					pair_sampled(&sampler, a, movers + k, false, &inside[a][k], &seen);
				for (uint32_t k = 0; k < 3; k++)
					pair_sampled(&sampler, a, walls + k, true, &inside[a][5 + k], &seen);
			}
		}
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_true(seen > effort(200, 1000));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_straight_through),
		cmocka_unit_test(test_both_move),
		cmocka_unit_test(test_parabola),
		cmocka_unit_test(test_segment_and_its_ends),
		cmocka_unit_test(test_several_times_in_a_tick),
		cmocka_unit_test(test_bounce_inside),
		cmocka_unit_test(test_fast_from_the_centre_is_out_once),
		cmocka_unit_test(test_who_is_seen),
		cmocka_unit_test(test_a_wall_behind_a_sensor_keeps_its_end),
		cmocka_unit_test(test_sleepers),
		cmocka_unit_test(test_they_change_nothing),
		cmocka_unit_test(test_against_sampling),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
