/* substep: the properties of a solver-driven path: how long it is valid, whether it is certified, and the body's velocity,
 * which the path does not show (resting/handover.h). */
#ifndef COLLIDED_WORLD_SUBSTEP_H
#define COLLIDED_WORLD_SUBSTEP_H

#include "physics/world/world.h"

/* Substeps of a tick. Where there are no more, the velocities of large heaps are solved twice in each (solver_rounds.c):
 * otherwise a deep pile keeps moving. More cost in proportion. */
#define SUBSTEPS_LEAST 2

/* A body with more than this many times the mass of what it meets continues through it. After one impact it still has nearly
 * all of its speed. So it would meet the next one, stand still for that too, and fall behind its own velocity substep after
 * substep. A lighter body has lost half of its speed after a dozen impacts, and cannot fall behind for long. In worlds with
 * such bodies a tick has at least twice SUBSTEPS_LEAST: a heap that is ploughed has ever more events until the solver takes it.
 */
#define PLOUGH_MASSES 16.0

/* When a substep begins. */
static inline double
substep_time(const struct world *world, unsigned substep)
{
	return substep == world->step.substeps ? world->step.dt : world->step.dt * ((double)substep / world->step.substeps);
}

/* Lets the current substep, or several in one, end where `substep` begins. */
static inline void
substep_end_set(struct world *world, unsigned substep)
{
	world->step.substep_end = substep;
	world->step.until = substep_time(world, substep);
}

/* Whether the solver has certified that a body's present path meets no other certified path and no wall. All immovable bodies
 * count as certified towards solver-driven ones, unless they have stopped since. */
static inline bool
handover_clear(const struct world *world, uint32_t body)
{
	const struct body_info *info = &world->bodies.infos[body];

	if (info->inverse_mass == 0.0)
		return info->mode != MODE_STOPPED;
	return (info->mode == MODE_LED && info->clear == world->bodies.marks[body].epoch);
}

/* The end of the time for which a body's present path is valid. */
static inline double
path_end(const struct world *world, uint32_t body)
{
	return !world->bodies.marks[body].is_free && world->bodies.infos[body].mode == MODE_LED ? world->step.until
	                                                                                        : world->step.dt;
}

/* A body's velocity, which its path shows only if it is not solver-driven. */
static inline void
handover_velocity(const struct world *world, uint32_t body, double velocity[2])
{
	if (world->bodies.infos[body].mode == MODE_LED) {
		velocity[0] = world->bodies.infos[body].kept_vx;
		velocity[1] = world->bodies.infos[body].kept_vy;
	}
}

/* A solver-driven body with so many events in a tick is in a crowd that is being pressed together. There bounces follow each
 * other ever faster, and what has come to rest meets the next one as a whole, hundreds of contacts at a time. From then on the
 * body does not collide with what else the solver drives. It stands still up to the substep's end, and so does what comes to
 * it. */
#define CROWD_EVENTS_MAX 32u
/* The same in a tick of SUBSTEPS_LEAST. */
#define CROWD_EVENTS_LEAST 8u
/* Unless it stood so often in the substep: what is pushed on by something each time must give way as others do. */
#define CROWD_STANDS_MAX 64u

static inline bool
body_crowded(const struct world *world, const struct body_info *info)
{
	unsigned events = world->step.substeps == SUBSTEPS_LEAST ? CROWD_EVENTS_LEAST : CROWD_EVENTS_MAX;

	/* The solver takes it in the next substep: until then it could be hit among others for long. */
	if (info->mode == MODE_MOVING)
		return world->step.has_substeps && info->handover != 0 && info->inverse_mass > 0.0 && info->events >= CROWD_EVENTS_MAX;
	return info->mode == MODE_LED && !info->shoved && info->stands < CROWD_STANDS_MAX &&
	       (info->crowded || info->events >= events);
}

/* A body that hung through so many substeps of a tick, one after the other, is not stopped in the next one. In a short tick:
 * through all but one. */
#define HUNG_MOST 3u

static inline unsigned
hung_most(const struct world *world)
{
	return world->step.substeps <= HUNG_MOST ? world->step.substeps - 1 : HUNG_MOST;
}

/* Whether a solver-driven body is faster than gravity makes it in a tick. */
static inline bool
body_falls(const struct world *world, const struct body_info *info)
{
	double gained = world->settings.gravity * info->gravity_scale * world->step.dt;

	return info->mode == MODE_LED && info->kept_vx * info->kept_vx + info->kept_vy * info->kept_vy > gained * gained;
}

/* Whether a body that hung may not stand still any more: what it meets, it collides with. */
static inline bool
body_hangs(const struct world *world, uint32_t body)
{
	const struct body_info *info = &world->bodies.infos[body];

	return info->hung >= hung_most(world) && body_falls(world, info);
}

#endif
