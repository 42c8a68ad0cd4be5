/* request: what a worker does for a client, of any kind that has no `answer` (request_kind.h).
 *
 * Owned by exactly one of: its session (ready, and waiting for the reader), the host's queue, a worker, the host's done list.
 * The host sees only its job. It is created and released on the loop, and run by the worker that owns it: decoded at first,
 * then one slice at a time. If its session ends while it is submitted it stays valid: it is cancelled, and released when it is
 * returned. */
#ifndef COLLIDED_SESSION_REQUEST_H
#define COLLIDED_SESSION_REQUEST_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/job.h"
#include "base/memory.h"
#include "base/shared_bytes.h"
#include "session/request_kind.h"
#include "session/service.h"
#include "wire/wire.h"

#include <stdatomic.h>

struct session;

struct request {
	struct job job; /* the first member: request_of_job. Its `done`: session_on_job */

	/* Immutable. */
	uint64_t id;
	uint32_t field; /* of the envelope's oneof */
	const struct request_kind *kind;
	struct service *service; /* on a worker only its immutable part */
	struct account *account; /* that of its session; the loop's */
	uint64_t arrived_ns;

	/* Any thread: set by the loop, read by the worker. */
	atomic_bool cancelled;
	atomic_bool must_return; /* the worker is to return it: others of its client wait */

	/* The loop's while it is full, else the owner's (stream_chunk.h). */
	atomic_bool chunk_full;
	struct buffer chunk;
	uint64_t chunk_held_bytes;  /* what the request held when it was filled */
	struct request *next_chunk; /* in the service's list, while listed */
	bool listed;

	/* The owner of the request. */
	uint8_t *body; /* of the message, until it is unpacked; a short one is the loop's to free, which has allocated it */
	size_t body_count;
	bool unpacked;
	struct ledger ledger;        /* of what the work takes */
	void *work;                  /* that kind->create made; NULL: none, not yet or no more */
	uint64_t deadline_ns;        /* 0: none */
	uint64_t begin_ns;           /* of this slice */
	uint64_t looked_ns;          /* when its worker looked at the clock last, but for questions whether to stop */
	uint64_t slice_end_ns;       /* when a slice in the making has taken long enough */
	uint64_t read_ns, create_ns; /* of worker_ns: reading the message, making the work */
	uint64_t worker_ns;
	struct buffer out;           /* whole messages of the slice */
	struct shared_bytes *shared; /* if finished: bytes that follow those in `out`, not to be copied; NULL: none */
	_Atomic(size_t)
		slice_room;      /* longest slice or chunk that its client is to be sent: the loop may raise it while a worker runs */
	bool whole;          /* the slice at hand is to be a whole one, not the next chunk */
	bool keeps_up;       /* its client reads what it is sent */
	bool long_chunks;    /* so those after the first are long */
	bool too_long;       /* its frames are too long for chunks: slices are whole ones from then on */
	bool finished;       /* nothing more will come */
	size_t final_offset; /* if finished: where the final reply begins in `out` */
	bool answered;       /* if finished: `out` holds the final reply; else there was no memory even for that */
	struct wire_problem problem; /* status STATUS_OK unless the final reply is an Error */

	/* Loop only. */
	struct session *session; /* NULL: its client is gone */
	struct request *next;    /* in the session's list of all */
	struct request *next_ready;
	bool submitted;    /* the host or a worker owns it */
	bool started;      /* was submitted before: admitted, not to be refused any more */
	bool queued;       /* was submitted for the first time, and no worker is known to have begun it */
	bool parked;       /* waits for something from elsewhere (request_kind.waits), in no list but the session's of all */
	bool streaming;    /* has filled a chunk since it was submitted */
	bool deferred;     /* its chunk stays where it is until the client has read more */
	bool was_deferred; /* at any time in this reply */
	uint64_t charged_bytes;
};

/* The request that a job is embedded in. */
static inline struct request *
request_of_job(struct job *job)
{
	return (struct request *)job;
}

/* Takes the message's bytes (freed with free()) on success; NULL without memory. Counted in the service. `done`: its job's. */
struct request *request_create(struct account *account, const struct request_envelope *envelope, uint8_t *body,
                               size_t body_count, void (*done)(struct job *job));
/* The request must not be submitted. */
void request_release(struct request *request);

/* For what workers do (request_work.h), in this order: a slice begins, asks now and then whether to stop, and ends. */
void request_slice_begin(struct request *request);
/* Of a request, between ticks or rows: its slice has taken long enough, or it is ended. */
bool request_slice_should_stop(void *request);
/* Of a request, within a tick, any thread: it is ended, which makes the tick's result useless. May put it aside first. */
bool request_is_useless(void *request);
/* What is in `out` stays, whatever the final reply. Finishes a request that is ended, has failed or has no memory. */
void request_slice_end(struct request *request, bool failed, uint64_t now_ns);
/* The final reply is an Error, whatever it was about to be. */
void request_set_error(struct request *request);
/* Gives back what the work holds. */
void request_drop_work(struct request *request);
/* On the loop: frees the message's bytes, if they have been unpacked. */
void request_drop_body(struct request *request);

/* On the loop, between slices: whether its deadline has passed; fills request->problem if so. */
bool request_check_deadline(struct request *request, uint64_t now_ns);
/* Its owner: bytes of memory that the request holds now. */
uint64_t request_memory_bytes(const struct request *request);
/* On the loop: a worker has begun it, or it will not be submitted. */
void request_leave_queue(struct request *request);
/* On the loop: accounts for so much. */
void request_charge(struct request *request, uint64_t bytes);

#endif
