/* What must not change a time of impact by one bit: lengths or times scaled by powers of two, a turn by 90 degrees, a mirror,
 * the two bodies exchanged. Of detect.h and of the engine's own toi.h. */
#include "physics/detect.h"
#include "physics/toi.h"
#include "support/assert_double.h"
#include "support/random.h"

#include <math.h>

enum { QUERIES = 100000 };

struct pair {
	struct disc a, b;
	struct wall wall;
	double margin, duration;
};

/* Near misses and grazes among them: the second's velocity is turned towards the first's edge. */
static struct pair
random_pair(uint64_t *random)
{
	double scale = ldexp(1.0, (int)random_below(random, 30) - 15);
	struct pair p = {
		.a = { random_between(random, -1, 1), random_between(random, -1, 1), random_between(random, 0.01, 1) * scale,
		       random_between(random, -9, 9), random_between(random, -9, 9) },
		.b = { random_between(random, -1, 1), random_between(random, -1, 1), random_between(random, 0.01, 1) * scale, 0, 0 },
		.margin = random_below(random, 2) ? 1e-9 * scale : 0.0,
		.duration = random_between(random, 0.1, 3),
	};

	if (random_below(random, 2)) {
		double dx = p.a.x - p.b.x, dy = p.a.y - p.b.y, R = p.a.radius + p.b.radius, d = sqrt(dx * dx + dy * dy);
		double edge = d > R ? R / d * (1 + random_between(random, -4, 4) * 0x1p-52) : 0.5;
		double along = sqrt(fmax(1 - edge * edge, 0));

		p.b.vx = p.a.vx + (along * dx - edge * dy) * 5;
		p.b.vy = p.a.vy + (along * dy + edge * dx) * 5;
	}
	p.wall = (struct wall){ p.b.x, p.b.y, p.b.x + random_between(random, -1, 1), p.b.y + random_between(random, -1, 1) };
	return p;
}

struct times {
	double circles, segment, line, toi;
	enum sweep_outcome outcomes[3];
};

static struct times
times_of(const struct pair *p)
{
	struct relative r = { p->a.x - p->b.x, p->a.y - p->b.y, p->a.vx - p->b.vx, p->a.vy - p->b.vy, 0, 0 };
	struct sweep circles = sweep_circles(&p->a, &p->b, p->margin, p->duration), segment, line;

	assert_int_equal(sweep_segment(&p->a, &p->wall, READING_FILLED, p->margin, p->duration, &segment), STATUS_OK);
	assert_int_equal(sweep_line(&p->a, &p->wall, p->margin, p->duration, &line), STATUS_OK);
	return (struct times){ circles.time,
		                   segment.time,
		                   line.time,
		                   toi_straight(&r, p->a.radius + p->b.radius, p->duration),
		                   { circles.outcome, segment.outcome, line.outcome } };
}

static void
assert_times(struct times actual, struct times expected, double scale)
{
	assert_double_same_bits(actual.circles, expected.circles * scale);
	assert_double_same_bits(actual.segment, expected.segment * scale);
	assert_double_same_bits(actual.line, expected.line * scale);
	assert_double_same_bits(actual.toi, expected.toi * scale);
	assert_memory_equal(actual.outcomes, expected.outcomes, sizeof actual.outcomes);
}

static struct pair
scaled(struct pair p, double length, double time)
{
	struct disc *const discs[] = { &p.a, &p.b };

	for (int i = 0; i < 2; i++) {
		discs[i]->x *= length;
		discs[i]->y *= length;
		discs[i]->radius *= length;
		discs[i]->vx *= length / time;
		discs[i]->vy *= length / time;
	}
	p.wall = (struct wall){ p.wall.x1 * length, p.wall.y1 * length, p.wall.x2 * length, p.wall.y2 * length };
	p.margin *= length;
	p.duration *= time;
	return p;
}

/* (x, y) becomes (xx x + xy y, yx x + yy y). */
static struct pair
turned(struct pair p, double xx, double xy, double yx, double yy)
{
	struct pair q = p;

	q.a.x = xx * p.a.x + xy * p.a.y;
	q.a.y = yx * p.a.x + yy * p.a.y;
	q.a.vx = xx * p.a.vx + xy * p.a.vy;
	q.a.vy = yx * p.a.vx + yy * p.a.vy;
	q.b.x = xx * p.b.x + xy * p.b.y;
	q.b.y = yx * p.b.x + yy * p.b.y;
	q.b.vx = xx * p.b.vx + xy * p.b.vy;
	q.b.vy = yx * p.b.vx + yy * p.b.vy;
	q.wall = (struct wall){ xx * p.wall.x1 + xy * p.wall.y1, yx * p.wall.x1 + yy * p.wall.y1, xx * p.wall.x2 + xy * p.wall.y2,
		                    yx * p.wall.x2 + yy * p.wall.y2 };
	return q;
}

static void
test_scaling_by_powers_of_two(void **state)
{
	(void)state;
	uint64_t random = 1;

	for (int i = 0; i < QUERIES; i++) {
		struct pair p = random_pair(&random);
		double length = ldexp(1.0, (int)random_below(&random, 200) - 100),
			   time = ldexp(1.0, (int)random_below(&random, 60) - 30);
		struct pair q = scaled(p, length, time);

		assert_times(times_of(&q), times_of(&p), time);
	}
}

static void
test_rotation_by_90_degrees(void **state)
{
	(void)state;
	uint64_t random = 2;

	for (int i = 0; i < QUERIES; i++) {
		struct pair p = random_pair(&random), q = turned(p, 0, -1, 1, 0), r = turned(p, -1, 0, 0, -1);

		assert_times(times_of(&q), times_of(&p), 1.0);
		assert_times(times_of(&r), times_of(&p), 1.0);
	}
}

static void
test_reflection(void **state)
{
	(void)state;
	uint64_t random = 3;

	for (int i = 0; i < QUERIES; i++) {
		struct pair p = random_pair(&random), q = turned(p, -1, 0, 0, 1), r = turned(p, 0, 1, 1, 0);

		assert_times(times_of(&q), times_of(&p), 1.0);
		assert_times(times_of(&r), times_of(&p), 1.0);
	}
}

static void
test_exchange_of_the_bodies(void **state)
{
	(void)state;
	uint64_t random = 4;
	unsigned hits = 0;

	for (int i = 0; i < QUERIES; i++) {
		struct pair p = random_pair(&random), q = p;
		struct sweep s = sweep_circles(&p.a, &p.b, p.margin, p.duration), t;

		q.a = p.b;
		q.b = p.a;
		t = sweep_circles(&q.a, &q.b, q.margin, q.duration);
		assert_int_equal(t.outcome, s.outcome);
		assert_double_same_bits(t.time, s.time);
		assert_double_same_bits(times_of(&q).toi, times_of(&p).toi);
		assert_double_same_bits(t.approach_speed, s.approach_speed);
		for (int k = 0; k < 2; k++) {
			assert_double_same_bits(t.a[k], s.b[k]);
			assert_true(t.normal[k] == -s.normal[k]);
		}
		hits += s.outcome == SWEEP_HIT;
	}
	assert_true(hits > QUERIES / 10 && hits < QUERIES - QUERIES / 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scaling_by_powers_of_two),
		cmocka_unit_test(test_rotation_by_90_degrees),
		cmocka_unit_test(test_reflection),
		cmocka_unit_test(test_exchange_of_the_bodies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
