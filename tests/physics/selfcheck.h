/* selfcheck: steps a world so that every tick is made twice, once by a world restored from a snapshot, and compares all that
 * the two say.
 *
 * One thread. The world is the caller's; restored ones are kept for some ticks, so that what a snapshot might have left out has
 * time to show. Failures are cmocka's. */
#ifndef COLLIDED_TESTS_PHYSICS_SELFCHECK_H
#define COLLIDED_TESTS_PHYSICS_SELFCHECK_H

#include "physics/physics.h"

struct selfcheck {
	struct world *followers[4]; /* restored at earlier ticks */
	uint64_t ticks;
	uint64_t every; /* ticks between two followers: each lives four times as long */
};

/* The caller frees what this returns. */
struct snapshot {
	uint8_t *bytes;
	size_t size;
};

/* Bit for bit. */
void reports_compare(const struct tick_report *a, const struct tick_report *b);

struct snapshot snapshot_take(const struct world *world);
/* Restores and takes another snapshot, which must be the same bytes. */
struct world *snapshot_restored(const struct snapshot *snapshot);

void selfcheck_init(struct selfcheck *check, uint64_t every);
void selfcheck_finish(struct selfcheck *check);
/* world_step with all its followers. The report is the world's own. The status is that of all of them. */
enum status selfcheck_step(struct selfcheck *check, struct world *world, double dt, struct tick_report *report);

#endif
