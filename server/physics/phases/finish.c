/* Moves bodies to the ends of their paths. Happy path: clean bodies two at a time, by a loop of their own (finish_pairs.h); the
 * others one by one (finish_dirty.c). What can go wrong: a state is not finite; that is found by the sums. */
#include "physics/phases/finish.h"

#include "base/pause.h"
#include "physics/phases/finish_kernels.h"

#include <math.h>

/* Units (base/pause.h) for a body. */
#define FINISH_UNITS 2u

bool
bodies_finish(struct world *world, uint32_t first, uint32_t end, struct ledger_sums *sums)
{
	const struct awake *awake = &world->bodies.awake;
	finish_span_fn *span_finish = finish_span_best();
	bool crushed = false;

	for (struct span s = awake_span(awake, first, end); s.first < s.end; s = awake_span(awake, s.end, end))
		crushed |= span_finish(world, s, sums);
	(void)pause_after((end - first) * FINISH_UNITS);
	return crushed;
}

bool
sums_infinite(const struct ledger_sums *sums)
{
	return !isfinite(sums->kinetic) || !isfinite(sums->potential) || !isfinite(sums->momentum[0]) ||
	       !isfinite(sums->momentum[1]);
}

bool
failure_find(struct world *world)
{
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++) {
		const struct body *body = &world->bodies.paths[i];
		const struct body_info *info = &world->bodies.infos[i];
		const double square = body->vx * body->vx + body->vy * body->vy;
		const struct {
			double value;
			enum def_field field;
		} state[] = { { body->x, DEF_CIRCLE_X },         { body->y, DEF_CIRCLE_Y },
			          { body->vx, DEF_CIRCLE_VX },       { body->vy, DEF_CIRCLE_VY },
			          { info->angle, DEF_CIRCLE_ANGLE }, { info->spin, DEF_CIRCLE_ANGULAR_VELOCITY },
			          { square, DEF_CIRCLE_VX } };

		for (size_t k = 0; k < sizeof state / sizeof *state; k++) {
			if (isfinite(state[k].value))
				continue;
			world->failure = (struct world_failure){ world->tick + 1, world->bodies.ids[i], state[k].field };
			return true;
		}
	}
	return false;
}
