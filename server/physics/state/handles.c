/* Lookup of bodies and segments by id and by handle: both are stored ascending by id. */
#include "physics/state/edit.h"

struct body_handle
world_body_handle(const struct world *world, size_t index)
{
	return (struct body_handle){ .id = world->bodies.infos[index].id, .generation = world->bodies.infos[index].generation };
}

struct segment_handle
world_segment_handle(const struct world *world, size_t index)
{
	return (struct segment_handle){ .id = world->walls.segments[index].id,
		                            .generation = world->walls.segments[index].generation };
}

bool
world_body_find(const struct world *world, uint32_t id, size_t *index)
{
	const uint32_t *ids = world->bodies.ids;
	size_t low = 0, high = world->bodies.count;

	/* Most worlds number their circles without gaps. */
	if (high > 0 && id >= ids[0] && id - ids[0] < high && ids[id - ids[0]] == id) {
		*index = id - ids[0];
		return true;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == world->bodies.count || ids[low] != id)
		return false;
	*index = low;
	return true;
}

bool
world_segment_find(const struct world *world, uint32_t id, size_t *index)
{
	size_t low = 0, high = world->walls.segment_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (world->walls.segments[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == world->walls.segment_count || world->walls.segments[low].id != id)
		return false;
	*index = low;
	return true;
}

bool
world_body_of(const struct world *world, struct body_handle handle, size_t *index)
{
	size_t found;

	if (!world_body_find(world, handle.id, &found) || world->bodies.infos[found].generation != handle.generation)
		return false;
	*index = found;
	return true;
}

bool
world_segment_of(const struct world *world, struct segment_handle handle, size_t *index)
{
	size_t found;

	if (!world_segment_find(world, handle.id, &found) || world->walls.segments[found].generation != handle.generation)
		return false;
	*index = found;
	return true;
}

struct circle_def
world_circle(const struct world *world, size_t index)
{
	return circle_of(world, (uint32_t)index);
}

size_t
world_segment_count(const struct world *world)
{
	return world->walls.segment_count;
}

struct segment_def
world_segment(const struct world *world, size_t index)
{
	return segment_of(world, (uint32_t)index);
}
