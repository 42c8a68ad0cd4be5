/* loaded: which pairs carry force in the current substep of the rest solver. */
#ifndef COLLIDED_REST_SOLVER_LOADED_H
#define COLLIDED_REST_SOLVER_LOADED_H

#include "physics/rest_solver/solver.h"
#include "physics/world/world.h"

/* Whether a solver-driven body and another, or a segment (its index | SOLVER_WALL), are a loaded pair: they carry force in this
 * substep. Loaded pairs do not bounce, however they are struck: the impact goes through the heap (handover.c). */
static inline bool
pair_is_loaded(const struct world *world, uint32_t a, uint32_t b)
{
	return world->bodies.infos[a].mode == MODE_LED && (b & SOLVER_WALL || world->bodies.infos[b].mode == MODE_LED) &&
	       solver_carries(world->solver, a, b);
}

#endif
