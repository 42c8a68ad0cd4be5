/* places: where circles were, beside where they are now. One thread at a time; owns its memory. All 0 at the start. */
#ifndef COLLIDE_MIRROR_PLACES_H
#define COLLIDE_MIRROR_PLACES_H

#include "client/lib/collide.h"

#include "client/mirror/collide_mirror.h"

#include "physics/physics.h"

struct circle_place {
	uint32_t id;
	double x, y, angle;
};

struct places {
	uint64_t tick;
	struct circle_place *rows; /* ascending by id */
	size_t count, capacity;
	struct collide_mirror_corrected *differences;
	size_t difference_count, difference_capacity;
};

void places_finish(struct places *places);
/* Of all circles of the world. False without memory. */
bool places_take(struct places *places, const struct world *world);
/* What differs now. False without memory. */
bool places_compare(struct places *places, const struct world *world);

#endif
