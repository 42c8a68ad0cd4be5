#include "support/failing.h"

size_t fail_from, fail_count, allocations;
bool fail_paused;

void *__real_memory_alloc(size_t bytes);
void *__real_memory_zeroed(size_t count, size_t size);
void *__real_memory_resize(void *memory, size_t bytes);
void *__real_memory_aligned(size_t alignment, size_t bytes);
void *__wrap_memory_alloc(size_t bytes);
void *__wrap_memory_zeroed(size_t count, size_t size);
void *__wrap_memory_resize(void *memory, size_t bytes);
void *__wrap_memory_aligned(size_t alignment, size_t bytes);

static bool
fails(void)
{
	if (fail_paused)
		return false;
	allocations++;
	return fail_from != 0 && allocations >= fail_from && allocations < fail_from + fail_count;
}

void *
__wrap_memory_alloc(size_t bytes)
{
	return fails() ? NULL : __real_memory_alloc(bytes);
}

void *
__wrap_memory_zeroed(size_t count, size_t size)
{
	return fails() ? NULL : __real_memory_zeroed(count, size);
}

void *
__wrap_memory_resize(void *memory, size_t bytes)
{
	return fails() ? NULL : __real_memory_resize(memory, bytes);
}

void *
__wrap_memory_aligned(size_t alignment, size_t bytes)
{
	return fails() ? NULL : __real_memory_aligned(alignment, bytes);
}
