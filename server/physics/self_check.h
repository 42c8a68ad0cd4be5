/* selfcheck: a tick made twice, the second time by a world restored from a snapshot of the state before it, and all that the
 * two say compared bit by bit: reports, row by row, and the snapshots after.
 *
 * What differs then is a defect: something that the next tick needs and a snapshot has not, memory that was read before it was
 * written or is broken, a compiler or a machine that has other bits now and then. One thread at a time. */
#ifndef COLLIDED_PHYSICS_SELF_CHECK_H
#define COLLIDED_PHYSICS_SELF_CHECK_H

#include "physics/physics.h"

/* The first thing that differs, in words: "contacts.impulse[3] is 0.5 in the run, 0.25 restored". */
struct difference {
	char text[200];
};

/* Whether both reports say the same, zeros of either sign told apart. */
bool reports_compare(const struct tick_report *run, const struct tick_report *restored, struct difference *difference);
/* Whether both snapshots are the same bytes. */
bool snapshots_compare(const void *run, size_t run_size, const void *restored, size_t restored_size,
                       struct difference *difference);

/* What is kept from tick to tick. Begin with all 0; selfcheck_finish gives it back. */
struct selfcheck {
	uint8_t *before, *after, *again; /* snapshots */
	size_t before_capacity, after_capacity, again_capacity;
	size_t world_bytes;           /* of the restored world when it was largest */
	struct difference difference; /* with STATUS_INTERNAL */
};

void selfcheck_finish(struct selfcheck *check);
/* Of the snapshots, and of a restored world. */
size_t selfcheck_memory_bytes(const struct selfcheck *check);

/* As world_step, and makes the tick a second time. `stop` as in world_stop_set, which must have been told it as well; may be
 * NULL. STATUS_INTERNAL: what check->difference says, and the world was stepped, unless its snapshot was refused. Without
 * memory, or if one of the two has not enough: STATUS_RESOURCE_EXHAUSTED, as world_step. */
STATUS_MUST_USE enum status selfcheck_step(struct selfcheck *check, struct world *world, double dt, bool (*stop)(void *context),
                                           void *context, struct tick_report *report);

#endif
