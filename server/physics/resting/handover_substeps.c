/* How many substeps a tick has, and what the number does to the impulses that the solver keeps from tick to tick. Happy path:
 * four, and nothing. Nothing can go wrong. */
#include "physics/resting/handover_private.h"

/* A crowd is so many bodies that the solver drives, in a world of at most so many that are awake. In a heap
 * of 2,750 and more two substeps cost as much as four. Its sweeps end far from the solution, and the clip holds what they
 * leave. Up to .08 % of its energy came back. */
#define CROWD_LEAST 64u
#define CROWD_MOST 2000u
/* Part of it that must be in motion, and that may be fast: more than one in so many. */
#define CROWD_PART 16u

/* How far gravity moves a body in a substep, in units of the least radius. */
static double
substep_fall(const struct world *world, double dt, uint32_t substeps)
{
	double h = dt / substeps;

	return 0.5 * world->settings.gravity * world->settings.scale_most * h * h / world->settings.radius_least;
}

/* Whether two substeps are enough. Of a few bodies each should be as exact as it can be. What rests would creep five times as
 * far. What is fast should not stand for half a tick where it meets something that the solver had not foreseen. */
static bool
crowd_moves(const struct world *world)
{
	const struct led_motion *motion = &world->step.led_motion;
	uint32_t part = motion->count / CROWD_PART;

	return motion->count >= CROWD_LEAST && world->bodies.count - world->bodies.asleep_count <= CROWD_MOST &&
	       motion->moving > part && motion->fast <= part;
}

uint32_t
handover_substeps(const struct world *world)
{
	uint32_t substeps = crowd_moves(world) ? SUBSTEPS_IN_MOTION : SUBSTEPS_USUAL;

	while (substeps < HANDOVER_SUBSTEPS_MAX && substep_fall(world, world->step.dt, substeps) > HANDOVER_FALL_MAX)
		substeps *= 2;
	return substeps;
}

static void
impulses_scale(struct world *world, double factor)
{
	if (world->handover && factor != 1.0)
		solver_warm_scale(world->handover->solver, factor);
}

/* Of the usual substeps. */
static double
substep_length(const struct world *world)
{
	return world->step.substeps < SUBSTEPS_USUAL ? (double)SUBSTEPS_USUAL / world->step.substeps : 1.0;
}

void
handover_impulses_begin(struct world *world)
{
	impulses_scale(world, substep_length(world));
}

void
handover_impulses_end(struct world *world)
{
	impulses_scale(world, 1.0 / substep_length(world));
}

bool
handover_falls_short(const struct world *world)
{
	return world->step.substeps == HANDOVER_SUBSTEPS_MAX &&
	       substep_fall(world, world->step.dt, world->step.substeps) > HANDOVER_FALL_MAX;
}
