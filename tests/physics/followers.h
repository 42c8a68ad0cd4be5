/* followers: steps a world so that every tick is made twice, once by a world restored from a snapshot. It compares all that the
 * two say, as the engine's own self-check does. Some that were restored earlier make it as well.
 *
 * One thread. The world is the caller's; restored ones are kept for some ticks, so that what a snapshot might have left out has
 * time to show. Failures are cmocka's. */
#ifndef COLLIDED_TESTS_PHYSICS_FOLLOWERS_H
#define COLLIDED_TESTS_PHYSICS_FOLLOWERS_H

#include "physics/physics.h"

struct followers {
	struct world *worlds[4]; /* restored at earlier ticks */
	uint64_t ticks;
	uint64_t every; /* ticks between two followers: each lives four times as long */
};

/* The caller frees what this returns. */
struct snapshot {
	uint8_t *bytes;
	size_t size;
};

/* Bit for bit, or the test fails with the first difference. */
void reports_same(const struct tick_report *a, const struct tick_report *b);

struct snapshot snapshot_take(const struct world *world);
/* Restores and takes another snapshot, which must be the same bytes. */
struct world *snapshot_restored(const struct snapshot *snapshot);

/* The batch is refused for this edit and field, with a text, and the world is as it was. */
void batch_refused(struct world *world, const struct edit *edits, size_t count, size_t index, enum def_field field);

void followers_init(struct followers *followers, uint64_t every);
void followers_finish(struct followers *followers);
/* world_step with all its followers. The report is the world's own. The status is that of all of them. */
enum status followers_step(struct followers *followers, struct world *world, double dt, struct tick_report *report);

#endif
