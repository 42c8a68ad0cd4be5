/* memory: malloc and its kin, counted where they happen, with two bounds: one for all of the process, and one for a piece of
 * work that a request asks for.
 *
 * A thread that works for a request has a ledger (memory_enter). What it allocates from then on is charged to that, and to the
 * process. An allocation that would go over either bound gives NULL, as if there were no memory, and the ledger says which. A
 * thread without a ledger is charged to the process only and never refused: what it takes was admitted before. What is freed
 * must be freed with the same ledger, or none. Memory from here may be freed by free(), only then it stays counted.
 *
 * Ledgers of requests leave an eighth of the process's bound to those of worlds (ledger_leave). Those of one account have a
 * share (ledger_share): together they leave some of it to others.
 *
 * A reservation is charged to the process at once. What the ledger allocates is then taken from it, as long as it lasts.
 *
 * Any thread. Threads that work for the same request may have the same ledger at the same time. The process's sum is within
 * MEMORY_LOOSE_BYTES for each thread. */
#ifndef COLLIDED_BASE_MEMORY_H
#define COLLIDED_BASE_MEMORY_H

#ifdef COLLIDED_ALONE
#include "base/memory_none.h"
#else

#include "base/memory_spare.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a thread may have taken or given back without telling the others, which costs them a cache line. */
#define MEMORY_LOOSE_BYTES 65536
/* What a ledger may have taken or given back without telling its share. */
#define MEMORY_UNTOLD_BYTES 32768
/* What malloc itself needs for a block, about. */
#define MEMORY_BLOCK_BYTES 16

enum memory_refusal { MEMORY_NOT_REFUSED, MEMORY_REFUSED_OWN, MEMORY_REFUSED_SHARE, MEMORY_REFUSED_ALL };

/* What several ledgers have together. The last one frees it. */
struct memory_share {
	_Atomic(int64_t) used; /* as they have told, each to within MEMORY_UNTOLD_BYTES */
	_Atomic(size_t) holders;
};

struct ledger {
	_Atomic(int64_t) used;      /* bytes, as malloc rounds them */
	_Atomic(int64_t) reserved;  /* what is left of a reservation */
	int64_t most;               /* of `used`; 0: no bound */
	bool leaves;                /* an eighth of the process's bound to those that do not */
	_Atomic(int) refused;       /* enum memory_refusal: the last that happened */
	struct memory_share *share; /* held; NULL: none */
	_Atomic(int64_t) told;      /* to the share: so much is used and reserved */
};

/* The bound of the process; 0: none. Before there are other threads. From then on malloc keeps little of what was freed, so
 * that the memory of the process follows its use. */
void memory_bound_set(uint64_t bytes);
/* What the process has allocated and reserved. */
uint64_t memory_used(void);

/* What the process has of the machine's memory, code and stacks too; 0: not known. Asks the system. */
uint64_t memory_resident(void);
/* What was freed goes back to the system, where it fills pages; malloc keeps it for the next. Some milliseconds, while other
 * threads' calls of malloc may wait. */
void memory_trim(void);
/* malloc has an arena for each thread up to so many, and what each of them keeps adds up. More threads share them, and wait for
 * each other where they allocate at once. Before there are other threads. */
void memory_arenas_set(unsigned most);

/* From now on this thread keeps up to so many bytes of blocks that it frees, of half a KB to 64, for those that it allocates
 * next. They count as freed. 0: none, and it must be said before the thread ends. */
void memory_keep(size_t bytes_max);

/* What ledgers that leave some to others may allocate still; UINT64_MAX: without a bound. For threads without a ledger. */
uint64_t memory_room(void);

void ledger_init(struct ledger *ledger, uint64_t most);
/* From now on it is refused what others, which do not leave any, can still have: what a request asks for must not cost a world
 * that lives its tick. */
void ledger_leave(struct ledger *ledger);
/* From now on it is refused what would be more than twice that which is left to ledgers that leave some. So an account alone
 * gets two thirds, and others find a third; two get two thirds and two ninths. NULL is fine: it has no share. Before it is
 * used. */
void ledger_share(struct ledger *ledger, struct memory_share *share);
/* NULL without memory. Held once, by the caller. */
struct memory_share *memory_share_create(void);
/* NULL is fine. */
void memory_share_release(struct memory_share *share);
/* Ends what is left of its reservation, and its share; what it has allocated stays counted until it is freed. */
void ledger_finish(struct ledger *ledger);
/* Reserves so much in all, with what is allocated already. False: the process has no room, and nothing is reserved. Twice is
 * fine; the larger holds. */
bool ledger_reserve(struct ledger *ledger, uint64_t bytes);
/* Bytes allocated with it belong to none from now on: they stay with the thread, for the next. */
void ledger_disown(struct ledger *ledger, int64_t bytes);
/* All that is allocated with `from` belongs to `to` from now on, over its bound if need be. What is left of the reservation of
 * `from` ends. */
void ledger_move(struct ledger *from, struct ledger *to);
/* Bytes that it has allocated. */
uint64_t ledger_used(const struct ledger *ledger);

/* From now on this thread has that ledger, NULL: none; gives the one that it had. */
struct ledger *memory_enter(struct ledger *ledger);
struct ledger *memory_ledger(void);
/* For a caller that does without what its ledger refused. */
void memory_refusal_forget(void);

/* What this thread can do without: before an allocation is refused, it is released, once, and the bound is tested again. Gives
 * what was set before. */
struct memory_spare memory_spare_set(struct memory_spare spare);
/* The same for what several have in common: it is charged to none of them, but refused like theirs. */
struct ledger *memory_enter_common(void);

/* malloc, calloc, realloc, aligned_alloc, free. Large blocks of the first two get large pages (pages.h). memory_free gives a
 * large block back piece by piece, with pauses (pause.h). A block in large pages should not be resized: that splits them.
 * A block of 0 bytes is one, too. */
void *memory_alloc(size_t bytes) __attribute__((malloc));
void *memory_zeroed(size_t count, size_t size) __attribute__((malloc));
void *memory_resize(void *memory, size_t bytes);
void *memory_aligned(size_t alignment, size_t bytes);
void memory_free(void *memory);

#endif /* COLLIDED_ALONE */
#endif
