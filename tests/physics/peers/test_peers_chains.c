/* Box2D's edges and chains: what rolls over them does not feel where one ends and the next begins. */
#include "physics/peers/peers.h"

#include <math.h>

/* Of the first circle, a disc: it moves, turns and is high. */
static double
energy_of(const struct peer_run *peer)
{
	const struct body_state ball = run_body(&peer->run, 0);
	const double turn = ball.radius * ball.angular_velocity;
	return ball.mass * ((ball.vx * ball.vx + ball.vy * ball.vy + turn * turn / 2) / 2 - peer->scenario.def.gravity_y * ball.y);
}

/* To be lifted by a cushion, a hundredth of its radius, may cost as much: the resting solver keeps what rolls that far off. */
static double
cushion_energy(const struct peer_run *peer)
{
	const struct body_state ball = run_body(&peer->run, 0);
	return ball.mass * -peer->scenario.def.gravity_y * 0.01 * ball.radius;
}

/* The circle on one-sided edges and that on two-sided ones, 8 higher, do the same. On the flat piece, from 0 to 4, the speed
 * changes only by friction, which ends when it rolls: at two thirds of 5 m/s. */
static void
test_edge_test(void **state)
{
	(void)state;
	struct peer_run peer;
	double apart = 0, rolled = NAN;
	peer_start(&peer, "edge-test");
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		peer_ticks(&peer, 1);
		const struct body_state lower = run_body(&peer.run, 0), upper = run_body(&peer.run, 1);
		apart = fmax(apart, hypot(upper.x - lower.x, upper.y - 8 - lower.y));
		if (lower.x > 3.4 && lower.x < 3.9 && isnan(rolled))
			rolled = lower.vx;
	}
	assert_at_most(apart, 1e-6);
	assert_double_near(rolled, 10 / 3.0, 1e-9);
	peer_tell("edge-test", "on one-sided and on two-sided edges the same to %.1e; %.12f m/s on the flat", apart, rolled);
	peer_end(&peer);
}

/* The driven one crosses hills and flats at the 5 m/s that it is given, climbs, and comes down at the left end. On the flat
 * from -8 to -12, over the edge at -10, nothing lifts it or brakes it. */
static void
test_character_collision(void **state)
{
	(void)state;
	struct living living;
	struct body_state character, other;
	uint64_t flat = 0, stuck = 0;
	double x = -7;
	peer_live(&living, "character-collision", 0);
	for (uint64_t tick = 0; tick < peer_scene("character-collision")->ticks; tick++) {
		assert_true(peer_find(&living, 1, &character));
		peer_push(&living, 1, -5, character.vy);
		living_step(&living, 1 / 60.0);
		assert_true(peer_find(&living, 1, &character));
		stuck += character.x > x - 0.01;
		/* It leaves the slope at -8 upwards, lands, and is on the flat before -11 and until the next slope, at -12. */
		if (character.x < -11 && character.x > -11.7) {
			flat++;
			assert_double_near(character.y, 6.25, 0.25 * 0.01);
			assert_at_most(fabs(character.vy), 1e-9);
		}
		x = character.x;
	}
	assert_true(flat >= 5);
	assert_int_equal(stuck, 0);
	assert_true(character.x < -20);
	assert_true(peer_find(&living, 0, &other));
	assert_at_most(hypot(other.vx, other.vy), 1e-6);
	living_certify(&living);
	assert_int_equal(living.flags, 0);
	peer_tell("character-collision",
	          "3 s, never slower than 0.6 m/s, %llu ticks on the flat at one height, then over the end at x = %.3f",
	          (unsigned long long)flat, character.x);
	living_finish(&living);
}

/* Energy falls, and the ball stays inside. */
static void
test_chain_shape(void **state)
{
	(void)state;
	struct peer_run peer;
	double rise = 0;
	peer_start(&peer, "chain-shape");
	double energy = energy_of(&peer);
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		peer_ticks(&peer, 1);
		const double now = energy_of(&peer);
		rise = fmax(rise, now - energy);
		energy = fmin(energy, now);
	}
	const struct body_state ball = run_body(&peer.run, 0);
	assert_at_most(rise, cushion_energy(&peer));
	assert_true(fabs(ball.x) < 56.9 && ball.y > -16.21 && ball.y < 16.21);
	peer_tell("chain-shape", "at x = %.3f with %.2e m/s after 60 s; energy at most %.1e above the least so far", ball.x,
	          ball.vx, rise);
	peer_end(&peer);
}

static void
test_chain_segment(void **state)
{
	(void)state;
	struct peer_run peer;
	double rise = 0, leftmost = 0, rightmost = -25;
	peer_start(&peer, "chain-segment");
	double energy = energy_of(&peer);
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		peer_ticks(&peer, 1);
		const double now = energy_of(&peer);
		const struct body_state ball = run_body(&peer.run, 0);
		rise = fmax(rise, now - energy);
		energy = fmin(energy, now);
		leftmost = fmin(leftmost, ball.x);
		rightmost = fmax(rightmost, ball.x);
	}
	assert_at_most(rise, cushion_energy(&peer));
	/* In its valley, with crests at -26.2 and 8.7. */
	assert_true(leftmost > -25 && rightmost < 8.7);
	peer_tell("chain-segment", "30 s in the valley between x = %.3f and %.3f; energy at most %.1e above the least so far",
	          leftmost, rightmost, rise);
	peer_end(&peer);
}

/* One rests. The other, without friction, comes at 5 m/s to the point that both chains end in, where the ground begins to rise
 * by 1 in 40. It goes on with what of 5 m/s is along the slope. */
static void
test_chain_link(void **state)
{
	(void)state;
	struct peer_run peer;
	double after = NAN;
	uint64_t since = 0;
	peer_start(&peer, "chain-link");
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		peer_ticks(&peer, 1);
		const struct body_state ball = run_body(&peer.run, 1);
		if (ball.x < -0.1)
			assert_double_near(ball.vx, 5, 1e-12);
		since += ball.x > 0;
		if (since == 3)
			after = hypot(ball.vx, ball.vy);
	}
	/* Up to three ticks of g sin on the slope besides. */
	const double along = 5 * cos(atan(1 / 40.0)), slope = sin(atan(1 / 40.0));
	assert_at_most(after, along + 1e-9);
	assert_at_most(along - 4 / 60.0 * 10 * slope, after);
	assert_double_near(run_body(&peer.run, 0).x, -5, 1e-12);
	assert_double_near(run_body(&peer.run, 0).y, 0.5, 0.005);
	peer_tell("chain-link", "one rests at %.6f; over the link 5 m/s become %.6f within 3 ticks", run_body(&peer.run, 0).y,
	          after);
	peer_end(&peer);
}

/* Down the slope of three pieces it slides at g (sin - mu cos) of 45 degrees, joints or not. tan 45 / 3 is more than the
 * friction of 0.2, so it does not roll. */
static void
test_ghost_bumps(void **state)
{
	(void)state;
	struct peer_run peer;
	const double expected = 10 * sqrt(0.5) * 0.8;
	double before = 0, worst = 0, fastest = 0;
	uint64_t ticks = 0;
	peer_start(&peer, "ghost-bumps");
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		peer_ticks(&peer, 1);
		const struct body_state ball = run_body(&peer.run, 0);
		const double along = (ball.vx - ball.vy) * sqrt(0.5);
		/* On the slope from well after the landing to before the floor, and before it first comes back. */
		if (ball.x > -27 && ball.x < -13 && ball.vx > 1 && before > 0 && fastest < 1) {
			worst = fmax(worst, fabs((along - before) * 60 - expected));
			ticks++;
		}
		before = ball.x > -27.3 ? along : 0;
		if (ball.x > -12)
			fastest = fmax(fastest, ball.vx);
	}
	assert_true(ticks > 60);
	assert_at_most(worst, 1e-9);
	peer_tell("ghost-bumps", "%llu ticks on the slope, acceleration %.9f m/s^2 to %.1e", (unsigned long long)ticks, expected,
	          worst);
	assert_true(run_body(&peer.run, 0).x > -29 && run_body(&peer.run, 0).x < 29);
	peer_end(&peer);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edge_test),     cmocka_unit_test(test_character_collision), cmocka_unit_test(test_chain_shape),
		cmocka_unit_test(test_chain_segment), cmocka_unit_test(test_chain_link),          cmocka_unit_test(test_ghost_bumps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
