/* background: class 3, work that is done only where a permit of the pool would be idle. What is lost if it is never done is
 * nothing that was promised to a client.
 *
 * Two parts. The plan is pure: which item is next, and when one that runs must pause. Load and items are arguments; one thread
 * at a time (background.c). The threads follow it (background_threads.c): as many as the pool has permits. They have the least
 * weight that the kernel knows (nice 19), so that a thread of class 1 or 2 that wakes up takes their core at once.
 *
 * They hold no permit: class 1 and 2 never wait for one of theirs. At its checkpoints, as often as every 250 us, an item
 * looks at what the pool has to do. If something waits for a permit, or all that are left are in use, it pauses where it is.
 * It goes on once that is over, before any other begins. No thread wakes it, which would cost class 1 its time: it
 * looks every 0.1 to 1.6 ms. */
#ifndef COLLIDED_JOBS_BACKGROUND_H
#define COLLIDED_JOBS_BACKGROUND_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What the other classes have to do at a moment. */
struct background_load {
	unsigned permits; /* in all */
	unsigned busy;    /* of these in use */
	unsigned waiting; /* what waits for one */
};

/* A piece of work that may be wanted any number of times. Embedded in its owner's memory. */
struct background_item {
	/* On a thread of its own kind. It is no longer wanted then, unless it was again meanwhile. */
	void (*run)(struct background_item *item);
	/* The last hold has ended: its memory may go. Any thread. */
	void (*free)(struct background_item *item);

	atomic_uint holders;
	atomic_int state;             /* enum background_state, in background_threads.c */
	struct background_item *next; /* in the plan's queue */
};

/* ---- the plan */

struct background_plan {
	unsigned running, paused; /* items */
	struct background_item *first, **end;
};

void background_plan_init(struct background_plan *plan);
/* To the end of the queue. */
void background_plan_push(struct background_plan *plan, struct background_item *item);
/* The next to begin, which runs from then on. NULL: none may now. */
struct background_item *background_plan_begin(struct background_plan *plan, const struct background_load *load);
/* At a checkpoint of one that runs. True: it is paused now. */
bool background_plan_pause(struct background_plan *plan, const struct background_load *load);
/* One that is paused. True: it runs now. */
bool background_plan_resume(struct background_plan *plan, const struct background_load *load);
/* One that runs has ended; or, with `paused`, one that is paused is given up. */
void background_plan_end(struct background_plan *plan, bool paused);

/* ---- the threads */

struct background;
struct pool;

/* As many threads as permits. STATUS_RESOURCE_EXHAUSTED: no memory or no thread. The pool is borrowed. */
STATUS_MUST_USE enum status background_create(struct pool *pool, struct background **out);

/* All 0 but for its functions; held once, by the caller. */
void background_item_init(struct background_item *item);
void background_item_release(struct background_item *item);
/* It is to run, once more if it runs already. Cheap, and as often as one likes. Any thread. */
void background_want(struct background *background, struct background_item *item);

/* On a thread that runs an item: may pause it. True: it is to end. On others nothing happens. */
bool background_checkpoint(void);

struct background_stats {
	uint64_t runs, pauses;
	uint64_t cpu_ns;
};
struct background_stats background_stats(struct background *background);

/* Ends all, at their next checkpoints, and runs none from then on. The pool must be there still. NULL is fine, and twice. */
void background_stop(struct background *background);
/* Stops. No other thread knows it any more. NULL is fine. */
void background_destroy(struct background *background);

#endif
