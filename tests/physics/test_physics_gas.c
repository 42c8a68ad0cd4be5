/* A gas of 10,000 elastic circles at two radii per tick: nothing overlaps, nothing leaves, energy stays; all certified. */
#include "physics/scenes.h"

#include <math.h>
#include <stdlib.h>

static uint64_t ticks_asked = 300;

static void
test_gas_of_10000_at_two_radii_per_tick_is_certified(void **state)
{
	(void)state;
	const double dt = 1.0 / 60, radius = 0.5, speed = 2 * radius / dt;
	const size_t count = 10000;
	struct scenario scenario;
	scenario_init(&scenario);
	const double side = scene_gas(&scenario, count, speed, 1);
	struct run run;
	run_start(&run, &scenario);
	double *x = calloc(2 * count, sizeof *x), *y = x + count;
	assert_non_null(x);
	const double before = run_energy(&run, &scenario);
	double booked = 0;
	for (uint64_t tick = 0; tick < ticks_asked; tick++) {
		run_ticks_unlogged(&run, dt, 1);
		assert_int_equal(run.report.shortfall_count, 0);
		world_copy_bodies(run.world, NULL, x, y, NULL, NULL);
		for (size_t i = 0; i < count; i++)
			if (x[i] < radius || x[i] > side - radius || y[i] < radius || y[i] > side - radius)
				fail_msg("tick %llu: circle %zu is at (%g, %g), outside", (unsigned long long)tick, i, x[i], y[i]);
		/* Nothing may be booked as lost, made or moved: all contacts are elastic. */
		const struct energy_ledger *energy = &run.report.energy;
		booked += fabs(energy->contact) + fabs(energy->work) + fabs(energy->push) + fabs(energy->support);
	}
	assert_double_near(run_energy(&run, &scenario) / before, 1, 1e-10);
	assert_double_near(booked / before, 0, 1e-10 * (double)ticks_asked);
	/* Kinetic theory of hard disks. A circle of diameter d = 1 at density n = 0.382 meets about 2 n d <v_rel> chi others a
	 * second, <v_rel> about 1.2 v, chi about 1.8 at fraction 0.3. That is some 99 a second, 5 s, half of it for each pair:
	 * 2.5e6. Half of that is certainly to be found. */
	assert_true((double)run.collisions > 1.2e6 * (double)ticks_asked / 300);
	const struct certificate_report *report = certified_report(run.certified);
	assert_same(report->largest_overlap, 0);
	assert_int_equal(report->escapes, 0);
	assert_int_equal(report->jumps, 0);
	assert_int_equal(report->ticks, ticks_asked);
	assert_true(report->contacts >= run.collisions);
	print_message("%llu collisions, energy drift %.3g\n", (unsigned long long)run.collisions,
	              run_energy(&run, &scenario) / before - 1);
	free(x);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		ticks_asked = strtoull(argv[1], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gas_of_10000_at_two_radii_per_tick_is_certified),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
