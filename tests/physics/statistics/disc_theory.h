/* disc_theory: what statistical mechanics says about a fluid of equal hard discs in equilibrium, and the test of goodness of
 * fit.
 *
 * Pure functions, written from the literature and not from the engine: nothing here includes it. Units: diameter sigma, mass m
 * and kT are 1. `fraction` is the packing fraction eta = pi/4 * number density. */
#ifndef COLLIDED_TESTS_PHYSICS_DISC_THEORY_H
#define COLLIDED_TESTS_PHYSICS_DISC_THEORY_H

#include <stddef.h>

/* A contact value g(sigma) of the pair distribution at this packing fraction. */
typedef double (*disc_contact_fn)(double fraction);

/* Henderson's, (1 - 7 eta/16) / (1 - eta)^2 (D. Henderson, Mol. Phys. 30, 971 (1975)). Above the truth by 0.2 % at 0.4. */
double disc_contact_henderson(double fraction);
/* From the virial series: B3 and B4 are known in closed form, B5 to B10 are those of N. Clisby and B. M. McCoy, J. Stat. Phys.
 * 122, 15 (2006); beyond, the coefficients of eta^k go on in steps of the last difference, as they have from B5 on. Good to
 * 0.02 % up to 0.4. */
double disc_contact_series(double fraction);
/* That of discs that do not know of each other: Boltzmann's. */
double disc_contact_dilute(double fraction);

/* Pressure / (number density kT) = 1 + 2 eta g(sigma), the virial theorem for hard discs. */
double disc_pressure(double fraction, disc_contact_fn contact);
/* Pair collisions per area and time, Enskog's: n^2 sigma g(sigma) sqrt(pi kT/m): half of the n of a disc's own rate
 * 2 n sigma g sqrt(pi kT/m) (S. Chapman and T. G. Cowling, The Mathematical Theory of Non-Uniform Gases, ch. 16, in two
 * dimensions). */
double disc_collision_rate(double fraction, disc_contact_fn contact);
/* Collisions of one disc per time: two over n of that. */
double disc_own_collision_rate(double fraction, disc_contact_fn contact);
/* What one speed along a line is on average where the energy of `count` discs is fixed at count * kT, relative to a canonical
 * ensemble. It is a component of a point on a sphere of 2 count dimensions. 1 - 1/(8 count) or so. */
double disc_fixed_energy_speed(size_t count);
/* Where the energy is fixed, the share of it that one disc has exceeds `share` with probability (1 - share)^(count-1). This is
 * the inverse: the share exceeded with this probability. */
double disc_fixed_energy_share(size_t count, double probability);

/* The chance that a chi-square variable exceeds this. */
double chi_square_tail(double chi_square, double degrees);
/* The x below which a standard normal variable is with this probability, 0 < probability < 1. */
double normal_quantile(double probability);

#endif
