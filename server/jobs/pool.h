/* pool: worker threads that share their permits fairly, a bounded queue, and the list of what is done.
 *
 * A job (base/job.h) belongs to exactly one of: the submitter, the queue, a worker, the done list. pool_submit moves it
 * from the submitter to the queue, a free worker takes it and runs it, then puts it on the done list; pool_take_done
 * moves it back. What a job is embedded in, the pool does not know. Nothing is ever allocated for a job: there are as many
 * slots as the most jobs there may be. Of the workers that wait, the one that rested last is called first.
 *
 * A fair queue (fair_queue.h) over flows says which is next. A flow is what a job is submitted for; it may be part of another,
 * as a connection is of its address. As many jobs run at once as there are permits. A job that has run for a quantum is put
 * aside at its next checkpoint, if another is to be next. Its thread waits where it is, and its permit passes on. Its results
 * do not depend on that. The thread that takes its place is a spare one, started when it is first needed. Without one (options,
 * or none is to be had) the job goes on, unless one that was put aside before is to be next.
 *
 * pool_submit and pool_take_done: any thread (the daemon's loop). Jobs run on a worker. `wake` is called there when the done
 * list stops being empty; it must be callable from any thread, at any time until pool_stop has returned. While other jobs wait
 * it is called once for some that are done, within about 200 us of the first, or at the next checkpoint.
 *
 * A worker with work that can be cut into pieces shares it (pool_share), and idle workers help. A job that comes meanwhile
 * goes before the pieces that are still to be done. The caller never waits for a worker to begin a piece. As runs of pieces
 * often follow each other at once, a worker that has helped polls for a moment before it sleeps. So does a thread that waits
 * for helpers. Both yield their core meanwhile. A helper is not put aside; what it did is charged to the job that shares.
 *
 * Besides jobs a pool runs the turns of tasks (task.h). Those that are due go before all else: keepers, one for each permit,
 * wait for them (keeper.h) and take a permit for as long as they need it. A job that holds it lends it to them at its next
 * checkpoint, and its thread waits where it is until it comes back. With real-time priority they need none: the kernel lets
 * them go first.
 *
 * What can go wrong: the queue at its bound refuses (the caller still owns the job). A job between two checkpoints cannot be
 * interrupted, so pool_stop may run out of patience; then the pool must be left alone until the process ends. A lock that is
 * held at a checkpoint may be held for long: none may be. */
#ifndef COLLIDED_JOBS_POOL_H
#define COLLIDED_JOBS_POOL_H

#include "base/job.h"
#include "base/status.h"
#include "jobs/lateness.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fresh work is counted by itself, so that it can be refused without touching work that was admitted already. The order does
 * not depend on it. */
enum pool_lane { POOL_LANE_FRESH, POOL_LANE_STARTED, POOL_LANE_COUNT };

/* Threads: more than any machine this runs on has cores; a typing error must not start thousands. */
#define POOL_WORKERS_MAX 1024
/* The same for threads of jobs that are put aside; one of them touches 20 to 60 KiB. */
#define POOL_SPARES_MAX 1024

struct pool_options {
	unsigned worker_count;             /* 1..POOL_WORKERS_MAX */
	unsigned spares_max;               /* threads beside them, for those put aside; 0: none is put aside */
	uint64_t quantum_ns;               /* of CPU time; 0: put aside at each checkpoint, for tests */
	size_t jobs_max;                   /* that the pool may own at once, wherever they are; > 0 */
	size_t queue_max[POOL_LANE_COUNT]; /* waiting in each lane, <= jobs_max */
	size_t tasks_max;                  /* of task.h; 0: no tasks, and no keepers */
	uint64_t slot_ns;                  /* keepers wake at most so often; CLOCKWORK_SLOT_NS, 0: for each due time */
	bool realtime;                     /* keepers have real-time priority, if they may */
	void (*wake)(void *context);
	void *context; /* given to it */
};

struct pool;

/* STATUS_RESOURCE_EXHAUSTED: no memory or no thread; nothing is left running. */
STATUS_MUST_USE enum status pool_create(const struct pool_options *options, struct pool **out);

/* A pool of workers that get no jobs and only help (pool_share). */
STATUS_MUST_USE enum status pool_create_helpers(unsigned count, struct pool **out);

/* What jobs are submitted for, and share permits by. */
struct flow;

/* A part of `parent`, which it holds; NULL: of the whole. Its weight is 1 .. FAIR_WEIGHT_MAX (fair_queue.h). NULL without
 * memory. Any thread. */
struct flow *pool_flow_create(struct pool *pool, struct flow *parent, uint32_t weight);
/* At any time, also while jobs are submitted for it. Any thread. */
void pool_flow_weight_set(struct flow *flow, uint32_t weight);
/* The caller's hold ends; jobs in the pool have their own. NULL is fine. Before pool_destroy. */
void pool_flow_release(struct flow *flow);

/* For a flow; NULL: for the pool's own. STATUS_RESOURCE_EXHAUSTED: the lane or the pool is full; the caller keeps the job.
 * STATUS_UNAVAILABLE: stopping. */
STATUS_MUST_USE enum status pool_submit(struct pool *pool, struct flow *flow, enum pool_lane lane, struct job *job);

/* Takes a job back that is still in the queue: the caller owns it again. false: a worker has begun it. Costs a look at each job
 * that the pool may own. Any thread. */
bool pool_withdraw(struct pool *pool, const struct job *job);

/* On a worker, within a job, as often as every 250 us of work: may put the job aside, and returns when it is to go on. No lock
 * may be held. On other threads, and in pieces of others' jobs, nothing happens. Costs a look at the clock. */
void pool_checkpoint(void);
/* Within a turn of a task: it will be long from here on. If it is of class 1 it becomes one of class 2 at once, as one that is
 * cut (task.h), and what is due goes before the rest of it. A checkpoint in any case. */
void pool_turn_is_long(void);

/* Moves up to `max` jobs that are done to the caller, oldest first, and tasks that have ended, by their jobs; returns how many.
 * To be called again until it returns less than `max`: only a list that was empty wakes. */
size_t pool_take_done(struct pool *pool, struct job **jobs, size_t max);

/* Calls piece(argument, index) once for each index under `count`, on the calling thread and on workers that have nothing else
 * to do, and returns when all calls have returned. Any thread, workers too; several at once. What the caller wrote before is
 * seen by the pieces, and what they wrote is seen after it. */
void pool_share(struct pool *pool, unsigned count, void (*piece)(void *argument, unsigned index), void *argument);

/* How many workers have nothing to do at the moment. */
unsigned pool_idle(struct pool *pool);

/* Whether some job or turn waits to begin. Any thread, as often as it likes: it takes no lock. */
bool pool_others_wait(const struct pool *pool);

/* Whether nothing runs or waits, and no task is due before that time, as far as is known now. Any thread. */
bool pool_is_quiet(struct pool *pool, uint64_t until_ns);

struct pool_stats {
	size_t queued[POOL_LANE_COUNT];
	size_t queued_turns; /* of tasks, in the fair queue */
	size_t running;      /* jobs, and turns of class 2; those put aside too */
	size_t parked;       /* of them, those put aside */
	size_t done;
	size_t tasks;
	uint64_t put_aside;  /* how often that happened */
	uint64_t lent;       /* how often a permit was lent to a keeper */
	uint64_t fair_ns;    /* CPU time of class 2 */
	uint64_t stretch_ns; /* the longest CPU time between two checkpoints, or a job's begin and end; within 100 us */
};
struct pool_stats pool_stats(struct pool *pool);

/* Of one keeper, or of all. */
struct turn_stats {
	uint64_t turns;                   /* of class 1 */
	uint64_t cpu_ns;                  /* of them */
	uint64_t beyond;                  /* due turns beyond their reservation, left to the fair queue */
	uint64_t cut;                     /* turns that became too long, and are of class 2 from then on */
	uint64_t pauses;                  /* for the sake of class 2, or of ordinary threads */
	uint64_t moved;                   /* tasks given to another keeper */
	uint64_t late[LATENESS_COUNTERS]; /* of turns of class 1, how long after they were due they began (lateness.h) */
};
/* Adds those of keeper `index`, under options.worker_count. Any thread. */
void pool_turn_stats_add(struct pool *pool, unsigned index, struct turn_stats *sum);
/* What turns of class 1 have left of so much time of each core since this was last asked: of all cores, but no more than one
 * thread could take. Where keepers have no cores of their own, it is as if all were on one. Always the same thread. */
uint64_t pool_cores_left_ns(struct pool *pool, uint64_t most_ns);

/* Takes up no more jobs and waits for the workers to finish the ones they have. false: some still run after `patience_ms`. */
STATUS_MUST_USE bool pool_stop(struct pool *pool, uint64_t patience_ms);

/* After pool_stop returned true, or NULL. Jobs still queued or done go to `discard`, which then owns them. */
void pool_destroy(struct pool *pool, void (*discard)(struct job *job));

#endif
