#include "physics/statistics/disc_measure.h"

#include "physics/statistics/disc_theory.h"

#include <math.h>
#include <string.h>

/* Errors come from leaving out one of so many equal stretches of time at a time (the jackknife). A stretch is long against the
 * time in which a disc forgets its speed. What outlasts it (sound going to and fro) cancels in the next, so that the errors of
 * the walls are told too large rather than too small. */
enum { BLOCKS = 10 };
/* Collisions of a disc before anything is measured: equal speeds are forgotten after three, the lattice of places after ten. */
static const double SETTLING = 30;

static const double pi = 3.14159265358979323846;

static struct disc_gas_sums
sums_without(const struct disc_gas_sums blocks[BLOCKS], int left_out)
{
	struct disc_gas_sums sum = { 0 };
	for (int i = 0; i < BLOCKS; i++) {
		if (i == left_out)
			continue;
		sum.time += blocks[i].time;
		sum.collisions += blocks[i].collisions;
		sum.impulse += blocks[i].impulse;
		sum.discs += blocks[i].discs;
		sum.energy += blocks[i].energy;
		sum.energy_per_disc += blocks[i].energy_per_disc;
		sum.wall_hits += blocks[i].wall_hits;
		sum.wall_impulse += blocks[i].wall_impulse;
	}
	return sum;
}

/* All numbers of a result but their errors. kT is 1, the energy that each disc began with, times what the middle is hotter than
 * the whole box: a gas that loses any shows in everything. That the energy is fixed costs a hair of the mean speed. */
static struct disc_result
sums_evaluate(const struct disc_gas *gas, const struct disc_gas_sums *sums)
{
	struct disc_result r = { .collisions = sums->collisions };
	const double area = disc_gas_area(gas), density = sums->discs / sums->time / area;
	const double kt = (sums->energy / sums->discs) / (sums->energy_per_disc / sums->time);
	const double eta = density * pi / 4;
	const double rate = sums->collisions / sums->time / area / (sqrt(kt) * disc_fixed_energy_speed(gas->count));
	const double flow = sums->impulse / (2 * area * sums->time), wall = sums->wall_impulse / sums->time;
	r.fraction = eta;
	r.rate_dilute = rate / disc_collision_rate(eta, disc_contact_dilute);
	r.contact.value = r.rate_dilute;
	r.pressure.value = 1 + flow / (density * kt);
	r.wall_pressure.value = wall / disc_gas_wall_length(gas) / (density * kt);
	r.rate_henderson.value = rate / disc_collision_rate(eta, disc_contact_henderson);
	r.rate_series.value = rate / disc_collision_rate(eta, disc_contact_series);
	r.excess_henderson.value = (r.pressure.value - 1) / (disc_pressure(eta, disc_contact_henderson) - 1);
	r.excess_series.value = (r.pressure.value - 1) / (disc_pressure(eta, disc_contact_series) - 1);
	r.wall_henderson.value = r.wall_pressure.value / disc_pressure(eta, disc_contact_henderson);
	r.wall_series.value = r.wall_pressure.value / disc_pressure(eta, disc_contact_series);
	return r;
}

static void
value_judge(struct disc_value *whole, const struct disc_value *parts[BLOCKS])
{
	double mean = 0, square = 0;
	for (int i = 0; i < BLOCKS; i++)
		mean += parts[i]->value / BLOCKS;
	for (int i = 0; i < BLOCKS; i++)
		square += (parts[i]->value - mean) * (parts[i]->value - mean);
	whole->error = sqrt(square * (BLOCKS - 1) / BLOCKS);
}

static struct disc_result
blocks_evaluate(const struct disc_gas *gas, const struct disc_gas_sums blocks[BLOCKS])
{
	static const size_t offsets[] = {
		offsetof(struct disc_result, contact),       offsetof(struct disc_result, pressure),
		offsetof(struct disc_result, wall_pressure), offsetof(struct disc_result, rate_henderson),
		offsetof(struct disc_result, rate_series),   offsetof(struct disc_result, excess_henderson),
		offsetof(struct disc_result, excess_series), offsetof(struct disc_result, wall_henderson),
		offsetof(struct disc_result, wall_series),
	};
	struct disc_result parts[BLOCKS];
	const struct disc_gas_sums all = sums_without(blocks, BLOCKS);
	struct disc_result whole = sums_evaluate(gas, &all);
	for (int i = 0; i < BLOCKS; i++) {
		const struct disc_gas_sums sums = sums_without(blocks, i);
		parts[i] = sums_evaluate(gas, &sums);
	}
	for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
		const struct disc_value *values[BLOCKS];
		for (int i = 0; i < BLOCKS; i++)
			values[i] = (const void *)((const char *)&parts[i] + offsets[k]);
		value_judge((void *)((char *)&whole + offsets[k]), values);
	}
	return whole;
}

static bool
gas_run(struct disc_gas *gas, const struct disc_plan *plan, void (*on_tick)(void *context, double done), void *context,
        struct disc_gas_sums blocks[BLOCKS])
{
	const double area = gas->side * gas->side, rate = area * disc_collision_rate(plan->fraction, disc_contact_henderson);
	const uint64_t settling = (uint64_t)ceil(SETTLING * (double)plan->count / 2 / rate / DISC_GAS_DT);
	const uint64_t block = (uint64_t)ceil(plan->collisions / rate / DISC_GAS_DT / BLOCKS), total = settling + BLOCKS * block;
	for (uint64_t tick = 0; tick < total; tick++) {
		if (!disc_gas_tick(gas, tick < settling ? NULL : &blocks[(tick - settling) / block]))
			return false;
		if (on_tick)
			on_tick(context, (double)(tick + 1) / (double)total);
	}
	return gas->shortfalls == 0;
}

bool
disc_measure(const struct disc_plan *plan, void (*on_tick)(void *context, double done), void *context,
             struct disc_result *result)
{
	struct disc_gas gas;
	struct disc_gas_sums blocks[BLOCKS];
	memset(blocks, 0, sizeof blocks);
	if (!disc_gas_init(&gas, plan->fraction, plan->count, plan->seed, plan->spoil))
		return false;
	const double energy = disc_gas_energy(&gas);
	const bool good = gas_run(&gas, plan, on_tick, context, blocks);
	if (good) {
		*result = blocks_evaluate(&gas, blocks);
		result->drift = disc_gas_energy(&gas) / energy - 1;
	}
	disc_gas_finish(&gas);
	return good;
}
