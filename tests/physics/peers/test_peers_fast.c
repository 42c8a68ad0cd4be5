/* Box2D's fast bodies: nothing is missed, and what is hit is hit when and where geometry says. */
#include "physics/peers/peers.h"

#include <math.h>

/* At (50, -50) from (0, 10): on the edge at x = 9.75 after 0.195 s. Without rebound it goes on along it, friction having taken
 * a fifth of the 50 that it lost. From (1, 10) it would come down at 10.75, 0.75 beside the edge's end: it meets nothing. */
static void
test_ghost_test(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "ghost-test");
	peer_rest(&peer);
	assert_true(peer.run.contact_count >= 1);
	const struct logged_contact *hit = &peer.run.contacts[0];
	assert_int_equal(hit->contact.a, 0);
	assert_double_near(hit->at, 0.195, 1e-9);
	assert_double_near(hit->contact.point[0], 9.75, 1e-7);
	assert_double_near(run_body(&peer.run, 0).vx, 40, 1e-9);
	for (size_t i = 0; i < peer.run.contact_count; i++)
		assert_int_equal(peer.run.contacts[i].contact.a, 0);
	assert_same(run_body(&peer.run, 1).vx, 50);
	assert_same(run_body(&peer.run, 1).vy, -50);
	peer_tell("ghost-test", "hit at %.12f s, x = %.9f; the other one passes the end untouched", hit->at, hit->contact.point[0]);
	peer_end(&peer);
}

/* At 400 m/s it has 8.4 m to the slow one, then both have m2 / (m1 + m2) of its speed, and 0.65 m to the wall. */
static void
test_fast_slow(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "fast-slow");
	peer_rest(&peer);
	assert_true(peer.run.contact_count >= 2);
	const struct logged_contact *hit = &peer.run.contacts[0], *wall = &peer.run.contacts[1];
	const double both = 400 * 0.0625 / (0.1225 + 0.0625);
	assert_double_near(hit->at, 8.4 / 400, 1e-9);
	assert_double_near(hit->contact.a_after[0], -both, 1e-9);
	assert_double_near(hit->contact.b_after[0], -both, 1e-9);
	assert_double_near(wall->at, 8.4 / 400 + 0.65 / both, 1e-9);
	for (uint32_t i = 0; i < 2; i++)
		assert_at_most(-10 + run_body(&peer.run, i).radius, run_body(&peer.run, i).x);
	peer_tell("fast-slow", "hit at %.9f s, both at %.6f m/s, at the wall at %.9f s", hit->at, both, wall->at);
	peer_end(&peer);
}

static void
test_continuous_test(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "continuous-test");
	peer_rest(&peer);
	for (uint32_t i = 0; i < 2; i++) {
		const struct body_state body = run_body(&peer.run, i);
		/* Not through the floor, as long as it is over it, and not in the box. */
		assert_true(fabs(body.x) > 10 || body.y >= 0.5);
		assert_true(fabs(body.x - 0.5) > 0.2 || body.y > 2);
	}
	peer_tell("continuous-test", "the bullet of 100 m/s at (%.3f, %.3f), the other at (%.3f, %.3f)", run_body(&peer.run, 1).x,
	          run_body(&peer.run, 1).y, run_body(&peer.run, 0).x, run_body(&peer.run, 0).y);
	peer_end(&peer);
}

/* Each hit is told with its speed. With friction the spin takes part, so speed is not kept, but energy only falls, and what a
 * wall takes along itself it gives to the spin. Restitution above 1, as the sample has, is refused. */
static void
test_bounce_house(void **state)
{
	(void)state;
	struct peer_run peer;
	uint64_t hits = 0;
	peer_start(&peer, "bounce-house");
	peer_rest(&peer);
	for (size_t i = 0; i < peer.run.pair_event_count; i++)
		hits += peer.run.pair_events[i].event.kind == PAIR_EVENT_HIT;
	assert_true(hits == peer.run.contact_count);
	/* Normal speeds are kept by every bounce: 20 upwards and 10 sideways to friction. */
	for (size_t i = 0; i < peer.run.contact_count; i++) {
		const struct contact *contact = &peer.run.contacts[i].contact;
		const int axis = fabs(contact->normal[0]) > 0.5 ? 0 : 1;
		assert_double_near(contact->a_after[axis], -contact->a_before[axis], 1e-12);
		assert_double_near(contact->approach_speed, fabs(contact->a_before[axis]), 1e-12);
	}
	struct world_def def = *scenario_def(&peer.scenario);
	struct circle_def bouncier = peer.scenario.circles[0];
	struct def_problem problem;
	struct world *world;
	bouncier.restitution = 1.2;
	def.circles = &bouncier;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.field, DEF_CIRCLE_RESTITUTION);
	peer_tell("bounce-house", "%llu hits in 60 s, each told with its speed; restitution 1.2 is refused",
	          (unsigned long long)hits);
	peer_end(&peer);
}

static void
test_fast_chain(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "fast-chain");
	peer_rest(&peer);
	/* 15 m less its radius at 200 m/s and gravity 10. */
	const double expected = (sqrt(40000 + 20 * 14.5) - 200) / 10;
	assert_double_near(peer.run.contacts[0].at, expected, 1e-9);
	assert_double_near(run_body(&peer.run, 0).y, -4.5, 0.005);
	peer_tell("fast-chain", "hit at %.12f s, rests at %.6f", peer.run.contacts[0].at, run_body(&peer.run, 0).y);
	peer_end(&peer);
}

/* It ends in the corner at (0, -2), between two walls of 45 degrees. */
static void
test_pinball(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "pinball");
	peer_rest(&peer);
	const struct body_state ball = run_body(&peer.run, 2);
	assert_double_near(ball.x, 0, 0.01);
	assert_double_near(ball.y, -2 + 0.2 * sqrt(2), 0.01);
	peer_tell("pinball", "ends at (%.6f, %.6f) after %zu contacts", ball.x, ball.y, peer.run.contact_count);
	peer_end(&peer);
}

/* What overlaps is moved apart, not shot apart: until the large one comes, all are at rest; and momentum is kept. */
static void
test_add_pair(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "add-pair");
	const double momentum = peer.scenario.circles[400].mass * 10;
	double fastest = 0;
	peer_ticks(&peer, 60);
	for (uint32_t i = 0; i < 400; i++)
		fastest = fmax(fastest, hypot(run_body(&peer.run, i).vx, run_body(&peer.run, i).vy));
	assert_at_most(fastest, 1e-9);
	const uint64_t told = peer.run.shortfall_count;
	peer_rest(&peer);
	assert_true(told == peer.run.shortfall_count);
	double x = 0, y = 0;
	for (size_t i = 0; i < world_body_count(peer.run.world); i++) {
		const struct body_state body = world_body(peer.run.world, i);
		x += body.mass * body.vx;
		y += body.mass * body.vy;
	}
	assert_double_near(x, momentum, 1e-9 * momentum);
	assert_double_near(y, 0, 1e-9 * momentum);
	assert_at_most(0, -run_overlap(&peer.run, &peer.scenario));
	peer_tell("add-pair", "%llu overlaps told at first, 0 at the end; momentum kept to %.1e", (unsigned long long)told,
	          fmax(fabs(x - momentum), fabs(y)) / momentum);
	peer_end_told(&peer, BODY_FLAG_INITIAL_OVERLAP);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ghost_test),   cmocka_unit_test(test_fast_slow),  cmocka_unit_test(test_continuous_test),
		cmocka_unit_test(test_bounce_house), cmocka_unit_test(test_fast_chain), cmocka_unit_test(test_pinball),
		cmocka_unit_test(test_add_pair),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
