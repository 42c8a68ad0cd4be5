/* self_check: steps a tick three times. The second time is with a world restored from a snapshot of the state before it, the
 * third with the world itself, returned to that state (keep.h). It compares all results bit by bit: reports, row by row, and
 * the snapshots after.
 *
 * A difference is a defect. The next tick may need something that is not in the snapshot, or not in a kept state. Memory may
 * have been read before it was written, or be broken. Or a compiler or a machine may not always give the same bits. One thread
 * at a time. */
#ifndef COLLIDED_PHYSICS_SELF_CHECK_H
#define COLLIDED_PHYSICS_SELF_CHECK_H

#include "physics/physics.h"

/* The first difference, in words: "contacts.impulse[3] is 0.5 in the run, 0.25 restored". */
struct difference {
	size_t body; /* of snapshots: the index of the body that the field is of; SIZE_MAX: of none */
	char text[200];
};

/* Whether both reports are the same, with zeros of either sign distinguished. */
bool reports_compare(const struct tick_report *run, const struct tick_report *restored, struct difference *difference);
/* Whether both snapshots are the same bytes. */
bool snapshots_compare(const void *run, size_t run_size, const void *restored, size_t restored_size,
                       struct difference *difference);

/* Memory kept from tick to tick. Initialize with all 0; selfcheck_finish frees it. */
struct selfcheck {
	uint8_t *before, *after, *again; /* snapshots */
	struct world_kept *kept;
	size_t before_capacity, after_capacity, again_capacity;
	size_t world_bytes;           /* of the restored world when it was largest */
	struct difference difference; /* with STATUS_INTERNAL */
};

void selfcheck_finish(struct selfcheck *check);
/* Memory of the snapshots, of the kept state and of a restored world. */
size_t selfcheck_memory_bytes(const struct selfcheck *check);

/* As world_step, and steps the tick two more times; a question of the world's own (world_stop_set) is asked in its own ticks
 * only. STATUS_INTERNAL: what check->difference says; the world was stepped, unless its snapshot was refused.
 * STATUS_RESOURCE_EXHAUSTED, as world_step: no memory, in any of the three. */
STATUS_MUST_USE enum status selfcheck_step(struct selfcheck *check, struct world *world, double dt, struct tick_report *report);

#endif
