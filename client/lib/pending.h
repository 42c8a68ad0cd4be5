/* pending: requests that have not had their final reply, by their ids; what comes in parts is joined in them.
 *
 * One thread at a time. A table owns its entries until pending_take. */
#ifndef COLLIDE_CLIENT_LIB_PENDING_H
#define COLLIDE_CLIENT_LIB_PENDING_H

#include "client/lib/join.h"
#include "client/lib/update_join.h"
#include "collide/v1/collide.pb-c.h"

/* Takes each part of a Subscribe's updates. false: it cannot go on, for that reason; the conversation ends. */
struct core_follow {
	bool (*take)(void *context, const Collide__V1__WorldUpdate *part, struct collide_error *error); /* NULL: none */
	void *context;
};

struct pending {
	uint64_t request_id;
	Collide__V1__ClientMessage__RequestCase kind;
	struct merge *merge;        /* of a Simulate, as the next one */
	struct join join;           /* of a SnapshotWorld, too */
	struct update_join *update; /* of a Subscribe */
	void *owner;                /* see core_request_own */
	struct core_follow follow;  /* see core_request_follow */
	struct pending *next;
};

/* All 0 at the start. */
struct pending_table {
	struct pending **chains; /* by the last bits of the id: ids count up */
	size_t chain_count, count;
};

/* frame_bytes_max: of what is joined. NULL without memory. */
struct pending *pending_create(uint64_t request_id, Collide__V1__ClientMessage__RequestCase kind, size_t frame_bytes_max);
void pending_destroy(struct pending *pending);

/* false: no memory. */
bool pending_enter(struct pending_table *table, struct pending *pending);
/* NULL: there is none. */
struct pending *pending_find(const struct pending_table *table, uint64_t request_id);
/* Takes it out; the caller's then. */
void pending_take(struct pending_table *table, struct pending *pending);
void pending_table_finish(struct pending_table *table);

#endif
