/* The rest solver's list when a wall is enabled or disabled: as after an edit, with all indices as they are. What can go wrong:
 * memory, before anything is written. */
#include "base/memory.h"
#include "physics/resting/handover_private.h"

bool
handover_switch(struct world *world, uint32_t segment)
{
	const size_t bodies = (size_t)world->bodies.count + 1, segments = (size_t)world->walls.segment_count + 1;
	const size_t most = bodies > segments ? bodies : segments;
	struct solver *solver = world->handover->solver;
	uint32_t *same = memory_alloc(most * sizeof *same);
	uint8_t *touched = memory_zeroed(bodies + segments, 1);
	const bool good = same && touched && solver_edit_reserve(solver, world->bodies.count);

	for (uint32_t i = 0; good && i < most; i++)
		same[i] = i;
	if (good) {
		const struct solver_change change = {
			.body_count = world->bodies.count,
			.body_to = same,
			.segment_to = same,
			.body_touched = touched,
			.wall_touched = touched + bodies,
			.walls = true,
		};

		touched[bodies + segment] = SOLVER_TOUCH_OTHER;
		solver_wall_room_set(solver, 0.0);
		world->wall_room = 0.0;
		solver_edit(solver, &world->handover->bodies, &change);
	}
	memory_free(same);
	memory_free(touched);
	return good;
}
