#include "physics/statistics/disc_theory.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

double
disc_contact_henderson(double fraction)
{
	return (1 - 7 * fraction / 16) / ((1 - fraction) * (1 - fraction));
}

double
disc_contact_dilute(double fraction)
{
	(void)fraction;
	return 1;
}

double
disc_contact_series(double fraction)
{
	/* B_k / B_2^(k-1), from k = 3. */
	static const double virial[] = { 0.78200443706, 0.53223180, 0.33355604, 0.1988425,
		                             0.1148728,     0.0649930,  0.0362193,  0.0199537 };
	const size_t known = sizeof virial / sizeof *virial;
	double sum = 2 * fraction, power = fraction, last = 0, step = 0;
	for (size_t i = 0; i < known; i++) {
		const double coefficient = ldexp(virial[i], (int)i + 2);
		power *= fraction;
		sum += coefficient * power;
		step = coefficient - last;
		last = coefficient;
	}
	/* The sum over j >= 1 of (last + j step) eta^j. */
	const double rest = last * fraction / (1 - fraction) + step * fraction / ((1 - fraction) * (1 - fraction));
	return (sum + power * rest) / (2 * fraction);
}

double
disc_pressure(double fraction, disc_contact_fn contact)
{
	return 1 + 2 * fraction * contact(fraction);
}

double
disc_collision_rate(double fraction, disc_contact_fn contact)
{
	const double density = 4 * fraction / pi;
	return density * density * contact(fraction) * sqrt(pi);
}

double
disc_own_collision_rate(double fraction, disc_contact_fn contact)
{
	return 2 * disc_collision_rate(fraction, contact) / (4 * fraction / pi);
}

double
disc_fixed_energy_speed(size_t count)
{
	/* <|u_1|> on a sphere of d dimensions and radius sqrt(d) over sqrt(2/pi), that of a normal variable. */
	const double d = 2 * (double)count;
	return sqrt(d / 2) * exp(lgamma(d / 2) - lgamma((d + 1) / 2));
}

double
disc_fixed_energy_share(size_t count, double probability)
{
	return 1 - pow(probability, 1 / ((double)count - 1));
}

/* Gamma(a, x) / Gamma(a): the series below a + 1, the continued fraction above (Abramowitz and Stegun 6.5.29 and 6.5.31). */
static double
gamma_tail(double a, double x)
{
	const double front = exp(a * log(x) - x - lgamma(a));
	if (x < a + 1) {
		double term = 1 / a, sum = term;
		for (double n = a + 1; term > 1e-17 * sum; n++) {
			term *= x / n;
			sum += term;
		}
		return 1 - front * sum;
	}
	/* From the far end: as many steps as converge for every a here. */
	double fraction = x;
	for (int n = 2000; n >= 1; n--)
		fraction = x + (n - a) / (1 + n / fraction);
	return front / fraction;
}

double
chi_square_tail(double chi_square, double degrees)
{
	return chi_square > 0 ? gamma_tail(degrees / 2, chi_square / 2) : 1;
}

double
normal_quantile(double probability)
{
	double low = -40, high = 40;
	for (int i = 0; i < 200; i++) {
		const double middle = (low + high) / 2;
		if (erfc(-middle / sqrt(2)) / 2 < probability)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
