#include "base/shared_bytes.h"

#include "base/check.h"
#include "base/memory.h"

void
shared_bytes_init(struct shared_bytes *block, const uint8_t *bytes, size_t count)
{
	block->bytes = bytes;
	block->count = count;
	block->owned = NULL;
	atomic_init(&block->holders, 1);
}

struct shared_bytes *
shared_bytes_create(uint8_t *bytes, size_t count)
{
	struct ledger *own = memory_enter_common();
	struct shared_bytes *block = memory_alloc(sizeof *block);
	(void)memory_enter(own);
	if (block) {
		shared_bytes_init(block, bytes, count);
		block->owned = bytes;
	}
	return block;
}

struct shared_bytes *
shared_bytes_hold(struct shared_bytes *block)
{
	CHECK(atomic_fetch_add_explicit(&block->holders, 1, memory_order_relaxed) > 0);
	return block;
}

void
shared_bytes_release(struct shared_bytes *block)
{
	if (!block)
		return;
	size_t before = atomic_fetch_sub_explicit(&block->holders, 1, memory_order_acq_rel);
	CHECK(before > 0);
	if (before == 1 && block->owned) {
		struct ledger *own = memory_enter_common();
		memory_free(block->owned);
		memory_free(block);
		(void)memory_enter(own);
	}
}
