/* job: a piece of work for a pool of workers (jobs/pool.h), embedded in what it is about.
 *
 * It belongs to exactly one of: its submitter, the pool's queue, a worker, the pool's list of what is done. */
#ifndef COLLIDED_BASE_JOB_H
#define COLLIDED_BASE_JOB_H

struct job {
	/* On the worker that owns it. */
	void (*run)(struct job *job);
	/* On the thread that takes it back from the pool; it may not have been run, if the pool ended before. */
	void (*done)(struct job *job);
};

#endif
