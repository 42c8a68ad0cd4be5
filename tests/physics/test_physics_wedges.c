/* Contacts without rebound where friction lifts: a disc that spins in a corner, against the equations of an inelastic blow with
 * friction solved by hand. Crowds' wedges as they were found in maps of Freedoom, cut to the circles and walls that matter.
 * There such contacts hopped by what friction had lifted them, ten thousand times a tick. */
#include "physics/scenario.h"

#include <math.h>

static const double dt = 1.0 / 60;

/* A disc comes down on a floor at speed u, touching a wall on its right, and spins clockwise so fast that it slides on both.
 * The floor's friction f N presses it to the wall. The friction of that, f (f N), takes from the weight on the floor: m u = N +
 * f W, W = f N. Then nothing moves any more, and the spin is less by (f N + f W) r / I, I = m r^2 / 2. The engine takes 16
 * turns, each of which leaves f of what is off. */
static void
test_disc_that_spins_in_a_corner_does_not_hop(void **state)
{
	(void)state;
	static const double frictions[] = { 0.05, 0.2, 0.5, 0.7 };
	for (size_t i = 0; i < 4; i++) {
		const double f = frictions[i], m = 3, r = 0.5, u = 2, spin = -100;
		const double left = pow(f, 16) + 1e-9; /* a trace may be left as well */
		struct scenario scenario;
		scenario_init(&scenario);
		struct circle_def *disc = scenario_circle(&scenario, -r, 1, 0, -u, r);
		disc->mass = m;
		disc->angular_velocity = spin;
		scenario_segment(&scenario, -10, 0, 0, 0);
		scenario_segment(&scenario, 0, 0, 0, 10);
		scenario_dull(&scenario, f, 0);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 0.5, 1);
		const double floor = m * u / (1 + f * f), wall = f * floor, turn = f * (floor + wall) * r / (m * r * r / 2);
		const struct body_state after = run_body(&run, 0);
		assert_int_equal(run.contact_count, 2);
		for (size_t k = 0; k < 2; k++) {
			const struct contact *contact = &run.contacts[k].contact;
			assert_double_near(contact->impulse, contact->b == 0 ? floor : wall, m * u * left);
			assert_double_near(fabs(contact->friction_impulse), f * contact->impulse, m * u * left);
			assert_at_most(fabs(contact->friction_impulse), f * contact->impulse * (1 + 1e-14));
		}
		assert_double_near(after.vx, 0, u * left);
		assert_double_near(after.vy, 0, u * left);
		assert_double_near(after.angular_velocity, spin + turn, 4 * u / r * left);
		/* Friction takes the spin's energy by the mean of its slips before and after. */
		const struct energy_ledger *e = &run.report.energy;
		assert_double_near(e->kinetic_after - e->kinetic_before, e->contact, 1e-9 * e->kinetic_before);
		assert_true(e->friction < 0 && e->friction > e->contact);
		run_end(&run, &scenario);
	}
}

struct disc {
	double x, y, vx, vy, spin;
};

struct side {
	double x1, y1, x2, y2;
};

struct wedge {
	const char *found;
	size_t disc_count, side_count;
	struct disc discs[5];
	struct side sides[3];
};

/* All of radius 8 and mass 1, under gravity of (250, -433), as in those maps. */
static const struct wedge wedges[] = {
	{ "E1M5",
	  3,
	  1,
	  { { -631.988, -1080, -0.08, 0.7, -0.2 }, { -616, -1079.4, 0.2, -2, 0.2 }, { -647.987, -1080, -0.1, -4, -1 } },
	  { { -608, -1056, -608, -1088 } } },
	{ "E1M6",
	  5,
	  3,
	  { { 365.7, -530, 30, 10, -2.1 },
	    { 380, -515.6, 40, 10, 1 },
	    { 349.7, -527.7, 30, -20, 2 },
	    { 333.6996, -527.98, 30, 3, -4.74 },
	    { 322.3, -520, 120, 6, 6 } },
	  { { 360, -536, 256, -536 }, { 384, -536, 360, -536 }, { 384, -512, 384, -536 } } },
	{ "E2M4",
	  3,
	  2,
	  { { 700, -23.3, 0.3, 6, -3 }, { 713.1, -23.999, 0.995, -0.6, 0.001 }, { 728, -18.2078, 0.06, -0.8, 0.04 } },
	  { { 736, -32, 608, -32 }, { 736, 0, 736, -32 } } },
	{ "E3M1",
	  4,
	  2,
	  { { 409.2723, -681.38814, -4.312, 10.8, 0.99 },
	    { 368.68, -658.75, 185.3, -33.3, -15.66 },
	    { 378.81, -671.155, -57, -116, 14 },
	    { 394.043, -676.45, 2, 11, 0.2 } },
	  { { 528, 192, 416, -692 }, { 416, -692, -728, -320 } } },
	{ "E3M2",
	  4,
	  2,
	  { { -1000, 2820, 30, 0.7, -2 },
	    { -968.004, 2842, -4, 3, -0.5 },
	    { -983.0226, 2836.5, 20, 5, 2 },
	    { -993.09, 2824.006082, 10, 1, -2 } },
	  { { -960, 2816, -1216, 2816 }, { -960, 2944, -960, 2816 } } },
	{ "E4M2",
	  2,
	  2,
	  { { 837.87364, -686.8117, -1.26, 0.8, 0.7 }, { 824.7742, -695.999, -3.2, 1.4, 0.05 } },
	  { { 832, -704, 800, -704 }, { 864, -672, 832, -704 } } },
	{ "E4M4",
	  2,
	  2,
	  { { -1836.29, -953, 12, -3, 0.04 }, { -1832.005, -967.984, 0.6, -6.1, -0.38 } },
	  { { -1824, -976, -2016, -976 }, { -1824, -960, -1824, -976 } } },
	{ "E4M9",
	  2,
	  2,
	  { { 727.9987, 19.8, 0.09, -6, 1.1 }, { 717.15, 8, 0.2, -5, 1.5 } },
	  { { 720, 0, 704, 0 }, { 736, 0, 736, 128 } } },
	{ "MAP15",
	  3,
	  3,
	  { { 631.99, -1207.9958, -2, 0.73, 0.5 }, { 599.98, -1207.997, 6, -6.5, -6 }, { 615.9829, -1207.9, -4, 5, -0.09 } },
	  { { 600, -1220, 600, -1216 }, { 640, -1152, 640, -1216 }, { 640, -1216, 616, -1216 } } },
	{ "MAP19", 2, 1, { { 126.5, -808.1, 15, -1, 0.3 }, { 128, -824, -1.4, -1.3, -0.2 } }, { { 136, -832, 64, -832 } } },
	{ "MAP21", 2, 1, { { 568, 950, 9, -2, -3 }, { 566, 967.9, -3, -3, 20 } }, { { 592, 944, 528, 944 } } },
};

enum { WEDGES = sizeof wedges / sizeof *wedges };

static void
wedge_build(struct scenario *scenario, const struct wedge *wedge, double restitution, double friction, double rolling)
{
	scenario_init(scenario);
	scenario->def.gravity_x = 250;
	scenario->def.gravity_y = -433;
	for (size_t i = 0; i < wedge->disc_count; i++) {
		const struct disc *d = &wedge->discs[i];
		scenario_circle(scenario, d->x, d->y, d->vx, d->vy, 8)->angular_velocity = d->spin;
	}
	for (size_t i = 0; i < wedge->side_count; i++) {
		const struct side *s = &wedge->sides[i];
		scenario_segment(scenario, s->x1, s->y1, s->x2, s->y2);
	}
	scenario_dull(scenario, friction, rolling);
	scenario_restitution(scenario, restitution);
}

/* Runs a tenth of a second. Ledgers: to 1e-9 of the energies and of the momenta that gravity gives. */
static void
wedge_check(struct scenario *scenario, bool may_overlap, uint64_t events_max)
{
	struct run run;
	run_start(&run, scenario);
	for (int tick = 0; tick < 6; tick++) {
		run_ticks(&run, dt, 1);
		const struct energy_ledger *e = &run.report.energy;
		const struct momentum_ledger *p = &run.report.momentum;
		const double before = e->kinetic_before + e->potential_before, after = e->kinetic_after + e->potential_after;
		const double size = fabs(e->kinetic_before) + fabs(e->potential_before) + fabs(e->potential_after);
		assert_double_near(after - before, e->contact + e->work + e->push + e->clip + e->support + e->sleep + e->damping,
		                   1e-9 * size);
		for (size_t k = 0; k < 2; k++)
			assert_double_near(p->after[k] - p->before[k], p->gravity[k] + p->outside[k], 1e-9 * (1 + hypot(250, 433)));
		assert_at_most(e->friction, 0);
		assert_at_most((double)run.report.events, (double)events_max);
	}
	if (may_overlap)
		assert_int_equal(run.shortfall_flags & ~(uint32_t)BODY_FLAG_INITIAL_OVERLAP, 0);
	else
		assert_int_equal(run.shortfall_flags, 0);
	run_finish(&run);
}

static void
test_wedges_of_maps_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < WEDGES; i++) {
		struct scenario scenario;
		wedge_build(&scenario, &wedges[i], 0.5, 0.5, 0);
		wedge_check(&scenario, false, 200);
		scenario_finish(&scenario);
	}
}

/* Friction of 1 and more locks such wedges: what presses and what rubs then have no answer to each other within the turns. */
static void
test_wedges_of_strong_friction_end(void **state)
{
	(void)state;
	static const double frictions[] = { 0.3, 0.8, 1, 1.3, 2, 4 }, restitutions[] = { 0, 0.3, 0.5, 0.8 };
	for (size_t i = 0; i < WEDGES; i++) {
		for (size_t f = 0; f < 6; f++) {
			for (size_t e = 0; e < 4; e++) {
				struct scenario scenario;
				wedge_build(&scenario, &wedges[i], restitutions[e], frictions[f], f % 2 ? 0.05 : 0);
				wedge_check(&scenario, true, 2000);
				scenario_finish(&scenario);
			}
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_disc_that_spins_in_a_corner_does_not_hop),
		cmocka_unit_test(test_wedges_of_maps_end),
		cmocka_unit_test(test_wedges_of_strong_friction_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
