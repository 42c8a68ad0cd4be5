#include "physics/statistics/disc_speeds.h"

#include "physics/statistics/disc_theory.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Upper edges of all cells but the last, ascending. */
struct edges {
	double energy[DISC_SPEED_CELLS - 1], component[DISC_SPEED_CELLS - 1];
};

static struct edges
edges_make(const struct disc_gas *gas, double temperature)
{
	struct edges edges;
	const double all = temperature * (double)gas->count;
	for (int i = 1; i < DISC_SPEED_CELLS; i++) {
		const double below = (double)i / DISC_SPEED_CELLS;
		edges.energy[i - 1] = all * disc_fixed_energy_share(gas->count, 1 - below);
		/* That the energy is fixed changes this one by a share of 1/(8 count) in the speed: not to be seen. */
		edges.component[i - 1] = sqrt(temperature) * normal_quantile(below);
	}
	return edges;
}

static size_t
cell_of(const double *edges, double value)
{
	size_t cell = 0;
	while (cell < DISC_SPEED_CELLS - 1 && value >= edges[cell])
		cell++;
	return cell;
}

void
disc_velocities_add(struct disc_velocities *velocities, const struct disc_gas *gas, double temperature)
{
	const struct edges edges = edges_make(gas, temperature);
	const double *vx = gas->columns + 2 * gas->count, *vy = vx + gas->count;
	for (size_t i = 0; i < gas->count; i++) {
		const double turn = (atan2(vy[i], vx[i]) / pi + 1) / 2 * DISC_DIRECTION_CELLS;
		velocities->direction[(size_t)turn % DISC_DIRECTION_CELLS]++;
		velocities->energy[cell_of(edges.energy, (vx[i] * vx[i] + vy[i] * vy[i]) / 2)]++;
		velocities->component[cell_of(edges.component, vx[i])]++;
	}
	velocities->total += gas->count;
}

struct disc_chi_square
disc_chi_square(const uint64_t *counts, size_t cells)
{
	double total = 0, sum = 0;
	for (size_t i = 0; i < cells; i++)
		total += (double)counts[i];
	const double expected = total / (double)cells;
	for (size_t i = 0; i < cells; i++)
		sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
	return (struct disc_chi_square){ sum / (double)(cells - 1), chi_square_tail(sum, (double)(cells - 1)) };
}
