#include "physics/world/ledger.h"

#include <math.h>

void
ledger_sums_body(struct ledger_sums *sums, const struct world *world, uint32_t i)
{
	const struct body_info *info = &world->infos[i];

	if (info->kind != BODY_DYNAMIC)
		return;
	if (info->spin != 0.0)
		sums->kinetic += 0.5 * info->spin * info->spin / info->inverse_inertia;
	ledger_sums_path(sums, world, &world->bodies[i], info->mass, info->gravity_scale);
}

void
ledger_still(struct world *world, uint32_t i)
{
	const struct body *body = &world->bodies[i];
	const struct body_info *info = &world->infos[i];

	world->awake.potentials[i] = info->mass * info->gravity_scale * (world->gravity_x * body->x + world->gravity_y * body->y);
}

/* Sleepers first .. end: all that they have is potential energy, and to add 0 changes nothing. */
static double
sleepers_add(const struct world *world, uint32_t first, uint32_t end, double potential)
{
	const double *potentials = world->awake.potentials;

	for (uint32_t i = first; i < end; i++)
		potential -= potentials[i];
	return potential;
}

/* The same from a chunk's start on, which is known where it was the same before. */
static double
prefix_add(struct world *world, uint32_t first, uint32_t end)
{
	struct awake_prefix *prefix = &world->awake.prefixes[first / LEDGER_CHUNK];

	if (prefix->end != end)
		*prefix = (struct awake_prefix){ sleepers_add(world, first, end, 0.0), end };
	return prefix->sum;
}

static void
span_measure(const struct world *world, struct span span, struct ledger_sums *sums)
{
	for (uint32_t i = span.first; i < span.end; i++) {
		if (world->untouched[i])
			ledger_sums_path(sums, world, &world->bodies[i], world->masses[i], 1.0);
		else
			ledger_sums_body(sums, world, i);
	}
}

static struct ledger_sums
chunk_measure(struct world *world, uint32_t first)
{
	const struct awake *awake = &world->awake;
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

/* Of all, chunk by chunk. */
static struct ledger_sums
world_measure(struct world *world)
{
	struct ledger_sums all = { 0 };

	for (uint32_t first = 0; first < world->body_count; first += LEDGER_CHUNK) {
		const struct ledger_sums sums = chunk_measure(world, first);

		ledger_sums_add(&all, &sums);
	}
	return all;
}

void
ledger_begin(struct world *world)
{
	struct energy_ledger last_energy = world->energy;
	struct momentum_ledger last_momentum = world->momentum;

	world->energy = (struct energy_ledger){ 0 };
	world->momentum = (struct momentum_ledger){ 0 };
	if (!world->measured) {
		const struct ledger_sums sums = world_measure(world);

		world->energy.kinetic_before = sums.kinetic;
		world->energy.potential_before = sums.potential;
		world->momentum.before[0] = sums.momentum[0];
		world->momentum.before[1] = sums.momentum[1];
		return;
	}
	world->energy.kinetic_before = last_energy.kinetic_after;
	world->energy.potential_before = last_energy.potential_after;
	world->momentum.before[0] = last_momentum.after[0];
	world->momentum.before[1] = last_momentum.after[1];
	world->measured = false;
}

void
ledger_end(struct world *world, const struct ledger_sums *finished)
{
	/* Who falls asleep stops, which is after his path's end. */
	const struct ledger_sums sums = world->calms ? world_measure(world) : *finished;

	world->energy.kinetic_after = sums.kinetic;
	world->energy.potential_after = sums.potential;
	world->momentum.after[0] = sums.momentum[0];
	world->momentum.after[1] = sums.momentum[1];
	world->measured = true;
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
	const struct body *path = &world->bodies[body];
	const struct body_info *info = &world->infos[body];

	world->energy.damping += 0.5 * info->mass *
	                         ((velocity[0] - path->vx) * (velocity[0] + path->vx) +
	                          (velocity[1] - path->vy) * (velocity[1] + path->vy));
	if (spin != info->spin)
		world->energy.damping += 0.5 * (spin - info->spin) * (spin + info->spin) / info->inverse_inertia;
	ledger_momentum_add(world->momentum.outside, info->mass, velocity[0] - path->vx, velocity[1] - path->vy);
}

void
ledger_path_end(struct world *world, uint32_t body, double time, const double position[2], const double velocity[2])
{
	const struct body *path = &world->bodies[body];
	const struct body_info *info = &world->infos[body];
	double duration = time - path->t0, gravity[2];

	body_gravity(world, body, gravity);
	if (info->kind != BODY_DYNAMIC || mode_stands(info->mode))
		return;
	if (info->mode != MODE_LED) {
		double mass = info->mass * duration;

		ledger_momentum_add(world->momentum.gravity, mass, gravity[0], gravity[1]);
		if (path->ax == gravity[0] && path->ay == gravity[1])
			return;
		/* Between bodies the forces that hold cancel out in the sum. */
		ledger_momentum_add(world->momentum.outside, mass, path->ax - gravity[0], path->ay - gravity[1]);
	}

	/* A free path trades potential for kinetic energy evenly, and so does one whose acceleration is held at right angles;
	 * one that follows a curve is off by a little. */
	double kinetic = info->mode == MODE_LED ? 0.0
	                                        : 0.5 * ((velocity[0] - path->vx) * (velocity[0] + path->vx) +
	                                                 (velocity[1] - path->vy) * (velocity[1] + path->vy));
	double potential = -(gravity[0] * (position[0] - path->x) + gravity[1] * (position[1] - path->y));

	world->energy.support += info->mass * (kinetic + potential);
}
