/* substep: what a path that the rest solver made means to others: how long it holds, whether it is certified, and the velocity
 * that it does not show (resting/handover.h). */
#ifndef COLLIDED_WORLD_SUBSTEP_H
#define COLLIDED_WORLD_SUBSTEP_H

#include "physics/world/world.h"

/* Parts of a tick. One or two keep a deep pile moving (measured by a prototype); more cost their multiple. */
#define SUBSTEPS_LEAST 4

/* When a part begins. */
static inline double
part_time(const struct world *world, unsigned part)
{
	return part == world->step.parts ? world->step.dt : world->step.dt * ((double)part / world->step.parts);
}

/* The part under way, or several in one, ends where `part` begins. */
static inline void
part_end_set(struct world *world, unsigned part)
{
	world->step.part_end = part;
	world->step.until = part_time(world, part);
}

/* Whether the solver has certified that a body meets nothing on its present path that is certified too, nor any wall. All that
 * does not yield is, towards those that are led. */
static inline bool
handover_clear(const struct world *world, uint32_t body)
{
	const struct body_info *info = &world->bodies.infos[body];

	return info->inverse_mass == 0.0 || (info->mode == MODE_LED && info->clear == world->bodies.marks[body].epoch);
}

/* Up to when a body's present path holds. */
static inline double
path_end(const struct world *world, uint32_t body)
{
	return !world->bodies.marks[body].roams && world->bodies.infos[body].mode == MODE_LED ? world->step.until : world->step.dt;
}

/* The velocity that a body has, which its path shows only if it is not led. */
static inline void
handover_velocity(const struct world *world, uint32_t body, double velocity[2])
{
	if (world->bodies.infos[body].mode == MODE_LED) {
		velocity[0] = world->bodies.infos[body].kept_vx;
		velocity[1] = world->bodies.infos[body].kept_vy;
	}
}

#endif
