/* Rapier's examples with balls. */
#include "physics/peers/peers.h"

#include "physics/space.h"

#include <math.h>

/* Its columns are unstable: with no two numbers different they stand, each ball above the one below. */
static void
test_balls(void **state)
{
	(void)state;
	struct peer_run peer;
	double drift = 0, sunk = 0;
	peer_start(&peer, "rapier-balls");
	peer_rest(&peer);
	for (size_t i = 0; i < world_body_count(peer.run.world); i++) {
		const struct body_state body = world_body(peer.run.world, i);
		drift = fmax(drift, fabs(body.x - peer.scenario.circles[i].x));
		sunk = fmax(sunk, peer.scenario.circles[i].y - body.y);
	}
	assert_at_most(sunk, 1e-6);
	peer_tell("rapier-balls", "%zu balls, moved aside by at most %.1e, none lower than %.1e below its place, fastest %.1e",
	          world_body_count(peer.run.world), drift, sunk, peer_speed(&peer));
	peer_end(&peer);
}

/* The rebound of each from the floor: the square root of its restitution. */
static void
test_restitution(void **state)
{
	(void)state;
	struct peer_run peer;
	bool seen[22] = { 0 };
	double worst = 0;
	peer_start(&peer, "rapier-restitution");
	peer_rest(&peer);
	for (size_t i = 0; i < peer.run.contact_count; i++) {
		const struct contact *contact = &peer.run.contacts[i].contact;
		if (seen[contact->a])
			continue;
		seen[contact->a] = true;
		const double e = sqrt(contact->a % 11 / 10.0);
		assert_double_near(contact->a_after[1], -e * contact->a_before[1], 1e-12 * 20);
		worst = fmax(worst, fabs(contact->a_after[1] / contact->a_before[1] + e));
	}
	for (int i = 0; i < 22; i++)
		assert_true(seen[i]);
	peer_tell("rapier-restitution", "22 rebounds from the floor, sqrt(e) to %.1e", worst);
	peer_end(&peer);
}

/* v_n = v_0 / (1 + dt damping)^n, for both movement and spin. */
static void
test_damping(void **state)
{
	(void)state;
	struct peer_run peer;
	double worst = 0;
	peer_start(&peer, "rapier-damping");
	/* Until the fastest of them could meet another one: they fly apart, so never. */
	peer_rest(&peer);
	for (uint32_t i = 0; i < 10; i++) {
		const struct body_state body = run_body(&peer.run, i);
		const double n = (double)peer.scene->ticks;
		const double v = 10 * pow(1 + (i + 1) / 60.0, -n), w = 100 * pow(1 + (10 - i) / 60.0, -n);
		assert_double_near(hypot(body.vx, body.vy), v, 1e-12 * v);
		assert_double_near(body.angular_velocity, w, 1e-12 * w);
		worst = fmax(worst, fmax(fabs(hypot(body.vx, body.vy) / v - 1), fabs(body.angular_velocity / w - 1)));
	}
	assert_int_equal(peer.run.contact_count, 0);
	peer_tell("rapier-damping", "ten pairs of dampings over 300 ticks, the formula to %.1e", worst);
	peer_end(&peer);
}

/* Green ones fall through the blue floor onto the green one, in columns, and none meets the other colour. */
static void
test_groups(void **state)
{
	(void)state;
	struct peer_run peer;
	size_t on[2] = { 0 };
	peer_start(&peer, "rapier-groups");
	peer_rest(&peer);
	for (size_t i = 0; i < peer.run.contact_count; i++) {
		const struct contact *contact = &peer.run.contacts[i].contact;
		const uint32_t colour = peer.scenario.circles[contact->a].category;
		const uint32_t other = contact->other == CONTACT_SEGMENT ? peer.scenario.segments[contact->b].mask
		                                                         : peer.scenario.circles[contact->b].category;
		assert_true(colour & other);
	}
	/* The four of each column stand on their own floor, with its top at 1.1 or 2.1, and on each other. */
	for (size_t i = 0; i < 32; i++) {
		const struct body_state body = world_body(peer.run.world, i);
		const uint32_t colour = peer.scenario.circles[i].category;
		/* Apart by up to a cushion, a hundredth of the radius, and a skin. */
		assert_double_near(body.y, colour + 0.2 + 0.2 * (double)(i / 8), 0.0010001 * (double)(i / 8 + 1));
		on[colour - 1]++;
	}
	assert_true(on[0] == 16 && on[1] == 16);
	peer_tell("rapier-groups", "%zu green ones on the green floor, %zu blue ones on the blue one, no contact of two colours",
	          on[0], on[1]);
	peer_end(&peer);
}

/* Round and round at most eight of them. Down onto the upper belt, to the left off its end, up under the lower one, to the
 * right off its end, and so on. */
static void
test_one_way(void **state)
{
	(void)state;
	struct living living;
	uint32_t count = 0;
	uint8_t side[8] = { 0 };
	uint32_t changes = 0;
	double carried = NAN;
	const uint64_t ticks = peer_scene("rapier-one-way")->ticks;
	peer_live(&living, "rapier-one-way", 0);
	for (uint64_t tick = 0; tick < ticks; tick++) {
		if (tick % 50 == 0 && count < 8) {
			struct circle_def body = circle_def_default();
			body.id = count++;
			body.x = 20;
			body.y = 10;
			body.radius = 1.5;
			body.mass = 12;
			body.moment_of_inertia = 1e30;
			body.restitution = 0;
			body.friction = 0.5;
			const struct edit spawn = edit_circle_spawn(&body);
			living_edited(&living, &spawn, 1);
		}
		for (uint32_t i = 0; i < count; i++) {
			struct body_state body;
			assert_true(peer_find(&living, i, &body));
			const uint8_t now = body.y > 1 ? 1 : body.y < -1 ? 2 : side[i];
			if (now != side[i]) {
				struct circle_def turned = { .id = i, .gravity_scale = now == 1 ? 1 : -1 };
				const struct edit turn = edit_circle_change(&turned, edit_field(DEF_CIRCLE_GRAVITY_SCALE));
				living_edited(&living, &turn, 1);
				changes += side[i] != 0;
				side[i] = now;
			}
		}
		living_step(&living, 1 / 60.0);
		/* The first one, before any other can meet it, in the middle of its ride: at the belt's speed. */
		struct body_state first;
		assert_true(peer_find(&living, 0, &first));
		if (isnan(carried) && first.x < 8 && first.y > 3.5)
			carried = first.vx;
	}
	living_certify(&living);
	assert_int_equal(living.flags, 0);
	assert_double_near(carried, -12, 1e-9);
	/* All have been carried off the upper belt at least. */
	assert_true(changes >= 8);
	peer_tell("rapier-one-way", "carried off at %.9f m/s; 8 bodies went %u times from one belt's side to the other's", carried,
	          changes);
	living_finish(&living);
}

/* None goes through a wall at 100 m/s, and what passes the thin sensor is told to. */
static void
test_ccd(void **state)
{
	(void)state;
	struct peer_run peer;
	bool told[36] = { 0 };
	size_t entered = 0;
	peer_start(&peer, "rapier-ccd");
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		double before[36];
		for (size_t i = 0; i < 36; i++)
			before[i] = world_body(peer.run.world, i).x;
		peer_ticks(&peer, 1);
		for (size_t i = 0; i < peer.run.report.pair_event_count; i++)
			if (peer.run.report.pair_events[i].kind == PAIR_EVENT_ENTER)
				told[peer.run.report.pair_events[i].a] = true;
		for (size_t i = 0; i < 36; i++) {
			const struct body_state body = world_body(peer.run.world, i);
			if ((before[i] - 2.5) * (body.x - 2.5) < 0)
				assert_true(told[i]);
			assert_true(body.x > -3 && body.x < 6 && body.y > 0);
		}
	}
	for (size_t i = 0; i < 36; i++)
		entered += told[i];
	assert_true(entered >= 30);
	peer_tell("rapier-ccd", "36 at 100 m/s, none outside; %zu passed the sensor, all told", entered);
	peer_end(&peer);
}

static void
test_polyline(void **state)
{
	(void)state;
	struct peer_run peer;
	peer_start(&peer, "rapier-polyline");
	run_ticks_unlogged(&peer.run, peer.scene->dt, peer.scene->ticks);
	assert_at_most(run_overlap(&peer.run, &peer.scenario), 0);
	for (size_t i = 0; i < 400; i++) {
		const struct body_state body = world_body(peer.run.world, i);
		assert_true(fabs(body.x) < 25);
		assert_true(body.y > 2 * cos(body.x + 25));
	}
	peer_tell("rapier-polyline", "400 balls, all above the line and within it, overlap 0; fastest %.2g m/s", peer_speed(&peer));
	peer_end(&peer);
}

/* As many as there, and the scene is refused with its reason; half as many, and what is left of overlap is told until there is
 * none. */
static void
test_overlap(void **state)
{
	(void)state;
	struct peer_run peer;
	struct scenario hundred;
	struct def_problem problem;
	struct world *world;
	scenario_init(&hundred);
	for (int i = 0; i < 100; i++)
		scenario_circle(&hundred, 0, 0, 0, 0, 0.5);
	assert_int_equal(world_create(scenario_def(&hundred), &problem, &world), STATUS_RESOURCE_EXHAUSTED);
	scenario_finish(&hundred);

	uint64_t told = 0, last_told = 0;
	peer_start(&peer, "rapier-overlap");
	for (uint64_t tick = 0; tick < peer.scene->ticks; tick++) {
		peer_ticks(&peer, 1);
		if (peer.run.shortfall_count > told)
			last_told = tick + 1;
		told = peer.run.shortfall_count;
	}
	assert_at_most(run_overlap(&peer.run, &peer.scenario), 0);
	assert_true(last_told < peer.scene->ticks);
	peer_tell("rapier-overlap", "100 at one place are refused; 50 are apart after %llu ticks, fastest %.2g",
	          (unsigned long long)last_told, peer_speed(&peer));
	peer.pairwise = false;
	peer_end_told(&peer, BODY_FLAG_INITIAL_OVERLAP);
}

/* The question of each tick, along the example's circle: what it names must overlap, as by hand; and it names what overlaps. */
static void
test_intersection(void **state)
{
	(void)state;
	struct scenario scenario;
	struct def_problem problem;
	struct space *space;
	struct space_hits hits = { 0 };
	const struct space_filter filter = space_filter_default();
	const struct tolerance none = { 0 };
	size_t found = 0;
	scenario_init(&scenario);
	peer_scene("rapier-intersection")->build(&scenario);
	assert_int_equal(space_create(scenario_def(&scenario), &problem, &space), STATUS_OK);
	for (int tick = 0; tick < 600; tick++) {
		const struct space_circle asked = { .x = 10 * cos(tick / 3.0), .y = 10 * sin(tick / 3.0), .radius = 0.5 };
		size_t expected = 0;
		for (size_t i = 0; i < scenario.circle_count; i++)
			expected += hypot(scenario.circles[i].x - asked.x, scenario.circles[i].y - asked.y) <= 1.5;
		assert_int_equal(space_overlap_circle(space, &asked, &none, &filter, SIZE_MAX, &hits), STATUS_OK);
		assert_int_equal(hits.count, expected);
		found += expected;
	}
	peer_tell("rapier-intersection", "600 questions to 10,000 balls, %zu answers, those of asking each", found);
	space_hits_finish(&hits);
	space_destroy(space);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_balls),    cmocka_unit_test(test_restitution), cmocka_unit_test(test_damping),
		cmocka_unit_test(test_groups),   cmocka_unit_test(test_one_way),     cmocka_unit_test(test_ccd),
		cmocka_unit_test(test_polyline), cmocka_unit_test(test_overlap),     cmocka_unit_test(test_intersection),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
