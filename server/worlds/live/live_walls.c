/* What a live world knows of its walls. */
#include "worlds/live/live_private.h"

void
live_walls_look(struct live_world *world)
{
	size_t count = world_segment_count(world->world);

	world->walls_move = false;
	for (size_t i = 0; i < count && !world->walls_move; i++) {
		struct segment_def segment = world_segment(world->world, i);

		world->walls_move = segment.vx != 0.0 || segment.vy != 0.0;
	}
}
