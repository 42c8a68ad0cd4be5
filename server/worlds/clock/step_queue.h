/* step_queue: ticks that clients have asked for, one request after the other.
 *
 * The worker that has the world. Remembers the last one made, so that the same request, sent again, is answered and not made
 * again. */
#ifndef COLLIDED_WORLDS_CLOCK_STEP_QUEUE_H
#define COLLIDED_WORLDS_CLOCK_STEP_QUEUE_H

#include "worlds/news.h"
#include "worlds/post.h"

struct step_request {
	struct step_request *next;
	struct answer *answer; /* to be told when it is made */
	uint32_t seat;
	bool again;            /* it is the request before once more: makes no ticks */
	uint64_t start, ticks; /* from this tick on so many */
};

struct step_queue {
	struct step_request *first, **end;
	uint64_t horizon; /* the tick that the world will be at when all are made; while there are any */
	/* The last one made. */
	bool made;
	uint32_t seat;
	uint64_t start, ticks, hash;
};

void step_queue_init(struct step_queue *queue);
/* Frees what waits, unanswered. */
void step_queue_finish(struct step_queue *queue);
/* Where the world will be after all that waits; `tick`: where it is. */
uint64_t step_queue_horizon(const struct step_queue *queue, uint64_t tick);
/* Takes the answer, and in answer->problem says why it is refused (TICK), which is the caller's to tell then: *refused. False:
 * no memory. */
STATUS_MUST_USE bool step_queue_add(struct step_queue *queue, const struct post *post, uint64_t tick, struct answer *answer,
                                    bool *refused);
/* The first is made: what it came to is in its answer, which is the caller's. */
struct answer *step_queue_done(struct step_queue *queue, uint64_t tick, uint64_t hash);
/* The first will not be made: its answer, still to be filled. NULL: none waits. */
struct answer *step_queue_drop(struct step_queue *queue);

#endif
