/* Heaps of unlike masses: something heavy on something light. Sweeps come nearer by the ratio of the masses each; nothing may
 * fall without moving meanwhile, which would win its speed from nothing. */
#include "physics/scenario.h"

#include <math.h>

/* Of the cushion, 1 % of a radius: what the solver may leave of an approach in each of a tick's four parts. */
#define LEFT (4 * 1e-2 * 1e-2)

/* A column of rough circles on a floor, every other heavy; dropped from a little height. In units of a heavy one's weight times
 * a radius: what it wins in a tick, and what is left of its speeds after four seconds. */
static void
column_try(int count, double heavy, double restitution, double dt)
{
	const double unit = heavy * 10 * 0.5;
	struct scenario scenario;
	struct run run;
	double most = 0;

	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	(void)scenario_segment(&scenario, -4, 0, 4, 0);
	for (int k = 0; k < count; k++)
		scenario_circle(&scenario, 0, 0.5 + k + 0.01 * (k + 1), 0, 0, 0.5)->mass = k % 2 == 0 ? 1 : heavy;
	scenario_dull(&scenario, 0.5, 0);
	scenario_restitution(&scenario, restitution);
	run_start(&run, &scenario);
	for (int tick = 0; tick < 4 / dt; tick++) {
		run_ticks(&run, dt, 1);

		const struct energy_ledger *e = &run.report.energy;
		double gain = e->kinetic_after + e->potential_after - e->kinetic_before - e->potential_before;

		most = fmax(most, gain / unit);
	}

	double left = run.report.energy.kinetic_after / unit;

	if (!(most <= LEFT * count && left <= 1e-6))
		fail_msg("%d circles, 1 : %g, restitution %g, dt %g: won %g in a tick, left %g", count, heavy, restitution, dt, most,
		         left);
	assert_int_equal(run.shortfall_count, 0);
	run_end(&run, &scenario);
}

static void
test_heavy_on_light_wins_nothing(void **state)
{
	(void)state;
	for (int count = 2; count <= 5; count++)
		for (double heavy = 1e2; heavy < 1e13; heavy *= 100)
			for (int e = 0; e <= 1; e++)
				for (int slow = 0; slow <= 1; slow++)
					column_try(count, heavy, 0.5 * e, slow ? 0.1 : 1.0 / 60);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_heavy_on_light_wins_nothing) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
