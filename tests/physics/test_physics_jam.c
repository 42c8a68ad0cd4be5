/* Bodies jammed between others at restitution 1: thousands of reflections at one time, which must end with the energy that
 * they began with. The outcome is compared with the same reflections made one by one in long double. Where there are millions,
 * it is compared with the fold of the wedge by atan2 and fmod. */
#include "physics/scenario.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>

/* The ball comes to the gap between two that stand, which is as wide as it is: a cusp. */
static void
cusp_check(double y, double vx)
{
	struct scenario scenario;
	struct run run;
	const double before = 0.5 * vx * vx;

	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 1, 0, 0, 0.5)->kind = BODY_STATIC;
	scenario_circle(&scenario, 0, -1, 0, 0, 0.5)->kind = BODY_STATIC;
	scenario_circle(&scenario, -3, y, vx, 0, 0.5);
	run_start(&run, &scenario);
	for (int tick = 0; tick < 12; tick++) {
		const struct momentum_ledger *p = &run.report.momentum;

		run_ticks(&run, 1.0 / 60, 1);
		assert_double_near(run_energy(&run, &scenario), before, 1e-12 * before);
		for (int k = 0; k < 2; k++)
			assert_double_near(p->after[k] - p->before[k], p->outside[k], 1e-9 * vx);
	}
	const struct body_state ball = run_body(&run, 2);
	assert_true(ball.x < -1 && ball.vx < 0);
	/* It leaves the way it came: the sides of the cusp are that near to each other. */
	assert_at_most(fabs(ball.vy), 1e-2 * vx);
	run_end(&run, &scenario);
}

static void
test_ball_in_a_cusp_keeps_its_energy(void **state)
{
	(void)state;
	static const double heights[] = { 0, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7 }, speeds[] = { 50, 500, 5000, 50000 };
	for (size_t h = 0; h < sizeof heights / sizeof *heights; h += effort(4, 1)) {
		for (size_t s = 0; s < sizeof speeds / sizeof *speeds; s += effort(3, 1)) {
			cusp_check(heights[h], speeds[s]);
			cusp_check(-heights[h], speeds[s]);
			cusp_check(nextafter(heights[h], 1), nextafter(speeds[s], 0));
			cusp_check(nextafter(heights[h], -1), nextafter(speeds[s], INFINITY));
		}
	}
}

/* Reflections in long double: contacts of bodies, with unit normals from j to i. A body of inverse mass 0 never yields. */
enum { BODIES = 4, CONTACTS = 3 };

struct mirror {
	size_t bodies, contacts;
	long double inverse_mass[BODIES], v[BODIES][2];
	size_t i[CONTACTS], j[CONTACTS];
	long double n[CONTACTS][2];
};

static long double
mirror_speed(const struct mirror *m, size_t k)
{
	const long double *a = m->v[m->i[k]], *b = m->v[m->j[k]];
	return (a[0] - b[0]) * m->n[k][0] + (a[1] - b[1]) * m->n[k][1];
}

static void
mirror_push(struct mirror *m, size_t k, long double impulse)
{
	for (int axis = 0; axis < 2; axis++) {
		m->v[m->i[k]][axis] += impulse * m->inverse_mass[m->i[k]] * m->n[k][axis];
		m->v[m->j[k]][axis] -= impulse * m->inverse_mass[m->j[k]] * m->n[k][axis];
	}
}

/* The change of contact k's speed by an impulse of 1 at contact l. */
static long double
mirror_coupling(const struct mirror *m, size_t k, size_t l)
{
	struct mirror still = *m;
	memset(still.v, 0, sizeof still.v);
	mirror_push(&still, l, 1);
	return mirror_speed(&still, k);
}

/* One reflection of all that approach: alone, or the two of which both press. False: none approaches, or it is not so simple.
 */
static bool
mirror_reflect(struct mirror *m)
{
	size_t approaching[CONTACTS], count = 0;
	for (size_t k = 0; k < m->contacts; k++)
		if (mirror_speed(m, k) < -1e-17L)
			approaching[count++] = k;
	if (count == 0 || count > 2)
		return false;
	size_t a = approaching[0], b = approaching[count - 1];
	long double aa = mirror_coupling(m, a, a), bb = mirror_coupling(m, b, b), ab = mirror_coupling(m, a, b);
	long double u = mirror_speed(m, a), w = mirror_speed(m, b);
	if (count == 1) {
		mirror_push(m, a, -2 * u / aa);
		return true;
	}
	long double det = aa * bb - ab * ab, x = (ab * w - bb * u) / det, y = (ab * u - aa * w) / det;
	if (x < 0 || y < 0) { /* the one parts the other */
		size_t alone = x < 0 ? b : a;
		x = alone == a ? -u / aa : 0;
		y = alone == b ? -w / bb : 0;
	}
	mirror_push(m, a, 2 * x);
	mirror_push(m, b, 2 * y);
	return true;
}

static size_t
mirror_run(struct mirror *m)
{
	size_t turns = 0;
	while (mirror_reflect(m))
		turns++;
	return turns;
}

enum { WIDTH = 2 * BODIES };

static long double
dot(const long double a[WIDTH], const long double b[WIDTH])
{
	long double sum = 0;
	for (size_t k = 0; k < WIDTH; k++)
		sum += a[k] * b[k];
	return sum;
}

/* A contact's speed as a product with the velocities times the roots of the masses. */
static void
mirror_row(const struct mirror *m, size_t k, long double row[WIDTH])
{
	memset(row, 0, WIDTH * sizeof *row);
	for (size_t axis = 0; axis < 2; axis++) {
		row[2 * m->i[k] + axis] = sqrtl(m->inverse_mass[m->i[k]]) * m->n[k][axis];
		row[2 * m->j[k] + axis] = -sqrtl(m->inverse_mass[m->j[k]]) * m->n[k][axis];
	}
}

/* What any number of reflections at two contacts comes to, of which the first approaches. It is, in the plane of both, the
 * angle from one side of the wedge, folded like paper. Those that never yield stand. Returns the wedge's angle. */
static long double
mirror_fold(struct mirror *m, size_t first, size_t second)
{
	long double a[WIDTH], b[WIDTH], v[WIDTH];
	mirror_row(m, first, a);
	mirror_row(m, second, b);
	for (size_t k = 0; k < WIDTH; k++)
		v[k] = m->inverse_mass[k / 2] > 0 ? m->v[k / 2][k % 2] / sqrtl(m->inverse_mass[k / 2]) : 0;
	const long double length = sqrtl(dot(a, a));
	for (size_t k = 0; k < WIDTH; k++)
		a[k] /= length;
	const long double along = dot(a, b);
	for (int turn = 0; turn < 2; turn++) {
		const long double left = dot(a, b);
		for (size_t k = 0; k < WIDTH; k++)
			b[k] -= left * a[k];
	}
	const long double height = sqrtl(dot(b, b)), angle = atan2l(height, -along);
	for (size_t k = 0; k < WIDTH; k++)
		b[k] /= height;
	const long double p = dot(a, v), q = dot(b, v), size = hypotl(p, q);
	const bool both = along * p + height * q < 0;
	const long double from = fabsl(angle - fmodl(atan2l(-p, q), 2 * angle)) - angle;
	const long double dp = (both ? -p : -size * sinl(from)) - p, dq = (both ? -q : size * cosl(from)) - q;
	for (size_t k = 0; k < WIDTH; k++)
		m->v[k / 2][k % 2] += sqrtl(m->inverse_mass[k / 2]) * (dp * a[k] + dq * b[k]);
	return angle;
}

/* Of two contacts, whichever approaches. The wedge's angle, or 0: none approaches. */
static long double
mirror_fold_any(struct mirror *m)
{
	if (mirror_speed(m, 0) < 0)
		return mirror_fold(m, 0, 1);
	return mirror_speed(m, 1) < 0 ? mirror_fold(m, 1, 0) : 0;
}

/* A light ball at the origin, touched by others in the directions given; all of radius 0.5. */
struct touch {
	double direction;
	double mass; /* 0: static; -1: kinematic */
	double vx, vy;
};

struct jam {
	double mass, vx, vy;
	size_t count;
	struct touch touches[CONTACTS];
};

static void
jam_build(const struct jam *jam, struct scenario *scenario)
{
	const double distance = 1 + 1e-10; /* within a skin */
	scenario_init(scenario);
	struct circle_def *ball = scenario_circle(scenario, 0, 0, jam->vx, jam->vy, 0.5);
	ball->mass = jam->mass;
	for (size_t k = 0; k < jam->count; k++) {
		const struct touch *t = &jam->touches[k];
		struct circle_def *circle = scenario_circle(scenario, distance * cos(t->direction), distance * sin(t->direction), t->vx,
		                                            t->vy, 0.5);
		circle->kind = t->mass > 0 ? BODY_DYNAMIC : t->mass < 0 ? BODY_KINEMATIC : BODY_STATIC;
		circle->mass = t->mass > 0 ? t->mass : 1;
	}
}

/* With the engine's own normals: their rounding is not its business here. */
static void
jam_mirror(const struct jam *jam, const struct run *run, struct mirror *m)
{
	*m = (struct mirror){ .bodies = jam->count + 1, .contacts = jam->count };
	m->inverse_mass[0] = 1 / (long double)jam->mass;
	m->v[0][0] = jam->vx;
	m->v[0][1] = jam->vy;
	for (size_t k = 0; k < jam->count; k++) {
		const struct touch *t = &jam->touches[k];
		m->i[k] = 0;
		m->j[k] = k + 1;
		m->inverse_mass[k + 1] = t->mass > 0 ? 1 / (long double)t->mass : 0;
		m->v[k + 1][0] = t->vx;
		m->v[k + 1][1] = t->vy;
		m->n[k][0] = -cosl(t->direction);
		m->n[k][1] = -sinl(t->direction);
		for (size_t c = 0; c < run->contact_count; c++) {
			const struct contact *contact = &run->contacts[c].contact;
			if (contact->b != k + 1 || contact->a != 0)
				continue;
			long double length = hypotl(contact->normal[0], contact->normal[1]);
			m->n[k][0] = contact->normal[0] / length;
			m->n[k][1] = contact->normal[1] / length;
		}
	}
}

/* The largest difference of momenta over the root of the mass: the root of twice the energy of the difference. */
static double
jam_off(const struct mirror *m, const struct run *run)
{
	long double worst = 0;
	for (size_t k = 0; k < m->bodies; k++) {
		const struct body_state body = run_body(run, (uint32_t)k);
		if (m->inverse_mass[k] > 0)
			worst = fmaxl(worst, hypotl(body.vx - m->v[k][0], body.vy - m->v[k][1]) / sqrtl(m->inverse_mass[k]));
	}
	return (double)worst;
}

static long double
jam_energy(const struct jam *jam, const struct run *run)
{
	const struct body_state ball = run_body(run, 0);
	long double sum = (long double)jam->mass * (ball.vx * (long double)ball.vx + ball.vy * (long double)ball.vy) / 2;
	for (size_t k = 0; k < jam->count; k++) {
		const struct body_state body = run_body(run, (uint32_t)k + 1);
		const long double mass = fmax(jam->touches[k].mass, 0);
		sum += mass * (body.vx * (long double)body.vx + body.vy * (long double)body.vy) / 2;
	}
	return sum;
}

/* A tick in which nothing else happens. Momenta to 1e-13 of what moves. */
static void
jam_tick(const struct jam *jam, double tolerance, struct run *run)
{
	const long double before = jam_energy(jam, run);
	run_ticks(run, 1e-9, 1);
	assert_double_near((double)(jam_energy(jam, run) / before), 1, tolerance);
	const struct momentum_ledger *p = &run->report.momentum;
	long double size = 0;
	for (uint32_t k = 0; k < jam->count + 1; k++) {
		const struct body_state body = run_body(run, k);
		if (body.kind == BODY_DYNAMIC)
			size += body.mass * (long double)hypot(body.vx, body.vy);
	}
	for (size_t k = 0; k < run->contact_count; k++)
		size += run->contacts[k].contact.impulse;
	for (int k = 0; k < 2; k++)
		assert_double_near(p->after[k] - p->before[k], p->outside[k], (double)(1e-13L * size));
}

/* The first of it, with nothing told of a shortfall. */
static void
jam_run(const struct jam *jam, double tolerance, struct scenario *scenario, struct run *run)
{
	jam_build(jam, scenario);
	run_start(run, scenario);
	jam_tick(jam, tolerance, run);
	assert_int_equal(run->shortfall_flags, 0);
}

static const double pi = 3.14159265358979323846;

/* A ball between two that stand, from 1 degree to where the reflections are 30,000. */
static void
test_wedges_as_their_reflections_one_by_one(void **state)
{
	(void)state;
	uint64_t random = 17;
	static const double angles[] = { 0.05, DEGREE, 0.1 * DEGREE, 1e-3, 1e-4 };
	for (size_t a = 0; a < sizeof angles / sizeof *angles; a++) {
		for (int round = 0; round < (int)effort(10, 40); round++) {
			const double turn = random_between(&random, -pi, pi), way = random_between(&random, -pi, pi);
			const double half = 0.5 * (pi - angles[a]);
			const struct jam jam = { 1, cos(way), sin(way), 2, { { turn + half, 0, 0, 0 }, { turn - half, 0, 0, 0 } } };
			struct scenario scenario;
			struct run run;
			struct mirror mirror;
			jam_run(&jam, 1e-13, &scenario, &run);
			jam_mirror(&jam, &run, &mirror);
			(void)mirror_run(&mirror);
			assert_at_most(jam_off(&mirror, &run), 1e-12);
			run_end(&run, &scenario);
		}
	}
}

/* And by the fold where they would be millions: to the angle's own rounding in long double. The fold is held to the reflections
 * where these can be made. */
static void
test_wedges_as_their_fold(void **state)
{
	(void)state;
	uint64_t random = 18;
	static const double angles[] = { DEGREE, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9 };
	for (size_t a = 0; a < sizeof angles / sizeof *angles; a++) {
		for (int round = 0; round < (int)effort(20, 80); round++) {
			const double turn = random_between(&random, -pi, pi);
			/* Every fourth straight in, onto both at once or nearly so. */
			const double way = round % 4 > 0 ? random_between(&random, -pi, pi)
			                                 : turn + random_between(&random, -0.6, 0.6) * angles[a];
			const double half = 0.5 * (pi - angles[a]), speed = pow(10, random_between(&random, -3, 3));
			const struct jam jam = {
				1, speed * cos(way), speed * sin(way), 2, { { turn + half, 0, 0, 0 }, { turn - half, 0, 0, 0 } }
			};
			struct scenario scenario;
			struct run run;
			struct mirror mirror;
			jam_run(&jam, 1e-13, &scenario, &run);
			jam_mirror(&jam, &run, &mirror);
			struct mirror one_by_one = mirror;
			(void)mirror_fold_any(&mirror);
			assert_at_most(jam_off(&mirror, &run), speed * (1e-14 + 1e-17 / angles[a]));
			if (angles[a] >= 1e-4 && round % 4 > 0) { /* the joint solution loses digits in long double too */
				(void)mirror_run(&one_by_one);
				assert_at_most((double)hypotl(mirror.v[0][0] - one_by_one.v[0][0], mirror.v[0][1] - one_by_one.v[0][1]),
				               speed * (1e-14 + 1e-17 / angles[a]));
			}
			run_end(&run, &scenario);
		}
	}
}

/* The same where all three yield, by masses 1e-12 to 1e12 times that of the ball, in a row or a little off it. */
static void
test_light_and_heavy_as_their_fold(void **state)
{
	(void)state;
	uint64_t random = 19;
	for (int a = -12; a <= 12; a += 2) {
		for (int b = -12; b <= 12; b += 2) {
			for (int round = 0; round < 8; round++) {
				const double turn = random_between(&random, -pi, pi), bend = round < 4 ? 0 : pow(10, -2.0 * (round - 4) - 1);
				const double half = 0.5 * (pi - bend);
				const struct jam jam = {
					1,
					random_between(&random, -1, 1),
					random_between(&random, -1, 1),
					2,
					{ { turn + half, pow(10, a), random_between(&random, -1, 1), random_between(&random, -1, 1) },
					  { turn - half, pow(10, b), random_between(&random, -1, 1), random_between(&random, -1, 1) } }
				};
				struct scenario scenario;
				struct run run;
				struct mirror mirror;
				jam_run(&jam, 1e-13, &scenario, &run);
				jam_mirror(&jam, &run, &mirror);
				const double norm = sqrt(2 * (double)jam_energy(&jam, &run));
				const double angle = (double)mirror_fold_any(&mirror);
				assert_at_most(jam_off(&mirror, &run), norm * (1e-14 + (angle > 0 ? 1e-17 / angle : 0)));
				run_end(&run, &scenario);
			}
		}
	}
}

/* So narrow that doubles cannot tell the wedge from a gap with parallel sides, or the rotation from none, with a third that
 * lets only small ones pass or without. It ends, and whatever the direction is, the energy is there. It may be told that it did
 * not come out. */
static void
test_the_narrowest_wedges_end(void **state)
{
	(void)state;
	uint64_t random = 22;
	for (int round = 0; round < (int)effort(10, 400); round++) {
		const double angle = pow(10, random_between(&random, -24, -9)), turn = random_between(&random, -pi, pi);
		const double way = random_between(&random, -pi, pi), half = 0.5 * (pi - angle);
		const double heavy = round % 2 ? 0 : pow(10, random_between(&random, 8, 15));
		const double third = round % 3 ? pow(10, random_between(&random, -15, 15)) : 0;
		const struct jam jam = { pow(10, -random_between(&random, 0, 15)),
			                     cos(way),
			                     sin(way),
			                     round % 4 < 2 ? 2 : 3,
			                     { { turn + half, heavy, 0, 0 },
			                       { turn - half, heavy, 0, 0 },
			                       { turn + random_between(&random, -0.4, 0.4) + (round % 8 < 4 ? pi : 0), third, 0, 0 } } };
		struct scenario scenario;
		struct run run;
		jam_build(&jam, &scenario);
		run_start(&run, &scenario);
		for (int tick = 0; tick < 3; tick++)
			jam_tick(&jam, 5e-12, &run);
		assert_int_equal(run.shortfall_flags & ~(uint32_t)BODY_FLAG_BUDGET, 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* The same jam seen from a frame that moves: two kinematic circles that go the same way. They work, so energies are those of
 * the frame in which they stand. */
static void
test_moving_wedges_as_standing_ones(void **state)
{
	(void)state;
	uint64_t random = 20;
	for (int round = 0; round < 60; round++) {
		const double angle = pow(10, random_between(&random, -8, -2)), turn = random_between(&random, -pi, pi);
		const double way = random_between(&random, -pi, pi), half = 0.5 * (pi - angle), ux = 3, uy = -2;
		const struct jam jam = {
			1, ux + cos(way), uy + sin(way), 2, { { turn + half, round % 2 ? -1 : 1e9, ux, uy }, { turn - half, -1, ux, uy } }
		};
		struct jam still = jam;
		still.vx -= ux;
		still.vy -= uy;
		for (int k = 0; k < 2; k++)
			still.touches[k].vx = still.touches[k].vy = 0;
		struct scenario scenario;
		struct run run;
		struct mirror mirror;
		jam_build(&jam, &scenario);
		run_start(&run, &scenario);
		run_ticks(&run, 1e-9, 1);
		assert_int_equal(run.shortfall_flags, 0);
		jam_mirror(&still, &run, &mirror);
		(void)mirror_fold_any(&mirror);
		for (size_t k = 0; k < 3; k++) {
			mirror.v[k][0] += ux;
			mirror.v[k][1] += uy;
		}
		/* The velocities are rounded at their size, not at that of what they differ by. */
		assert_at_most(jam_off(&mirror, &run), (round % 2 ? 1 : 3e4) * (1e-14 + 1e-16 / angle));
		run_end(&run, &scenario);
	}
}

/* A third that touches the ball comes in between, or does not. Three that take turns are reflected one by one, up to a limit in
 * each tick. Then all that approach are parked as they are, which is told, and go on in the next. */
static void
test_a_third_contact_is_not_passed_over(void **state)
{
	(void)state;
	uint64_t random = 21;
	static const double heavies[] = { 0, 1e3, 1e5, 1e7 };
	const size_t limit = 4096;
	size_t thirds = 0, parked = 0;
	for (int round = 0; round < (int)effort(60, 300); round++) {
		const double angle = pow(10, random_between(&random, -4, -1)), turn = random_between(&random, -pi, pi);
		const double way = random_between(&random, -pi, pi), half = 0.5 * (pi - angle);
		/* If none yielded, the ball would have no way out. */
		const double heavy = heavies[round % 4];
		const double third = round % 8 < 4 && heavy > 0 ? 0 : pow(10, random_between(&random, -3, 3));
		const struct jam jam = { 1,
			                     cos(way),
			                     sin(way),
			                     3,
			                     { { turn + half, heavy, 0, 0 },
			                       { turn - half, heavy, 0, 0 },
			                       { turn + random_between(&random, -0.4, 0.4) + (round % 3 ? pi : 0), third, 0, 0 } } };
		struct scenario scenario;
		struct run run;
		struct mirror mirror;
		jam_build(&jam, &scenario);
		run_start(&run, &scenario);
		jam_tick(&jam, 5e-12, &run);
		jam_mirror(&jam, &run, &mirror);
		const size_t turns = mirror_run(&mirror);
		assert_true(run.shortfall_flags == 0 || (run.shortfall_flags == BODY_FLAG_BUDGET && turns > limit));
		parked += run.shortfall_flags != 0;
		for (size_t tick = 0; tick < turns / limit; tick++)
			jam_tick(&jam, 5e-12, &run);
		assert_int_equal(run.report.shortfall_count, 0);
		/* What was not parked has gone on meanwhile. */
		if (run.shortfall_flags == 0)
			assert_at_most(jam_off(&mirror, &run), 1e-11);
		for (size_t k = 0; k < run.contact_count; k++)
			thirds += run.contacts[k].contact.b == 3;
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_at_most((double)effort(4, 20), (double)thirds);
	assert_at_most((double)effort(0, 1), (double)parked);
}

/* Whether a circle overlaps no other there. */
static bool
room_is_free(const struct scenario *scenario, double x, double y, double radius)
{
	for (size_t k = 0; k < scenario->circle_count; k++) {
		const struct circle_def *c = &scenario->circles[k];
		if (hypot(x - c->x, y - c->y) < radius + c->radius)
			return false;
	}
	return true;
}

/* Discs in touch with each other, some of which stand, of masses 1 : 10^6 to 10^6: at `decades` 6. */
static void
crowd_build(struct scenario *scenario, uint64_t seed, double decades)
{
	uint64_t random = seed;
	const size_t count = 2 + random_below(&random, 9);
	scenario_init(scenario);
	while (scenario->circle_count < count) {
		const double radius = random_below(&random, 2) ? 0.5 : random_between(&random, 0.2, 1);
		double x = 0, y = 0;
		if (scenario->circle_count > 0) {
			const struct circle_def *to = &scenario->circles[random_below(&random, scenario->circle_count)];
			const double way = random_below(&random, 3) ? random_between(&random, -pi, pi)
			                                            : 0.5 * pi * (double)random_below(&random, 4);
			const double distance = to->radius + radius + random_between(&random, 0, 2e-10);
			x = to->x + distance * cos(way);
			y = to->y + distance * sin(way);
		}
		if (!room_is_free(scenario, x, y, radius))
			continue;
		struct circle_def *disc = scenario_circle(scenario, x, y, 0, 0, radius);
		disc->mass = pow(10, random_between(&random, -decades, decades));
		if (random_below(&random, 5) == 0) {
			disc->kind = BODY_STATIC;
			disc->mass = 1;
		} else if (random_below(&random, 3) > 0) {
			disc->vx = random_between(&random, -10, 10);
			disc->vy = random_between(&random, -10, 10);
		}
	}
}

/* Whatever touches: no energy is lost or made, whether a circle is parked or not. */
static void
test_crowds_in_touch_keep_their_energy(void **state)
{
	(void)state;
	/* The last did not end once. */
	for (uint64_t round = 1; round <= effort(200, 1000); round++) {
		const uint64_t seed = round < 1000 ? round : 12894;
		struct scenario scenario;
		struct run run;
		crowd_build(&scenario, seed, (double)(seed % 7));
		run_start(&run, &scenario);
		const double before = run_energy(&run, &scenario);
		for (int tick = 0; tick < 4; tick++) {
			run_ticks(&run, 1.0 / 60, 1);
			assert_double_near(run_energy(&run, &scenario), before, 1e-11 * before);
		}
		/* The limit of reflections may park some. */
		assert_int_equal(run.shortfall_flags & ~(uint32_t)BODY_FLAG_BUDGET, 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ball_in_a_cusp_keeps_its_energy),
		cmocka_unit_test(test_wedges_as_their_reflections_one_by_one),
		cmocka_unit_test(test_wedges_as_their_fold),
		cmocka_unit_test(test_light_and_heavy_as_their_fold),
		cmocka_unit_test(test_the_narrowest_wedges_end),
		cmocka_unit_test(test_moving_wedges_as_standing_ones),
		cmocka_unit_test(test_a_third_contact_is_not_passed_over),
		cmocka_unit_test(test_crowds_in_touch_keep_their_energy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
