/* madvise is neither C's nor POSIX's. */
#define _DEFAULT_SOURCE
#include "base/pages.h"

#include "base/memory.h"

#include <stdint.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

/* gcc's way and clang's. */
#ifdef __has_feature
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

/* Of x86-64 and, with pages of 4 KB, of arm64; where they are larger, the hint is only worth less. */
#define LARGE_PAGE_BYTES ((size_t)2 << 20)
/* From here on what rounding to large pages wastes is at most half. */
#define LARGE_BYTES_MIN (2 * LARGE_PAGE_BYTES)

void
pages_enlarge(void *memory, size_t bytes)
{
#if defined(__linux__) && defined(MADV_HUGEPAGE)
	char *first = memory;
	size_t before = (size_t)(-(uintptr_t)memory % LARGE_PAGE_BYTES);

	if (bytes >= LARGE_BYTES_MIN)
		(void)madvise(first + before, (bytes - before) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES, MADV_HUGEPAGE);
#else
	(void)memory;
	(void)bytes;
#endif
}

void *
pages_alloc(size_t bytes)
{
	size_t alignment = bytes >= LARGE_BYTES_MIN ? LARGE_PAGE_BYTES : PAGES_LINE_BYTES;
	void *memory = bytes <= SIZE_MAX - alignment ? memory_aligned(alignment, (bytes + alignment - 1) / alignment * alignment)
	                                             : NULL;

	if (memory)
		pages_enlarge(memory, bytes);
	return memory;
}

void
pages_guard(void *memory, size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
	__asan_poison_memory_region(memory, bytes);
#else
	(void)memory;
	(void)bytes;
#endif
}
