/* The published methods of detection, each by its name: what they promise, and what their texts get wrong. */
#include "physics/detect.h"
#include "support/assert_double.h"
#include "support/random.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

enum { QUERIES = 20000 };
static const struct tolerance exact = { 0 };

static struct disc
disc(double x, double y, double radius)
{
	return (struct disc){ .x = x, .y = y, .radius = radius };
}

static struct disc
moving(double x, double y, double radius, double vx, double vy)
{
	return (struct disc){ .x = x, .y = y, .radius = radius, .vx = vx, .vy = vy };
}

static struct shape_distance
circles(struct disc a, struct disc b)
{
	return distance_circles(&a, &b, &exact);
}

static struct shape_distance
line(struct disc a, struct wall wall)
{
	struct shape_distance out;

	assert_int_equal(distance_line(&a, &wall, &exact, &out), STATUS_OK);
	return out;
}

static struct shape_distance
segment(struct disc a, struct wall wall, enum reading reading)
{
	struct shape_distance out;

	assert_int_equal(distance_segment(&a, &wall, reading, &exact, &out), STATUS_OK);
	return out;
}

static struct sweep
swept(struct disc a, struct disc b, double duration)
{
	return sweep_circles(&a, &b, 0.0, duration);
}

static struct sweep
swept_segment(struct disc a, struct wall wall, enum reading reading, double duration)
{
	struct sweep out;

	assert_int_equal(sweep_segment(&a, &wall, reading, 0.0, duration, &out), STATUS_OK);
	return out;
}

static void
test_radius_hit_test_none_touching_overlapping(void **state)
{
	(void)state;
	assert_int_equal(circles(disc(0, 0, 1), disc(3, 0, 1)).relation, RELATION_NONE);
	assert_int_equal(circles(disc(0, 0, 1), disc(2, 0, 1)).relation, RELATION_TOUCHING);
	assert_int_equal(circles(disc(0, 0, 1), disc(1.5, 0, 1)).relation, RELATION_OVERLAPPING);

	struct shape_distance c = circles(disc(3, 4, 1), disc(0, 0, 2));

	assert_double_same_bits(c.gap, 2.0);
	assert_double_near(c.normal[0], 0.6, 1e-16);
	assert_double_near(c.normal[1], 0.8, 1e-16);
	assert_double_near(c.a_point[0], 2.4, 1e-15);
	assert_double_near(c.a_point[1], 3.2, 1e-15);
	assert_double_near(c.b_point[0], 1.2, 1e-15);
	assert_double_near(c.b_point[1], 1.6, 1e-15);
}

/* One of the texts compares squares with an absolute 1e-14, below an ulp at ordinary sizes. */
static void
test_radius_hit_test_tolerance_at_any_scale(void **state)
{
	(void)state;
	/* As far as squares and what is lost of them are doubles; requests are held to 1e-9..1e12. */
	for (int k = -450; k <= 500; k++) {
		double s = ldexp(1.0, k);

		/* 0.1 + 0.2 is not 0.3, and touches all the same. */
		assert_int_equal(circles(disc(0, 0, 0.1 * s), disc(0.3 * s, 0, 0.2 * s)).relation, RELATION_TOUCHING);
		assert_int_equal(circles(disc(0, 0, 0.1 * s), disc(0.3 * s * (1 + 1e-14), 0, 0.2 * s)).relation, RELATION_NONE);
		assert_int_equal(circles(disc(0, 0, 0.1 * s), disc(0.3 * s * (1 - 1e-14), 0, 0.2 * s)).relation, RELATION_OVERLAPPING);
		/* Pythagorean ties are exact. */
		assert_double_same_bits(circles(disc(0, 0, 2 * s), disc(3 * s, 4 * s, 3 * s)).gap, 0.0);
	}
}

/* A wall's height is a product of two lengths, and compared with products of four. */
static void
test_line_and_segment_and_circle_tolerance_at_any_scale(void **state)
{
	(void)state;
	for (int k = -220; k <= 240; k++) {
		double s = ldexp(1.0, k);
		const struct wall face = { -s, 0.3 * s, s, 0.3 * s, 0, false, 0, 0 }, end = { 0.3 * s, 0, s, 0, 0, false, 0, 0 };

		for (int part = -1; part <= 1; part++) {
			struct disc a = disc(0, 0, (0.1 + 0.2) * s * (1 - part * 1e-14));
			enum relation expected = part < 0 ? RELATION_OVERLAPPING : part > 0 ? RELATION_NONE : RELATION_TOUCHING;

			assert_int_equal(line(a, face).relation, expected);
			assert_int_equal(segment(a, face, READING_FILLED).relation, expected);
			assert_int_equal(segment(a, end, READING_FILLED).relation, expected);
		}
	}
}

/* Any pair, as it is and scaled: the same relation, the same gap to the bit. Gaps crowd around the edge of the tolerance. */
static void
test_radius_hit_test_is_scaled_by_powers_of_two(void **state)
{
	(void)state;
	uint64_t random = 17;
	unsigned relations[3] = { 0 };

	for (int i = 0; i < QUERIES; i++) {
		const struct tolerance part = { .relative = random_below(&random, 2) ? 1e-6 : 0.0 };
		struct disc a = disc(random_between(&random, -1, 1), random_between(&random, -1, 1), random_between(&random, 0.01, 1));
		struct disc b = disc(random_between(&random, -1, 1), random_between(&random, -1, 1), random_between(&random, 0.01, 1));
		double s = ldexp(1.0, (int)random_below(&random, 900) - 430), distance = hypot(a.x - b.x, a.y - b.y);

		if (distance > a.radius && random_below(&random, 4))
			b.radius = (distance - a.radius) * (1 + random_between(&random, -3, 3) * (part.relative > 0 ? 1e-6 : 0x1p-50));

		struct disc big_a = disc(a.x * s, a.y * s, a.radius * s), big_b = disc(b.x * s, b.y * s, b.radius * s);
		struct shape_distance c = distance_circles(&a, &b, &part), big = distance_circles(&big_a, &big_b, &part);

		assert_int_equal(big.relation, c.relation);
		assert_double_same_bits(big.gap, c.gap * s);
		assert_double_same_bits(big.normal[0], c.normal[0]);
		relations[c.relation]++;
	}
	for (int i = 0; i < 3; i++)
		assert_true(relations[i] > QUERIES / 10);
}

static void
test_radius_hit_test_tolerance_is_what_was_asked(void **state)
{
	(void)state;
	const struct tolerance loose = { .absolute = 0.25 }, part = { .relative = 0.1 };
	struct disc a = disc(0, 0, 1), b = disc(2.2, 0, 1), c = disc(2.3, 0, 1);

	assert_int_equal(distance_circles(&a, &b, &loose).relation, RELATION_TOUCHING);
	assert_int_equal(distance_circles(&a, &c, &loose).relation, RELATION_NONE);
	assert_int_equal(distance_circles(&a, &b, &part).relation, RELATION_TOUCHING); /* 0.1 of the radii's sum, 2 */
	assert_int_equal(distance_circles(&a, &c, &part).relation, RELATION_NONE);
}

/* The gap keeps its digits where |d| - R would lose them all. */
static void
test_radius_hit_test_gap_digits(void **state)
{
	(void)state;
	double tiny = ldexp(1.0, -80);

	assert_double_same_bits(circles(disc(0, 0, 1), disc(1 + ldexp(1.0, -40), 0, ldexp(1.0, -40) - tiny)).gap, tiny);
}

static void
test_radius_hit_test_of_concentric_circles_has_the_canonical_normal(void **state)
{
	(void)state;
	struct shape_distance c = circles(disc(5, 5, 1), disc(5, 5, 2));

	assert_int_equal(c.relation, RELATION_OVERLAPPING);
	assert_double_same_bits(c.gap, -3.0);
	assert_double_same_bits(c.normal[0], 1.0);
	assert_double_same_bits(c.normal[1], 0.0);
	/* Nearly concentric: the direction is what it is, though its square underflows. */
	c = circles(disc(0, 1e-200, 1), disc(0, 0, 2));
	assert_double_same_bits(c.normal[0], 0.0);
	assert_double_same_bits(c.normal[1], 1.0);
}

static void
test_line_and_circle_distance_by_cross_product(void **state)
{
	(void)state;
	const struct wall diagonal = { 0, 0, 3, 4, 0, false, 0, 0 };

	/* (-4, 3) is left of the line, 5 away. */
	struct shape_distance c = line(disc(-4, 3, 2), diagonal);

	assert_int_equal(c.relation, RELATION_NONE);
	assert_double_same_bits(c.gap, 3.0);
	assert_double_near(c.normal[0], -0.8, 1e-16);
	assert_double_near(c.normal[1], 0.6, 1e-16);
	assert_double_near(c.b_point[0], 0.0, 1e-15);
	assert_double_near(c.b_point[1], 0.0, 1e-15);
	assert_int_equal(line(disc(4, -3, 5), diagonal).relation, RELATION_TOUCHING);
	assert_double_near(line(disc(4, -3, 5), diagonal).normal[0], 0.8, 1e-16);
	/* A line has no ends. */
	assert_double_near(line(disc(3e6 - 4, 4e6 + 3, 6), diagonal).gap, -1.0, 1e-15);
	assert_int_equal(line(disc(3e6 - 4, 4e6 + 3, 6), diagonal).relation, RELATION_OVERLAPPING);
}

static void
test_line_and_circle_line_through_two_equal_points_is_refused(void **state)
{
	(void)state;
	const struct wall point = { 1, 2, 1, 2, 0, false, 0, 0 };
	struct disc a = disc(0, 0, 1);
	struct shape_distance c;
	struct sweep s;

	assert_int_equal(distance_line(&a, &point, &exact, &c), STATUS_INVALID_ARGUMENT);
	assert_int_equal(distance_segment(&a, &point, READING_FILLED, &exact, &c), STATUS_INVALID_ARGUMENT);
	assert_int_equal(sweep_line(&a, &point, 0.0, 1.0, &s), STATUS_INVALID_ARGUMENT);
	assert_int_equal(sweep_segment(&a, &point, READING_FILLED, 0.0, 1.0, &s), STATUS_INVALID_ARGUMENT);
}

static void
test_segment_and_circle_nearest_point(void **state)
{
	(void)state;
	const struct wall wall = { 0, 0, 10, 0, 0, false, 0, 0 };
	struct shape_distance c = segment(disc(4, 3, 1), wall, READING_FILLED);

	assert_int_equal(c.feature, FEATURE_FACE);
	assert_double_same_bits(c.gap, 2.0);
	assert_double_same_bits(c.b_point[0], 4.0);
	assert_double_same_bits(c.b_point[1], 0.0);
	c = segment(disc(-3, -4, 1), wall, READING_FILLED);
	assert_int_equal(c.feature, FEATURE_END_1);
	assert_double_same_bits(c.gap, 4.0);
	assert_double_same_bits(c.b_point[0], 0.0);
	c = segment(disc(13, 4, 6), wall, READING_FILLED);
	assert_int_equal(c.feature, FEATURE_END_2);
	assert_double_same_bits(c.gap, -1.0);
	assert_int_equal(c.relation, RELATION_OVERLAPPING);
	/* Where the infinite line would be hit and the segment is not. */
	assert_int_equal(line(disc(12, 0.5, 1), wall).relation, RELATION_OVERLAPPING);
	assert_int_equal(segment(disc(12, 0.5, 1), wall, READING_FILLED).relation, RELATION_NONE);
	/* The centre on the segment: the side it comes from, else left. */
	c = segment(disc(4, 0, 1), wall, READING_FILLED);
	assert_double_same_bits(c.normal[1], 1.0);
	assert_double_same_bits(c.gap, -1.0);
	assert_double_same_bits(segment(moving(4, 0, 1, 0, 2), wall, READING_FILLED).normal[1], -1.0);
	assert_double_same_bits(segment(moving(0, 0, 1, 0, -2), wall, READING_FILLED).normal[1], 1.0);
}

static void
test_segment_and_circle_wholly_inside_filled_and_outline(void **state)
{
	(void)state;
	const struct wall inside = { -1, 0, 2, 0, 0, false, 0, 0 }, across = { 0, 0, 9, 0, 0, false, 0, 0 },
					  end_on_line = { 0, 0, 5, 0, 0, false, 0, 0 };
	struct disc a = disc(0, 0, 5);

	assert_int_equal(segment(a, inside, READING_FILLED).relation, RELATION_OVERLAPPING);
	struct shape_distance c = segment(a, inside, READING_OUTLINE);
	assert_int_equal(c.relation, RELATION_NONE);
	assert_double_same_bits(c.gap, 3.0);
	assert_int_equal(c.feature, FEATURE_END_2);
	assert_double_same_bits(c.a_point[0], 5.0);
	assert_double_same_bits(c.b_point[0], 2.0);
	assert_double_same_bits(c.normal[0], 1.0);
	assert_int_equal(segment(a, across, READING_FILLED).relation, RELATION_OVERLAPPING);
	c = segment(a, across, READING_OUTLINE);
	assert_int_equal(c.relation, RELATION_OVERLAPPING);
	assert_double_same_bits(c.gap, -4.0); /* it must go 4 to be inside, 5 to be outside */
	assert_int_equal(segment(a, end_on_line, READING_OUTLINE).relation, RELATION_TOUCHING);
	assert_int_equal(segment(disc(0, 5, 5), across, READING_OUTLINE).relation, RELATION_TOUCHING);
	assert_int_equal(segment(disc(0, 6, 5), across, READING_OUTLINE).relation, RELATION_NONE);
}

static void
test_pool_hall_lessons_moving_against_static(void **state)
{
	(void)state;
	struct sweep s = swept(moving(0, 0, 1, 10, 0), disc(6, 0, 1), 1.0);

	assert_int_equal(s.outcome, SWEEP_HIT);
	assert_double_same_bits(s.time, 0.4);
	assert_double_same_bits(s.fraction, 0.4);
	assert_double_same_bits(s.a[0], 4.0);
	assert_double_same_bits(s.a_move[0], 4.0); /* the movement of 10, shortened */
	assert_double_same_bits(s.b_move[0], 0.0);
	assert_double_same_bits(s.point[0], 5.0);
	assert_double_same_bits(s.normal[0], -1.0);
	assert_double_same_bits(s.approach_speed, 10.0);
	/* Off the axis: 3-4-5. */
	s = swept(moving(0, 0, 2, 1, 0), disc(10, 3, 3), 8.0);
	assert_int_equal(s.outcome, SWEEP_HIT);
	assert_double_same_bits(s.time, 6.0);
	assert_double_near(s.normal[0], -0.8, 1e-16);
	assert_double_near(s.normal[1], -0.6, 1e-16);
}

static void
test_pool_hall_lessons_moving_against_moving(void **state)
{
	(void)state;
	struct sweep s = swept(moving(0, 0, 1, 2, 1), moving(10, 0, 1, -2, 1), 4.0);

	assert_int_equal(s.outcome, SWEEP_HIT);
	assert_double_same_bits(s.time, 2.0);
	assert_double_same_bits(s.fraction, 0.5);
	assert_double_same_bits(s.a[0], 4.0);
	assert_double_same_bits(s.a[1], 2.0);
	assert_double_same_bits(s.b[0], 6.0);
	assert_double_same_bits(s.b_move[0], -4.0);
	assert_double_same_bits(s.approach_speed, 4.0);
	/* Side by side at the same speed: no relative movement, whatever the speed. */
	assert_int_equal(swept(moving(0, 0, 1, 50, 3), moving(3, 0, 1, 50, 3), 1.0).outcome, SWEEP_NOT_MOVING);
}

/* The text's |C|^2 - D^2: past each other by a billionth of R, ten million radii from where it began. */
static void
test_pool_hall_lessons_keeps_the_digits_that_the_text_cancels(void **state)
{
	(void)state;
	unsigned text_is_wrong = 0;

	for (int i = -9; i <= 9; i++) {
		double R = 1.0, y = R * (1 + i * 1e-9), far = 1e7 * R;
		double C2 = far * far + y * y, D2 = far * far, F = C2 - D2; /* F: the closest approach, squared */
		struct sweep s = swept(moving(-far, y, 0.25, 4 * far, 0), disc(0, 0, 0.75), 1.0);
		struct sweep turned = swept(moving(-3 * far - 4 * y, -4 * far + 3 * y, 1.25, 12 * far, 16 * far), disc(0, 0, 3.75),
		                            1.0);

		assert_int_equal(s.outcome, y < R ? SWEEP_HIT : SWEEP_PASSES);
		if (i != 0)
			assert_int_equal(turned.outcome, y < R ? SWEEP_HIT : SWEEP_PASSES);
		text_is_wrong += (F < R * R) != (y < R);
	}
	assert_true(text_is_wrong > 0);
}

static void
test_pool_hall_lessons_early_outs(void **state)
{
	(void)state;
	const struct disc b = disc(10, 0, 1);

	assert_int_equal(swept(disc(0, 0, 1), b, 1.0).outcome, SWEEP_NOT_MOVING); /* the text divides by it */
	assert_int_equal(swept(moving(0, 0, 1, 7.9, 0), b, 1.0).outcome, SWEEP_OUT_OF_REACH);
	assert_int_equal(swept(moving(0, 0, 1, -99, 0), b, 1.0).outcome, SWEEP_MOVING_AWAY);
	assert_int_equal(swept(moving(0, 0, 1, 0, 99), b, 1.0).outcome, SWEEP_MOVING_AWAY); /* dot = 0 */
	assert_int_equal(swept(moving(0, 0, 1, 99, 30), b, 1.0).outcome, SWEEP_PASSES);
	assert_int_equal(swept(moving(0, 2, 1, 99, 0), b, 1.0).outcome, SWEEP_PASSES); /* grazes exactly */
	assert_int_equal(swept(moving(0, 1.5, 1, 8.6, 0), b, 1.0).outcome, SWEEP_ENDS_BEFORE);
	assert_int_equal(swept(moving(0, 0, 1, 8, 0), b, 1.0).outcome, SWEEP_HIT); /* ends where it touches */
	assert_double_same_bits(swept(moving(0, 0, 1, 8, 0), b, 1.0).fraction, 1.0);

	struct sweep s = swept(moving(0, 0, 1, -99, 5), b, 2.0);

	assert_double_same_bits(s.time, 2.0);
	assert_double_same_bits(s.fraction, 1.0);
	assert_double_same_bits(s.a[0], -198.0);
	assert_double_same_bits(s.a_move[1], 10.0);
	assert_double_same_bits(s.normal[0], 0.0);
}

static void
test_pool_hall_lessons_already_overlapping(void **state)
{
	(void)state;
	struct sweep s = swept(moving(0, 0, 1, 1, 0), disc(1.5, 0, 1), 1.0);

	assert_int_equal(s.outcome, SWEEP_AT_START);
	assert_double_same_bits(s.time, 0.0);
	assert_double_same_bits(s.normal[0], -1.0);
	assert_int_equal(swept(moving(0, 0, 1, -1, 0), disc(1.5, 0, 1), 1.0).outcome, SWEEP_MOVING_AWAY);
	assert_int_equal(swept(moving(0, 0, 1, 1, 0), disc(2, 0, 1), 1.0).outcome, SWEEP_AT_START);
	assert_int_equal(swept(moving(0, 0, 1, 1, 0), disc(0, 0, 1), 1.0).outcome, SWEEP_MOVING_AWAY);
	assert_int_equal(swept(disc(0, 0, 1), disc(1, 0, 1), 1.0).outcome, SWEEP_NOT_MOVING);
}

static void
test_fake_capsule_circle_swept_against_segment(void **state)
{
	(void)state;
	const struct wall wall = { 0, 0, 10, 0, 0, false, 0, 0 };
	struct sweep s = swept_segment(moving(5, 9, 1, 0, -4), wall, READING_FILLED, 10.0);

	assert_int_equal(s.outcome, SWEEP_HIT);
	assert_int_equal(s.feature, FEATURE_FACE);
	assert_double_same_bits(s.time, 2.0);
	assert_double_same_bits(s.normal[1], 1.0);
	assert_double_same_bits(s.point[1], 0.0);
	/* From beside, nearer to the line than its radius: only the end can be hit. */
	s = swept_segment(moving(-9, 3, 5, 1, 0), wall, READING_FILLED, 10.0);
	assert_int_equal(s.outcome, SWEEP_HIT);
	assert_int_equal(s.feature, FEATURE_END_1);
	assert_double_same_bits(s.time, 5.0);
	assert_double_near(s.normal[0], -0.8, 1e-16);
	assert_int_equal(swept_segment(moving(5, 9, 1, 0, 4), wall, READING_FILLED, 10.0).outcome, SWEEP_MOVING_AWAY);
	assert_int_equal(swept_segment(moving(5, 9, 1, 4, 0), wall, READING_FILLED, 10.0).outcome, SWEEP_MOVING_AWAY);
	assert_int_equal(swept_segment(moving(5, 9, 1, 0, -7), wall, READING_FILLED, 1.0).outcome, SWEEP_OUT_OF_REACH);
	assert_int_equal(swept_segment(moving(-9, 2, 1, 8.2, -1), wall, READING_FILLED, 1.0).outcome, SWEEP_ENDS_BEFORE);
	assert_int_equal(swept_segment(moving(-9, 9, 1, 1, -9), wall, READING_FILLED, 10.0).outcome, SWEEP_PASSES);
	assert_int_equal(swept_segment(moving(-9, 1, 1, 1, 0), wall, READING_FILLED, 30.0).outcome, SWEEP_PASSES);
	assert_int_equal(swept_segment(disc(5, 9, 1), wall, READING_FILLED, 10.0).outcome, SWEEP_NOT_MOVING);
	assert_int_equal(swept_segment(moving(5, 0.5, 1, 0, -1), wall, READING_FILLED, 1.0).outcome, SWEEP_AT_START);
	assert_int_equal(swept_segment(moving(5, 0.5, 1, 0, 1), wall, READING_FILLED, 1.0).outcome, SWEEP_MOVING_AWAY);
}

static void
test_fake_capsule_outline_from_inside(void **state)
{
	(void)state;
	const struct wall wall = { 0, 0, 1, 0, 0, false, 0, 0 };
	struct sweep s = swept_segment(moving(0, 0, 5, -2, 0), wall, READING_OUTLINE, 10.0);

	assert_int_equal(s.outcome, SWEEP_HIT);
	assert_int_equal(s.feature, FEATURE_END_2);
	assert_double_same_bits(s.time, 2.0);
	assert_double_same_bits(s.normal[0], 1.0);
	assert_double_same_bits(s.point[0], 1.0);
	assert_double_same_bits(s.approach_speed, 2.0);
	assert_int_equal(swept_segment(moving(0, 0, 5, 2, 0), wall, READING_OUTLINE, 10.0).feature, FEATURE_END_1);
	assert_double_same_bits(swept_segment(moving(0, 0, 5, 2, 0), wall, READING_OUTLINE, 10.0).time, 2.5);
	assert_int_equal(swept_segment(moving(0, 0, 5, 2, 0), wall, READING_OUTLINE, 1.0).outcome, SWEEP_OUT_OF_REACH);
	assert_int_equal(swept_segment(moving(0, 0, 5, 2, 0), wall, READING_FILLED, 9.0).outcome, SWEEP_MOVING_AWAY);
	assert_int_equal(swept_segment(moving(9, 0, 5, -2, 0), wall, READING_OUTLINE, 9.0).outcome, SWEEP_HIT);
}

/* When an end of a segment that begins inside the circle comes to its outline: the larger zero of |end - centre|^2 = R^2. */
static long double
time_to_outline(const struct disc *a, double x, double y)
{
	const long double dx = (long double)x - a->x, dy = (long double)y - a->y, vx = -a->vx, vy = -a->vy, R = a->radius;
	const long double square = vx * vx + vy * vy, half = dx * vx + dy * vy;

	return (sqrtl(half * half - square * (dx * dx + dy * dy - R * R)) - half) / square;
}

/* Segments anywhere in a circle, movements of any length: the end that leaves first, and when, or why none does. */
static void
test_outline_from_inside_by_its_ends(void **state)
{
	uint64_t random = 3;
	unsigned hits[2] = { 0 }, misses = 0;

	(void)state;
	for (int i = 0; i < QUERIES; i++) {
		struct disc a = moving(random_between(&random, -9, 9), random_between(&random, -9, 9), 4, 0, 0);
		const double angle = random_between(&random, 0, 6.28), speed = exp(random_between(&random, -3, 2));
		double ends[4];

		for (int k = 0; k < 4; k += 2) {
			const double turn = random_between(&random, 0, 6.28), far = 3.99 * sqrt(random_between(&random, 0, 1));

			ends[k] = a.x + far * cos(turn);
			ends[k + 1] = a.y + far * sin(turn);
		}
		a.vx = speed * cos(angle);
		a.vy = speed * sin(angle);

		const struct wall wall = { ends[0], ends[1], ends[2], ends[3], 0, false, 0, 0 };
		const long double first = time_to_outline(&a, ends[0], ends[1]), second = time_to_outline(&a, ends[2], ends[3]);
		const long double time = first < second ? first : second;
		const struct sweep s = swept_segment(a, wall, READING_OUTLINE, 1.0);

		assert_int_equal(s.outcome == SWEEP_HIT, time <= 1.0L);
		if (s.outcome == SWEEP_HIT) {
			assert_double_near(s.time, (double)time, 1e-12);
			assert_int_equal(s.feature, first < second ? FEATURE_END_1 : FEATURE_END_2);
			hits[second < first]++;
		} else {
			assert_true(s.outcome == SWEEP_OUT_OF_REACH || s.outcome == SWEEP_ENDS_BEFORE);
			misses++;
		}
	}
	assert_true(hits[0] > QUERIES / 10 && hits[1] > QUERIES / 10 && misses > QUERIES / 10);
}

static void
test_fake_capsule_circle_swept_against_line(void **state)
{
	(void)state;
	const struct wall wall = { 0, 0, 1, 0, 0, false, 0, 0 };
	struct disc a = moving(1e6, 5, 1, 3, -2), parallel = moving(0, 5, 1, 3, 0);
	struct sweep s;

	assert_int_equal(sweep_line(&a, &wall, 0.0, 10.0, &s), STATUS_OK);
	assert_int_equal(s.outcome, SWEEP_HIT);
	assert_double_same_bits(s.time, 2.0);
	assert_int_equal(sweep_line(&parallel, &wall, 0.0, 1e3, &s), STATUS_OK);
	assert_int_equal(s.outcome, SWEEP_MOVING_AWAY);
}

/* After the shortened movement the pair touches, by the same tolerance: so "no further check until then" holds. */
static void
test_predicted_instance_touches_where_it_says(void **state)
{
	(void)state;
	uint64_t random = 7;
	unsigned hits = 0;

	for (int i = 0; i < QUERIES; i++) {
		double far = random_below(&random, 2) ? 1e6 : 0.0;
		struct disc a = moving(far + random_between(&random, -9, 9), random_between(&random, -9, 9),
		                       random_between(&random, 0.1, 2), random_between(&random, -50, 50),
		                       random_between(&random, -50, 50));
		struct disc b = moving(far + random_between(&random, -9, 9), random_between(&random, -9, 9),
		                       random_between(&random, 0.1, 2), random_between(&random, -50, 50),
		                       random_between(&random, -50, 50));
		struct wall wall = { b.x, b.y, b.x + b.vx, b.y + b.vy, 0, false, 0, 0 };
		struct sweep s = swept(a, b, 1.0);

		if (s.outcome == SWEEP_HIT) {
			assert_int_equal(circles(disc(s.a[0], s.a[1], a.radius), disc(s.b[0], s.b[1], b.radius)).relation,
			                 RELATION_TOUCHING);
			hits++;
		}
		s = swept_segment(a, wall, READING_FILLED, 1.0);
		if (s.outcome == SWEEP_HIT) {
			assert_int_equal(segment(disc(s.a[0], s.a[1], a.radius), wall, READING_FILLED).relation, RELATION_TOUCHING);
			hits++;
		}
	}
	assert_true(hits > QUERIES / 10);
}

static void
test_pool_hall_lessons_tiny_velocities(void **state)
{
	(void)state;
	struct sweep s = swept(moving(0, 0, 1, 5e-324, 0), disc(3, 0, 1), 1e12);

	assert_int_equal(s.outcome, SWEEP_OUT_OF_REACH);
	/* A gap, a speed and a time with squares that vanish, and the hit is exact. */
	s = swept(moving(-0x1p-290, 0, 0x1p-29, 0x1p-320, 0), disc(0x1p-28, 0, 0x1p-29), 0x1p31);
	assert_int_equal(s.outcome, SWEEP_HIT);
	assert_double_same_bits(s.time, 0x1p30);
	assert_double_same_bits(s.fraction, 0.5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_radius_hit_test_none_touching_overlapping),
		cmocka_unit_test(test_radius_hit_test_tolerance_at_any_scale),
		cmocka_unit_test(test_radius_hit_test_is_scaled_by_powers_of_two),
		cmocka_unit_test(test_radius_hit_test_tolerance_is_what_was_asked),
		cmocka_unit_test(test_line_and_segment_and_circle_tolerance_at_any_scale),
		cmocka_unit_test(test_radius_hit_test_gap_digits),
		cmocka_unit_test(test_radius_hit_test_of_concentric_circles_has_the_canonical_normal),
		cmocka_unit_test(test_line_and_circle_distance_by_cross_product),
		cmocka_unit_test(test_line_and_circle_line_through_two_equal_points_is_refused),
		cmocka_unit_test(test_segment_and_circle_nearest_point),
		cmocka_unit_test(test_segment_and_circle_wholly_inside_filled_and_outline),
		cmocka_unit_test(test_pool_hall_lessons_moving_against_static),
		cmocka_unit_test(test_pool_hall_lessons_moving_against_moving),
		cmocka_unit_test(test_pool_hall_lessons_keeps_the_digits_that_the_text_cancels),
		cmocka_unit_test(test_pool_hall_lessons_early_outs),
		cmocka_unit_test(test_pool_hall_lessons_already_overlapping),
		cmocka_unit_test(test_fake_capsule_circle_swept_against_segment),
		cmocka_unit_test(test_fake_capsule_outline_from_inside),
		cmocka_unit_test(test_outline_from_inside_by_its_ends),
		cmocka_unit_test(test_fake_capsule_circle_swept_against_line),
		cmocka_unit_test(test_predicted_instance_touches_where_it_says),
		cmocka_unit_test(test_pool_hall_lessons_tiny_velocities),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
