/* join: the parts of a Snapshot in one block of memory. It grows with the bytes received, not with the size announced.
 *
 * One thread at a time. */
#ifndef COLLIDE_CLIENT_LIB_JOIN_H
#define COLLIDE_CLIENT_LIB_JOIN_H

#include "client/lib/collide.h"
#include "client/lib/merge.h"
#include "collide/v1/collide.pb-c.h"

/* All 0 at the start. */
struct join {
	uint8_t *bytes;
	size_t count, capacity;
	uint64_t tick, size; /* from the first part */
	bool partial;        /* the first part has been added, but not the last */
	struct collide_snapshot snapshot;
};

void join_finish(struct join *join);
/* Adds a part. The first one after a whole snapshot starts a new one. MERGE_WHOLE: join->snapshot has it. */
enum merge_result join_add(struct join *join, const Collide__V1__Snapshot *part, size_t bytes_max);

#endif
