/* Circles at rest, judged by statics and by rigid-body mechanics worked out by hand. Every tick is certified and looked through
 * for overlap by brute force. Gravity is 10, circles are dull (restitution 0) unless said otherwise. */
#include "physics/scenario.h"
#include "physics/statics.h"
#include "support/effort.h"
#include "support/long_case.h"

#include <math.h>

static const double dt = 1.0 / 60, g = 10;

/* Circles rest between touching and this part of the smaller radius apart (the cushion, physics.h, and some skins). */
#define CUSHION (0.01 + 1e-8)
/* Scenes that are to stand are built with this gap, of the radius. */
#define BUILT 0.005

static void
run_checked(struct run *run, const struct scenario *scenario, int ticks)
{
	for (int tick = 0; tick < ticks; tick++) {
		run_ticks_unlogged(run, dt, 1);
		assert_at_most(run_overlap(run, scenario), 0);
	}
}

static void
scenario_heavy(struct scenario *scenario)
{
	scenario_init(scenario);
	scenario->def.gravity_y = -g;
}

/* Two half-planes n.x >= 0 that hold a circle; n1 leans to the right, n2 to the left. */
struct holder {
	double n1[2], n2[2];
};

/* Where the forces along a and b that add up to (0, m g) are not negative: their sum, by Cramer's rule; else NaN. */
static double
forces_sum(const double a[2], const double b[2], double weight)
{
	const double det = a[0] * b[1] - a[1] * b[0];
	const double f1 = -b[0] * weight / det, f2 = a[0] * weight / det;
	return f1 >= 0 && f2 >= 0 ? f1 + f2 : (double)NAN;
}

/* While a circle spins counterclockwise in its place, friction m N acts at each contact along its normal turned left (the
 * surface there moves to the right of it). So the forces are N1 (n1 + m l1) and N2 (n2 + m l2); they carry the weight. The
 * torque is -m (N1 + N2) r, the disc's inertia mass r^2 / 2. */
static double
spin_lost(const struct holder *h, double friction, double r)
{
	const double a[2] = { h->n1[0] - friction * h->n1[1], h->n1[1] + friction * h->n1[0] };
	const double b[2] = { h->n2[0] - friction * h->n2[1], h->n2[1] + friction * h->n2[0] };
	return 2 * friction * forces_sum(a, b, g) / r;
}

/* The contact forces of a circle that is held at two sides, told by what they do to its spin; in the end it lies still. */
static void
holder_holds(struct scenario *scenario, const struct holder *h, double friction)
{
	const double spin = 40, lost = spin_lost(h, friction, scenario->circles[0].radius);
	const struct circle_def start = scenario->circles[0];
	assert_true(lost > 0);
	scenario_dull(scenario, friction, 0);
	scenario->circles[0].angular_velocity = spin;
	struct run run;
	run_start(&run, scenario);
	const int ticks = (int)(0.8 * spin / lost / dt);
	assert_true(ticks > 5);
	run_checked(&run, scenario, ticks);
	assert_double_near(run_body(&run, 0).angular_velocity / (spin - lost * ticks * dt), 1, 1e-9);
	run_checked(&run, scenario, ticks / 2 + 5);
	const struct body_state end = run_body(&run, 0);
	assert_at_most(fabs(end.angular_velocity), 1e-12);
	assert_at_most(hypot(end.x - start.x, end.y - start.y), 2e-5 * start.radius);
	assert_at_most(hypot(end.vx, end.vy), 1e-9);
	run_end(&run, scenario);
}

/* A V with its tip at the origin and sides that rise at the angles `left` and `right`. */
static struct holder
wedge_add(struct scenario *scenario, double left, double right)
{
	scenario_segment(scenario, -20 * cos(left), 20 * sin(left), 0, 0);
	scenario_segment(scenario, 0, 0, 20 * cos(right), 20 * sin(right));
	return (struct holder){ { sin(left), cos(left) }, { -sin(right), cos(right) } };
}

/* The point at the distance d of both sides. */
static void
wedge_point(const struct holder *h, double d, double at[2])
{
	const double det = h->n1[0] * h->n2[1] - h->n1[1] * h->n2[0];
	at[0] = d * (h->n2[1] - h->n1[1]) / det;
	at[1] = d * (h->n1[0] - h->n2[0]) / det;
}

static const double wedges[][2] = {
	{ 45 * DEGREE, 45 * DEGREE }, { 20 * DEGREE, 20 * DEGREE }, { 70 * DEGREE, 70 * DEGREE },
	{ 30 * DEGREE, 60 * DEGREE }, { 10 * DEGREE, 80 * DEGREE }, { 15 * DEGREE, 25 * DEGREE },
};

/* Dropped beside the middle it comes to rest touching both sides, smooth or rough: rolling does not hold it on one of them. */
static void
test_circle_dropped_into_a_wedge(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof wedges / sizeof *wedges; i++) {
		for (int rough = 0; rough < 2; rough++) {
			struct scenario scenario;
			scenario_heavy(&scenario);
			const struct holder h = wedge_add(&scenario, wedges[i][0], wedges[i][1]);
			double low[2], high[2];
			wedge_point(&h, 1, low);
			wedge_point(&h, 1 + CUSHION, high);
			scenario_circle(&scenario, low[0] + 0.2, low[1] + 0.6, 0, 0, 1);
			scenario_dull(&scenario, 0.5 * rough, 0);
			struct run run;
			run_start(&run, &scenario);
			run_checked(&run, &scenario, 600);
			const struct body_state end = run_body(&run, 0);
			const double d1 = h.n1[0] * end.x + h.n1[1] * end.y, d2 = h.n2[0] * end.x + h.n2[1] * end.y;
			assert_double_in_range(d1, 1, 1 + CUSHION);
			assert_double_in_range(d2, 1, 1 + CUSHION);
			assert_double_in_range(end.y, low[1], high[1]);
			assert_at_most(hypot(end.vx, end.vy), 1e-9);
			assert_at_most(fabs(end.angular_velocity), 1e-9);
			run_end(&run, &scenario);
		}
	}
}

/* As long as it does not climb (spin_lost is a number) it spins in its place, wherever the sides are. */
static void
test_circle_spins_in_a_wedge(void **state)
{
	(void)state;
	static const double frictions[] = { 0.05, 0.15, 0.3 };
	int tried = 0;
	for (size_t i = 0; i < sizeof wedges / sizeof *wedges; i++) {
		for (size_t f = 0; f < sizeof frictions / sizeof *frictions; f++) {
			struct scenario scenario;
			scenario_heavy(&scenario);
			const struct holder h = wedge_add(&scenario, wedges[i][0], wedges[i][1]);
			double at[2];
			wedge_point(&h, 1 + BUILT, at);
			scenario_circle(&scenario, at[0], at[1], 0, 0, 1);
			if (spin_lost(&h, frictions[f], 1) > 0) {
				holder_holds(&scenario, &h, frictions[f]);
				tried++;
			} else {
				scenario_finish(&scenario);
			}
		}
	}
	assert_true(tried >= 13);
}

/* A slot narrower than the circle, between two walls that end at different heights: the centre is at r + gap from both ends. */
static void
test_circle_jams_in_a_slot(void **state)
{
	(void)state;
	static const struct {
		double width, left, right;
	} slots[] = { { 1.9, 0, 0 }, { 1, 0, 0 }, { 1.2, 0, 0.4 }, { 1.6, 0.3, 0 } };
	for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
		for (int built = 0; built < 3; built++) {
			const double half = slots[i].width / 2, rise = slots[i].right - slots[i].left, R = 1 + BUILT;
			const double apart = hypot(slots[i].width, rise), up = sqrt(R * R - apart * apart / 4) / apart;
			const double x = -up * rise, y = (slots[i].left + slots[i].right) / 2 + up * slots[i].width;
			const struct holder h = { { (x + half) / R, (y - slots[i].left) / R },
				                      { (x - half) / R, (y - slots[i].right) / R } };
			struct scenario scenario;
			scenario_heavy(&scenario);
			scenario_segment(&scenario, -half, -5, -half, slots[i].left);
			scenario_segment(&scenario, half, -5, half, slots[i].right);
			scenario_circle(&scenario, x, y, 0, 0, 1);
			if (built < 2 && spin_lost(&h, 0.1 + 0.1 * built, 1) > 0) {
				holder_holds(&scenario, &h, 0.1 + 0.1 * built);
				continue;
			}
			scenario.circles[0].x += 0.1;
			scenario.circles[0].y += 0.5;
			scenario_dull(&scenario, 0.4, 0);
			struct run run;
			run_start(&run, &scenario);
			run_checked(&run, &scenario, 600);
			const struct body_state end = run_body(&run, 0);
			assert_double_in_range(hypot(end.x + half, end.y - slots[i].left), 1, 1 + CUSHION);
			assert_double_in_range(hypot(end.x - half, end.y - slots[i].right), 1, 1 + CUSHION);
			assert_at_most(hypot(end.vx, end.vy), 1e-9);
			run_end(&run, &scenario);
		}
	}
}

/* Parallel walls as far apart as the circle is wide hold it only by what squeezes it, and nothing does: it falls freely,
 * however rough they are. */
static void
test_nothing_squeezes_a_circle_between_walls(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_heavy(&scenario);
	scenario_segment(&scenario, -1 - BUILT, -100, -1 - BUILT, 2);
	scenario_segment(&scenario, 1 + BUILT, 2, 1 + BUILT, -100);
	scenario_circle(&scenario, 0, 0, 0, 0, 1);
	scenario_dull(&scenario, 1, 0);
	struct run run;
	run_start(&run, &scenario);
	run_checked(&run, &scenario, 120);
	assert_double_near(run_body(&run, 0).vy, -g * 120 * dt, 1e-9);
	assert_same(run_body(&run, 0).vx, 0);
	run_end(&run, &scenario);
}

/* What a circle of inertia k m r^2 does on a slope. Friction F <= friction N, rolling resistance <= rolling r N, N = m g cos, m
 * a = m g sin - F, k m r^2 spin' = F r - rolling r N. It stays if neither bound is exceeded at rest; it rolls with r spin' = a
 * if friction reaches; else it slides. */
struct slide {
	double a, turn; /* turn: r spin' */
};

static struct slide
slide_expected(double slope, double friction, double rolling, double k)
{
	const double s = sin(slope), c = cos(slope);
	const double rolls = g * (s - rolling * c) / (1 + k), needed = k * rolls + rolling * g * c;
	if (s <= friction * c && s <= rolling * c)
		return (struct slide){ 0, 0 };
	if (rolls > 0 && needed <= friction * g * c)
		return (struct slide){ rolls, rolls };
	return (struct slide){ g * (s - friction * c), fmax(0, (friction - rolling) * g * c / k) };
}

static void
test_circle_on_a_slope(void **state)
{
	(void)state;
	static const double slopes[] = { 3, 15, 30, 60 }, frictions[] = { 0, 0.02, 0.1, 0.3, 0.62, 2 };
	static const double rollings[] = { 0, 0.05, 0.28, 0.7 }, inertias[] = { 0.5, 1, 0.1 };
	int kinds[4] = { 0 };
	for (size_t n = 0; n < 4 * 6 * 4 * 3; n += effort(5, 1)) {
		const double slope = slopes[n % 4] * DEGREE, friction = frictions[n / 4 % 6], rolling = rollings[n / 24 % 4];
		const double k = inertias[n / 96], ux = cos(slope), uy = -sin(slope), time = 1;
		struct scenario scenario;
		scenario_heavy(&scenario);
		scenario_segment(&scenario, -5 * ux, -5 * uy, 20 * ux, 20 * uy);
		scenario_circle(&scenario, -uy * (1 + BUILT), ux * (1 + BUILT), 0, 0, 1)->moment_of_inertia = k * 3;
		scenario.circles[0].mass = 3;
		scenario_dull(&scenario, friction, rolling);
		struct run run;
		run_start(&run, &scenario);
		run_checked(&run, &scenario, (int)(time / dt + 0.5));
		const struct slide slide = slide_expected(slope, friction, rolling, k);
		const struct body_state end = run_body(&run, 0);
		assert_double_near(end.vx * ux + end.vy * uy, slide.a * time, 1e-9);
		assert_double_near(-end.angular_velocity, slide.turn * time, 1e-9);
		assert_at_most(fabs(end.vx * uy - end.vy * ux), 1e-9);
		kinds[slide.a == 0 ? 0 : slide.turn == slide.a ? 1 : slide.turn > 0 ? 2 : 3]++;
		run_end(&run, &scenario);
	}
	for (int kind = 0; kind < 4; kind++)
		assert_true(kinds[kind] >= (int)effort(3, 20));
}

/* On top of a fixed disc of its size, `off` from the vertical. Friction is m g sin, the normal force m g cos, and rolling
 * resistance must outweigh friction's torque: tan(off) <= rolling. */
static void
test_rolling_resistance_on_a_disc(void **state)
{
	(void)state;
	static const double offs[] = { 2, 10, 25 };
	for (size_t i = 0; i < 3; i++) {
		for (int holds = 0; holds < 2; holds++) {
			const double off = offs[i] * DEGREE, distance = 2 + BUILT;
			struct scenario scenario;
			scenario_heavy(&scenario);
			scenario_circle(&scenario, 0, 0, 0, 0, 1)->kind = BODY_STATIC;
			scenario_circle(&scenario, distance * sin(off), distance * cos(off), 0, 0, 1);
			scenario_dull(&scenario, 1, tan(off) * (holds ? 1.02 : 0.98));
			struct run run;
			run_start(&run, &scenario);
			run_checked(&run, &scenario, 300);
			const struct body_state end = run_body(&run, 1);
			if (holds)
				assert_at_most(hypot(end.x - scenario.circles[1].x, end.y - scenario.circles[1].y), 1e-6);
			else
				assert_true(end.y < 0);
			run_end(&run, &scenario);
		}
	}
}

/* How far the disc went that went farthest. */
static double
way_farthest(const struct run *run, const struct scenario *scenario)
{
	double farthest = 0;
	for (size_t i = 0; i < scenario->circle_count; i++) {
		const struct body_state body = world_body(run->world, i);
		farthest = fmax(farthest, hypot(body.x - scenario->circles[i].x, body.y - scenario->circles[i].y));
	}
	return farthest;
}

/* Ten seconds: it stands where it was built, or comes down. */
static void
structure_stands(struct scenario *scenario, bool stands)
{
	struct run run;
	run_start(&run, scenario);
	run_checked(&run, scenario, 600);
	const double way = way_farthest(&run, scenario);
	if (stands) {
		assert_at_most(way, 5e-4);
		for (size_t i = 0; i < scenario->circle_count; i++) {
			const struct body_state body = world_body(run.world, i);
			assert_at_most(hypot(body.vx, body.vy) + fabs(body.angular_velocity) * body.radius, 1e-9);
		}
	} else {
		assert_true(way > 0.5);
	}
	run_end(&run, scenario);
}

/* The top one's contact rises at `angle` from each of the lower ones. With the forces N1, F1 there and N2, F2 on the ground: no
 * torque on the lower one, F1 = F2. No force along the ground, N1 cos = F1 sin + F2; so F1 / N1 = cos / (1 + sin) is the least
 * friction. The top one's weight W is 2 (N1 sin + F1 cos) = 2 N1, thus F2 / N2 = F1 / (w + W / 2), and the least friction on
 * the ground W / (2 w + W) of that. With rolling resistance the torque need not vanish: F2 - F1 <= rolling (N1 + N2). For equal
 * masses N2 = 1.5 W, N1 = W / 2 / (sin + friction cos) and F1 = friction N1 give friction = (cos - rolling (1 + 3 sin)) / (1 +
 * sin + 3 rolling cos). */
static void
ball_on_two(struct scenario *scenario, double angle, double heavy)
{
	const double D = 2 * (1 + BUILT / 2), x = D * cos(angle), y = 1 + BUILT;
	scenario_heavy(scenario);
	scenario_circle(scenario, -x, y, 0, 0, 1);
	scenario_circle(scenario, x, y, 0, 0, 1);
	scenario_circle(scenario, 0, y + D * sin(angle), 0, 0, 1)->mass = heavy;
	scenario_segment(scenario, -50, 0, 50, 0);
}

static void
test_ball_on_two_balls(void **state)
{
	(void)state;
	static const double angles[] = { 59, 45, 30 }, masses[] = { 1, 5 };
	for (size_t i = 0; i < 3; i++) {
		const double angle = angles[i] * DEGREE, least = cos(angle) / (1 + sin(angle));
		const struct statics_contact contacts[] = {
			{ 2, 0, cos(angle), sin(angle) },
			{ 2, 1, -cos(angle), sin(angle) },
			{ 0, STATICS_GROUND, 0, 1 },
			{ 1, STATICS_GROUND, 0, 1 },
		};
		assert_double_near(statics_friction_least(3, contacts, 4, 0), least, 1e-5);
		for (size_t m = 0; m < 2; m++) {
			for (int stands = 0; stands < 2; stands++) {
				struct scenario scenario;
				ball_on_two(&scenario, angle, masses[m]);
				scenario_dull(&scenario, least * (stands ? 1.002 : 0.998), 0);
				structure_stands(&scenario, stands);
				/* Rough enough among themselves: the ground decides. The mix is geometric. */
				const double ground = least * masses[m] / (2 + masses[m]) * (stands ? 1.002 : 0.998);
				ball_on_two(&scenario, angle, masses[m]);
				scenario_dull(&scenario, 1, 0);
				scenario.segments[0].friction = ground * ground;
				structure_stands(&scenario, stands);
			}
		}
		for (int stands = 0; stands < 2; stands++) {
			const double rolling = 0.05;
			const double held = (cos(angle) - rolling * (1 + 3 * sin(angle))) / (1 + sin(angle) + 3 * rolling * cos(angle));
			assert_double_near(statics_friction_least(3, contacts, 4, rolling), held, 1e-5);
			struct scenario scenario;
			ball_on_two(&scenario, angle, 1);
			scenario_dull(&scenario, held * (stands ? 1.002 : 0.998), rolling);
			structure_stands(&scenario, stands);
		}
	}
}

/* A card-house of rows of n, n - 1, ... 1; those of a row do not touch. Gives the contacts for the statics. */
static size_t
house_add(struct scenario *scenario, size_t rows, struct statics_contact *contacts)
{
	const double D = 2 * (1 + BUILT / 2), pitch = 2 + 2 * CUSHION, rise = sqrt(D * D - pitch * pitch / 4);
	size_t count = 0;
	scenario_heavy(scenario);
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = 0; i < rows - row; i++) {
			const size_t id = scenario->circle_count, below = id - (rows - row) - 1;
			scenario_circle(scenario, pitch * ((double)i + (double)row / 2 - (double)(rows - 1) / 2),
			                1 + BUILT + (double)row * rise, 0, 0, 1);
			if (row == 0) {
				contacts[count++] = (struct statics_contact){ id, STATICS_GROUND, 0, 1 };
				continue;
			}
			contacts[count++] = (struct statics_contact){ id, below, pitch / 2 / D, rise / D };
			contacts[count++] = (struct statics_contact){ id, below + 1, -pitch / 2 / D, rise / D };
		}
	}
	scenario_segment(scenario, -50, 0, 50, 0);
	return count;
}

enum { HOUSE_CONTACTS_MAX = 64 };

/* With rolling resistance a card-house stands from the friction on that statics asks for. */
static void
test_card_house_with_rolling_resistance(void **state)
{
	(void)state;
	static const struct {
		size_t rows;
		double rolling;
	} houses[] = { { 3, 0.05 }, { 3, 0.1 }, { 4, 0.1 } };
	for (size_t i = 0; i < sizeof houses / sizeof *houses; i++) {
		for (int stands = 0; stands < 2; stands++) {
			struct scenario scenario;
			struct statics_contact contacts[HOUSE_CONTACTS_MAX];
			const size_t count = house_add(&scenario, houses[i].rows, contacts);
			const double least = statics_friction_least(scenario.circle_count, contacts, count, houses[i].rolling);
			scenario_dull(&scenario, least * (stands ? 1.01 : 0.99), houses[i].rolling);
			structure_stands(&scenario, stands);
		}
	}
}

/* Without it there are two ways to go on from rest for rigid discs under Coulomb's law, both exact. The forces of statics, from
 * friction 0.437 on, and one in which the middle disc of the lowest row carries nothing. Then the five others are an arch that
 * opens, each rolling on the next without sliding, which needs friction 0.38 only. Those of the second row leave the middle
 * one, so that nothing contradicts. The solver, which begins with no forces, finds the first one from about 0.6 on. Below what
 * statics asks for there is only the second. */
static void
test_card_house(void **state)
{
	(void)state;
	for (int stands = 0; stands < 2; stands++) {
		struct scenario scenario;
		struct statics_contact contacts[HOUSE_CONTACTS_MAX];
		const size_t count = house_add(&scenario, 3, contacts);
		const double least = statics_friction_least(scenario.circle_count, contacts, count, 0);
		assert_double_in_range(least, 0.43, 0.45);
		scenario_dull(&scenario, stands ? 0.75 : 0.97 * least, 0);
		structure_stands(&scenario, stands);
	}
}

/* Skin that is used up is won back without a blow, however short the tick: nothing is faster than gravity makes it. */
static void
test_short_ticks_win_no_speed(void **state)
{
	(void)state;
	static const double ticks[] = { 1e-9, 1e-7, 1e-5, 1e-3 };
	for (size_t i = 0; i < 4; i++) {
		struct scenario scenario;
		scenario_heavy(&scenario);
		scenario_circle(&scenario, -0.5, 0.5, 0, 0, 0.5);
		scenario_circle(&scenario, 0.5, 0.5, 0, 0, 0.5);
		scenario_circle(&scenario, 0, 0.5 + sqrt(0.75), 0, 0, 0.5);
		scenario_segment(&scenario, -20, 0, 20, 0);
		scenario_restitution(&scenario, 0);
		struct run run;
		run_start(&run, &scenario);
		for (int tick = 1; tick <= 20; tick++) {
			run_ticks_unlogged(&run, ticks[i], 1);
			for (uint32_t id = 0; id < 3; id++)
				assert_at_most(hypot(run_body(&run, id).vx, run_body(&run, id).vy), g * ticks[i] * tick * 1.001);
		}
		run_end(&run, &scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_circle_dropped_into_a_wedge),
		long_case(test_circle_spins_in_a_wedge),
		long_case(test_circle_jams_in_a_slot),
		cmocka_unit_test(test_nothing_squeezes_a_circle_between_walls),
		cmocka_unit_test(test_circle_on_a_slope),
		cmocka_unit_test(test_rolling_resistance_on_a_disc),
		long_case(test_ball_on_two_balls),
		long_case(test_card_house_with_rolling_resistance),
		cmocka_unit_test(test_card_house),
		cmocka_unit_test(test_short_ticks_win_no_speed),
	};
	return cmocka_run_group_tests_name("physics/statics", tests, NULL, NULL);
}
