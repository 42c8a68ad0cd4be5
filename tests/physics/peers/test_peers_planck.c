/* planck's three games. */
#include "physics/peers/peers.h"

#include "support/random.h"

#include <math.h>

/* After the break: balls roll out as their damping says, and each is on the table or was taken out of a pocket. */
static void
test_eight_ball(void **state)
{
	(void)state;
	struct living living;
	uint32_t pocketed = 0;
	double energy = INFINITY, fastest = 0;
	peer_live(&living, "eight-ball", WORLD_EVENTS_TOUCH);
	for (uint64_t tick = 0; tick < peer_scene("eight-ball")->ticks; tick++) {
		living_step(&living, 1 / 60.0);
		struct edit removals[16];
		size_t count = 0;
		for (size_t i = 0; i < living.report.pair_event_count; i++)
			if (living.report.pair_events[i].kind == PAIR_EVENT_ENTER)
				removals[count++] = edit_circle_remove(living.report.pair_events[i].a);
		/* Movement and spin together: nothing here gives energy. */
		const double now = living.report.energy.kinetic_after;
		assert_at_most(now, energy * (1 + 1e-12));
		energy = now;
		if (count > 0)
			living_edited(&living, removals, count);
		pocketed += (uint32_t)count;
	}
	assert_in_range(pocketed, 1, 16);
	assert_int_equal(world_body_count(living.world), 16 - pocketed + 6);
	for (size_t i = 0; i < world_body_count(living.world); i++) {
		const struct body_state body = world_body(living.world, i);
		if (body.kind != BODY_DYNAMIC)
			continue;
		fastest = fmax(fastest, hypot(body.vx, body.vy));
		assert_at_most(fabs(body.x), 4 + 0.14 + 0.2);
		assert_at_most(fabs(body.y), 2 + 0.3 + 0.2);
	}
	/* 32 m/s at first, damped by 1.5 for ten seconds. */
	assert_at_most(fastest, 32 * pow(1 + 1.5 / 60, -600));
	living_certify(&living);
	assert_int_equal(living.flags, 0);
	peer_tell("eight-ball", "%u pocketed, the others on the table, fastest %.1e m/s after 10 s", pocketed, fastest);
	living_finish(&living);
}

/* Twenty kicks of 30 m/s in any direction: the ball never leaves the pitch but by a goal's line, which is told, and puts it
 * back. */
static void
test_soccer(void **state)
{
	(void)state;
	struct living living;
	uint64_t random = 5;
	uint32_t goals = 0;
	peer_live(&living, "soccer", WORLD_EVENTS_TOUCH);
	for (uint64_t tick = 0; tick < peer_scene("soccer")->ticks; tick++) {
		if (tick % 60 == 0) {
			const double angle = random_between(&random, 0, 360 * DEGREE);
			peer_push(&living, 0, 30 * cos(angle), 30 * sin(angle));
		}
		living_step(&living, 1 / 60.0);
		bool goal = false;
		for (size_t i = 0; i < living.report.pair_event_count; i++) {
			const struct pair_event *event = &living.report.pair_events[i];
			goal |= event->kind == PAIR_EVENT_ENTER && event->a == 0 && event->other == CONTACT_SEGMENT;
		}
		for (uint32_t i = 0; i < 11; i++) {
			struct body_state body;
			assert_true(peer_find(&living, i, &body));
			assert_true(fabs(body.y) <= 3 - body.radius && fabs(body.x) <= 6 - body.radius);
		}
		if (goal) {
			const struct circle_def middle = { .id = 0 };
			const struct edit back = edit_circle_change(&middle, edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y) |
			                                                         edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
			living_edited(&living, &back, 1);
			goals++;
		}
	}
	assert_in_range(goals, 1, 20);
	living_certify(&living);
	/* Another may stand where the ball is put back. */
	assert_int_equal(living.flags & ~(uint32_t)BODY_FLAG_INITIAL_OVERLAP, 0);
	peer_tell("soccer", "20 kicks, %u goals, nobody off the pitch", goals);
	living_finish(&living);
}

/* The red ones are shot at the blue ones one after the other, at 20 m/s; one that touches the rim is taken off. */
static void
test_shuffle(void **state)
{
	(void)state;
	struct living living;
	uint32_t out = 0;
	peer_live(&living, "shuffle", WORLD_EVENTS_TOUCH);
	for (uint64_t tick = 0; tick < peer_scene("shuffle")->ticks; tick++) {
		struct body_state puck;
		const uint32_t shot = (uint32_t)(tick / 120);
		if (tick % 120 == 0 && peer_find(&living, shot, &puck))
			peer_push(&living, shot, -20, 0.3);
		living_step(&living, 1 / 60.0);
		struct edit removals[16];
		size_t count = 0;
		for (size_t i = 0; i < living.report.pair_event_count; i++) {
			bool twice = false;
			for (size_t k = 0; k < count; k++)
				twice |= removals[k].circle.id == living.report.pair_events[i].a;
			if (living.report.pair_events[i].kind == PAIR_EVENT_ENTER && !twice)
				removals[count++] = edit_circle_remove(living.report.pair_events[i].a);
		}
		if (count > 0)
			living_edited(&living, removals, count);
		out += (uint32_t)count;
		assert_int_equal(world_body_count(living.world), 16 - out);
		for (size_t i = 0; i < world_body_count(living.world); i++) {
			const struct body_state body = world_body(living.world, i);
			assert_true(fabs(body.x) < 4.7 && fabs(body.y) < 4.7);
		}
	}
	assert_in_range(out, 1, 15);
	living_certify(&living);
	assert_int_equal(living.flags, 0);
	peer_tell("shuffle", "8 shots, %u of 16 pucks out, the others within the rim at every tick", out);
	living_finish(&living);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eight_ball),
		cmocka_unit_test(test_soccer),
		cmocka_unit_test(test_shuffle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
