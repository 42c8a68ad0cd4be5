/* Box2D's sensors, filters and one-sided platform: what meets what, when exactly, and what does not. */
#include "physics/peers/peers.h"

#include <math.h>

/* The only event of that kind and pair; fails the test unless there is exactly one. */
static double
event_at(const struct run *run, uint32_t a, uint32_t b, enum pair_event_kind kind)
{
	double at = NAN;
	size_t found = 0;
	for (size_t i = 0; i < run->pair_event_count; i++) {
		const struct pair_event *event = &run->pair_events[i].event;
		if (event->a == a && event->b == b && event->kind == (uint8_t)kind) {
			at = run->pair_events[i].at;
			found++;
		}
	}
	assert_int_equal(found, 1);
	return at;
}

/* A circle of radius 5 at (0, 10), and seven of radius 1 that fall from 20 at x = -10, -7 ... 8: those within 6 of its middle
 * enter where the distance is 6, and leave on the other side. */
static void
test_sensor_test(void **state)
{
	(void)state;
	struct peer_run peer;
	double worst = 0;
	peer_start(&peer, "sensor-test");
	peer_rest(&peer);
	for (uint32_t i = 2; i < 6; i++) {
		const double x = 3.0 * i - 10, y = sqrt(36 - x * x);
		const double enters = sqrt(2 * (10 - y) / 10), leaves = sqrt(2 * (10 + y) / 10);
		worst = fmax(worst, fabs(event_at(&peer.run, i, 7, PAIR_EVENT_ENTER) - enters));
		worst = fmax(worst, fabs(event_at(&peer.run, i, 7, PAIR_EVENT_EXIT) - leaves));
		assert_double_near(event_at(&peer.run, i, 7, PAIR_EVENT_ENTER), enters, 1e-9);
		assert_double_near(event_at(&peer.run, i, 7, PAIR_EVENT_EXIT), leaves, 1e-9);
	}
	assert_int_equal(peer.run.pair_event_count, 8);
	peer_tell("sensor-test", "4 enter and leave, at the times of the fall to %.1e s; 3 pass beside", worst);
	peer_end(&peer);
}

/* The same with the sample's pull: 100 N to the middle, in each step, of all that are inside. It is the same on the way in and
 * out, so gravity takes them out at the bottom. */
static void
test_sensor_test_with_its_pull(void **state)
{
	(void)state;
	struct living living;
	uint32_t inside = 0;
	peer_live(&living, "sensor-test", 0);
	for (int tick = 0; tick < 600; tick++) {
		for (uint32_t i = 0; i < 7; i++) {
			struct body_state body;
			assert_true(peer_find(&living, i, &body));
			if (!event_book_has(&living.book, i, 7, CONTACT_CIRCLE, true))
				continue;
			const double dx = -body.x, dy = 10 - body.y, distance = hypot(dx, dy), gain = 100 / body.mass / 60;
			if (distance > 0)
				peer_push(&living, i, body.vx + gain * dx / distance, body.vy + gain * dy / distance);
		}
		living_step(&living, 1 / 60.0);
	}
	for (uint32_t i = 0; i < 7; i++)
		inside += event_book_has(&living.book, i, 7, CONTACT_CIRCLE, true);
	living_certify(&living);
	assert_int_equal(living.flags, 0);
	assert_int_equal(living.book.counts[PAIR_EVENT_ENTER] - living.book.counts[PAIR_EVENT_EXIT], inside);
	assert_in_range(living.book.counts[PAIR_EVENT_ENTER], 4, 100);
	peer_tell("sensor-test", "with the pull: %llu entries, %llu exits, %u inside after 10 s",
	          (unsigned long long)living.book.counts[PAIR_EVENT_ENTER], (unsigned long long)living.book.counts[PAIR_EVENT_EXIT],
	          inside);
	living_finish(&living);
}

/* The visitor goes in, and is destroyed there: its exit is told at the start of the next tick. */
static void
test_sensor_bookend(void **state)
{
	(void)state;
	struct living living;
	peer_live(&living, "sensor-bookend", 0);
	for (int i = 0; i < 30; i++)
		living_step(&living, 1 / 60.0);
	peer_push(&living, 0, 4, 0);
	for (int i = 0; i < 60; i++)
		living_step(&living, 1 / 60.0);
	assert_true(event_book_has(&living.book, 0, 1, CONTACT_CIRCLE, true));
	const struct edit removal = edit_circle_remove(0);
	living_edited(&living, &removal, 1);
	living_step(&living, 1 / 60.0);
	assert_int_equal(living.report.pair_event_count, 1);
	assert_int_equal(living.report.pair_events[0].kind, PAIR_EVENT_EXIT);
	assert_same(living.report.pair_events[0].time, 0);
	assert_false(event_book_has(&living.book, 0, 1, CONTACT_CIRCLE, true));
	living_certify(&living);
	peer_tell("sensor-bookend", "the removed visitor's exit is told at time 0 of the next tick");
	living_finish(&living);
}

/* The pairs that have met, by ids, against the sample's own words. The three small ones always collide, the three large ones
 * never, boxes not with triangles unless both are small. */
static void
test_collision_filtering(void **state)
{
	(void)state;
	struct peer_run peer;
	bool met[6][6] = { 0 };
	size_t pairs = 0;
	peer_start(&peer, "collision-filtering");
	/* Those that may pass through each other overlap. */
	peer_rest(&peer);
	for (size_t i = 0; i < peer.run.contact_count; i++) {
		const struct contact *contact = &peer.run.contacts[i].contact;
		if (contact->other == CONTACT_CIRCLE)
			met[contact->a][contact->b] = true;
	}
	for (uint32_t a = 0; a < 6; a++) {
		for (uint32_t b = a + 1; b < 6; b++) {
			const bool small = b < 3, large = a >= 3, triangle_and_box = (a % 3) + (b % 3) == 1;
			assert_int_equal(met[a][b], small || (!large && !triangle_and_box));
			pairs += met[a][b];
		}
	}
	peer_tell("collision-filtering", "in 60 s %zu of 15 pairs met, those and only those that may", pairs);
	peer_end(&peer);
}

/* A column of three; when player 1 stops seeing team 2, player 2 falls through it to the ground, and player 3 on player 1. */
static void
test_shape_filter(void **state)
{
	(void)state;
	struct living living;
	struct body_state player[3];
	peer_live(&living, "shape-filter", WORLD_EVENTS_TOUCH);
	for (int i = 0; i < 180; i++)
		living_step(&living, 1 / 60.0);
	for (uint32_t i = 0; i < 3; i++) {
		assert_true(peer_find(&living, i, &player[i]));
		assert_double_near(player[i].y, 1 + 2.0 * i, 0.03);
	}
	const struct edit change = edit_circle_change(&(struct circle_def){ .id = 0, .mask = 1 | 8 }, edit_field(DEF_CIRCLE_MASK));
	living_edited(&living, &change, 1);
	for (int i = 0; i < 420; i++)
		living_step(&living, 1 / 60.0);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(peer_find(&living, i, &player[i]));
	assert_double_near(player[0].y, 1, 0.01);
	assert_double_near(player[1].y, 1, 0.01);
	assert_at_most(fabs(player[0].x - player[1].x), 2);
	assert_at_most(2.9, player[2].y);
	living_certify(&living);
	peer_tell("shape-filter", "heights 1, 3, 5; after the change %.3f, %.3f, %.3f", player[0].y, player[1].y, player[2].y);
	living_finish(&living);
}

static void
test_custom_filter(void **state)
{
	(void)state;
	struct peer_run peer;
	size_t same = 0;
	peer_start(&peer, "custom-filter");
	peer_rest(&peer);
	for (size_t i = 0; i < peer.run.contact_count; i++) {
		const struct contact *contact = &peer.run.contacts[i].contact;
		if (contact->other != CONTACT_CIRCLE)
			continue;
		assert_int_equal((contact->a ^ contact->b) & 1, 0);
		same++;
	}
	assert_true(same > 10);
	/* And they have passed through each other: those of one group lie where those of the other are. */
	double nearest = INFINITY;
	for (uint32_t a = 0; a < 10; a += 2)
		for (uint32_t b = 1; b < 10; b += 2)
			nearest = fmin(nearest, hypot(run_body(&peer.run, a).x - run_body(&peer.run, b).x,
			                              run_body(&peer.run, a).y - run_body(&peer.run, b).y));
	assert_at_most(nearest, 1.9);
	peer_tell("custom-filter", "%zu contacts, all among odd or among even ones; odd and even as near as %.3f", same, nearest);
	peer_end(&peer);
}

/* It comes down at 50 m/s and stands on the top; thrown up from below it passes, and then stands on it too. */
static void
test_one_sided_platform(void **state)
{
	(void)state;
	struct living living;
	struct body_state actor;
	double highest = 0;
	peer_live(&living, "one-sided-platform", WORLD_EVENTS_TOUCH);
	for (int i = 0; i < 60; i++)
		living_step(&living, 1 / 60.0);
	assert_true(peer_find(&living, 0, &actor));
	assert_double_near(actor.y, 11, 0.005);
	assert_at_most(fabs(actor.vy), 1e-9);
	const double stood = actor.y;
	const struct edit below = edit_circle_change(&(struct circle_def){ .id = 0, .x = 0, .y = 4, .vx = 0, .vy = 14 },
	                                             edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y) |
	                                                 edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
	living_edited(&living, &below, 1);
	for (int i = 0; i < 300; i++) {
		living_step(&living, 1 / 60.0);
		assert_true(peer_find(&living, 0, &actor));
		highest = fmax(highest, actor.y);
	}
	/* 14 m/s carry it 9.8 m up: nothing was taken from it on its way through the platform. */
	assert_at_most(4 + 9.8 - 10 / (8 * 3600.0) - 1e-7, highest);
	assert_at_most(highest, 4 + 9.8 + 1e-7);
	assert_double_near(actor.y, 11, 0.005);
	living_certify(&living);
	assert_int_equal(living.flags, 0);
	peer_tell("one-sided-platform", "stands at %.6f; from below up to %.6f of 13.8, and stands at %.6f", stood, highest,
	          actor.y);
	living_finish(&living);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sensor_test),        cmocka_unit_test(test_sensor_test_with_its_pull),
		cmocka_unit_test(test_sensor_bookend),     cmocka_unit_test(test_collision_filtering),
		cmocka_unit_test(test_shape_filter),       cmocka_unit_test(test_custom_filter),
		cmocka_unit_test(test_one_sided_platform),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
