/* Box2D's restitution, friction, rolling resistance and belts, against the formulas. */
#include "physics/peers/peers.h"

#include <math.h>
#include <stdlib.h>

/* The first contact of a body; there is none: one with NaN in it. */
static struct contact
first_contact(const struct run *run, uint32_t id)
{
	for (size_t i = 0; i < run->contact_count; i++)
		if (run->contacts[i].contact.a == id)
			return run->contacts[i].contact;
	return (struct contact){ .a_before = { NAN, NAN }, .a_after = { NAN, NAN } };
}

/* Dropped by `height`, each comes up to e^2 height after its first contact; and is seen there: a tick's ends miss the top by at
 * most g dt^2 / 8. */
static void
restitution_check(struct peer_run *peer, double height)
{
	const size_t count = peer->scenario.circle_count;
	double *top = calloc(count, sizeof *top), worst = 0;
	bool *down = calloc(count, sizeof *down);
	assert_true(top && down);
	/* The slowest rebound of all is over after the fall and the time of the highest. */
	const uint64_t ticks = (uint64_t)(3 * sqrt(2 * height / 10) * 60) + 2;
	for (uint64_t tick = 0; tick < ticks; tick++) {
		peer_ticks(peer, 1);
		for (size_t i = 0; i < count; i++) {
			const struct body_state body = world_body(peer->run.world, i);
			if (body.vy > 0)
				down[i] = true;
			/* Of the first rebound: later ones are lower, or as high. */
			if (down[i])
				top[i] = fmax(top[i], body.y - body.radius);
		}
	}
	for (size_t i = 0; i < count; i++) {
		const double e = peer->scenario.circles[i].restitution;
		const struct contact contact = first_contact(&peer->run, (uint32_t)i);
		assert_double_near(-contact.a_before[1], sqrt(20 * height), 1e-9 * sqrt(20 * height));
		const double expected = e * e * height, reached = contact.a_after[1] * contact.a_after[1] / 20;
		assert_double_near(reached, expected, 1e-9 * height);
		worst = fmax(worst, fabs(reached - expected) / height);
		if (e > 0.2) {
			assert_at_most(top[i], expected + 1e-7);
			assert_at_most(expected, top[i] + 10 / (8 * 3600.0) + 1e-7);
		}
	}
	peer_tell(peer->scene->name, "%zu balls, heights differ from e^2 h by at most %.1e of h", count, worst);
	free(top);
	free(down);
}

static void
test_varying_restitution(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "varying-restitution");
	restitution_check(&peer, 19);
	peer_rest(&peer);
	/* Those below 1 have come to rest or are on their way; the last one is as high as ever. */
	for (uint32_t i = 0; i < 5; i++)
		assert_double_near(run_body(&peer.run, i).y, 1, 0.01);
	const struct body_state last = run_body(&peer.run, 6);
	assert_double_near(last.vy * last.vy / 20 + last.y - 1, 19, 1e-7);
	peer_end(&peer);
}

static void
test_restitution_forty(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "restitution-forty");
	restitution_check(&peer, 39.5);
	peer_rest(&peer);
	peer_end(&peer);
}

/* Ten minutes of a ball that loses nothing: the same height, at most a tick's sampling below. */
static void
test_single_restitution(void **state)
{
	(void)state;
	struct peer_run peer;
	double lowest = INFINITY, highest = 0, top = 0, before = 10;
	uint64_t bounces = 0;
	peer_start(&peer, "single-restitution");
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		peer_ticks(&peer, 1);
		const struct body_state body = run_body(&peer.run, 0);
		const double height = body.y + body.vy * body.vy / 20;
		lowest = fmin(lowest, height);
		highest = fmax(highest, height);
		bounces += body.vy > 0 && before < 0;
		before = body.vy;
		top = fmax(top, body.y);
	}
	assert_true(bounces > 200);
	assert_double_near(lowest, 10, 1e-7);
	assert_double_near(highest, 10, 1e-7);
	peer_tell("single-restitution", "%llu bounces in %g s, height 10 to %.1e", (unsigned long long)bounces,
	          (double)peer.scene->ticks / 60, fmax(10 - lowest, highest - 10));
	peer_end(&peer);
}

/* tan 0.25 = 0.2553: with mixed friction of 0.387, 0.316 and 0.265 they stick on the first ramp, with 0.141 and 0 they slide
 * down it at g (sin - mu cos). */
static void
test_varying_friction(void **state)
{
	(void)state;
	struct peer_run peer;
	double slide[5] = { 0 };
	peer_start(&peer, "varying-friction");
	/* The ramp's middle third along x: none lands there or leaves. */
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		double before[5];
		for (uint32_t i = 0; i < 5; i++)
			before[i] = run_body(&peer.run, i).vx;
		peer_ticks(&peer, 1);
		for (uint32_t i = 0; i < 5; i++) {
			const struct body_state body = run_body(&peer.run, i);
			if (body.x > 0 && body.x < 5 && body.y > 20.5 && body.vy < 0 && slide[i] == 0 && tick > 90)
				slide[i] = (body.vx - before[i]) * 60 / cos(0.25);
		}
	}
	for (uint32_t i = 0; i < 5; i++) {
		const struct body_state body = run_body(&peer.run, i);
		const double mu = sqrt(0.2 * peer.scenario.circles[i].friction);
		if (mu > tan(0.25)) {
			assert_at_most(hypot(body.vx, body.vy), 1e-6);
			assert_true(body.y > 19);
			assert_double_near(body.x, 4.0 * i - 15, 1);
		} else {
			assert_double_near(slide[i], 10 * (sin(0.25) - mu * cos(0.25)), 1e-6);
			assert_true(body.y < 14);
		}
	}
	peer_tell("varying-friction", "0.75, 0.5, 0.35 stick; 0.1 slides at %.9f, 0 at %.9f m/s^2", slide[3], slide[4]);
	peer_end(&peer);
}

/* A disc that rolls at v, with the normal force c radii ahead of its centre, slows down by 2 c g / 3. The landing takes as much
 * per unit of its impulse. The lane is 80 long. From the landing to the next tick nothing slows it: at most 5 m/s times a tick
 * further. */
static void
test_rolling_resistance(void **state)
{
	(void)state;
	struct peer_run peer;
	double worst = 0;
	peer_start(&peer, "rolling-resistance");
	peer_rest(&peer);
	uint32_t stopped = 0;
	for (uint32_t i = 0; i < 20; i++) {
		const struct body_state body = run_body(&peer.run, i);
		const double c = 0.02 * i, fall = sqrt(2 * 0.25 / 10), landed = 5 - 2 * c / 3 * 10 * fall;
		const double stop = -39.5 + 5 * fall + landed * landed / (2 * (2 * c * 10 / 3));
		if (i == 0 || stop > 40) {
			assert_true(body.x > 40);
			continue;
		}
		assert_at_most(fabs(body.vx), 1e-9);
		assert_at_most(stop, body.x + 1e-3);
		assert_at_most(body.x, stop + 5 / 60.0);
		worst = fmax(worst, fabs(body.x - stop));
		stopped++;
	}
	assert_int_equal(stopped, 18);
	peer_tell("rolling-resistance", "18 stop where the formula says, to %.1e m; those of 0 and 0.02 leave the lane", worst);
	peer_end(&peer);
}

/* Uphill, 5 in 80: where the resistance is more than the slope (0.0625) it holds them when they have stopped; else they roll
 * back. */
static void
test_rolling_up(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "rolling-up");
	peer_ticks(&peer, 900);
	for (uint32_t i = 0; i < 20; i++) {
		const struct body_state body = run_body(&peer.run, i);
		if (0.02 * i > 0.0625)
			assert_at_most(fabs(body.vx), 1e-9);
		else
			assert_true(body.vx < -0.1);
	}
	peer_tell("rolling-up", "0.08 and more stay where they stopped, 0 to 0.06 roll back");
	peer_rest(&peer);
	peer_end(&peer);
}

/* What cannot turn is carried at the belt's 5 m/s; a disc is spun up too, and rolls at a third of it. */
static void
test_conveyor_belts(void **state)
{
	(void)state;
	static const char *const names[] = { "conveyor-belt", "conveyor-discs" };
	static const double speeds[] = { 5, 5 / 3.0 };
	for (int k = 0; k < 2; k++) {
		struct peer_run peer;
		uint32_t seen = 0;
		double worst = 0;
		peer_start(&peer, names[k]);
		for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
			peer_ticks(&peer, 1);
			for (uint32_t i = 0; i < 5; i++) {
				const struct body_state body = run_body(&peer.run, i);
				/* Near the belt's end; none arrives there before it has got its speed. */
				if (seen & 1U << i || body.x < 3.5 || body.x > 4.4 || body.y < 5.9)
					continue;
				seen |= 1U << i;
				assert_double_near(body.vx, speeds[k], 1e-9);
				worst = fmax(worst, fabs(body.vx - speeds[k]));
			}
		}
		assert_int_equal(seen, 31);
		for (uint32_t i = 0; i < 5; i++)
			assert_true(run_body(&peer.run, i).y < 5);
		peer_tell(names[k], "all five leave the belt at %.9f m/s to %.1e", speeds[k], worst);
		peer_end(&peer);
	}
}

/* The balls are dropped one in 25 steps, and must all come to the bin, over the wall at x = 66.7 and no other way. */
static void
test_tangent_speed(void **state)
{
	(void)state;
	struct living living;
	uint32_t dropped = 0;
	const uint64_t ticks = peer_scene("tangent-speed")->ticks;
	peer_live(&living, "tangent-speed", 0);
	for (uint64_t tick = 0; tick < ticks; tick++) {
		if (tick % 25 == 0 && dropped < 30) {
			struct circle_def ball = circle_def_default();
			ball.id = dropped++;
			ball.x = 110;
			ball.y = -30;
			ball.radius = 0.5;
			ball.mass = 3.141592653589793 * 0.25;
			ball.restitution = 0;
			ball.friction = 0.6;
			ball.rolling_resistance = 0.3;
			const struct edit spawn = edit_circle_spawn(&ball);
			living_edited(&living, &spawn, 1);
		}
		living_step(&living, 1 / 60.0);
	}
	uint32_t binned = 0;
	for (uint32_t i = 0; i < dropped; i++) {
		struct body_state body;
		assert_true(peer_find(&living, i, &body));
		binned += body.x > 4 && body.x < 66.8 && body.y < -28 && body.y > -37.1;
	}
	assert_int_equal(binned, dropped);
	living_certify(&living);
	assert_int_equal(living.flags, 0);
	peer_tell("tangent-speed", "%u of %u balls in the bin", binned, dropped);
	living_finish(&living);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_varying_restitution), cmocka_unit_test(test_restitution_forty),
		cmocka_unit_test(test_single_restitution),  cmocka_unit_test(test_varying_friction),
		cmocka_unit_test(test_rolling_resistance),  cmocka_unit_test(test_rolling_up),
		cmocka_unit_test(test_conveyor_belts),      cmocka_unit_test(test_tangent_speed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
