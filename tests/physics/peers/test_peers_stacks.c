/* Box2D's stacks and weights: overlap 0 in every tick whatever the masses, and rest. argv: "barrel" for its benchmark. */
#include "physics/peers/peers.h"

#include "support/random.h"

#include <math.h>
#include <string.h>

/* Bodies driven by the resting solver rest up to a hundredth of the smaller radius apart. */
#define CUSHION 0.01

/* One upon the other at x = 0, as a column that starts exactly upright must stay; heights between touching and a cushion
 * each. */
static void
column_check(const struct body_state *bodies, size_t count)
{
	double low = 0, high = 0;
	for (size_t i = 0; i < count; i++) {
		const double radius = bodies[i].radius, below = i > 0 ? bodies[i - 1].radius : 0;
		low += below + radius;
		high += below + radius + CUSHION * (below > 0 && below < radius ? below : radius);
		assert_same(bodies[i].x, 0);
		assert_at_most(low, bodies[i].y);
		assert_at_most(bodies[i].y, high + 1e-8);
		assert_at_most(hypot(bodies[i].vx, bodies[i].vy), 1e-6);
	}
}

static void
column_end(struct peer_run *peer)
{
	struct body_state bodies[16];
	const size_t count = world_body_count(peer->run.world);
	for (size_t i = 0; i < count; i++)
		bodies[i] = world_body(peer->run.world, i);
	column_check(bodies, count);
	peer_tell(peer->scene->name, "%zu on each other, the top at %.6f, fastest %.1e", count, bodies[count - 1].y,
	          peer_speed(peer));
	peer_end(peer);
}

static void
test_heavy_on_light(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "heavy-on-light");
	assert_double_near(peer.scenario.circles[1].mass / peer.scenario.circles[0].mass, 100, 1e-9);
	peer_rest(&peer);
	column_end(&peer);
}

static void
test_heavy_on_light_two(void **state)
{
	(void)state;
	struct living living;
	peer_live(&living, "heavy-on-light-two", WORLD_EVENTS_TOUCH);
	for (int i = 0; i < 120; i++)
		living_step(&living, 1 / 60.0);
	struct circle_def heavy = circle_def_default();
	heavy.id = 2;
	heavy.y = 9;
	heavy.radius = 5;
	heavy.mass = 10 * 3.141592653589793 * 25;
	heavy.restitution = 0;
	heavy.friction = 0.2;
	const struct edit spawn = edit_circle_spawn(&heavy);
	living_edited(&living, &spawn, 1);
	for (int i = 0; i < 600; i++)
		living_step(&living, 1 / 60.0);
	struct body_state bodies[3];
	for (uint32_t i = 0; i < 3; i++)
		assert_true(peer_find(&living, i, &bodies[i]));
	column_check(bodies, 3);
	assert_int_equal(living.flags, 0);
	living_certify(&living);
	/* Key H again: it is taken away, and the light ones stay. */
	const struct edit removal = edit_circle_remove(2);
	living_edited(&living, &removal, 1);
	for (int i = 0; i < 60; i++)
		living_step(&living, 1 / 60.0);
	for (uint32_t i = 0; i < 2; i++)
		assert_true(peer_find(&living, i, &bodies[i]));
	column_check(bodies, 2);
	living_certify(&living);
	peer_tell("heavy-on-light-two", "heavy one came to rest at %.6f, was taken away", bodies[1].y + 5.5);
	living_finish(&living);
}

static void
test_sphere_stack(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "sphere-stack");
	peer_rest(&peer);
	column_end(&peer);
}

/* Circle i comes to the column below it at sqrt(2 * 0.25 (i + 1) / 20), for what is below stands at once. */
static void
test_circle_stack_tells_its_hits_in_order(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "circle-stack");
	peer_rest(&peer);
	uint32_t hits = 0;
	for (size_t i = 0; i < peer.run.pair_event_count; i++) {
		const struct logged_event *logged = &peer.run.pair_events[i];
		if (logged->event.kind != PAIR_EVENT_HIT || hits == 10)
			continue;
		const uint32_t upper = logged->event.other == CONTACT_SEGMENT ? logged->event.a : logged->event.b;
		assert_int_equal(upper, hits);
		assert_double_near(logged->at, sqrt(0.025 * (hits + 1)), 0.01);
		hits++;
	}
	assert_int_equal(hits, 10);
	peer_tell("circle-stack", "%u hits, from below upwards; mass ratio %g", hits,
	          peer.scenario.circles[9].mass / peer.scenario.circles[0].mass);
	column_end(&peer);
}

/* The bullets drive wedges into the stack, which throws some of it far up: over the wall's top, at 20, but never through it. */
static void
test_vertical_stack_stops_every_bullet_at_the_wall(void **state)
{
	(void)state;
	struct peer_run peer;
	double highest[20] = { 0 };
	size_t over = 0;
	peer_start(&peer, "vertical-stack");
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		peer_ticks(&peer, 1);
		for (size_t i = 0; i < 20; i++)
			highest[i] = fmax(highest[i], world_body(peer.run.world, i).y);
	}
	for (size_t i = 0; i < 20; i++) {
		const struct body_state body = world_body(peer.run.world, i);
		if (highest[i] >= 20 - body.radius) {
			over++;
			continue;
		}
		assert_at_most(body.x + body.radius, 10);
	}
	assert_int_equal(certified_report(peer.run.certified)->escapes, 0);
	peer_tell("vertical-stack", "8 bullets of 200 to 300 m/s: none through the wall, %zu of 20 thrown higher than its top",
	          over);
	peer_end(&peer);
}

/* Circles of radius 2, put in one after the other at about the same place. */
static void
test_confined(void **state)
{
	(void)state;
	uint64_t random = 3;
	struct living living;
	peer_live(&living, "confined", WORLD_EVENTS_TOUCH);
	for (uint32_t id = 0; id < 12; id++) {
		struct circle_def circle = circle_def_default();
		circle.id = id;
		circle.x = random_between(&random, -1, 1);
		circle.y = 3 + random_between(&random, -1, 1);
		circle.radius = 2;
		circle.restitution = 0;
		const struct edit spawn = edit_circle_spawn(&circle);
		living_edited(&living, &spawn, 1);
		for (int i = 0; i < 30; i++)
			living_step(&living, 1 / 60.0);
	}
	living_certify(&living);
	double nearest = INFINITY;
	for (size_t i = 0; i < 12; i++) {
		const struct body_state a = world_body(living.world, i);
		nearest = fmin(nearest, fmin(10 - fabs(a.x), fmin(a.y, 20 - a.y)) - 2);
		for (size_t k = 0; k < i; k++) {
			const struct body_state b = world_body(living.world, k);
			nearest = fmin(nearest, hypot(a.x - b.x, a.y - b.y) - 4);
		}
	}
	assert_at_most(0, nearest);
	peer_tell("confined", "12 circles put over each other: all in the room, the least gap %.1e", nearest);
	living_finish(&living);
}

/* 625 circles of radius 0.5, with an area of 491, in a room of 390: no engine can place them without overlap. This one says so
 * of what overlaps, moves nothing through a wall, and nothing moves for ever. */
static void
test_confined_grid_is_told_to_be_too_full(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "confined-grid");
	peer_rest(&peer);
	assert_int_equal(peer.run.shortfall_flags & ~(uint32_t)(BODY_FLAG_INITIAL_OVERLAP | BODY_FLAG_CRUSHED | BODY_FLAG_BUDGET),
	                 0);
	size_t flagged = 0;
	double deepest = 0;
	for (size_t i = 0; i < peer.run.report.shortfall_count; i++) {
		const struct shortfall *shortfall = &peer.run.report.shortfalls[i];
		if (shortfall->flag != BODY_FLAG_INITIAL_OVERLAP)
			continue;
		deepest = fmax(deepest, shortfall->amount);
		flagged++;
	}
	/* What is left of overlap is told: of the deepest pair, in the tick that is over. */
	assert_true(flagged > 0);
	for (size_t i = 0; i < world_body_count(peer.run.world); i++) {
		const struct body_state body = world_body(peer.run.world, i);
		assert_true(fabs(body.x) < 10.5 && body.y > 0 && body.y < 20.5);
	}
	assert_int_equal(certified_report(peer.run.certified)->escapes, 0);
	peer_tell("confined-grid", "%zu of 625 told to overlap, by up to %.3f; nobody outside; fastest %.2g", flagged, deepest,
	          peer_speed(&peer));
	run_abandon(&peer.run);
	scenario_finish(&peer.scenario);
}

/* A disc that slides at first rolls at two thirds of its speed, 1 m/s, until its ledge ends; then it falls to the ground. */
static void
test_cliff(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "cliff");
	peer_ticks(&peer, 120);
	for (uint32_t i = 0; i < 3; i++) {
		assert_double_near(run_body(&peer.run, i).vx, 1, 1e-9);
		assert_double_near(run_body(&peer.run, i).angular_velocity, -2, 1e-9);
	}
	peer_tell("cliff", "after 2 s %.12f, %.12f and %.12f m/s", run_body(&peer.run, 0).vx, run_body(&peer.run, 1).vx,
	          run_body(&peer.run, 2).vx);
	peer_rest(&peer);
	for (uint32_t i = 0; i < 3; i++) {
		assert_double_near(run_body(&peer.run, i).y, 0.5, 0.5 * CUSHION);
		assert_at_most(1, run_body(&peer.run, i).vx);
	}
	peer_end(&peer);
}

/* Apart after two ticks, what is left after the first one told; and nothing is shot away: places are corrected, velocities are
 * not. */
static void
test_overlap_recovery(void **state)
{
	(void)state;
	struct peer_run peer;
	double fastest = 0;
	peer_start(&peer, "overlap-recovery");
	peer_ticks(&peer, 1);
	const double left = peer.overlap;
	peer_ticks(&peer, 1);
	peer.overlap = -INFINITY;
	const uint64_t told = peer.run.shortfall_count;
	for (int i = 0; i < 28; i++) {
		peer_ticks(&peer, 1);
		fastest = fmax(fastest, peer_speed(&peer));
	}
	/* The pyramid was lifted by less than its own overlap, 0.75, and spreads: no more than that fall gives. */
	assert_at_most(fastest, sqrt(2 * 10 * 0.75));
	peer_rest(&peer);
	assert_true(told == peer.run.shortfall_count);
	peer_tell("overlap-recovery", "%.3f deep after 1 tick, told; 0 after 2; fastest in the first half second %.3f m/s", left,
	          fastest);
	peer_end_told(&peer, BODY_FLAG_INITIAL_OVERLAP);
}

/* 3,900 circles fall 100 m; the largest of neighbouring columns overlap at first, as they do there. */
static void
test_barrel(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "barrel");
	run_ticks_unlogged(&peer.run, peer.scene->dt, 10);
	const uint64_t told = peer.run.shortfall_count;
	run_ticks_unlogged(&peer.run, peer.scene->dt, peer.scene->ticks - 10);
	assert_true(told == peer.run.shortfall_count);
	for (size_t i = 0; i < world_body_count(peer.run.world); i++)
		assert_true(fabs(world_body(peer.run.world, i).x) < 39.5 && world_body(peer.run.world, i).y > 0.5);
	assert_at_most(run_overlap(&peer.run, &peer.scenario), 0);
	peer_tell("barrel", "%zu circles, %llu overlaps told at first, 0 at the end, fastest %.2g m/s",
	          world_body_count(peer.run.world), (unsigned long long)told, peer_speed(&peer));
	peer_end_told(&peer, BODY_FLAG_INITIAL_OVERLAP);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_heavy_on_light),
		cmocka_unit_test(test_heavy_on_light_two),
		cmocka_unit_test(test_sphere_stack),
		cmocka_unit_test(test_circle_stack_tells_its_hits_in_order),
		cmocka_unit_test(test_vertical_stack_stops_every_bullet_at_the_wall),
		cmocka_unit_test(test_confined),
		cmocka_unit_test(test_confined_grid_is_told_to_be_too_full),
		cmocka_unit_test(test_cliff),
		cmocka_unit_test(test_overlap_recovery),
	};
	const struct CMUnitTest large[] = { cmocka_unit_test(test_barrel) };
	if (argc > 1 && strcmp(argv[1], "barrel") == 0)
		return cmocka_run_group_tests(large, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
