/* Movement responses: what contacts of circles that slide or stop do, by hand. */
#include "physics/scenario.h"
#include "physics/scenes.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>

static const double dt = 1.0 / 60;

/* Whatever the materials are, the approach is gone and what goes along the wall stays, to the bit. */
static void
test_slides_along_a_wall(void **state)
{
	(void)state;
	const double speed = 0.1 + 0.2;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.friction_mix = FRICTION_MIX_MAX;
	for (int k = 0; k < 30; k++) /* in one line, drawn both ways */
		scenario_segment(&scenario, k % 2 ? k : k + 1, 0, k % 2 ? k + 1 : k, 0)->friction = 5;
	struct circle_def *ball = scenario_circle(&scenario, 0.5, 1, speed, -1, 0.5);
	ball->response = RESPONSE_SLIDE;
	ball->friction = 5;
	ball->angular_velocity = 3;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 6000);
	/* 100 s: past the corner at its end, where nothing takes hold of it. */
	assert_same(run_body(&run, 0).vx, speed);
	assert_same(run_body(&run, 0).angular_velocity, 3);
	assert_at_most(fabs(run_body(&run, 0).vy), 1e-11);
	assert_at_most(29, run_body(&run, 0).x);
	for (size_t k = 0; k < run.contact_count; k++)
		assert_same(run.contacts[k].contact.friction_impulse, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Around the inside of a polygon of n walls each corner turns the velocity by 360 / n degrees and leaves its part along the
 * next wall: the cosine of that. */
static void
test_slides_around_inner_corners(void **state)
{
	(void)state;
	enum { CORNERS = 24 };
	const double turn = 360 * DEGREE / CORNERS, around = 5;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	for (int k = 0; k < CORNERS; k++)
		scenario_segment(&scenario, around * cos(k * turn), around * sin(k * turn), around * cos((k + 1) * turn),
		                 around * sin((k + 1) * turn));
	const double inner = around * cos(turn / 2) - 0.3, middle = turn / 2;
	scenario_circle(&scenario, inner * cos(middle), inner * sin(middle), -2 * sin(middle), 2 * cos(middle), 0.3 - 1e-6)
		->response = RESPONSE_SLIDE;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 600);
	double speed = 2;
	assert_at_most(4, (double)run.contact_count);
	for (size_t k = 0; k < run.contact_count; k++) {
		speed *= k == 0 && fabs(run.contacts[0].contact.approach_speed) < 0.1 ? 1 : cos(turn);
		assert_double_near(hypot(run.contacts[k].contact.a_after[0], run.contacts[k].contact.a_after[1]), speed, 1e-5);
	}
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Of two circles that slide the part of the relative velocity along the line of the centres ends, the rest stays. */
static void
test_two_that_slide(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	struct circle_def *one = scenario_circle(&scenario, 0, 0, 3, 0, 1);
	one->response = RESPONSE_SLIDE;
	one->mass = 2;
	one->friction = 1;
	struct circle_def *two = scenario_circle(&scenario, 5, 1, -1, 0.5, 1);
	two->mass = 3;
	two->friction = 1;
	run_start(&run, &scenario);
	run_ticks(&run, 2, 1);
	const struct contact *c = &run.contacts[0].contact;
	const double nx = c->normal[0], ny = c->normal[1], impulse = -(4 * nx - 0.5 * ny) / (1 / 2.0 + 1 / 3.0);
	assert_double_near(c->impulse, impulse, 1e-14);
	assert_double_near(c->a_after[0], 3 + impulse * nx / 2, 1e-14);
	assert_double_near(c->a_after[1], impulse * ny / 2, 1e-14);
	assert_double_near(c->b_after[0], -1 - impulse * nx / 3, 1e-14);
	assert_double_near(c->b_after[1], 0.5 - impulse * ny / 3, 1e-14);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* (m1 v1 + m2 v2) / (m1 + m2) for both, and the energy of the relative movement is lost: m1 m2 / (m1 + m2) |v1 - v2|^2 / 2. */
static void
test_stop_gives_the_common_velocity(void **state)
{
	(void)state;
	uint64_t random = 3;
	for (int k = 0; k < 500; k++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		for (int i = 0; i < 2; i++) {
			struct circle_def *ball = scenario_circle(&scenario, 4 * i, random_between(&random, -0.6, 0.6),
			                                          (1 - 2 * i) * random_between(&random, 1, 5),
			                                          random_between(&random, -1, 1), random_between(&random, 0.5, 1));
			ball->mass = pow(10, random_between(&random, -2, 2));
			ball->angular_velocity = random_between(&random, -5, 5);
			ball->friction = random_between(&random, 0, 1);
			ball->response = i == k % 2 ? RESPONSE_STOP : (enum movement_response)(k % 3);
		}
		const struct circle_def *a = &scenario.circles[0], *b = &scenario.circles[1];
		const double m = a->mass + b->mass, vx = (a->mass * a->vx + b->mass * b->vx) / m,
					 vy = (a->mass * a->vy + b->mass * b->vy) / m;
		run_start(&run, &scenario);
		run_ticks(&run, 1.5, 1);
		if (run.contact_count > 0) {
			const double w = hypot(a->vx - b->vx, a->vy - b->vy);
			for (uint32_t i = 0; i < 2; i++) {
				assert_double_near(run_body(&run, i).vx, vx, 1e-13);
				assert_double_near(run_body(&run, i).vy, vy, 1e-13);
				assert_same(run_body(&run, i).angular_velocity, scenario.circles[i].angular_velocity);
			}
			assert_double_near(run.report.energy.contact, -a->mass * b->mass / m * w * w / 2, 1e-12 * m * w * w);
			assert_int_equal(run.contact_count, 1);
		}
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Walls: it has their surface's velocity at once. */
static void
test_stop_at_walls_and_belts(void **state)
{
	(void)state;
	for (int k = 0; k < 6; k++) {
		const double belt = k % 2 ? 1.5 : 0, slope = (k / 2) * 35 * DEGREE;
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario_segment(&scenario, -9 * cos(slope), -9 * sin(slope), 9 * cos(slope), 9 * sin(slope))->surface_speed = belt;
		struct circle_def *ball = scenario_circle(&scenario, 0, 2, 3, -4, 0.5);
		ball->response = RESPONSE_STOP;
		ball->angular_velocity = 2;
		ball->surface_speed = 7;
		run_start(&run, &scenario);
		run_ticks(&run, 1, 2);
		assert_double_near(run_body(&run, 0).vx, belt * cos(slope), 1e-14);
		assert_double_near(run_body(&run, 0).vy, belt * sin(slope), 1e-14);
		assert_same(run_body(&run, 0).angular_velocity, 2);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Under gravity it holds wherever it is pressed: on a slope, on a belt, on a platform that moves. */
static void
test_stop_holds_where_it_is_pressed(void **state)
{
	(void)state;
	for (int k = 0; k < 3; k++) {
		const double slope = k == 0 ? 40 * DEGREE : 0;
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		if (k < 2)
			scenario_segment(&scenario, -90 * cos(slope), -90 * sin(slope), 90 * cos(slope), 90 * sin(slope))->surface_speed =
				k == 1 ? 2 : 0;
		struct circle_def *ball = scenario_circle(&scenario, 0, 1, 1, 0, 0.5);
		ball->response = RESPONSE_STOP;
		if (k == 2) {
			struct circle_def *platform = scenario_circle(&scenario, 0, -2, 0.75, 0, 2);
			platform->kind = BODY_KINEMATIC;
			platform->angular_velocity = 4;
		}
		run_start(&run, &scenario);
		run_ticks(&run, dt, 60);
		const double x = run_body(&run, 0).x, y = run_body(&run, 0).y;
		run_ticks(&run, dt, 60);
		const double goes = k == 0 ? 0 : k == 1 ? 2 : 0.75;
		assert_double_near(run_body(&run, 0).vx, goes, 1e-9);
		assert_double_near(run_body(&run, 0).x - x, goes, 1e-6);
		assert_double_near(run_body(&run, 0).y - y, 0, 1e-6);
		assert_double_near(run_body(&run, 0).angular_velocity, 0, 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Along a wall that nothing presses it to it falls freely; and from a ceiling. */
static void
test_stop_falls_where_nothing_presses_it(void **state)
{
	(void)state;
	for (int ceiling = 0; ceiling < 2; ceiling++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario_segment(&scenario, ceiling ? -50 : 2, ceiling ? 2 : -500, ceiling ? 50 : 2, ceiling ? 2 : 500);
		scenario_circle(&scenario, 0, 0, ceiling ? 1 : 2, ceiling ? 9 : 3, 0.5)->response = RESPONSE_STOP;
		run_start(&run, &scenario);
		run_ticks(&run, dt, 120);
		assert_int_equal(run.contact_count, 1);
		const double hit = run.contacts[0].contact.time + dt * (double)(run.contacts[0].tick - 1);
		assert_double_near(run_body(&run, 0).vy, -10 * (2 - hit), 1e-9);
		assert_double_near(run_body(&run, 0).vx, 0, 1e-12);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* What comes no nearer than rounding does not touch: it passes along the wall, and the certificate agrees. */
static void
test_stop_is_not_made_by_rounding(void **state)
{
	(void)state;
	for (int power = 0; power < 60; power += 3) {
		struct scenario scenario;
		struct run run;
		const double approach = pow(2, -power);
		scenario_init(&scenario);
		scenario_segment(&scenario, -10, 0, 10, 0);
		scenario_circle(&scenario, 0, 0.5, 1, -approach, 0.5)->response = RESPONSE_STOP;
		run_start(&run, &scenario);
		run_ticks(&run, dt, 1);
		assert_same(run_body(&run, 0).vx, approach > 0x1p-43 ? 0 : 1);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Many that stop meet at once and one after the other: their momentum stays, and no spin changes. */
static void
test_stops_in_clusters_keep_momentum(void **state)
{
	(void)state;
	uint64_t random = 21;
	for (int heap = 0; heap < 200; heap++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		double px = 0, py = 0, most = 0;
		for (int k = 0; k < 9; k++) {
			struct circle_def *ball = scenario_circle(&scenario, 2.0 * (k % 3) - 2, 2.0 * (k / 3) - 2,
			                                          random_between(&random, -2, 2) - (k % 3 - 1),
			                                          random_between(&random, -2, 2) - (k / 3 - 1), heap % 2 ? 1 - 1e-8 : 0.8);
			ball->mass = random_between(&random, 0.2, 5);
			ball->angular_velocity = k;
			ball->response = heap % 3 == 0 && k % 2 ? RESPONSE_SLIDE : RESPONSE_STOP;
			px += ball->mass * ball->vx;
			py += ball->mass * ball->vy;
			most += ball->mass * (fabs(ball->vx) + fabs(ball->vy));
		}
		run_start(&run, &scenario);
		run_ticks(&run, 0.125, 12);
		double qx = 0, qy = 0;
		for (uint32_t k = 0; k < 9; k++) {
			const struct body_state ball = run_body(&run, k);
			qx += ball.mass * ball.vx;
			qy += ball.mass * ball.vy;
			/* The resting solver has spins as speeds of rims, and back. */
			assert_double_near(ball.angular_velocity, k, 1e-13 * k);
		}
		assert_double_near(qx, px, 1e-12 * most);
		assert_double_near(qy, py, 1e-12 * most);
		assert_at_most(run.report.energy.kinetic_after, run.report.energy.kinetic_before * (1 + 1e-12));
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* It does not hit again and again: once on the floor, it lies there. */
static void
test_stop_is_one_contact(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_segment(&scenario, -9, 0, 9, 0);
	scenario_circle(&scenario, 0, 3, 1, 0, 0.5)->response = RESPONSE_STOP;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 300);
	assert_at_most((double)run.contact_count, 2);
	assert_double_near(run_body(&run, 0).vx, 0, 1e-12);
	assert_double_near(run_body(&run, 0).y, 0.5, 0.006);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Crowds of all three in a box under gravity, certified; and the order in which they are given means nothing. */
static void
test_crowds_of_all_responses(void **state)
{
	(void)state;
	for (int k = 0; k < (int)effort(1, 6); k++) {
		uint64_t hashes[2];
		for (int backwards = 0; backwards < 2; backwards++) {
			struct scenario scenario;
			struct run run;
			scenario_init(&scenario);
			scene_pile(&scenario, 36, 6, k % 2 ? 0.5 : 0, 0.6, (uint64_t)k);
			for (size_t i = 0; i < scenario.circle_count; i++)
				scenario.circles[i].response = (enum movement_response)((i + (size_t)k) % 3);
			for (size_t i = 0; backwards && i < scenario.circle_count / 2; i++) {
				const struct circle_def swap = scenario.circles[i];
				scenario.circles[i] = scenario.circles[scenario.circle_count - 1 - i];
				scenario.circles[scenario.circle_count - 1 - i] = swap;
			}
			run_start(&run, &scenario);
			run_ticks(&run, dt, effort(120, 240));
			hashes[backwards] = world_hash(run.world);
			run_finish(&run);
			scenario_finish(&scenario);
		}
		assert_true(hashes[0] == hashes[1]);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slides_along_a_wall),
		cmocka_unit_test(test_slides_around_inner_corners),
		cmocka_unit_test(test_two_that_slide),
		cmocka_unit_test(test_stop_gives_the_common_velocity),
		cmocka_unit_test(test_stop_at_walls_and_belts),
		cmocka_unit_test(test_stop_holds_where_it_is_pressed),
		cmocka_unit_test(test_stop_falls_where_nothing_presses_it),
		cmocka_unit_test(test_stop_is_not_made_by_rounding),
		long_case(test_stops_in_clusters_keep_momentum),
		cmocka_unit_test(test_stop_is_one_contact),
		cmocka_unit_test(test_crowds_of_all_responses),
	};
	return cmocka_run_group_tests_name("physics/responses", tests, NULL, NULL);
}
