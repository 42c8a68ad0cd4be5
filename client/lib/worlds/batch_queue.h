/* batch_queue: the batches of a seat until they are decided, so that each is decided exactly once whatever happens to
 * connections.
 *
 * A pure structure of one thread. It owns its batches. Numbers count what the program gave. Sequences count what the server
 * gets: a batch has one from its first sending on. A batch that is refused here has none, so that the server sees no gap. */
#ifndef COLLIDE_CLIENT_LIB_BATCH_QUEUE_H
#define COLLIDE_CLIENT_LIB_BATCH_QUEUE_H

#include "client/lib/batch.h"

/* Batches that a seat keeps: minutes of inputs without a connection. Over either: BATCHES_WAIT. */
#define BATCH_QUEUE_COUNT_MAX 65536u
#define BATCH_QUEUE_BYTES_MAX ((size_t)64 * 1024 * 1024)

/* Batches that are sent and not decided, if the server has announced no limit. */
#define BATCH_QUEUE_WINDOW_DEFAULT 64u

/* Of so many runs of sequences the numbers are known after the batches are decided. */
#define BATCH_QUEUE_RUNS_MAX 16

/* From this sequence on a batch's number is its sequence plus `more`, modulo 2^64, up to the next run. One ends where a batch
 * is refused here. */
struct batch_run {
	uint64_t from, more;
};

struct queued_batch {
	struct queued_batch *next;
	uint64_t number, sequence; /* sequence 0: not sent yet, or refused here */
	bool refused_here;         /* `outcome` has why */
	bool told;                 /* `outcome` is the server's. If it is decided without, it took effect at its tick */
	struct collide_outcome outcome;
	struct batch_bytes *batch;
};

/* All 0 at the start. */
struct batch_queue {
	struct queued_batch *first, *last;
	struct queued_batch *unsent; /* the first that is to be sent, and all after it; NULL: none */
	size_t count, bytes;
	uint64_t number_last, sequence_last;
	uint64_t sequence_base;                      /* of the last batch of an earlier holder of the seat */
	uint64_t sent_last;                          /* the last that this connection has sent, or that the server had before */
	uint64_t through;                            /* the server has decided all of ours up to here */
	uint64_t acked;                              /* outcomes up to here were given to the program, */
	uint64_t acked_sent;                         /* and this connection was told so */
	struct batch_run runs[BATCH_QUEUE_RUNS_MAX]; /* ascending; the last ones */
	size_t run_count;
};

void batch_queue_finish(struct batch_queue *queue);

/* Takes the batch, also on failure. Its number; 0: too many are kept, or no memory. */
uint64_t batch_queue_push(struct batch_queue *queue, struct batch_bytes *batch, struct collide_error *error);

/* The first connection has the seat, and the server has received batches up to `sequence`: of an earlier holder. false: no
 * holder has sent so many. */
bool batch_queue_begin(struct batch_queue *queue, uint64_t sequence, uint64_t acked);
/* Another connection has it. What the server has not received is to be sent again; or, if the world was restored, is refused,
 * as it was meant for another past. false: the server's count does not fit ours. */
bool batch_queue_resume(struct batch_queue *queue, uint64_t sequence, bool restored);
/* Whether some batch with a number up to this one is still to be sent. */
bool batch_queue_is_unsent(const struct batch_queue *queue, uint64_t number);

/* The sequence that a batch of this number has, or will have; 0: none. */
uint64_t batch_queue_sequence(const struct batch_queue *queue, uint64_t number);

/* The number of the batch of this sequence, if its outcome was given to the program; 0: none is known. */
uint64_t batch_queue_given(const struct batch_queue *queue, uint64_t sequence);

/* The next batch to send, with its numbers but for the handle, if no more than `window` are in flight then; `whatever`: even
 * so. One of more than bytes_max (0: no limit) is refused here. false: there is none. */
bool batch_queue_next(struct batch_queue *queue, size_t window, bool whatever, size_t bytes_max, struct batch_place *place);

/* What the server has decided. true: some batch is to be sent again, but not at once. */
bool batch_queue_acks(struct batch_queue *queue, const struct collide_acks *acks);
/* Every batch is decided now: COLLIDE_UNKNOWN with this reason if it was sent, else COLLIDE_UNAVAILABLE. */
void batch_queue_end(struct batch_queue *queue, const char *reason);
/* Takes the next decided batch, in order; its outcome is in *outcome. NULL: there is none. The caller frees it
 * (queued_batch_free). */
struct queued_batch *batch_queue_decided(struct batch_queue *queue, struct collide_outcome *outcome);
void queued_batch_free(struct queued_batch *batch);

#endif
