#include "physics/world/ledger.h"

#include <math.h>

void
ledger_sums_body(struct ledger_sums *sums, const struct world *world, uint32_t i)
{
	const struct body_info *info = &world->bodies.infos[i];

	if (info->kind != BODY_DYNAMIC || info->mode == MODE_GONE)
		return;
	if (info->spin != 0.0)
		sums->kinetic += 0.5 * info->spin * info->spin / info->inverse_inertia;
	ledger_sums_path(sums, world, &world->bodies.paths[i], info->mass, info->gravity_scale);
}

void
ledger_still(struct world *world, uint32_t i)
{
	const struct body *body = &world->bodies.paths[i];
	const struct body_info *info = &world->bodies.infos[i];

	world->bodies.awake.potentials[i] = info->mass * info->gravity_scale *
	                                    (world->settings.gravity_x * body->x + world->settings.gravity_y * body->y);
}

/* Sleeping bodies first .. end: they have potential energy only, and adding 0 changes no sum. */
static double
sleepers_add(const struct world *world, uint32_t first, uint32_t end, double potential)
{
	const double *potentials = world->bodies.awake.potentials;

	for (uint32_t i = first; i < end; i++)
		potential -= potentials[i];
	return potential;
}

/* The same from a chunk's start on. The sum is cached as long as the range stays the same. */
static double
prefix_add(struct world *world, uint32_t first, uint32_t end)
{
	struct awake_prefix *prefix = &world->bodies.awake.prefixes[first / LEDGER_CHUNK];

	if (prefix->end != end)
		*prefix = (struct awake_prefix){ sleepers_add(world, first, end, 0.0), end };
	return prefix->sum;
}

static void
span_measure(const struct world *world, struct span span, struct ledger_sums *sums)
{
	for (uint32_t i = span.first; i < span.end; i++) {
		const struct body_info *info = &world->bodies.infos[i];

		if (world->bodies.clean[i] == BODY_TURNS)
			sums->kinetic += 0.5 * info->spin * info->spin / info->inverse_inertia;
		if (upkeep_is_clean(world->bodies.clean[i]))
			ledger_sums_path(sums, world, &world->bodies.paths[i], world->bodies.masses[i], 1.0);
		else
			ledger_sums_body(sums, world, i);
	}
}

static struct ledger_sums
chunk_measure(struct world *world, uint32_t first)
{
	const struct awake *awake = &world->bodies.awake;
	uint32_t end = ledger_chunk_end(world, first);
	struct span span = awake_span(awake, first, end);
	struct ledger_sums sums = { .potential = span.first > first ? prefix_add(world, first, span.first) : 0.0 };

	while (span.first < span.end) {
		uint32_t after = span.end;

		span_measure(world, span, &sums);
		span = awake_span(awake, after, end);
		sums.potential = sleepers_add(world, after, span.first, sums.potential);
	}
	return sums;
}

/* Over all bodies, chunk by chunk. */
static struct ledger_sums
world_measure(struct world *world)
{
	struct ledger_sums all = { 0 };

	for (uint32_t first = 0; first < world->bodies.count && !pause_after(LEDGER_CHUNK); first += LEDGER_CHUNK) {
		const struct ledger_sums sums = chunk_measure(world, first);

		ledger_sums_add(&all, &sums);
	}
	return all;
}

void
ledger_begin(struct world *world)
{
	struct energy_ledger last_energy = world->report.energy;
	struct momentum_ledger last_momentum = world->report.momentum;

	world->report.energy = (struct energy_ledger){ 0 };
	world->report.momentum = (struct momentum_ledger){ 0 };
	if (!world->report.measured) {
		const struct ledger_sums sums = world_measure(world);

		world->report.energy.kinetic_before = sums.kinetic;
		world->report.energy.potential_before = sums.potential;
		world->report.momentum.before[0] = sums.momentum[0];
		world->report.momentum.before[1] = sums.momentum[1];
		return;
	}
	world->report.energy.kinetic_before = last_energy.kinetic_after;
	world->report.energy.potential_before = last_energy.potential_after;
	world->report.momentum.before[0] = last_momentum.after[0];
	world->report.momentum.before[1] = last_momentum.after[1];
	world->report.measured = false;
}

void
ledger_end(struct world *world, const struct ledger_sums *finished, const struct ledger_sums *left)
{
	/* A body stops when it falls asleep, after the end of its path. */
	const struct ledger_sums sums = world->bodies.calms ? world_measure(world) : *finished;

	world->report.energy.kinetic_after = sums.kinetic - left->kinetic;
	world->report.energy.potential_after = sums.potential - left->potential;
	world->report.momentum.after[0] = sums.momentum[0] - left->momentum[0];
	world->report.momentum.after[1] = sums.momentum[1] - left->momentum[1];
	world->report.measured = true;
}

void
ledger_momentum_add(double sum[2], double mass, double x, double y)
{
	sum[0] += mass * x;
	sum[1] += mass * y;
}

void
ledger_damp(struct world *world, uint32_t body, const double velocity[2], double spin)
{
	const struct body *path = &world->bodies.paths[body];
	const struct body_info *info = &world->bodies.infos[body];

	world->report.energy.damping += 0.5 * info->mass *
	                                ((velocity[0] - path->vx) * (velocity[0] + path->vx) +
	                                 (velocity[1] - path->vy) * (velocity[1] + path->vy));
	if (spin != info->spin)
		world->report.energy.damping += 0.5 * (spin - info->spin) * (spin + info->spin) / info->inverse_inertia;
	ledger_momentum_add(world->report.momentum.outside, info->mass, velocity[0] - path->vx, velocity[1] - path->vy);
}

void
ledger_path_end(struct world *world, uint32_t body, double time, const double position[2], const double velocity[2])
{
	const struct body *path = &world->bodies.paths[body];
	const struct body_info *info = &world->bodies.infos[body];
	double duration = time - path->t0, gravity[2];

	body_gravity(world, body, gravity);
	if (info->kind != BODY_DYNAMIC || mode_halts(info->mode))
		return;
	if (info->mode != MODE_LED) {
		double mass = info->mass * duration;

		ledger_momentum_add(world->report.momentum.gravity, mass, gravity[0], gravity[1]);
		if (path->ax == gravity[0] && path->ay == gravity[1])
			return;
		/* Between bodies the forces of supports cancel out in the sum. */
		ledger_momentum_add(world->report.momentum.outside, mass, path->ax - gravity[0], path->ay - gravity[1]);
	}

	/* A free path exchanges potential for kinetic energy exactly. So does a path with its acceleration kept perpendicular by a
	 * support. A path along a curve is off by a little. */
	double kinetic = info->mode == MODE_LED ? 0.0
	                                        : 0.5 * ((velocity[0] - path->vx) * (velocity[0] + path->vx) +
	                                                 (velocity[1] - path->vy) * (velocity[1] + path->vy));
	double potential = -(gravity[0] * (position[0] - path->x) + gravity[1] * (position[1] - path->y));

	world->report.energy.support += info->mass * (kinetic + potential);
}
