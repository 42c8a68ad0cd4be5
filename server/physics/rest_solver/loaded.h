/* loaded: which pairs the rest solver has loaded in the substep at hand. */
#ifndef COLLIDED_REST_SOLVER_LOADED_H
#define COLLIDED_REST_SOLVER_LOADED_H

#include "physics/rest_solver/solver.h"
#include "physics/world/world.h"

/* Whether a led body and another, or a segment (its index | SOLVER_WALL), lie on each other: the solver has loaded the pair in
 * this part of the tick. Such pairs do not bounce, however they are struck: the blow goes through the heap (handover.c). */
static inline bool
pair_is_loaded(const struct world *world, uint32_t a, uint32_t b)
{
	return world->bodies.infos[a].mode == MODE_LED && (b & SOLVER_WALL || world->bodies.infos[b].mode == MODE_LED) &&
	       solver_carries(world->solver, a, b);
}

#endif
