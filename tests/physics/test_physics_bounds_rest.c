/* What rests, slides or is pushed: at the bounds of what was asked for, and whatever else happens far away. By hand, and small.
 */
#include "physics/scenario.h"

#include "physics/scenes.h"
#include "support/effort.h"
#include "support/long_case.h"

#include <math.h>
#include <stdlib.h>

static const double dt = 1.0 / 60;

/* What an edit leaves of a heap is all that its snapshot has: both go on alike, with the impulses that hold the heap. */
static void
test_an_edit_keeps_what_a_snapshot_has(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scene_pile(&scenario, 30, 4, 0.5, 0.5, 3);
		for (size_t i = 0; i < scenario.circle_count; i++)
			scenario.circles[i].rolling_resistance = way & 1 ? 0.05 : 0;
		run_start_uncertified(&run, &scenario);
		run_ticks_unlogged(&run, dt, 240);
		struct circle_def kicked = world_circle(run.world, 29);
		kicked.vx += 0.25;
		const struct edit edit = way & 2 ? edit_circle_remove(29) : edit_circle_change(&kicked, edit_field(DEF_CIRCLE_VX));
		struct def_problem problem;
		struct snapshot_problem wrong;
		struct world *other;
		assert_int_equal(world_edit(run.world, &edit, 1, &problem), STATUS_OK);
		const size_t size = world_snapshot_bytes(run.world);
		uint8_t *bytes = malloc(size);
		assert_non_null(bytes);
		assert_int_equal(world_snapshot(run.world, bytes, size), STATUS_OK);
		assert_int_equal(world_restore(bytes, size, 0, &wrong, &other), STATUS_OK);
		free(bytes);
		for (int tick = 0; tick < 30; tick++) {
			struct tick_report report;
			assert_int_equal(world_step(run.world, dt, &report), STATUS_OK);
			assert_int_equal(world_step(other, dt, &report), STATUS_OK);
			assert_true(world_hash(other) == world_hash(run.world));
		}
		world_destroy(other);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* What an edit does far away is nothing to a heap: it goes on to the last bit as without the edit, held by the same impulses.
 */
static void
test_an_edit_far_away(void **state)
{
	(void)state;
	enum { COUNT = 30, FAR = COUNT };
	for (int way = 0; way < 6; way += (int)effort(2, 1)) {
		struct scenario scenario;
		struct run runs[2];
		for (int edited = 0; edited < 2; edited++) {
			struct run *run = &runs[edited];
			struct def_problem problem;
			scenario_init(&scenario);
			scene_pile(&scenario, COUNT, 4, 0.5, 0.5, 3);
			for (size_t i = 0; i < scenario.circle_count; i++)
				scenario.circles[i].rolling_resistance = 0.02;
			scenario_circle(&scenario, 500, 500, 0, 0, 0.5)->gravity_scale = 0;
			const uint32_t wall = scenario_segment(&scenario, 490, 490, 510, 490)->id;
			run_start_uncertified(run, &scenario);
			run_ticks_unlogged(run, dt, 200);
			struct circle_def far = world_circle(run->world, FAR), more = far;
			struct segment_def moved = scenario.segments[scenario.segment_count - 1];
			far.vx = 1;
			far.mass = 3;
			more.id = 1000;
			more.x += 5;
			moved.friction = 0.25;
			moved.y1 = 480;
			const struct edit edits[] = { edit_circle_change(&far, edit_field(DEF_CIRCLE_VX)),
				                          edit_circle_change(&far, edit_field(DEF_CIRCLE_MASS)),
				                          edit_circle_remove(FAR),
				                          edit_circle_spawn(&more),
				                          edit_segment_remove(wall),
				                          edit_segment_change(&moved, edit_field(DEF_SEGMENT_Y1)) };
			if (edited)
				assert_int_equal(world_edit(run->world, &edits[way], 1, &problem), STATUS_OK);
			run_ticks_unlogged(run, dt, 20);
			scenario_finish(&scenario);
		}
		for (uint32_t i = 0; i < COUNT; i++) {
			const struct body_state a = world_body(runs[0].world, i), b = world_body(runs[1].world, i);
			assert_true(a.x == b.x && a.y == b.y && a.vx == b.vx && a.vy == b.vy && a.angle == b.angle);
		}
		for (int edited = 0; edited < 2; edited++)
			run_finish(&runs[edited]);
	}
}

/* Four balls on slopes down to the right and to the left, each with its lower end first or second, under a gravity of 8. */
static void
slopes_make(struct scenario *scenario)
{
	scenario_init(scenario);
	for (int i = 0; i < 4; i++) {
		const double x = 20 * i, side = i < 2 ? 1 : -1;
		if (i % 2)
			scenario_segment(scenario, x + side * 3, -2, x, 0)->friction = 0.25;
		else
			scenario_segment(scenario, x, 0, x + side * 3, -2)->friction = 0.25;
		scenario_circle(scenario, x + side * 0.5, 0.5, 0, 0, 0.25)->friction = i % 2 ? 0.25 : 0;
	}
	scenario_dull(scenario, 0, 0);
	for (size_t i = 0; i < 4; i++)
		scenario->circles[i].friction = scenario->segments[i].friction = i % 2 ? 0.25 : 0;
}

/* Balls slide or roll down slopes and off their ends: under a gravity of a quarter, with ticks twice as long, they are at the
 * same places. Also if they come from their rest to the end within a tick. */
static void
test_off_the_end_in_slow_motion(void **state)
{
	(void)state;
	for (int coarse = 0; coarse <= 6; coarse += 6) {
		double places[4][2];
		for (int k = 0; k <= 6; k++) {
			struct scenario scenario;
			struct run run;
			slopes_make(&scenario);
			scenario.def.gravity_y = ldexp(-8, -2 * k);
			run_start(&run, &scenario);
			run_ticks(&run, ldexp(1, k - 6 + coarse), coarse ? 3 : 150);
			for (uint32_t i = 0; i < 4; i++) {
				const struct body_state body = run_body(&run, i);
				if (k == 0) {
					/* It has left the slope, and is below its end. */
					assert_true(fabs(body.x - 20 * i) > 3 && body.y < -2.5);
					places[i][0] = body.x;
					places[i][1] = body.y;
				}
				assert_same(body.x, places[i][0]);
				assert_same(body.y, places[i][1]);
			}
			run_finish(&run);
			scenario_finish(&scenario);
		}
	}
}

/* Less and less work for a heap that falls: what is not done is told, and nothing overlaps for it. */
static void
test_a_heap_with_little_work(void **state)
{
	(void)state;
	uint32_t flags = 0;
	for (uint64_t work = 200; work <= 400000; work *= effort(16, 4)) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scene_pile(&scenario, 40, 5, 0.5, 0.5, 3);
		scenario.def.work_per_tick_max = work;
		scenario.def.work_per_body_max = 1;
		run_start(&run, &scenario);
		for (int tick = 0; tick < 90; tick++) {
			run_ticks(&run, dt, 1);
			assert_int_equal(run.report.work_max, work + scenario.circle_count);
			assert_true(run.report.work <= run.report.work_max);
			assert_true(run_overlap(&run, &scenario) <= 0);
		}
		flags |= run.shortfall_flags;
		run_abandon(&run);
		scenario_finish(&scenario);
	}
	assert_true((flags & BODY_FLAG_BUDGET) != 0);
}

/* What begins in a segment's end is pushed straight away from that end, as far as it needs and its skin. */
static void
test_pushed_off_an_end(void **state)
{
	(void)state;
	for (int k = 0; k < 14; k++) {
		/* Beyond one end or the other of a segment that points up and to the right. */
		const bool second = k & 1;
		const double angle = (53.13 + (k / 2 - 3) * 25) * DEGREE, sign = second ? 1 : -1;
		const double nx = sign * cos(angle), ny = sign * sin(angle);
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario_segment(&scenario, second ? -3 : 0, second ? -4 : 0, second ? 0 : 3, second ? 0 : 4);
		scenario_circle(&scenario, 0.5 * nx, 0.5 * ny, 0, 0, 0.625);
		run_start_uncertified(&run, &scenario);
		run_ticks_unlogged(&run, dt, 1);
		const struct body_state body = run_body(&run, 0);
		const double skin = pair_skin(4, 0.625);
		assert_double_near(body.x * ny - body.y * nx, 0, 1e-12);
		assert_at_most(0.625 - skin, body.x * nx + body.y * ny);
		assert_at_most(body.x * nx + body.y * ny, 0.625 + 8 * skin);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Two circles of one centre are pushed apart until they touch, and no farther than the cushion, each by its share. They are
 * alone, or beside others at rest, so that the rest solver does it. */
static void
test_pushed_off_a_common_centre(void **state)
{
	(void)state;
	for (int others = 0; others <= 12; others += 12) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		for (int i = 0; i < others; i++)
			scenario_circle(&scenario, 50 + i, 0, 0, 0, 0.5);
		if (others)
			scenario_box(&scenario, 49.5, -0.5, 49.5 + others, 0.5);
		const uint32_t first = scenario_circle(&scenario, 3, 4, 0, 0, 0.5)->id;
		scenario_circle(&scenario, 3, 4, 0, 0, 0.25);
		scenario_dull(&scenario, 0, 0);
		run_start_uncertified(&run, &scenario);
		run_ticks_unlogged(&run, dt, 2);
		const struct body_state a = run_body(&run, first), b = run_body(&run, first + 1);
		const double apart = hypot(a.x - b.x, a.y - b.y);
		assert_at_most(0.75, apart);
		assert_at_most(apart, 0.75 + 0.02 * 0.25);
		assert_double_near((a.x + b.x) / 2, 3, 1e-9);
		assert_double_near((a.y + b.y) / 2, 4, 1e-9);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A ball rests on a flat floor, and gravity leans to one side: within one long tick it slides to the floor's end and falls off.
 * Its way sideways is that of free fall; in slow motion it is at the same place. */
static void
test_off_a_floor_within_a_tick(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		const double side = way & 1 ? -1 : 1, end = 3 * side;
		double places[2] = { 0, 0 };
		for (int k = 0; k <= 5; k++) {
			struct scenario scenario;
			struct run run;
			scenario_init(&scenario);
			scenario.def.gravity_x = side * ldexp(1, -2 * k);
			scenario.def.gravity_y = ldexp(-8, -2 * k);
			scenario_segment(&scenario, way & 2 ? end : 0, 0, way & 2 ? 0 : end, 0);
			scenario_circle(&scenario, 0.5 * side, 0.25, 0, 0, 0.25);
			scenario_dull(&scenario, 0, 0);
			run_start(&run, &scenario);
			run_ticks(&run, ldexp(1, k + 2), 1);
			const struct body_state body = run_body(&run, 0);
			/* The end holds it up a little longer, which takes a little of its way. */
			assert_double_near(body.x * side, 0.5 + 0.5 * 16, 0.5);
			assert_true(body.y < -5);
			if (k == 0) {
				places[0] = body.x;
				places[1] = body.y;
			}
			assert_same(body.x, places[0]);
			assert_same(body.y, places[1]);
			run_finish(&run);
			scenario_finish(&scenario);
		}
	}
}

/* An elastic ball falls on a heap that rests, of dull discs. The pair is elastic, as the larger restitution counts, so the two
 * part as fast as they met, though the heap does not rebound otherwise. */
static void
test_an_elastic_ball_on_a_heap(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scene_pile(&scenario, 30, 5, 0.5, 1, 3);
	struct circle_def *ball = scenario_circle(&scenario, 2.5, 60, 0, 0, 0.5);
	ball->mass = 0.2;
	ball->restitution = 1;
	const uint32_t id = ball->id;
	run_start_uncertified(&run, &scenario);
	size_t hits = 0;
	for (int tick = 0; tick < 400 && hits == 0; tick++) {
		const size_t before = run.contact_count;
		run_ticks(&run, dt, 1);
		for (size_t i = before; i < run.contact_count; i++) {
			const struct contact *c = &run.contacts[i].contact;
			if ((c->a != id && c->b != id) || c->other != CONTACT_CIRCLE)
				continue;
			const double *n = c->normal;
			const double apart = (c->a_after[0] - c->b_after[0]) * n[0] + (c->a_after[1] - c->b_after[1]) * n[1];
			assert_true(c->approach_speed > 20);
			assert_double_near(apart, c->approach_speed, 1e-6 * c->approach_speed);
			hits++;
			break;
		}
	}
	assert_true(hits > 0);
	run_abandon(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		long_case(test_an_edit_keeps_what_a_snapshot_has), cmocka_unit_test(test_an_edit_far_away),
		cmocka_unit_test(test_off_the_end_in_slow_motion), cmocka_unit_test(test_off_a_floor_within_a_tick),
		cmocka_unit_test(test_an_elastic_ball_on_a_heap),  cmocka_unit_test(test_a_heap_with_little_work),
		cmocka_unit_test(test_pushed_off_an_end),          cmocka_unit_test(test_pushed_off_a_common_centre),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
