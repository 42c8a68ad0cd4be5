/* Chipmunk's demos. argv: "terrain" for its benchmark. */
#include "physics/peers/peers.h"

#include "physics/space.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

/* Momentum is that of the heavy ball at first, nothing overlaps at any time, and it keeps its speed. What it gives away is at
 * most what 400 for each of the others would be. Through the crowd that it pushes before it, it goes as far as its velocity
 * says, in every tick. */
static void
test_logo_smash(void **state)
{
	(void)state;
	struct peer_run peer;
	double x = 0, y = 0, deepest = -INFINITY, lag = 0;
	peer_start(&peer, "logo-smash");
	const size_t last = peer.scenario.circle_count - 1;
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		const struct body_state before = world_body(peer.run.world, last);
		run_ticks_unlogged(&peer.run, peer.scene->dt, 1);
		const struct body_state now = world_body(peer.run.world, last);
		const double behind = before.x + peer.scene->dt * now.vx - now.x;
		assert_at_most(fabs(behind), 1e-3);
		lag += behind;
		if (tick % 20 == 19)
			deepest = fmax(deepest, run_overlap(&peer.run, &peer.scenario));
	}
	size_t struck = 0;
	for (size_t i = 0; i <= last; i++) {
		const struct body_state body = world_body(peer.run.world, i);
		x += body.mass * body.vx;
		y += body.mass * body.vy;
		struck += i < last && hypot(body.vx, body.vy) > 0;
	}
	const struct body_state heavy = run_body(&peer.run, (uint32_t)last);
	assert_double_near(x, 4e11, 1e-9 * 4e11);
	assert_double_near(y, 0, 1e-9 * 4e11);
	assert_at_most(deepest, 0);
	assert_true(struck > last / 10);
	assert_at_most(heavy.vx, 400);
	assert_at_most(400 * (1 - (double)last * 2e-9), heavy.vx);
	assert_int_equal(peer.run.shortfall_count, 0);
	/* Through the word: its last letter ends at 186. */
	assert_true(heavy.x > 190);
	peer_tell("logo-smash", "%zu balls, %zu struck; overlap 0; the heavy one at %.6f, %.1e behind; momentum kept to %.1e", last,
	          struck, heavy.vx, lag, fmax(fabs(x - 4e11), fabs(y)) / 4e11);
	peer_end(&peer);
}

/* Up from -200 at 170: to -55.5, through the platform, and down onto its top, 10 + 15 above its middle at -100. */
static void
test_one_way(void **state)
{
	(void)state;
	struct peer_run peer;
	double highest = -INFINITY;
	peer_start(&peer, "one-way");
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		peer_ticks(&peer, 1);
		highest = fmax(highest, run_body(&peer.run, 0).y);
	}
	assert_double_near(highest, -200 + 170 * 170 / 200.0, 100 / (8 * 3600.0) + 1e-6);
	assert_double_near(run_body(&peer.run, 0).y, -75, 0.15);
	assert_at_most(peer_speed(&peer), 1e-6);
	peer_tell("one-way", "up to %.4f of -55.5, stands at %.6f", highest, run_body(&peer.run, 0).y);
	peer_end(&peer);
}

static void
test_simple(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "simple");
	peer_rest(&peer);
	for (uint32_t i = 0; i < 2; i++) {
		assert_double_near(run_body(&peer.run, i).y, -225 + 30.0 * i, 0.15 * (i + 1));
		assert_true(run_body(&peer.run, i).asleep);
	}
	peer_tell("simple", "on each other at %.4f and %.4f, asleep", run_body(&peer.run, 0).y, run_body(&peer.run, 1).y);
	peer_end(&peer);
}

/* The scale carries the ball of 10 and three discs of 1: 13 times gravity, in what the tick's events of it tell, which is what
 * the demo sums. The ball on it touches the scale and the disc above, the one beside it the ground. */
static void
test_contact_graph(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "contact-graph");
	peer_rest(&peer);
	double scale = 0, ground = 0;
	size_t ball = 0, beside = 0;
	for (size_t i = 0; i < peer.run.report.pair_event_count; i++) {
		const struct pair_event *event = &peer.run.report.pair_events[i];
		if (event->kind != PAIR_EVENT_PERSIST)
			continue;
		const bool wall = event->other == CONTACT_SEGMENT;
		scale += wall && event->b == 3 ? event->impulse * 60 : 0;
		ground += wall && event->b == 2 ? event->impulse * 60 : 0;
		ball += event->a == 0 || (!wall && event->b == 0);
		beside += event->a == 4;
	}
	assert_double_near(scale, 13 * 300, 1e-3 * 13 * 300);
	assert_double_near(ground, 11 * 300, 1e-3 * 11 * 300);
	assert_int_equal(ball, 2);
	assert_int_equal(beside, 1);
	/* And all that holds the world up, exactly. */
	assert_double_near(peer.run.report.momentum.outside[1] * 60, 24 * 300, 1e-9 * 24 * 300);
	peer_tell("contact-graph", "the scale reads %.9f of 13 x 300, the ground %.9f of 11 x 300; the ball touches %zu", scale,
	          ground, ball);
	peer_end(&peer);
}

/* Five balls in all: in the queue or in the air. One is emitted when none is in the blocking sensor, and comes back into the
 * queue when it enters the catching one. */
static void
test_sensors(void **state)
{
	(void)state;
	struct living living;
	uint64_t random = 45073;
	uint32_t queue = 5, next = 0, alive = 0, caught = 0, most = 0;
	peer_live(&living, "sensors", WORLD_EVENTS_TOUCH);
	for (uint64_t tick = 0; tick < peer_scene("sensors")->ticks; tick++) {
		bool blocked = false;
		for (uint32_t id = 0; id < next; id++)
			blocked |= event_book_has(&living.book, id, 1000, CONTACT_CIRCLE, true);
		if (!blocked && queue > 0) {
			struct circle_def ball = circle_def_default();
			queue--;
			alive++;
			ball.id = next++;
			ball.y = 150;
			ball.vx = random_between(&random, -100, 100);
			ball.vy = random_between(&random, -100, 100);
			ball.radius = 15;
			ball.restitution = 0;
			const struct edit spawn = edit_circle_spawn(&ball);
			living_edited(&living, &spawn, 1);
		}
		living_step(&living, 1 / 60.0);
		for (size_t i = 0; i < living.report.pair_event_count; i++) {
			const struct pair_event event = living.report.pair_events[i];
			if (event.kind != PAIR_EVENT_ENTER || event.other != CONTACT_SEGMENT)
				continue;
			const struct edit removal = edit_circle_remove(event.a);
			living_edited(&living, &removal, 1);
			queue++;
			alive--;
			caught++;
			break; /* the report is the world's: one in a tick is what happens here */
		}
		assert_int_equal(queue + alive, 5);
		assert_int_equal(world_body_count(living.world), alive + 1);
		most = alive > most ? alive : most;
	}
	assert_true(next > 10 && caught > 5);
	living_certify(&living);
	peer_tell("sensors", "20 s: %u emitted, %u caught, up to %u in the air; every exit has its entry", next, caught, most);
	living_finish(&living);
}

/* Its two questions: a thick ray of radius 10 from the middle, and what is nearest to a point, up to 100 away. */
static void
test_query(void **state)
{
	(void)state;
	struct scenario scenario;
	struct def_problem problem;
	struct space *space;
	struct space_hits hits = { 0 };
	const struct space_filter filter = space_filter_default();
	const struct tolerance none = { 0 };
	scenario_init(&scenario);
	peer_scene("query")->build(&scenario);
	assert_int_equal(space_create(scenario_def(&scenario), &problem, &space), STATUS_OK);

	/* Straight up it meets the fat segment: 100 - 20 - 10. */
	struct space_cast cast = { .move_y = 200, .radius = 10, .start = START_HITS };
	assert_int_equal(space_cast(space, &cast, &filter, 1, &hits), STATUS_OK);
	assert_int_equal(hits.count, 1);
	assert_true(hits.hits[0].segment && hits.hits[0].id == 0);
	assert_double_near(hits.hits[0].fraction * 200, 70, 1e-9);
	assert_double_near(hits.hits[0].normal[1], -1, 1e-12);
	/* Along the diagonal through the circle at (100, 100), of 20: its way is 100 sqrt 2 - 30, past the fat segment's end. */
	cast.move_x = 300;
	cast.move_y = 300;
	cast.x = 60;
	cast.y = 60;
	assert_int_equal(space_cast(space, &cast, &filter, 1, &hits), STATUS_OK);
	assert_true(!hits.hits[0].segment && hits.hits[0].id == 0);
	assert_double_near(hits.hits[0].fraction * 300 * sqrt(2), 40 * sqrt(2) - 30, 1e-9);
	/* To the right of all to the thin one, on the line x + y = 300. */
	cast = (struct space_cast){ .x = 200, .y = 0, .move_x = 100, .radius = 10, .start = START_HITS };
	assert_int_equal(space_cast(space, &cast, &filter, 1, &hits), STATUS_OK);
	assert_true(hits.hits[0].segment && hits.hits[0].id == 1);
	assert_double_near(hits.hits[0].fraction * 100, 100 - 10 * sqrt(2), 1e-9);

	const struct space_circle mouse = { .x = 100, .y = 50 };
	assert_int_equal(space_nearest(space, &mouse, 100, &none, &filter, 1, &hits), STATUS_OK);
	assert_int_equal(hits.count, 1);
	assert_true(!hits.hits[0].segment);
	assert_double_near(hits.hits[0].gap, 30, 1e-12);
	const struct space_circle far = { .x = -250, .y = -250 };
	assert_int_equal(space_nearest(space, &far, 100, &none, &filter, 1, &hits), STATUS_OK);
	assert_int_equal(hits.count, 0);
	peer_tell("query", "thick rays and the nearest shape, at the places that geometry says to 1e-9");
	space_hits_finish(&hits);
	space_destroy(space);
	scenario_finish(&scenario);
}

/* A thousand circles over each other at first: told in the first ticks, then nothing overlaps, and none is outside. */
static void
test_terrain(void **state)
{
	(void)state;
	struct peer_run peer;
	uint64_t last_told = 0, told = 0;
	peer_start(&peer, "terrain-circles");
	while (world_tick(peer.run.world) < peer.scene->ticks) {
		run_ticks_unlogged(&peer.run, peer.scene->dt, 1);
		if (peer.run.shortfall_count > told)
			last_told = world_tick(peer.run.world);
		told = peer.run.shortfall_count;
	}
	for (size_t i = 0; i < world_body_count(peer.run.world); i++)
		assert_at_most(hypot(world_body(peer.run.world, i).x, world_body(peer.run.world, i).y), 216);
	assert_at_most(run_overlap(&peer.run, &peer.scenario), 0);
	peer_tell("terrain-circles", "%llu overlaps told, the last in tick %llu; 0 at the end, nobody outside, fastest %.2g",
	          (unsigned long long)told, (unsigned long long)last_told, peer_speed(&peer));
	peer_end_told(&peer, BODY_FLAG_INITIAL_OVERLAP);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_logo_smash),    cmocka_unit_test(test_one_way), cmocka_unit_test(test_simple),
		cmocka_unit_test(test_contact_graph), cmocka_unit_test(test_sensors), cmocka_unit_test(test_query),
	};
	const struct CMUnitTest large[] = { cmocka_unit_test(test_terrain) };
	if (argc > 1 && strcmp(argv[1], "terrain") == 0)
		return cmocka_run_group_tests(large, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
