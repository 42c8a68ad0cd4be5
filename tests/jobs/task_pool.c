#include "task_pool.h"

#include "jobs/realtime.h"

#include <time.h>

static void
on_wake(void *context)
{
	atomic_fetch_add((atomic_uint *)context, 1);
}

static atomic_uint wakes;
atomic_uint overlaps;
bool with_realtime;

struct pool *
start(unsigned workers, unsigned spares, uint64_t slot_ns)
{
	struct pool *pool = NULL;
	const struct pool_options options = { .worker_count = workers,
		                                  .spares_max = spares,
		                                  .quantum_ns = FAIR_QUANTUM_NS,
		                                  .jobs_max = JOBS_MAX,
		                                  .queue_max = { JOBS_MAX, JOBS_MAX },
		                                  .tasks_max = TASKS_MAX,
		                                  .slot_ns = slot_ns,
		                                  .realtime = with_realtime && realtime_is_allowed(),
		                                  .wake = on_wake,
		                                  .context = &wakes };
	assert_int_equal(pool_create(&options, &pool), STATUS_OK);
	return pool;
}

void
discard_none(struct job *job)
{
	(void)job;
	fail_msg("nothing may be left");
}

void
finish(struct pool *pool, void (*discard)(struct job *job))
{
	assert_true(pool_stop(pool, PATIENCE_MS));
	pool_destroy(pool, discard);
	assert_int_equal(overlaps, 0);
}

void
rest_a_moment(void)
{
	(void)nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
}

void
compute(uint64_t (*clock)(void), uint64_t ns)
{
	const uint64_t begin_ns = clock();
	while (clock() - begin_ns < ns)
		pool_checkpoint();
}

void
take_back(struct pool *pool, size_t count)
{
	struct job *jobs[16];
	while (count > 0) {
		size_t taken = pool_take_done(pool, jobs, count < 16 ? count : 16);
		for (size_t i = 0; i < taken; i++)
			if (jobs[i]->done)
				jobs[i]->done(jobs[i]);
		count -= taken;
		if (taken == 0)
			rest_a_moment();
	}
}
