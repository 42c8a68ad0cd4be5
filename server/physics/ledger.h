/* ledger: where the energy and the momentum of a tick went. Every term is measured where it happens, none is what is left of
 * the others: that they add up is a check of everything else. */
#ifndef COLLIDED_PHYSICS_LEDGER_H
#define COLLIDED_PHYSICS_LEDGER_H

#include "physics/cluster.h"

/* Measure the bodies as they are at a tick's boundary; at its start only if something has changed them since the last one. */
void ledger_begin(struct world *world);
void ledger_end(struct world *world);

/* That a body has this velocity and spin from a tick's start on, instead of those that it has. */
void ledger_damp(struct world *world, uint32_t body, const double velocity[2], double spin);
/* What a path that ends at `position` with `velocity`, at `time`, did to its body. */
void ledger_path_end(struct world *world, uint32_t body, double time, const double position[2], const double velocity[2]);
/* The same of a dynamic body's path of `duration` that nothing but gravity bent. */
static inline void
ledger_free_end(struct world *world, double mass, double duration, const double gravity[2])
{
	/* Without gravity it adds 0. */
	if (world->gravity == 0.0)
		return;
	world->momentum.gravity[0] += mass * duration * gravity[0];
	world->momentum.gravity[1] += mass * duration * gravity[1];
}
/* What the impulses of a cluster did, before it is written. */
void ledger_cluster(struct world *world, const struct cluster *cluster);
/* Gravity's kick of `duration` to a led body. */
void ledger_kick(struct world *world, uint32_t body, double duration);

#endif
