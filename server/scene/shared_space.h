/* shared_space: a space for queries that several requests ask at a time.
 *
 * Any thread, each with a hold of its own. The last release frees it. Charged to no ledger. */
#ifndef COLLIDED_SCENE_SHARED_SPACE_H
#define COLLIDED_SCENE_SHARED_SPACE_H

#include "physics/space.h"

#include <stdatomic.h>

struct shared_space {
	/* Immutable. */
	struct space *space;
	size_t bytes;

	/* Any thread. */
	atomic_size_t holders;
};

/* Takes the space, which was made with no ledger entered, for one holder. NULL without memory; the space is the caller's
 * still. */
struct shared_space *shared_space_create(struct space *space);
/* One holder more; returns it. */
struct shared_space *shared_space_hold(struct shared_space *shared);
/* One less. NULL is fine. */
void shared_space_release(struct shared_space *shared);

#endif
