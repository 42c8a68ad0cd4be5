#include "scene/shared_space.h"

#include "base/check.h"
#include "base/memory.h"

struct shared_space *
shared_space_create(struct space *space)
{
	struct ledger *own = memory_enter_common();
	struct shared_space *shared = memory_alloc(sizeof *shared);

	(void)memory_enter(own);
	if (!shared)
		return NULL;
	shared->space = space;
	shared->bytes = space_memory_bytes(space);
	atomic_init(&shared->holders, 1);
	return shared;
}

struct shared_space *
shared_space_hold(struct shared_space *shared)
{
	CHECK(atomic_fetch_add_explicit(&shared->holders, 1, memory_order_relaxed) > 0);
	return shared;
}

void
shared_space_release(struct shared_space *shared)
{
	if (!shared)
		return;

	size_t before = atomic_fetch_sub_explicit(&shared->holders, 1, memory_order_acq_rel);

	CHECK(before > 0);
	if (before > 1)
		return;

	struct ledger *own = memory_enter_common();

	space_destroy(shared->space);
	memory_free(shared);
	(void)memory_enter(own);
}
