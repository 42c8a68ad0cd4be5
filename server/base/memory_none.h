/* memory_none: memory.h for a program that has the engine alone (COLLIDED_ALONE): malloc and its kin, which nothing counts. Any
 * thread. */
#ifndef COLLIDED_BASE_MEMORY_NONE_H
#define COLLIDED_BASE_MEMORY_NONE_H

#include "base/memory_spare.h"

#include <stddef.h>
#include <stdlib.h>

struct ledger;

static inline void *
memory_alloc(size_t bytes)
{
	return malloc(bytes);
}

static inline void *
memory_zeroed(size_t count, size_t size)
{
	return calloc(count, size);
}

static inline void *
memory_resize(void *memory, size_t bytes)
{
	return realloc(memory, bytes);
}

static inline void *
memory_aligned(size_t alignment, size_t bytes)
{
	return aligned_alloc(alignment, bytes);
}

static inline void
memory_free(void *memory)
{
	free(memory);
}

static inline void
memory_refusal_forget(void)
{
}

static inline struct memory_spare
memory_spare_set(struct memory_spare spare)
{
	return spare;
}

static inline struct ledger *
memory_enter(struct ledger *ledger)
{
	return ledger;
}

static inline struct ledger *
memory_enter_common(void)
{
	return NULL;
}

static inline struct ledger *
memory_ledger(void)
{
	return NULL;
}

#endif
