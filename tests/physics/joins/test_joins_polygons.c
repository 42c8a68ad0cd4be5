/* Polygons by trigonometry, n = 3 ... 1,000: vertices from the cosine and sine of 2 pi k / n, closed by the first vertex again
 * or by the one of k = n, which rounds to another place. Circles inside are shot at the closing corner and at others, roll
 * along sides, fall; others come from outside. None gets out, none in.
 *
 * -polygons N (default 120, of some 12 circles), -seed S (1), -polygon P: one of them. */
#include "physics/joins/shots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CORNERS_MAX 1000
/* Of numbers of corners. */
#define COUNTS (CORNERS_MAX - 2)

/* Of so many polygons one is judged by all checkers. */
enum { CHECKED_EVERY = 8 };

static uint64_t seed = 1, polygons = 120, only = UINT64_MAX;

struct polygon {
	uint64_t random;
	int n;
	bool computed; /* the end */
	double cx, cy, radius;
	double x[CORNERS_MAX + 1], y[CORNERS_MAX + 1];
};

static double
pick(struct polygon *p, double low, double high)
{
	return random_between(&p->random, low, high);
}

static bool
one_in(struct polygon *p, uint64_t count)
{
	return random_below(&p->random, count) == 0;
}

static void
polygon_make(struct polygon *p, uint64_t index)
{
	static const double offsets[] = { 0, 0, 0, 1, 1e3, 1e6, 1e9 };
	p->random = (seed << 32) + index;
	p->n = (int)pick_log(&p->random, 3, CORNERS_MAX + 0.999);
	p->computed = !one_in(p, 4);
	/* First each number of corners once with either end, then by chance. The factor has none in common with their number. */
	if (index < 2 * COUNTS) {
		p->n = 3 + (int)(index / 2 * 619 % COUNTS);
		p->computed = index % 2;
	}
	const double offset = offsets[random_below(&p->random, 7)];
	p->radius = one_in(p, 3) ? 10 : pick_log(&p->random, 1, 100);
	p->cx = (one_in(p, 4) ? 0 : pick(p, -10, 10)) + offset;
	p->cy = (one_in(p, 4) ? 0 : pick(p, -10, 10)) + offset * pick(p, -1, 1);
	const double phase = one_in(p, 2) ? 0 : pick(p, 0, 2 * JOINS_PI);
	for (int k = 0; k <= p->n; k++) {
		const double at = phase + 2 * JOINS_PI * k / p->n;
		p->x[k] = p->cx + p->radius * cos(at);
		p->y[k] = p->cy + p->radius * sin(at);
	}
	if (!p->computed) {
		p->x[p->n] = p->x[0];
		p->y[p->n] = p->y[0];
	}
}

/* Counter-clockwise, so that the inside is left: of both sides, thick, or stopping what is inside. */
static void
walls_add(struct polygon *p, struct trial *trial)
{
	const bool sided = one_in(p, 6), turned = !sided && one_in(p, 3);
	const double thick = one_in(p, 6) ? p->radius * pick_log(&p->random, 1e-4, 0.02) : 0;
	for (int k = 0; k < p->n; k++) {
		const int a = turned ? k + 1 : k, b = turned ? k : k + 1;
		struct segment_def *wall = scenario_segment(&trial->scenario, p->x[a], p->y[a], p->x[b], p->y[b]);
		wall->one_sided = sided;
		wall->radius = thick;
	}
	/* Nothing is inside that is past the corners, nor outside that is past the middle of a side. */
	trial->middle[0] = p->cx;
	trial->middle[1] = p->cy;
	trial->whole = p->radius;
	trial->core = sided ? 0 : p->radius * cos(JOINS_PI / p->n);
}

/* One alone comes straight from the middle to the seam between two sides, or from outside straight at the corner. */
static void
corner_shoot(struct polygon *p, struct trial *trial, int corner, int count, bool outside)
{
	const double inward = atan2(p->cy - p->y[corner], p->cx - p->x[corner]);
	const double half = count == 1 ? 0
	                    : outside  ? 1.2
	                               : 0.3 * JOINS_PI * (1 - 2.0 / p->n),
				 inner = p->radius * cos(JOINS_PI / p->n);
	const struct shots shots = {
		.x = p->x[corner],
		.y = p->y[corner],
		.count = count,
		.from = outside ? inward + JOINS_PI - half : inward - half,
		.to = outside ? inward + JOINS_PI + half : inward + half,
		.radius_low = 1e-3 * inner,
		.radius_high = 0.2 * inner,
		.speed_low = 0.01,
		.speed_high = 1000,
		.begin_max = outside ? 0 : 0.2 * p->radius,
	};
	shots_add(trial, &shots, &p->random);
}

/* Along the sides at the closing corner, and anywhere. */
static void
sides_roll(struct polygon *p, struct trial *trial)
{
	const int sides[] = { p->n - 1, 0, (int)random_below(&p->random, (uint64_t)p->n) };
	for (int i = 0; i < 3; i++) {
		const struct segment_def wall = trial->scenario.segments[sides[i]];
		const bool turned = wall.x1 != p->x[sides[i]] || wall.y1 != p->y[sides[i]];
		const double inner = p->radius * cos(JOINS_PI / p->n), size = inner * pick_log(&p->random, 1e-3, 0.2);
		const double way = size * pick_log(&p->random, 0.01, 1000);
		(void)shot_roll(trial, &wall, hypot(wall.x2 - wall.x1, wall.y2 - wall.y1) * pick(p, 0.1, 0.9), turned ? -1 : 1, size,
		                (one_in(p, 2) ? 1 : -1) * way / trial->dt);
	}
}

static void
polygon_trial(struct polygon *p, struct trial *trial)
{
	trial_init(trial);
	trial->ticks = 12;
	walls_add(p, trial);
	const int other = (int)random_below(&p->random, (uint64_t)p->n);
	corner_shoot(p, trial, 0, 2, false);
	for (int i = 0; i < 3; i++)
		corner_shoot(p, trial, 0, 1, false);
	for (int i = 0; i < 2; i++)
		corner_shoot(p, trial, other, 1, false);
	for (int i = 0; i < 4 && trial->core > 0; i++)
		corner_shoot(p, trial, i == 2 ? other : 0, i < 3 ? 1 : 2, true);
	sides_roll(p, trial);
	trial->elastic = true;
	if (one_in(p, 3)) {
		const double down = pick(p, 0, 2 * JOINS_PI),
					 pull = p->radius * pick_log(&p->random, 1e-5, 0.1) / (trial->dt * trial->dt);
		trial->scenario.def.gravity_x = pull * cos(down);
		trial->scenario.def.gravity_y = pull * sin(down);
		trial->elastic = false;
		scenario_restitution(&trial->scenario, one_in(p, 3) ? 1 : one_in(p, 2) ? 0.5 : 0);
	}
}

static void
test_polygons_close(void **state)
{
	(void)state;
	static struct polygon p;
	struct tally equal = { .name = "polygons closed by equal ends" }, computed = { .name = "polygons closed by computed ends" };
	uint64_t unequal = 0;
	for (uint64_t i = only < UINT64_MAX ? only : 0; i < (only < UINT64_MAX ? only + 1 : polygons); i++) {
		struct trial trial;
		char what[100];
		polygon_make(&p, i);
		polygon_trial(&p, &trial);
		trial.judge_alone = only == UINT64_MAX && i % CHECKED_EVERY != 0;
		unequal += p.x[0] != p.x[p.n] || p.y[0] != p.y[p.n];
		(void)snprintf(what, sizeof what, "polygon of %d corners", p.n);
		(void)trial_run(&trial, p.computed ? &computed : &equal, what, i);
		trial_finish(&trial);
	}
	tally_print(&equal);
	tally_print(&computed);
	printf("%llu of %llu computed ends are not the first corner\n", (unsigned long long)unequal,
	       (unsigned long long)computed.scenes);
	tally_add(&equal, &computed);
	tally_judge(&equal);
}

int
main(int argc, char **argv)
{
	trial_shown_max = argument_read(argc, argv, "-show", trial_shown_max);
	seed = argument_read(argc, argv, "-seed", seed);
	polygons = argument_read(argc, argv, "-polygons", polygons);
	only = argument_read(argc, argv, "-polygon", only);
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_polygons_close) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
