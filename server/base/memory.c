/* malloc_usable_size and madvise are neither C's nor POSIX's. */
#define _DEFAULT_SOURCE
#include "base/memory.h"

#include "base/kept_blocks.h"
#include "base/pages.h"
#include "base/pause.h"

#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

/* A block from the second on is given back in such pieces, each with a question (pause.h). The system takes a fifth of a
 * millisecond for one; less than a large page of its takes as long, as that must be split. */
#define PIECE_BYTES ((size_t)2 << 20)
#define PIECES_BYTES_MIN (2 * PIECE_BYTES)
#define PIECE_UNITS ((uint32_t)PAUSE_UNITS)
/* Smaller blocks from the second on are counted a unit for so many bytes. */
#define FREE_BYTES_PER_UNIT 512
#define FREE_BYTES_MIN ((size_t)16 * 1024)
/* The part of the process's bound that some leave to others. */
#define LEFT_PART 8
/* What those with one share have at most, of what is left. */
#define SHARE_TIMES 2
/* Blocks from here on go back to the system when they are freed. */
#define KEPT_BYTES_MAX (1 << 20)

static _Atomic(int64_t) used_by_all;
static int64_t bound_of_all;
static _Thread_local int64_t loose; /* of used_by_all */
static _Thread_local struct ledger *here;
static _Thread_local struct memory_spare spare_here;
static _Thread_local struct ledger *spare_of; /* its owner: nothing is released for another */

void
memory_bound_set(uint64_t bytes)
{
	bound_of_all = bytes > INT64_MAX ? 0 : (int64_t)bytes;
#ifdef __GLIBC__
	/* Without these, glibc's own thresholds grow to 32 and 64 MB with what is freed, in each of its arenas. */
	(void)mallopt(M_MMAP_THRESHOLD, KEPT_BYTES_MAX);
	(void)mallopt(M_TRIM_THRESHOLD, KEPT_BYTES_MAX);
#endif
}

uint64_t
memory_used(void)
{
	int64_t used = atomic_load_explicit(&used_by_all, memory_order_relaxed) + loose;

	return used > 0 ? (uint64_t)used : 0;
}

uint64_t
memory_resident(void)
{
	unsigned long long pages = 0;
#ifdef __linux__
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file)
		return 0;
	if (fscanf(file, "%*u %llu", &pages) != 1)
		pages = 0;
	(void)fclose(file);
	pages *= (unsigned long long)sysconf(_SC_PAGESIZE);
#endif
	return pages;
}

void
memory_trim(void)
{
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}

void
memory_arenas_set(unsigned most)
{
#ifdef __GLIBC__
	(void)mallopt(M_ARENA_MAX, most < INT_MAX ? (int)most : INT_MAX);
#else
	(void)most;
#endif
}

static int64_t
bound_for(bool leaves)
{
	return leaves ? bound_of_all - bound_of_all / LEFT_PART : bound_of_all;
}

uint64_t
memory_room(void)
{
	uint64_t used = memory_used(), bound = (uint64_t)bound_for(true);

	return bound == 0 ? UINT64_MAX : used < bound ? bound - used : 0;
}

/* Counts bytes for the process; they may be negative. */
static void
all_add(int64_t bytes)
{
	loose += bytes;
	if (loose < -MEMORY_LOOSE_BYTES || loose > MEMORY_LOOSE_BYTES) {
		atomic_fetch_add_explicit(&used_by_all, loose, memory_order_relaxed);
		loose = 0;
	}
}

/* Whether so many bytes more keep to the process's bound. Only what leaves the thread is compared. */
static bool
all_fits(int64_t bytes, bool leaves)
{
	return bound_of_all == 0 || loose + bytes <= MEMORY_LOOSE_BYTES ||
	       atomic_load_explicit(&used_by_all, memory_order_relaxed) + loose + bytes <= bound_for(leaves);
}

void
ledger_init(struct ledger *ledger, uint64_t most)
{
	atomic_init(&ledger->used, 0);
	atomic_init(&ledger->reserved, 0);
	atomic_init(&ledger->refused, MEMORY_NOT_REFUSED);
	ledger->most = most > INT64_MAX ? 0 : (int64_t)most;
	ledger->leaves = false;
	ledger->share = NULL;
	atomic_init(&ledger->told, 0);
}

void
ledger_leave(struct ledger *ledger)
{
	ledger->leaves = true;
}

struct memory_share *
memory_share_create(void)
{
	struct ledger *own = memory_enter(NULL);
	struct memory_share *share = memory_zeroed(1, sizeof *share);

	(void)memory_enter(own);
	if (share)
		atomic_init(&share->holders, 1);
	return share;
}

void
memory_share_release(struct memory_share *share)
{
	if (!share || atomic_fetch_sub(&share->holders, 1) > 1)
		return;
	struct ledger *own = memory_enter(NULL);

	memory_free(share);
	(void)memory_enter(own);
}

void
ledger_share(struct ledger *ledger, struct memory_share *share)
{
	if (share)
		atomic_fetch_add(&share->holders, 1);
	ledger->share = share;
}

/* Tells the share how much it has in all. Threads may do so at once: what they add sums up to the last that was told. */
static void
share_tell(struct ledger *ledger, int64_t bytes)
{
	atomic_fetch_add_explicit(&ledger->share->used,
	                          bytes - atomic_exchange_explicit(&ledger->told, bytes, memory_order_relaxed),
	                          memory_order_relaxed);
}

/* What it has, after so many bytes more or less, is told to the share, if it has one. False, and it is not: the share would
 * have too much. */
static bool
share_fits(struct ledger *ledger, int64_t used, int64_t more)
{
	if (!ledger->share)
		return true;
	int64_t all = used + atomic_load_explicit(&ledger->reserved, memory_order_relaxed);
	int64_t untold = all - atomic_load_explicit(&ledger->told, memory_order_relaxed);

	if (untold <= MEMORY_UNTOLD_BYTES && untold >= -MEMORY_UNTOLD_BYTES)
		return true;
	if (more > 0 && bound_of_all > 0) {
		int64_t left = bound_for(true) - atomic_load_explicit(&used_by_all, memory_order_relaxed) - more;

		if (atomic_load_explicit(&ledger->share->used, memory_order_relaxed) + untold > SHARE_TIMES * left)
			return false;
	}
	share_tell(ledger, all);
	return true;
}

void
ledger_finish(struct ledger *ledger)
{
	all_add(-atomic_exchange(&ledger->reserved, 0));
	if (!ledger->share)
		return;
	share_tell(ledger, 0);
	memory_share_release(ledger->share);
	ledger->share = NULL;
}

bool
ledger_reserve(struct ledger *ledger, uint64_t bytes)
{
	int64_t missing = (bytes > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)bytes) - atomic_load(&ledger->used) -
	                  atomic_load(&ledger->reserved);

	if (missing <= 0)
		return true;
	bool fits = all_fits(missing, ledger->leaves);
	if (!fits || !share_fits(ledger, atomic_load(&ledger->used) + missing, missing)) {
		atomic_store(&ledger->refused, fits ? MEMORY_REFUSED_SHARE : MEMORY_REFUSED_ALL);
		return false;
	}
	atomic_fetch_add(&ledger->reserved, missing);
	all_add(missing);
	return true;
}

void
ledger_disown(struct ledger *ledger, int64_t bytes)
{
	atomic_fetch_sub(&ledger->used, bytes);
}

void
ledger_move(struct ledger *from, struct ledger *to)
{
	ledger_finish(from);
	atomic_fetch_add(&to->used, atomic_exchange(&from->used, 0));
}

uint64_t
ledger_used(const struct ledger *ledger)
{
	int64_t used = atomic_load_explicit(&ledger->used, memory_order_relaxed);

	return used > 0 ? (uint64_t)used : 0;
}

struct ledger *
memory_enter(struct ledger *ledger)
{
	struct ledger *before = here;

	here = ledger;
	return before;
}

struct ledger *
memory_enter_common(void)
{
	/* They have no bound. Each thread counts in its own, as what several write costs them a cache line. */
	static _Thread_local struct ledger common, leaving = { .leaves = true };

	return memory_enter(!here ? NULL : here->leaves ? &leaving : &common);
}

struct ledger *
memory_ledger(void)
{
	return here;
}

struct memory_spare
memory_spare_set(struct memory_spare spare)
{
	struct memory_spare before = spare_here;

	spare_here = spare;
	spare_of = here;
	return before;
}

void
memory_refusal_forget(void)
{
	if (here)
		atomic_store(&here->refused, MEMORY_NOT_REFUSED);
}

/* As much of the bytes as is left of the reservation. */
static int64_t
reserved_take(struct ledger *ledger, int64_t bytes)
{
	int64_t left = atomic_load_explicit(&ledger->reserved, memory_order_relaxed), part;

	do
		part = left < bytes ? left : bytes;
	while (part > 0 && !atomic_compare_exchange_weak(&ledger->reserved, &left, left - part));
	return part > 0 ? part : 0;
}

/* False, and nothing is charged: over a bound. */
static bool
charge(int64_t bytes)
{
	if (!here) {
		all_add(bytes);
		return true;
	}
	int64_t used = atomic_fetch_add_explicit(&here->used, bytes, memory_order_relaxed) + bytes;
	int64_t reserved = bytes > 0 ? reserved_take(here, bytes) : 0;
	bool own = here->most == 0 || used <= here->most || bytes <= 0;
	bool fits = bytes <= 0 || all_fits(bytes - reserved, here->leaves);

	if (own && fits && share_fits(here, used, bytes - reserved)) {
		all_add(bytes - reserved);
		return true;
	}
	atomic_fetch_add_explicit(&here->reserved, reserved, memory_order_relaxed);
	atomic_fetch_sub_explicit(&here->used, bytes, memory_order_relaxed);
	if (spare_here.release && spare_of == here) {
		const struct memory_spare none = { 0 }, spare = memory_spare_set(none);

		spare.release(spare.context);
		(void)memory_spare_set(spare.next ? *spare.next : none);
		return charge(bytes);
	}
	atomic_store_explicit(&here->refused,
	                      !own   ? MEMORY_REFUSED_OWN
	                      : fits ? MEMORY_REFUSED_SHARE
	                             : MEMORY_REFUSED_ALL,
	                      memory_order_relaxed);
	return false;
}

static int64_t
block_bytes(void *memory)
{
	return memory ? (int64_t)malloc_usable_size(memory) + MEMORY_BLOCK_BYTES : 0;
}

/* Pages that were not written yet cost nothing, so it is early enough to ask now. A large block gets large pages: what it is
 * filled with at random would else wait for the system at each of its pages. */
static void *
charged(void *memory)
{
	int64_t bytes = block_bytes(memory);

	if (!memory)
		return NULL;
	if (!charge(bytes)) {
		free(memory);
		return NULL;
	}
	pages_enlarge(memory, (size_t)bytes - MEMORY_BLOCK_BYTES);
	return memory;
}

/* Without a charge. */
static void *
block_alloc(size_t bytes)
{
	void *kept = kept_blocks_take(1, bytes);

	return kept ? kept : malloc(bytes);
}

void
memory_keep(size_t bytes_max)
{
	kept_blocks_limit(bytes_max);
}

void *
memory_alloc(size_t bytes)
{
	return charged(block_alloc(bytes));
}

/* calloc has no lists of its own for each thread. What is long it may get cleared from the system. */
void *
memory_zeroed(size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > KEPT_BLOCK_BYTES_MAX)
		return charged(calloc(count, size));
	void *block = charged(block_alloc(bytes));
	return block ? memset(block, 0, bytes) : NULL;
}

void *
memory_aligned(size_t alignment, size_t bytes)
{
	void *kept = kept_blocks_take(alignment, bytes);

	return charged(kept ? kept : aligned_alloc(alignment, bytes));
}

void *
memory_resize(void *memory, size_t bytes)
{
	int64_t before = block_bytes(memory), asked = bytes > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)bytes;
	int64_t more = asked + MEMORY_BLOCK_BYTES - before;

	/* Before, as a refusal must leave the block as it is. */
	if (more > 0 && !charge(more))
		return NULL;
	size_t wanted = bytes > 0 ? bytes : 1; /* 0 would free it */
	void *resized = memory ? realloc(memory, wanted) : block_alloc(wanted);
	if (!resized) {
		(void)charge(more > 0 ? -more : 0);
		return NULL;
	}
	/* What it is rounded up by is not refused any more. */
	struct ledger *own = here;
	int64_t rest = block_bytes(resized) - before - (more > 0 ? more : 0);
	if (own)
		atomic_fetch_add_explicit(&own->used, rest, memory_order_relaxed);
	all_add(rest);
	return resized;
}

/* Gives the pages within a large block back to the system, so that free does not do so at a stretch. Wherever the block begins,
 * as many pieces are asked about. */
static void
pages_give_back(void *memory, size_t bytes)
{
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
	char *at = memory;

	at += PIECE_BYTES - (uintptr_t)at % PIECE_BYTES;
	for (size_t left = bytes / PIECE_BYTES - 1; left > 0; left--, at += PIECE_BYTES) {
		(void)madvise(at, PIECE_BYTES, MADV_DONTNEED);
		pause_give_way(PIECE_UNITS);
	}
#else
	(void)memory;
	(void)bytes;
#endif
}

void
memory_free(void *memory)
{
	if (!memory)
		return;
	int64_t bytes = block_bytes(memory);
	if (pause_here.stop && (size_t)bytes >= PIECES_BYTES_MIN)
		pages_give_back(memory, (size_t)bytes - MEMORY_BLOCK_BYTES);
	else if (pause_here.stop && (size_t)bytes >= FREE_BYTES_MIN)
		pause_give_way((uint32_t)((size_t)bytes / FREE_BYTES_PER_UNIT));
	(void)charge(-bytes);
	if (!kept_blocks_give(memory, (size_t)bytes - MEMORY_BLOCK_BYTES))
		free(memory);
}
