/* The predictions of a substep. Happy path: most bodies that the rest solver drives are clear, and look around only for those
 * that it does not drive; where these are few, they look for themselves. What can go wrong: the queue finds no memory
 * (world->failed). */
#include "physics/prediction/predict_private.h"

/* Which of its neighbours a body is predicted with. */
enum look { LOOK_UNCLEAR, LOOK_CLEAR, LOOK_FREE };

static inline bool
pass_has(const struct predict_pass *pass, uint32_t body)
{
	return pass->active[body] && pass->inverse_mass[body] > 0.0;
}

/* Two clear bodies do not meet. Of two in the pass the one that is not clear looks, or the first. */
__attribute__((always_inline)) static inline bool
look_wants(const struct world *world, const struct predict_pass *pass, uint32_t body, uint32_t other, enum look look)
{
	if (look == LOOK_FREE)
		return pass_has(pass, other) && handover_clear(world, other);
	if (look == LOOK_CLEAR)
		return !pass_has(pass, other) && !handover_clear(world, other);
	return body < other || !pass_has(pass, other) || handover_clear(world, other);
}

__attribute__((always_inline)) static inline void
look_around(struct world *world, const struct predict_pass *pass, uint32_t body, enum look look)
{
	const struct stretch stretch = path_stretch(world, body);
	struct grid_ring ring = grid_ring(&world->grid, body);

	world->report.cost.looks++;
	while (ring.cells != 0)
		for (uint32_t place = world->grid.heads[grid_ring_next(&ring)]; place != NONE;
		     place = grid_onward(&world->grid, place)) {
			uint32_t other = grid_body(place);

			/* Most of them are not, where many are static. */
			if (look == LOOK_FREE && !pass_has(pass, other))
				continue;
			if (!stretch_misses(&stretch, &world->bodies.paths[other]) && other != body &&
			    look_wants(world, pass, body, other, look))
				predict_circles(world, body < other ? body : other, body < other ? other : body);
		}
}

void
predict_passed(struct world *world, const struct predict_pass *pass, uint32_t body)
{
	if (!handover_clear(world, body))
		look_around(world, pass, body, LOOK_UNCLEAR);
	else if (!pass->free_look)
		look_around(world, pass, body, LOOK_CLEAR);
	predict_others(world, body, world->bodies.paths[body].t0, NONE);
}

void
predict_free(struct world *world, const struct predict_pass *pass, uint32_t body)
{
	look_around(world, pass, body, LOOK_FREE);
}
