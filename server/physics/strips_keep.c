/* Happy path: each body that an event of a strip is about to write is kept once, up to the next tick. What can go wrong:
 * memory (the strip's world fails). */
#include "physics/strips.h"

#include <assert.h>
#include <string.h>

/* The bookkeeping of body_info within a tick is its first cache line; behind it events change only these two, and kept_vx and
 * kept_vy, which say nothing of a body that goes its own way, as all do before the strips. */
#define BOOKKEEPING_BYTES 64
static_assert(offsetof(struct body_info, inverse_mass) == BOOKKEEPING_BYTES, "what is kept of a body is its first line");

struct strip_kept {
	struct body body;
	uint8_t bookkeeping[BOOKKEEPING_BYTES];
	double angle, spin;
	uint32_t index, epoch;
	uint8_t untouched, roams;
};

void
strip_keep(struct strip *strip, uint32_t body)
{
	const struct world *world = &strip->world;
	const struct body_info *info = &world->infos[body];

	if (strip->all->touched[body] == strip->all->touch)
		return;
	if (!array_reserve(&strip->kept, &strip->kept_capacity, strip->kept_count + 1, sizeof *strip->kept)) {
		strip->world.failed = true;
		return;
	}

	struct strip_kept *kept = &strip->kept[strip->kept_count++];

	lines_fetch_ahead(kept, sizeof *kept, STRIP_AHEAD);
	strip->all->touched[body] = strip->all->touch;
	kept->body = world->bodies[body];
	memcpy(kept->bookkeeping, info, BOOKKEEPING_BYTES);
	kept->angle = info->angle;
	kept->spin = info->spin;
	kept->index = body;
	kept->untouched = world->untouched[body];
	kept->roams = world->marks[body].roams;
	kept->epoch = world->marks[body].epoch;
}

void
strip_undo(struct strip *strip)
{
	for (size_t k = 0; k < strip->kept_count; k++) {
		const struct strip_kept *kept = &strip->kept[k];
		struct body_info *info = &strip->world.infos[kept->index];

		strip->world.bodies[kept->index] = kept->body;
		memcpy(info, kept->bookkeeping, BOOKKEEPING_BYTES);
		strip->world.untouched[kept->index] = kept->untouched;
		strip->world.marks[kept->index].roams = kept->roams;
		strip->world.marks[kept->index].epoch = kept->epoch;
		info->angle = kept->angle;
		info->spin = kept->spin;
	}
}

size_t
strip_kept_bytes(const struct strip *strip)
{
	return strip->kept_capacity * sizeof *strip->kept;
}
