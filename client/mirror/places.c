#include "client/mirror/places.h"

#include "base/memory.h"

#include <string.h>

void
places_finish(struct places *places)
{
	memory_free(places->rows);
	memory_free(places->differences);
	*places = (struct places){ 0 };
}

static bool
room_make(void **items, size_t *capacity, size_t count, size_t size)
{
	if (count <= *capacity)
		return true;
	void *larger = memory_resize(*items, 2 * count * size);
	if (!larger)
		return false;
	*items = larger;
	*capacity = 2 * count;
	return true;
}

static struct circle_place
place_of(const struct world *world, size_t index)
{
	const struct body_state body = world_body(world, index);
	return (struct circle_place){ body.id, body.x, body.y, body.angle };
}

bool
places_take(struct places *places, const struct world *world)
{
	size_t count = world_body_count(world);
	void *rows = places->rows;
	bool good = room_make(&rows, &places->capacity, count, sizeof *places->rows);
	places->rows = rows;
	places->count = good ? count : 0;
	places->tick = world_tick(world);
	for (size_t i = 0; i < places->count; i++)
		places->rows[i] = place_of(world, i);
	return good;
}

static bool
is_elsewhere(const struct circle_place *was, const struct circle_place *is)
{
	return memcmp(&was->x, &is->x, sizeof was->x) != 0 || memcmp(&was->y, &is->y, sizeof was->y) != 0 ||
	       memcmp(&was->angle, &is->angle, sizeof was->angle) != 0;
}

bool
places_compare(struct places *places, const struct world *world)
{
	size_t count = world_body_count(world), was = 0, is = 0, out = 0;
	void *differences = places->differences;
	bool good = room_make(&differences, &places->difference_capacity, places->count + count, sizeof *places->differences);
	places->differences = differences;
	places->difference_count = 0;
	if (!good)
		return false;
	while (was < places->count || is < count) {
		const struct circle_place *old = &places->rows[was];
		const struct circle_place now = is < count ? place_of(world, is) : (struct circle_place){ 0 };
		if (is == count || (was < places->count && old->id < now.id)) {
			places->differences[out++] = (struct collide_mirror_corrected){ .id = old->id, .gone = true };
			was++;
			continue;
		}
		if (was == places->count || now.id < old->id) {
			places->differences[out++] = (struct collide_mirror_corrected){ .id = now.id, .appeared = true };
			is++;
			continue;
		}
		if (is_elsewhere(old, &now))
			places->differences[out++] = (struct collide_mirror_corrected){
				.id = now.id, .x = now.x - old->x, .y = now.y - old->y, .angle = now.angle - old->angle
			};
		was++, is++;
	}
	places->difference_count = out;
	return true;
}
