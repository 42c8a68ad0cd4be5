/* The published methods of response: move collision with weights, bounce collision with elasticity, elastic impact with masses.
 */
#include "physics/respond.h"
#include "support/assert_double.h"
#include "support/random.h"

#include <math.h>

static const struct tolerance exact = { 0 };
static const double forever = (double)INFINITY;

static struct shape_distance
circles(double distance)
{
	struct disc a = { .x = 0, .radius = 1 }, b = { .x = distance, .radius = 1 };

	return distance_circles(&a, &b, &exact);
}

static struct push_out
pushed(struct shape_distance c, double weight_a, double weight_b)
{
	struct push_out out;

	assert_int_equal(respond_push_out(&c, weight_a, weight_b, &out), STATUS_OK);
	return out;
}

static void
test_flatredball_move_collision_with_weights(void **state)
{
	(void)state;
	struct push_out p = pushed(circles(1), 1, 1);

	assert_true(p.pushed);
	assert_double_same_bits(p.a_move[0], -0.5);
	assert_double_same_bits(p.b_move[0], 0.5);
	p = pushed(circles(1), 3, 1); /* the heavier gives way less */
	assert_double_same_bits(p.a_move[0], -0.25);
	assert_double_same_bits(p.b_move[0], 0.75);
	p = pushed(circles(1), 0, 5); /* weight 0 yields completely */
	assert_double_same_bits(p.a_move[0], -1.0);
	assert_double_same_bits(p.b_move[0], 0.0);
	p = pushed(circles(1), 5, forever); /* against what never yields */
	assert_double_same_bits(p.a_move[0], -1.0);
	assert_double_same_bits(p.b_move[0], 0.0);
	p = pushed(circles(1), forever, 0);
	assert_double_same_bits(p.a_move[0], 0.0);
	assert_double_same_bits(p.b_move[0], 1.0);
}

static void
test_flatredball_move_collision_refuses(void **state)
{
	(void)state;
	struct shape_distance c = circles(1);
	struct push_out out;

	assert_int_equal(respond_push_out(&c, 0, 0, &out), STATUS_INVALID_ARGUMENT);
	assert_int_equal(respond_push_out(&c, forever, forever, &out), STATUS_INVALID_ARGUMENT);
	assert_int_equal(respond_push_out(&c, -1, 1, &out), STATUS_INVALID_ARGUMENT);
	assert_int_equal(respond_push_out(&c, 1, (double)NAN, &out), STATUS_INVALID_ARGUMENT);
	c = circles(5); /* also where nothing would be moved */
	assert_int_equal(respond_push_out(&c, 0, 0, &out), STATUS_INVALID_ARGUMENT);
}

static void
test_flatredball_move_collision_leaves_what_does_not_overlap(void **state)
{
	(void)state;
	assert_false(pushed(circles(2), 1, 1).pushed);
	assert_false(pushed(circles(3), 1, 1).pushed);
	assert_double_same_bits(pushed(circles(3), 1, 1).a_move[0], 0.0);
}

static void
test_flatredball_move_collision_of_concentric_circles(void **state)
{
	(void)state;
	struct push_out p = pushed(circles(0), 1, 1);

	assert_double_same_bits(p.a_move[0], 1.0);
	assert_double_same_bits(p.b_move[0], -1.0);
	assert_double_same_bits(p.a_move[1], 0.0);
}

static void
test_flatredball_move_collision_ends_touching(void **state)
{
	(void)state;
	uint64_t random = 3;

	for (int i = 0; i < 20000; i++) {
		struct disc a = { .x = random_between(&random, -1, 1), .y = random_between(&random, -1, 1), .radius = 1 };
		struct disc b = { .x = random_between(&random, -1, 1), .y = random_between(&random, -1, 1), .radius = 2 };
		struct wall wall = { b.x, b.y, 4, 5, 0, false, 0, 0 };
		struct push_out p = pushed(distance_circles(&a, &b, &exact), random_between(&random, 0, 3), 1);
		struct shape_distance c;

		assert_true(p.pushed);
		a.x += p.a_move[0];
		a.y += p.a_move[1];
		b.x += p.b_move[0];
		b.y += p.b_move[1];
		assert_int_equal(distance_circles(&a, &b, &exact).relation, RELATION_TOUCHING);
		assert_int_equal(distance_segment(&a, &wall, READING_FILLED, &exact, &c), STATUS_OK);
		p = pushed(c, 1, forever);
		a.x += p.a_move[0];
		a.y += p.a_move[1];
		assert_int_equal(distance_segment(&a, &wall, READING_FILLED, &exact, &c), STATUS_OK);
		assert_true(c.gap >= -1e-14); /* pushed off the face it may be, and clear of an end */
	}
}

static struct bounce
bounced(struct shape_distance c, double va, double vb, double mass_a, double mass_b, double elasticity)
{
	const double a[2] = { va, 7 }, b[2] = { vb, -7 }, mass[2] = { mass_a, mass_b };
	struct bounce out;

	assert_int_equal(respond_bounce(&c, a, b, mass, elasticity, &out), STATUS_OK);
	assert_double_same_bits(out.a_velocity[1], 7.0); /* what is across the normal stays */
	assert_double_same_bits(out.b_velocity[1], -7.0);
	return out;
}

static void
test_flatredball_bounce_collision_both_move(void **state)
{
	(void)state;
	/* v1 = 1, v2 = 0: one of the texts makes 2, -1 of it. */
	struct bounce b = bounced(circles(2), 1, 0, 1, 1, 1);

	assert_int_equal(b.outcome, BOUNCE_DONE);
	assert_double_same_bits(b.a_velocity[0], 0.0);
	assert_double_same_bits(b.b_velocity[0], 1.0);
	assert_double_same_bits(b.impulse, 1.0);
	assert_double_same_bits(b.approach_speed, 1.0);
	b = bounced(circles(2), 3, 0, 2, 1, 1); /* masses 2 : 1 */
	assert_double_near(b.a_velocity[0], 1.0, 1e-15);
	assert_double_near(b.b_velocity[0], 4.0, 1e-15);
	b = bounced(circles(2), 1, -1, 1, 1, 0.5);
	assert_double_same_bits(b.a_velocity[0], -0.5);
	assert_double_same_bits(b.b_velocity[0], 0.5);
	b = bounced(circles(1.5), 4, 0, 1, 3, 0); /* overlapping, without elasticity: together at 1 */
	assert_double_same_bits(b.a_velocity[0], 1.0);
	assert_double_same_bits(b.b_velocity[0], 1.0);
}

static void
test_flatredball_bounce_collision_one_moves(void **state)
{
	(void)state;
	struct bounce b = bounced(circles(2), 3, 0, 1, forever, 1);

	assert_double_same_bits(b.a_velocity[0], -3.0);
	assert_double_same_bits(b.b_velocity[0], 0.0);
	assert_double_same_bits(b.impulse, 6.0);
	b = bounced(circles(2), 0, -2, forever, 1, 0.5); /* b comes from the right */
	assert_double_same_bits(b.a_velocity[0], 0.0);
	assert_double_same_bits(b.b_velocity[0], 1.0);
	b = bounced(circles(2), 1, -2, 1, forever, 1); /* against a wall that comes nearer itself */
	assert_double_same_bits(b.a_velocity[0], -5.0);
}

static void
test_flatredball_bounce_collision_checks_for_approach(void **state)
{
	(void)state;
	struct bounce b = bounced(circles(1.5), -1, 1, 1, 1, 1);

	assert_int_equal(b.outcome, BOUNCE_RECEDING);
	assert_double_same_bits(b.a_velocity[0], -1.0);
	assert_double_same_bits(b.b_velocity[0], 1.0);
	assert_double_same_bits(b.impulse, 0.0);
	assert_double_same_bits(b.approach_speed, -2.0);
	assert_int_equal(bounced(circles(2), 4, 4, 1, 1, 1).outcome, BOUNCE_RECEDING); /* side by side */
	assert_int_equal(bounced(circles(3), 1, 0, 1, 1, 1).outcome, BOUNCE_APART);
	/* Bounced once, it is left alone. */
	b = bounced(circles(1.5), 2, -1, 1, 5, 0.7);
	assert_int_equal(bounced(circles(1.5), b.a_velocity[0], b.b_velocity[0], 1, 5, 0.7).outcome, BOUNCE_RECEDING);
}

static void
test_flatredball_bounce_collision_refuses(void **state)
{
	(void)state;
	struct shape_distance c = circles(2);
	const double v[2] = { 0, 0 };
	struct bounce out;

	assert_int_equal(respond_bounce(&c, v, v, (double[]){ forever, forever }, 1, &out), STATUS_INVALID_ARGUMENT);
	assert_int_equal(respond_bounce(&c, v, v, (double[]){ 0, 1 }, 1, &out), STATUS_INVALID_ARGUMENT);
	assert_int_equal(respond_bounce(&c, v, v, (double[]){ 1, -1 }, 1, &out), STATUS_INVALID_ARGUMENT);
	assert_int_equal(respond_bounce(&c, v, v, (double[]){ 1, 1 }, 1.5, &out), STATUS_INVALID_ARGUMENT);
	assert_int_equal(respond_bounce(&c, v, v, (double[]){ 1, 1 }, -0.5, &out), STATUS_INVALID_ARGUMENT);
}

static void
test_pool_hall_lessons_elastic_response_with_masses(void **state)
{
	(void)state;
	uint64_t random = 11;

	for (int i = 0; i < 20000; i++) {
		struct disc a = { .x = random_between(&random, -1, 1), .y = random_between(&random, -1, 1), .radius = 1 };
		struct disc b = { .x = random_between(&random, -1, 1), .y = random_between(&random, -1, 1), .radius = 2 };
		struct shape_distance c = distance_circles(&a, &b, &exact);
		const double va[2] = { random_between(&random, -5, 5), random_between(&random, -5, 5) };
		const double vb[2] = { random_between(&random, -5, 5), random_between(&random, -5, 5) };
		const double mass[2] = { random_between(&random, 0.1, 9), random_between(&random, 0.1, 9) };
		double before = 0, after = 0;
		struct bounce out;

		assert_int_equal(respond_bounce(&c, va, vb, mass, 1, &out), STATUS_OK);
		for (int k = 0; k < 2; k++) {
			assert_double_near(mass[0] * out.a_velocity[k] + mass[1] * out.b_velocity[k], mass[0] * va[k] + mass[1] * vb[k],
			                   1e-12);
			before += mass[0] * va[k] * va[k] + mass[1] * vb[k] * vb[k];
			after += mass[0] * out.a_velocity[k] * out.a_velocity[k] + mass[1] * out.b_velocity[k] * out.b_velocity[k];
		}
		assert_double_near(after, before, before * 1e-13);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flatredball_move_collision_with_weights),
		cmocka_unit_test(test_flatredball_move_collision_refuses),
		cmocka_unit_test(test_flatredball_move_collision_leaves_what_does_not_overlap),
		cmocka_unit_test(test_flatredball_move_collision_of_concentric_circles),
		cmocka_unit_test(test_flatredball_move_collision_ends_touching),
		cmocka_unit_test(test_flatredball_bounce_collision_both_move),
		cmocka_unit_test(test_flatredball_bounce_collision_one_moves),
		cmocka_unit_test(test_flatredball_bounce_collision_checks_for_approach),
		cmocka_unit_test(test_flatredball_bounce_collision_refuses),
		cmocka_unit_test(test_pool_hall_lessons_elastic_response_with_masses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
