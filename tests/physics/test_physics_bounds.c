/* Where a choice of the engine goes from one way to the other: at its bound, and right beside it. By hand, and small. */
#include "physics/scenario.h"

#include "physics/phases/depenetration.h"
#include "physics/queries/slide.h"
#include "physics/reports/crossing.h"
#include "physics/scenes.h"
#include "physics/space.h"
#include "physics/state/snapshot.h"
#include "physics/world/spoke.h"
#include "physics/world/vertex.h"

#include "support/random.h"

#include <math.h>
#include <stdlib.h>

static const double dt = 1.0 / 60;

/* A circle of which the skin is a thousandth or more has its search begin before the end; a larger one beyond it. */
static void
test_where_a_cone_begins(void **state)
{
	(void)state;
	const double skin = 0x1p-20, bound = skin * 1000.0;
	const struct cone_edge large = cone_edge(nextafter(bound, 2 * bound), skin), small = cone_edge(bound, skin);
	assert_same(large.edge, -skin / 4);
	assert_same(large.enter, -skin / 2);
	assert_same(small.edge, skin);
	assert_same(small.enter, skin / 2);
}

/* A spoke of length 5 along (3, 4) from its vertex. `up` is to the left of it. */
static struct spoke
spoke_slanted(void)
{
	return (struct spoke){ .ux = 3, .uy = 4, .length = 5, .high = (double)INFINITY, .feature = FEATURE_END_1, .begins = true };
}

static bool
hides(double along, double up, double foot_along, double foot_up)
{
	const struct spoke spoke = spoke_slanted();
	return spoke_hides(&spoke, (3 * along - 4 * up) / 5, (4 * along + 3 * up) / 5, (3 * foot_along - 4 * foot_up) / 5,
	                   (4 * foot_along + 3 * foot_up) / 5, 1e-9);
}

/* A wall hides a foot from a centre if the line between them crosses it. */
static void
test_what_a_wall_hides(void **state)
{
	(void)state;
	for (int side = -1; side <= 1; side += 2) {
		for (double up = 0.125; up <= 4; up *= 2) {
			assert_true(hides(1, side * up, 3, -side * up));
			assert_true(hides(4, side * up, 5.5, -side * up));
			/* They cross its line beyond it. */
			assert_false(hides(4, side * up, 6.5, -side * up));
			assert_false(hides(1, side * up, -1.5, -side * up));
			/* Both on one side, or no farther through than it may be. */
			assert_false(hides(1, side * up, 3, side * up / 2));
			assert_false(hides(1, side * up, 3, -side * 0.9e-9));
			assert_true(hides(1, side * up, 3, -side * 1.1e-9));
		}
	}
	/* From (1, 2) down to (1, -2) across the other axis. */
	const struct spoke right = { .ux = 2, .length = 2, .high = (double)INFINITY, .feature = FEATURE_END_1 };
	assert_true(spoke_hides(&right, 1, 2, 1, -2, 0));
	assert_true(spoke_hides(&right, 2, 2, 2, -2, 0));
	assert_false(spoke_hides(&right, 2.001, 2, 2.001, -2, 0));
}

/* The velocity nearest to the wanted one against the best of many angles, for two slanted planes. */
static void
test_sliding_between_two_planes(void **state)
{
	(void)state;
	uint64_t random = 7;
	for (int i = 0; i < 2000; i++) {
		struct slide_plane planes[3];
		for (int k = 0; k < 3; k++) {
			const double angle = random_between(&random, 0, 360 * DEGREE);
			planes[k] = (struct slide_plane){ { cos(angle), sin(angle) }, random_between(&random, -1, 0) };
		}
		const double wanted[2] = { random_between(&random, -3, 3), random_between(&random, -3, 3) };
		double v[2], best[2] = { 0, 0 };
		assert_true(slide_velocity(planes, 3, wanted, v));
		for (int k = 0; k < 3; k++)
			assert_true(planes[k].normal[0] * v[0] + planes[k].normal[1] * v[1] >= planes[k].least - 1e-12);
		/* It is no farther from what is wanted than any of its neighbours that the planes allow. */
		const double far = hypot(v[0] - wanted[0], v[1] - wanted[1]);
		for (int turn = 0; turn < 32; turn++) {
			best[0] = v[0] + 0.01 * cos(turn * 11.25 * DEGREE);
			best[1] = v[1] + 0.01 * sin(turn * 11.25 * DEGREE);
			bool good = true;
			for (int k = 0; k < 3; k++)
				good = good && planes[k].normal[0] * best[0] + planes[k].normal[1] * best[1] >= planes[k].least;
			if (good)
				assert_true(hypot(best[0] - wanted[0], best[1] - wanted[1]) >= far - 1e-12);
		}
	}
}

/* Three planes that leave one velocity, of length 1: what the first one asks for. The others ask for little, so that only the
 * first says how much of the sums is rounding. */
static void
test_sliding_where_one_way_is_left(void **state)
{
	(void)state;
	uint64_t random = 8;
	for (int i = 0; i < 2000; i++) {
		const double angle = random_between(&random, 0, 360 * DEGREE), none[2] = { 0, 0 };
		struct slide_plane planes[3] = { { { cos(angle), sin(angle) }, 1 } };
		double v[2];
		for (int k = 1; k < 3; k++) {
			const double other = angle + (k == 1 ? 1 : -1) * random_between(&random, 93, 96) * DEGREE;
			planes[k] = (struct slide_plane){ { cos(other), sin(other) }, 0 };
			planes[k].least = planes[k].normal[0] * planes[0].normal[0] + planes[k].normal[1] * planes[0].normal[1];
			planes[k].least += random_between(&random, 0, 5e-16);
		}
		assert_true(slide_velocity(planes, 3, none, v));
		assert_double_near(v[0], planes[0].normal[0], 1e-13);
		assert_double_near(v[1], planes[0].normal[1], 1e-13);
	}
}

/* Three planes: there is a velocity that all allow unless a sum of them, each with a positive weight, leads nowhere and still
 * asks for something (the lemma of Farkas). The answer is no farther from what is wanted than a corner of two. */
static void
test_sliding_where_there_may_be_no_way(void **state)
{
	(void)state;
	uint64_t random = 21;
	size_t feasible = 0, infeasible = 0;
	for (int i = 0; i < 3000; i++) {
		struct slide_plane planes[3];
		for (int k = 0; k < 3; k++) {
			const double angle = random_between(&random, 0, 360 * DEGREE);
			planes[k] = (struct slide_plane){ { cos(angle), sin(angle) }, random_between(&random, -1, 1) };
		}
		double weights[3], sum = 0, v[2];
		for (int k = 0; k < 3; k++) {
			const double *a = planes[(k + 1) % 3].normal, *b = planes[(k + 2) % 3].normal;
			weights[k] = a[0] * b[1] - a[1] * b[0];
		}
		const double side = weights[0] > 0 ? 1 : -1;
		const bool closed = side * weights[1] > 0 && side * weights[2] > 0;
		for (int k = 0; k < 3; k++)
			sum += side * weights[k] * planes[k].least;
		if (fabs(sum) < 1e-6)
			continue;
		const double wanted[2] = { random_between(&random, -3, 3), random_between(&random, -3, 3) };
		assert_int_equal(slide_velocity(planes, 3, wanted, v), !closed || sum < 0);
		feasible += !closed || sum < 0;
		infeasible += closed && sum > 0;
	}
	assert_true(feasible > 1000 && infeasible > 100);
	/* Two that face each other: what is between them, if anything. */
	for (int k = 0; k < 8; k++) {
		const double angle = k * 45 * DEGREE, n[2] = { cos(angle), sin(angle) }, wanted[2] = { 2, 1 };
		for (double gap = -1; gap <= 1; gap += 0.25) {
			const struct slide_plane planes[] = { { { n[0], n[1] }, 0.5 }, { { -n[0], -n[1] }, -0.5 - gap } };
			double v[2];
			assert_int_equal(slide_velocity(planes, 2, wanted, v), gap >= 0);
		}
	}
}

/* A point that goes straight past a segment and never nearer than its end: in and out by Pythagoras. */
static void
test_crossing_past_an_end(void **state)
{
	(void)state;
	for (double speed = 0.25; speed <= 8; speed *= 2) {
		/* Over the segment from (0, 0) to (3, 0) at height 0.6, on the way to the right, from x = -2 on. */
		const struct relative over = { .dx = -2, .dy = 0.6, .wx = speed };
		const double in = (2 - 0.8) / speed, out = (2 + 3 + 0.8) / speed;
		assert_double_near(crossing_segment(&over, 3, 0, 3, 1, 100, CROSS_IN), in, 1e-12 * in);
		const struct relative within = { .dx = -0.5, .dy = 0.6, .wx = speed };
		assert_double_near(crossing_segment(&within, 3, 0, 3, 1, 100, CROSS_OUT), out - 1.5 / speed, 1e-12 * out);
		/* Slanted over its middle, from above to below: as far as a point comes from a line. */
		const struct relative through = { .dx = 1.5 - 4 * 0.6, .dy = 4 * 0.8, .wx = 0.6 * speed, .wy = -0.8 * speed };
		assert_double_near(crossing_segment(&through, 3, 0, 3, 0.4, 100, CROSS_IN), (4 - 0.5) / speed, 1e-12 / speed);
		const struct relative leaves = { .dx = 1.5, .dy = 0, .wx = 0.6 * speed, .wy = -0.8 * speed };
		assert_double_near(crossing_segment(&leaves, 3, 0, 3, 0.4, 100, CROSS_OUT), 0.5 / speed, 1e-12 / speed);
	}
}

/* What lies says so, and a bounce does not. */
static void
test_contacts_that_rest(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario.def.restitution_threshold = 0.5;
	scenario_segment(&scenario, -10, 0, 10, 0)->restitution = 0.5;
	scenario_circle(&scenario, 0, 1.5, 0, 0, 0.5)->restitution = 0.5;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 240);
	size_t resting = 0;
	for (size_t i = 0; i < run.contact_count; i++) {
		const struct contact *contact = &run.contacts[i].contact;
		const bool slow = contact->approach_speed < scenario.def.restitution_threshold;
		assert_int_equal((contact->flags & CONTACT_RESTING) != 0, slow);
		resting += slow;
	}
	assert_true(resting > 0 && resting < run.contact_count);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* What no mask lets meet is reported by nothing: no contact, and no event says that it is inside. */
static void
test_masks_keep_apart(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario_segment(&scenario, -1, 0, 1, 0)->mask = 2;
	scenario_circle(&scenario, 0, 1, 0, -3, 0.5);
	scenario_circle(&scenario, 5, 0, 0, 0, 0.5)->mask = 2;
	scenario_circle(&scenario, 3, 0, 2, 0, 0.5);
	run_start(&run, &scenario);
	assert_int_equal(world_events_set(run.world, WORLD_EVENTS_TOUCH), STATUS_OK);
	run_ticks(&run, dt, 120);
	assert_int_equal(run.contact_count, 0);
	assert_int_equal(run.pair_event_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Of a pair that a relation makes a sensor the immovable one detects, whatever the groups and the order of ids. */
static void
test_the_immovable_one_detects(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		const struct relation_def relation = { .group_a = 1, .group_b = 2, .kind = RELATION_KIND_SENSOR };
		const uint8_t group = way & 1 ? 1 : 2;
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		for (int k = 0; k < 2; k++) {
			const bool fixed = k == way >> 1;
			struct circle_def *circle = scenario_circle(&scenario, fixed ? 2 : 0, 0, fixed ? 0 : 3, 0, 0.5);
			circle->kind = fixed ? BODY_STATIC : BODY_DYNAMIC;
			circle->group = fixed ? group : (uint8_t)(3 - group);
		}
		scenario.def.relations = &relation;
		scenario.def.relation_count = 1;
		run_start(&run, &scenario);
		run_ticks(&run, dt, 90);
		assert_int_equal(run.pair_event_count, 2);
		for (size_t i = 0; i < 2; i++) {
			assert_int_equal(run.pair_events[i].event.kind, i ? PAIR_EVENT_EXIT : PAIR_EVENT_ENTER);
			assert_int_equal(run.pair_events[i].event.b, way >> 1);
			assert_int_equal(run.pair_events[i].event.a, 1 - (way >> 1));
		}
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* What is wrong with a mass, and of which kinds it is asked. */
static void
test_a_mass_of_nothing(void **state)
{
	(void)state;
	for (int kind = BODY_DYNAMIC; kind <= BODY_STATIC; kind++) {
		struct scenario scenario;
		struct def_problem problem = { 0 };
		scenario_init(&scenario);
		struct circle_def *circle = scenario_circle(&scenario, 0, 0, 0, 0, 0.5);
		circle->kind = (enum body_kind)kind;
		circle->mass = 0;
		assert_int_equal(world_def_check(scenario_def(&scenario), &problem), kind != BODY_DYNAMIC);
		if (kind == BODY_DYNAMIC) {
			assert_int_equal(problem.field, DEF_CIRCLE_MASS);
			assert_string_equal(problem.text, "must be greater than 0");
		}
		scenario_finish(&scenario);
	}
}

/* What touches, of bodies and segments that do not exist: the next one, and the last that there could be. */
static void
test_what_touches_must_exist(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_segment(&scenario, -5, 0, 5, 0);
	scenario_circle(&scenario, 0, 0.5, 0, 0, 0.5);
	scenario_dull(&scenario, 0.5, 0);
	run_start(&run, &scenario);
	assert_int_equal(world_events_set(run.world, WORLD_EVENTS_TOUCH), STATUS_OK);
	run_ticks(&run, 1.0 / 60, 30);
	const size_t size = world_snapshot_bytes(run.world);
	uint8_t *bytes = malloc(size);
	assert_non_null(bytes);
	assert_int_equal(world_snapshot(run.world, bytes, size), STATUS_OK);
	/* The last row before the checksum, as nothing is dropped: a, b and the kind. */
	uint8_t *tie = bytes + size - 8 - 9;
	assert_true(snapshot_number_get(tie, 4) == 0 && snapshot_number_get(tie + 4, 4) == 0x80000000);
	static const uint32_t wrong[][2] = { { 1, 0x80000000 }, { 0x7ffffffe, 0x80000000 }, { 0, 0x80000001 }, { 0, 0xfffffffe },
		                                 { 0, 1 },          { 0, 0x7ffffffe },          { 0, 0 } };
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		struct snapshot_problem problem;
		struct world *world = NULL;
		snapshot_number_put(tie, 4, wrong[k][0]);
		snapshot_number_put(tie + 4, 4, wrong[k][1]);
		snapshot_number_put(bytes + size - 8, 8, snapshot_checksum(bytes, size - 8));
		assert_int_equal(world_restore(bytes, size, 0, &problem, &world), STATUS_INVALID_ARGUMENT);
		assert_string_equal(problem.field, "ties.b");
		assert_int_equal(problem.index, 0);
	}
	free(bytes);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Rows of what touches ascend: neither the other way about, nor one of them twice. */
static void
test_what_touches_must_ascend(void **state)
{
	(void)state;
	enum { ROW = 9 };
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_segment(&scenario, -5, 0, 5, 0);
	scenario_circle(&scenario, -2, 0.5, 0, 0, 0.5);
	scenario_circle(&scenario, 2, 0.5, 0, 0, 0.5);
	scenario_dull(&scenario, 0.5, 0);
	run_start(&run, &scenario);
	assert_int_equal(world_events_set(run.world, WORLD_EVENTS_TOUCH), STATUS_OK);
	run_ticks(&run, 1.0 / 60, 30);
	const size_t size = world_snapshot_bytes(run.world);
	uint8_t *bytes = malloc(size), rows[2][ROW];
	assert_non_null(bytes);
	assert_int_equal(world_snapshot(run.world, bytes, size), STATUS_OK);
	uint8_t *ties = bytes + size - 8 - 2 * ROW;
	memcpy(rows, ties, sizeof rows);
	for (uint32_t k = 0; k < 2; k++)
		assert_true(snapshot_number_get(rows[k], 4) == k && snapshot_number_get(rows[k] + 4, 4) == 0x80000000);
	static const int orders[][2] = { { 1, 0 }, { 0, 0 }, { 1, 1 }, { 0, 1 } };
	for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
		const bool good = orders[k][0] < orders[k][1];
		struct snapshot_problem problem;
		struct world *world = NULL;
		for (int i = 0; i < 2; i++)
			memcpy(ties + (size_t)i * ROW, rows[orders[k][i]], ROW);
		snapshot_number_put(bytes + size - 8, 8, snapshot_checksum(bytes, size - 8));
		assert_int_equal(world_restore(bytes, size, 0, &problem, &world), good ? STATUS_OK : STATUS_INVALID_ARGUMENT);
		if (!good) {
			assert_string_equal(problem.field, "ties.b");
			assert_string_equal(problem.text, "must ascend, by kind first");
			assert_int_equal(problem.index, 1);
		}
		world_destroy(world);
	}
	free(bytes);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Overlapping pairs at the start: as many as there may be, and one more. All of a crowd of 56 overlap, and four pairs beside
 * it; the last circle is alone, or in one of these. */
static void
test_overlaps_at_the_start(void **state)
{
	(void)state;
	enum { CROWD = 56, PAIRS = 4, ALL = CROWD + 2 * PAIRS + 1 };
	assert_int_equal(CROWD * (CROWD - 1) / 2 + PAIRS, OVERLAPS_MIN + OVERLAPS_PER_BODY * ALL);
	for (int more = 0; more < 2; more++) {
		struct scenario scenario;
		struct def_problem problem;
		struct world *world = NULL;
		scenario_init(&scenario);
		for (int i = 0; i < CROWD; i++)
			scenario_circle(&scenario, 0.001 * i, 0, 0, 0, 0.5);
		for (int i = 0; i < PAIRS; i++) {
			scenario_circle(&scenario, 10 + 5 * i, 0, 0, 0, 0.5);
			scenario_circle(&scenario, 10.9 + 5 * i, 0, 0, 0, 0.5);
		}
		scenario_circle(&scenario, more ? 9.1 : 5, 0, 0, 0, 0.5);
		assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), more ? STATUS_RESOURCE_EXHAUSTED : STATUS_OK);
		world_destroy(world);
		scenario_finish(&scenario);
	}
}

/* Too fast is faster than so many radii in a tick, by however little. Times and radii are powers of two, so that it is exact.
 */
static void
test_what_is_too_fast(void **state)
{
	(void)state;
	const double radius = 0x1p-8, duration = 0x1p-6, most = PHYSICS_TRAVEL_MAX_RADII * radius / duration;
	for (int k = -46; k <= -1; k++) {
		for (int sign = -1; sign <= 1; sign++) {
			struct scenario scenario;
			struct run run;
			scenario_init(&scenario);
			scenario_circle(&scenario, 0, 0, most * (1 + sign * ldexp(1, k)), 0, radius);
			run_start_uncertified(&run, &scenario);
			run_ticks_unlogged(&run, duration, 1);
			const struct shortfall *fast = run_shortfall(&run, 0, BODY_FLAG_FAST);
			assert_int_equal(fast != NULL, sign > 0);
			if (fast)
				assert_double_near(fast->amount, PHYSICS_TRAVEL_MAX_RADII * (1 + ldexp(1, k)),
				                   1e-15 * PHYSICS_TRAVEL_MAX_RADII);
			run_finish(&run);
			scenario_finish(&scenario);
		}
	}
}

/* A row of circles, along it and across it: a long flat box and a segment find as many as they reach, on either axis. */
static void
test_long_flat_questions(void **state)
{
	(void)state;
	for (int upright = 0; upright < 2; upright++) {
		struct scenario scenario;
		struct def_problem problem;
		struct space *space;
		struct space_hits hits = { 0 };
		const struct space_filter filter = space_filter_default();
		const struct tolerance tolerance = { 0 };
		scenario_init(&scenario);
		for (int i = -40; i <= 60; i++)
			scenario_circle(&scenario, upright ? 0 : i, upright ? i : 0, 0, 0, 0.125);
		assert_int_equal(space_create(scenario_def(&scenario), &problem, &space), STATUS_OK);
		for (int end = -30; end <= 50; end += 10) {
			const double from = -35, to = end + 0.0625;
			const struct space_box box = { upright ? -0.25 : from, upright ? from : -0.25, upright ? 0.25 : to,
				                           upright ? to : 0.25 };
			assert_int_equal(space_overlap_box(space, &box, &tolerance, &filter, SIZE_MAX, &hits), STATUS_OK);
			assert_int_equal(hits.count, end + 36);
			const struct wall straight = {
				.x1 = upright ? 0 : from, .y1 = upright ? from : 0, .x2 = upright ? 0 : to, .y2 = upright ? to : 0
			};
			assert_int_equal(space_overlap_segment(space, &straight, &tolerance, &filter, SIZE_MAX, &hits), STATUS_OK);
			assert_int_equal(hits.count, end + 36);
		}
		space_hits_finish(&hits);
		space_destroy(space);
		scenario_finish(&scenario);
	}
}

/* Short walls all over a wide field of circles. The walls stand and the circles move as one, or the other way round, for a tick
 * in which they pass several cells. The contacts are the same, with faces and ends, in every direction. */
static void
test_a_field_of_walls_or_of_circles_moves(void **state)
{
	uint64_t random = 11;
	size_t ends = 0, faces = 0;

	(void)state;
	for (int turn = 0; turn < 12; turn++) {
		const double angle = turn * 30 * DEGREE + 0.1, u[2] = { 8 * cos(angle), 8 * sin(angle) };
		struct scenario scenes[2];
		struct run runs[2];

		scenario_init(&scenes[0]);
		scenario_init(&scenes[1]);
		for (int i = 0; i < 400; i++) {
			const double x = 2 * (i % 20) + random_between(&random, -0.6, 0.6),
						 y = 2 * (i / 20) + random_between(&random, -0.6, 0.6);
			const double way = random_between(&random, 0, 360 * DEGREE), long_ = random_between(&random, 0.3, 0.8);

			for (int k = 0; k < 2; k++) {
				if (i % 7 == 0) {
					struct segment_def *wall = scenario_segment(&scenes[k], x, y, x + long_ * cos(way), y + long_ * sin(way));
					wall->vx = k ? u[0] : 0;
					wall->vy = k ? u[1] : 0;
				} else {
					scenario_circle(&scenes[k], x, y, k ? 0 : -u[0], k ? 0 : -u[1], 0.05);
				}
			}
		}
		/* What overlaps at the start would be pushed out; it is left out in both. */
		for (int k = 0; k < 2; k++) {
			size_t kept = 0;

			for (size_t i = 0; i < scenes[k].circle_count; i++) {
				bool clear = true;

				for (size_t w = 0; w < scenes[k].segment_count; w++)
					clear = clear &&
					        segment_distance(&scenes[k].segments[w], scenes[k].circles[i].x, scenes[k].circles[i].y) > 0.06;
				if (clear)
					scenes[k].circles[kept++] = scenes[k].circles[i];
			}
			scenes[k].circle_count = kept;
			run_start_uncertified(&runs[k], &scenes[k]);
			run_ticks(&runs[k], 1, 1);
		}
		assert_true(runs[0].contact_count > 20);
		assert_int_equal(runs[0].contact_count, runs[1].contact_count);
		for (size_t i = 0; i < runs[0].contact_count; i++) {
			const struct contact *a = &runs[0].contacts[i].contact, *b = &runs[1].contacts[i].contact;

			assert_true(a->a == b->a && a->b == b->b && a->other == b->other && a->feature == b->feature);
			assert_double_near(b->time, a->time, 1e-7);
			ends += a->other == CONTACT_SEGMENT && a->feature != FEATURE_FACE;
			faces += a->other == CONTACT_SEGMENT && a->feature == FEATURE_FACE;
		}
		for (int k = 0; k < 2; k++) {
			run_abandon(&runs[k]);
			scenario_finish(&scenes[k]);
		}
	}
	assert_true(ends > 50 && faces > 200);
}

/* Seven in lanes of their own, of unlike radii. One of them is just faster than the skin covers, the others just slower. */
static void
test_each_is_told_of_its_own_speed(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 28; k++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.gravity_y = k < 14 ? 0 : -1;
		for (uint32_t i = 0; i < 7; i++) {
			const double radius = 1 + 0.25 * i, speed = PHYSICS_TRAVEL_MAX_RADII * radius * (i == k % 7 ? 1 + 1e-9 : 1 - 1e-9);
			struct circle_def *circle = scenario_circle(&scenario, 0, 20.0 * i, speed, 0, radius);
			circle->kind = k % 14 < 7 || i % 2 ? BODY_DYNAMIC : BODY_KINEMATIC;
		}
		run_start(&run, &scenario);
		run_ticks_unlogged(&run, 1, 1);
		assert_int_equal(run.report.shortfall_count, 1);
		assert_int_equal(run.report.shortfalls[0].body, k % 7);
		assert_int_equal(run.report.shortfalls[0].flag, BODY_FLAG_FAST);
		assert_double_near(run.report.shortfalls[0].amount / PHYSICS_TRAVEL_MAX_RADII, 1 + 1e-9, 1e-11);
		run_abandon(&run);
		scenario_finish(&scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_where_a_cone_begins),
		cmocka_unit_test(test_a_field_of_walls_or_of_circles_moves),
		cmocka_unit_test(test_what_a_wall_hides),
		cmocka_unit_test(test_sliding_between_two_planes),
		cmocka_unit_test(test_sliding_where_one_way_is_left),
		cmocka_unit_test(test_sliding_where_there_may_be_no_way),
		cmocka_unit_test(test_crossing_past_an_end),
		cmocka_unit_test(test_contacts_that_rest),
		cmocka_unit_test(test_masks_keep_apart),
		cmocka_unit_test(test_the_immovable_one_detects),
		cmocka_unit_test(test_a_mass_of_nothing),
		cmocka_unit_test(test_what_touches_must_exist),
		cmocka_unit_test(test_what_touches_must_ascend),
		cmocka_unit_test(test_overlaps_at_the_start),
		cmocka_unit_test(test_what_is_too_fast),
		cmocka_unit_test(test_long_flat_questions),
		cmocka_unit_test(test_each_is_told_of_its_own_speed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
