/* pool: worker threads, a bounded queue in two lanes, and the list of what is done.
 *
 * A job (base/job.h) belongs to exactly one of: the submitter, the queue, a worker, the done list. pool_submit moves it
 * from the submitter to the queue, a free worker takes it and runs it, then puts it on the done list; pool_take_done
 * moves it back. What a job is embedded in, the pool does not know. Nothing is ever allocated for a job: the rings are as
 * large as the most jobs there may be. Of the workers that wait, the one that rested last is called first.
 *
 * pool_submit and pool_take_done: any thread (the daemon's loop). Jobs run on a worker. `wake` is called there when the done
 * list stops being empty; it must be callable from any thread, at any time until pool_stop has returned.
 *
 * A worker with work that can be cut into pieces shares it (pool_share), and idle workers help. A job that comes meanwhile
 * goes before the pieces that are still to be done. The caller never waits for a worker to begin a piece. As runs of pieces
 * often follow each other at once, a worker that has helped polls for a moment before it sleeps. So does a thread that waits
 * for helpers. Both yield their core meanwhile.
 *
 * What can go wrong: a lane at its bound refuses (the caller still owns the job). A worker cannot be interrupted, so pool_stop
 * may run out of patience; then the pool must be left alone until the process ends. */
#ifndef COLLIDED_JOBS_POOL_H
#define COLLIDED_JOBS_POOL_H

#include "base/job.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fresh work waits in its own lane, so that it can be refused without touching work that was admitted already. Workers
 * take from the two lanes in turn while both have jobs. */
enum pool_lane { POOL_LANE_FRESH, POOL_LANE_STARTED, POOL_LANE_COUNT };

/* Threads: more than any machine this runs on has cores; a typing error must not start thousands. */
#define POOL_WORKERS_MAX 1024

struct pool_options {
	unsigned worker_count;             /* 1..POOL_WORKERS_MAX */
	size_t jobs_max;                   /* that the pool may own at once, wherever they are; > 0 */
	size_t queue_max[POOL_LANE_COUNT]; /* waiting in each lane, <= jobs_max */
	void (*wake)(void *context);
	void *context; /* given to it */
};

struct pool;

/* STATUS_RESOURCE_EXHAUSTED: no memory or no thread; nothing is left running. */
STATUS_MUST_USE enum status pool_create(const struct pool_options *options, struct pool **out);

/* A pool of workers that get no jobs and only help (pool_share). */
STATUS_MUST_USE enum status pool_create_helpers(unsigned count, struct pool **out);

/* STATUS_RESOURCE_EXHAUSTED: the lane or the pool is full; the caller keeps the job. STATUS_UNAVAILABLE: stopping. */
STATUS_MUST_USE enum status pool_submit(struct pool *pool, enum pool_lane lane, struct job *job);

/* Moves up to `max` jobs that are done to the caller, oldest first; returns how many. To be called again until it returns
 * less than `max`: only a list that was empty wakes. */
size_t pool_take_done(struct pool *pool, struct job **jobs, size_t max);

/* Calls piece(argument, index) once for each index under `count`, on the calling thread and on workers that have nothing else
 * to do, and returns when all calls have returned. Any thread, workers too; several at once. What the caller wrote before is
 * seen by the pieces, and what they wrote is seen after it. */
void pool_share(struct pool *pool, unsigned count, void (*piece)(void *argument, unsigned index), void *argument);

/* How many workers have nothing to do at the moment. */
unsigned pool_idle(struct pool *pool);

struct pool_stats {
	size_t queued[POOL_LANE_COUNT];
	size_t running;
	size_t done;
};
struct pool_stats pool_stats(struct pool *pool);

/* Takes up no more jobs and waits for the workers to finish the ones they have. false: some still run after `patience_ms`. */
STATUS_MUST_USE bool pool_stop(struct pool *pool, uint64_t patience_ms);

/* After pool_stop returned true, or NULL. Jobs still queued or done go to `discard`, which then owns them. */
void pool_destroy(struct pool *pool, void (*discard)(struct job *job));

#endif
