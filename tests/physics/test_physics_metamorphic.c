/* What must not change a time of impact by one bit: lengths or times scaled by powers of two, a turn by 90 degrees, a mirror,
 * the two bodies exchanged. Of detect.h and of the engine's own toi.h, gravity included; test_physics_metamorphic_world has
 * whole ticks. */
#include "physics/detect.h"
#include "physics/geometry/toi.h"
#include "support/assert_double.h"
#include "support/effort.h"
#include "support/random.h"

#include <math.h>

#define QUERIES ((int)effort(4000, 50000))

struct pair {
	struct disc a, b;
	struct wall wall;
	double gravity[2]; /* of a; detect.h does not know it */
	double margin, duration;
};

/* Aims a path that begins at d past the edge of the circle of radius R around the origin, give or take ulps. */
static void
aim(uint64_t *random, double dx, double dy, double R, double *vx, double *vy)
{
	double d = sqrt(dx * dx + dy * dy), edge = d > R ? R / d * (1 + random_between(random, -4, 4) * 0x1p-52) : 0.5;
	double along = sqrt(fmax(1 - edge * edge, 0));

	*vx = -(along * dx - edge * dy) * 5;
	*vy = -(along * dy + edge * dx) * 5;
}

/* Near misses and grazes among them, of the circle and of the end of the wall that is at its centre. */
static struct pair
random_pair(uint64_t *random)
{
	double scale = ldexp(1.0, (int)random_below(random, 30) - 15);
	struct pair p = {
		.a = { random_between(random, -1, 1), random_between(random, -1, 1), random_between(random, 0.01, 1) * scale,
		       random_between(random, -9, 9), random_between(random, -9, 9) },
		.b = { random_between(random, -1, 1), random_between(random, -1, 1), random_between(random, 0.01, 1) * scale,
		       random_between(random, -9, 9), random_between(random, -9, 9) },
		.margin = random_below(random, 2) ? 1e-9 * scale : 0.0,
		.duration = random_between(random, 0.1, 3),
		.gravity = { random_between(random, -9, 9), random_between(random, -9, 9) },
	};
	struct wall wall = { p.b.x, p.b.y, p.b.x + random_between(random, -1, 1), p.b.y + random_between(random, -1, 1), 0, false,
		                 0,     0 };
	double dx = p.a.x - p.b.x, dy = p.a.y - p.b.y;

	switch (random_below(random, 4)) {
	case 0:
		aim(random, dx, dy, p.a.radius + p.b.radius, &p.b.vx, &p.b.vy);
		p.b.vx = p.a.vx - p.b.vx;
		p.b.vy = p.a.vy - p.b.vy;
		break;
	case 1: aim(random, dx, dy, p.a.radius, &p.a.vx, &p.a.vy); break;
	case 2: p.b.vx = p.b.vy = 0.0; break;
	default: break;
	}
	p.wall = random_below(random, 2) ? wall : (struct wall){ wall.x2, wall.y2, wall.x1, wall.y1, 0, false, 0, 0 };
	return p;
}

struct times {
	double circles, segment, line;
	double straight, curved, height; /* toi.h: INFINITY without a hit */
	enum sweep_outcome outcomes[3];
	enum contact_feature feature;
};

static struct times
times_of(const struct pair *p)
{
	const double *g = p->gravity;
	struct relative r = { p->a.x - p->b.x, p->a.y - p->b.y, p->a.vx - p->b.vx, p->a.vy - p->b.vy, g[0], g[1] };
	double ux = p->wall.x2 - p->wall.x1, uy = p->wall.y2 - p->wall.y1, R = p->a.radius + p->b.radius;
	double h = cross_exact(ux, uy, r.dx, r.dy), side = h < 0 ? -1 : 1;
	struct sweep circles = sweep_circles(&p->a, &p->b, p->margin, p->duration), segment, line;

	assert_int_equal(sweep_segment(&p->a, &p->wall, READING_FILLED, p->margin, p->duration, &segment), STATUS_OK);
	assert_int_equal(sweep_line(&p->a, &p->wall, p->margin, p->duration, &line), STATUS_OK);
	return (struct times){
		.circles = circles.time,
		.segment = segment.time,
		.line = line.time,
		.straight = toi_straight(&r, R, p->duration),
		.curved = toi_curved(&r, R, p->duration),
		.height = toi_height(side * h, side * cross_exact(ux, uy, p->a.vx, p->a.vy), side * cross_exact(ux, uy, g[0], g[1]),
		                     p->a.radius * sqrt(ux * ux + uy * uy), p->duration),
		.outcomes = { circles.outcome, segment.outcome, line.outcome },
		.feature = segment.feature,
	};
}

/* Of the queries of one test: that hits and misses of each kind were among them. */
struct tally {
	int queries, circles, face, end_1, end_2, line, straight, curved, height;
};

static void
tally_add(struct tally *tally, const struct times *times)
{
	bool segment = times->outcomes[1] == SWEEP_HIT;

	tally->queries++;
	tally->circles += times->outcomes[0] == SWEEP_HIT;
	tally->face += segment && times->feature == FEATURE_FACE;
	tally->end_1 += segment && times->feature == FEATURE_END_1;
	tally->end_2 += segment && times->feature == FEATURE_END_2;
	tally->line += times->outcomes[2] == SWEEP_HIT;
	tally->straight += times->straight > 0 && times->straight < (double)INFINITY;
	tally->curved += times->curved > 0 && times->curved < (double)INFINITY;
	tally->height += times->height > 0 && times->height < (double)INFINITY;
}

static void
assert_tally(const struct tally *tally)
{
	const int counts[] = { tally->circles, tally->face,     tally->end_1,  tally->end_2,
		                   tally->line,    tally->straight, tally->curved, tally->height };

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		assert_in_range(counts[i], tally->queries / 50, tally->queries - tally->queries / 10);
}

static void
assert_times(struct tally *tally, const struct pair *actual_pair, const struct times *expected, double scale)
{
	struct times actual = times_of(actual_pair);

	assert_double_same_bits(actual.circles, expected->circles * scale);
	assert_double_same_bits(actual.segment, expected->segment * scale);
	assert_double_same_bits(actual.line, expected->line * scale);
	assert_double_same_bits(actual.straight, expected->straight * scale);
	assert_double_same_bits(actual.curved, expected->curved * scale);
	assert_double_same_bits(actual.height, expected->height * scale);
	assert_memory_equal(actual.outcomes, expected->outcomes, sizeof actual.outcomes);
	assert_int_equal(actual.feature, expected->feature);
	tally_add(tally, &actual);
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
		p.gravity[i] *= length / time / time;
	}
	p.wall = (struct wall){ p.wall.x1 * length, p.wall.y1 * length, p.wall.x2 * length, p.wall.y2 * length, 0, false, 0, 0 };
	p.margin *= length;
	p.duration *= time;
	return p;
}

/* (x, y) becomes (m[0] x + m[1] y, m[2] x + m[3] y). */
static void
turn(double *x, double *y, const int m[4])
{
	double from_x = *x, from_y = *y;

	*x = m[0] * from_x + m[1] * from_y;
	*y = m[2] * from_x + m[3] * from_y;
}

static struct pair
turned(struct pair p, const int m[4])
{
	turn(&p.a.x, &p.a.y, m);
	turn(&p.a.vx, &p.a.vy, m);
	turn(&p.b.x, &p.b.y, m);
	turn(&p.b.vx, &p.b.vy, m);
	turn(&p.wall.x1, &p.wall.y1, m);
	turn(&p.wall.x2, &p.wall.y2, m);
	turn(&p.gravity[0], &p.gravity[1], m);
	return p;
}

static const int quarter_turns[3][4] = { { 0, -1, 1, 0 }, { -1, 0, 0, -1 }, { 0, 1, -1, 0 } };
/* At the axes and at the diagonals. */
static const int mirrors[4][4] = { { -1, 0, 0, 1 }, { 1, 0, 0, -1 }, { 0, 1, 1, 0 }, { 0, -1, -1, 0 } };

static void
test_scaling_by_powers_of_two(void **state)
{
	(void)state;
	uint64_t random = 1;
	struct tally tally = { 0 };

	for (int i = 0; i < QUERIES; i++) {
		struct pair p = random_pair(&random);
		double length = ldexp(1.0, (int)random_below(&random, 200) - 100),
			   time = ldexp(1.0, (int)random_below(&random, 60) - 30);
		struct pair q = scaled(p, length, time);
		struct times times = times_of(&p);

		assert_times(&tally, &q, &times, time);
	}
	assert_tally(&tally);
}

static void
turns_run(uint64_t random, const int (*turns)[4], size_t count)
{
	struct tally tally = { 0 };

	for (int i = 0; i < QUERIES; i++) {
		struct pair p = random_pair(&random);
		struct times times = times_of(&p);

		for (size_t k = 0; k < count; k++) {
			struct pair q = turned(p, turns[k]);

			assert_times(&tally, &q, &times, 1.0);
		}
	}
	assert_tally(&tally);
}

static void
test_rotation_by_90_degrees(void **state)
{
	(void)state;
	turns_run(2, quarter_turns, effort(1, 3));
}

static void
test_reflection(void **state)
{
	(void)state;
	turns_run(3, mirrors, effort(1, 4));
}

/* Gravity is the first's alone, so exchanged it pulls the other way. A segment cannot be exchanged, but its points can. */
static void
test_exchange_of_the_bodies(void **state)
{
	(void)state;
	uint64_t random = 4;
	struct tally tally = { 0 };

	for (int i = 0; i < QUERIES; i++) {
		struct pair p = random_pair(&random), q = p;
		struct sweep s = sweep_circles(&p.a, &p.b, p.margin, p.duration), t, back;
		struct times times = times_of(&p), swapped;
		const struct wall reversed = { p.wall.x2, p.wall.y2, p.wall.x1, p.wall.y1, 0, false, 0, 0 };

		q.a = p.b;
		q.b = p.a;
		q.gravity[0] = -p.gravity[0];
		q.gravity[1] = -p.gravity[1];
		t = sweep_circles(&q.a, &q.b, q.margin, q.duration);
		swapped = times_of(&q);
		assert_int_equal(t.outcome, s.outcome);
		assert_double_same_bits(t.time, s.time);
		assert_double_same_bits(swapped.straight, times.straight);
		assert_double_same_bits(swapped.curved, times.curved);
		assert_double_same_bits(t.approach_speed, s.approach_speed);
		for (int k = 0; k < 2; k++) {
			assert_double_same_bits(t.a[k], s.b[k]);
			assert_true(t.normal[k] == -s.normal[k]);
		}
		assert_int_equal(sweep_segment(&p.a, &reversed, READING_FILLED, p.margin, p.duration, &back), STATUS_OK);
		assert_int_equal(back.outcome, times.outcomes[1]);
		assert_double_near(back.time, times.segment, 0x1p-52 * times.segment); /* coordinates along it are others */
		tally_add(&tally, &times);
	}
	assert_tally(&tally);
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
