/* The formulas that the statistics of the gas are held against: known values, so that a slip in them is not taken for one of
 * the engine. */
#include "physics/statistics/disc_theory.h"
#include "support/assert_double.h"

static void
test_contact_values(void **state)
{
	(void)state;
	/* Henderson's equation of state as published: (1 + eta^2/8) / (1 - eta)^2. */
	for (double eta = 0.05; eta < 0.5; eta += 0.05) {
		assert_double_near(disc_pressure(eta, disc_contact_henderson), (1 + eta * eta / 8) / ((1 - eta) * (1 - eta)), 1e-12);
		/* S. Luding's refinement (Phys. Rev. E 63, 042201 (2001)), fitted to simulations, and the series, which is not. */
		const double luding = disc_contact_henderson(eta) - eta * eta * eta / (128 * pow(1 - eta, 4));
		assert_double_near(disc_contact_series(eta) / luding, 1, 0.001);
	}
	/* B3 = B2^2 (4/3 - sqrt(3)/pi), Tonks 1936. */
	const double third = 4 * (4.0 / 3 - sqrt(3) / 3.14159265358979323846), eta = 1e-5;
	assert_double_near((disc_contact_series(eta) - 1) / eta, third / 2, 1e-4);
	assert_double_same_bits(disc_contact_dilute(0.4), 1);
	assert_double_near(disc_contact_henderson(0.4), 2.291666666666667, 1e-12);
}

static void
test_rates_and_speeds(void **state)
{
	(void)state;
	/* Mean free path of a dilute gas in the plane: <v> / rate = 1 / (2 sqrt(2) n sigma). */
	const double eta = 0.01, n = 4 * eta / 3.14159265358979323846, mean_speed = sqrt(3.14159265358979323846 / 2);
	const double rate = disc_own_collision_rate(eta, disc_contact_dilute);
	assert_double_near(mean_speed / rate, 1 / (2 * sqrt(2) * n), 1e-9);
	/* One disc has all the energy: the mean of |cos| is 2/pi, times sqrt(2), over sqrt(2/pi). */
	assert_double_near(disc_fixed_energy_speed(1), 2 * sqrt(2) / 3.14159265358979323846 / sqrt(2 / 3.14159265358979323846),
	                   1e-12);
	assert_double_near(disc_fixed_energy_speed(1000), 1 + 1.0 / 8000, 1e-7);
	/* Two discs share any way with the same chance. */
	assert_double_near(disc_fixed_energy_share(2, 0.25), 0.75, 1e-12);
	assert_double_near(1e6 * disc_fixed_energy_share(1000000, exp(-1)), 1, 1e-5);
}

static void
test_tails(void **state)
{
	(void)state;
	/* Two degrees: exp(-x/2). Then 5 % of the usual tables. */
	for (double x = 0.1; x < 100; x *= 1.7)
		assert_double_near(chi_square_tail(x, 2) / exp(-x / 2), 1, 1e-12);
	assert_double_near(chi_square_tail(3.841458820694124, 1), 0.05, 1e-12);
	/* Degrees 2k: a Poisson sum. */
	for (double x = 1; x < 200; x *= 1.3) {
		double term = exp(-x / 2), sum = 0;
		for (int j = 0; j < 20; term *= x / 2 / ++j)
			sum += term;
		assert_double_near(chi_square_tail(x, 40) / sum, 1, 1e-9);
	}
	assert_double_near(chi_square_tail(18.307038053275146, 10), 0.05, 1e-12);
	assert_double_same_bits(chi_square_tail(0, 10), 1);
	assert_true(chi_square_tail(1e4, 39) < 1e-300);
	assert_double_near(normal_quantile(0.975), 1.959963984540054, 1e-12);
	assert_double_near(normal_quantile(0.5), 0, 1e-12);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_contact_values),
		cmocka_unit_test(test_rates_and_speeds),
		cmocka_unit_test(test_tails),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
