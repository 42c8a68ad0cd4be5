/* bench_turns: how late the due turns of many tasks are on a pool, beside jobs and beside a bare wait for as many due times.
 * Not a test; figures hold for the machine and the moment.
 *
 * Usage: bench_turns TASKS HZ COST_US SECONDS WORKERS JOBS [realtime]. JOBS: so many that never end are run beside them, each
 * of a flow of its own. */
#include "base/clock.h"
#include "client/load/bare_wait.h"
#include "jobs/fair_queue.h"
#include "jobs/pool.h"
#include "jobs/realtime.h"
#include "jobs/task.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TASKS_MAX = 10000, JOBS_MAX = 256 };

struct ticker {
	struct task task; /* the first member */
	uint64_t base_ns, tick, hz, cost_ns;
	uint64_t lost;
};

static struct ticker tickers[TASKS_MAX];
static struct job jobs[JOBS_MAX];
static atomic_bool over;
static atomic_uint_least64_t job_steps;

static void
compute(uint64_t ns)
{
	const uint64_t begin_ns = clock_now_ns();
	while (clock_now_ns() - begin_ns < ns)
		continue;
}

static enum task_next
ticker_run(struct task *task, uint64_t *due_ns)
{
	struct ticker *ticker = (struct ticker *)task;
	uint64_t now_ns = clock_now_ns();
	if (ticker->tick++ == 0) {
		pool_task_reserve(task, 2 * ticker->hz * ticker->cost_ns);
		ticker->base_ns = (now_ns / CLOCK_NS_PER_S + 1) * CLOCK_NS_PER_S +
		                  pool_task_phase_ns(task, CLOCK_NS_PER_S / ticker->hz);
		*due_ns = ticker->base_ns;
		return TASK_AT;
	}
	compute(ticker->cost_ns);
	uint64_t tick = ticker->tick - 1;
	*due_ns = ticker->base_ns + tick / ticker->hz * CLOCK_NS_PER_S + tick % ticker->hz * CLOCK_NS_PER_S / ticker->hz;
	return atomic_load(&over) ? TASK_END : TASK_AT;
}

static void
ticker_done(struct job *job)
{
	(void)job;
}

static void
run_endless(struct job *job)
{
	(void)job;
	while (!atomic_load(&over)) {
		compute(50000); /* between two checkpoints */
		atomic_fetch_add(&job_steps, 1);
		pool_checkpoint();
	}
}

static void
on_wake(void *context)
{
	(void)context;
}

static void
on_discard(struct job *job)
{
	(void)job;
}

static void
add_turns(struct pool *pool, unsigned workers, struct turn_stats *sum)
{
	memset(sum, 0, sizeof *sum);
	for (unsigned i = 0; i < workers; i++)
		pool_turn_stats_add(pool, i, sum);
}

static double
us(uint64_t ns)
{
	return (double)ns / 1000;
}

static void
print_turns(const char *what, const struct turn_stats *turns, double seconds)
{
	printf("%s%" PRIu64 " turns, late p50 %.0f p99 %.0f p99.9 %.0f us, class 1 %.1f %% of a core, beyond %" PRIu64
	       ", cut %" PRIu64 ", pauses %" PRIu64 ", moved %" PRIu64 "\n",
	       what, turns->turns, us(lateness_quantile_ns(turns->late, 500000)), us(lateness_quantile_ns(turns->late, 990000)),
	       us(lateness_quantile_ns(turns->late, 999000)), (double)turns->cpu_ns / 1e7 / seconds, turns->beyond, turns->cut,
	       turns->pauses, turns->moved);
}

static void
print_bare(struct bare_wait *wait)
{
	static struct bare_wait_result result;
	bare_wait_stop(wait, &result);
	printf("bare wait%s: p50 %.0f p99 %.0f p99.9 %.0f us\n", result.realtime ? " (SCHED_RR)" : "",
	       us(histogram_quantile(&result.late, 500000)), us(histogram_quantile(&result.late, 990000)),
	       us(histogram_quantile(&result.late, 999000)));
}

int
main(int argc, char **argv)
{
	uint64_t arguments[6];
	if (argc < 7) {
		fprintf(stderr, "usage: bench_turns TASKS HZ COST_US SECONDS WORKERS JOBS [realtime]\n");
		return 2;
	}
	for (int i = 0; i < 6; i++)
		arguments[i] = strtoull(argv[i + 1], NULL, 10);
	uint64_t count = arguments[0], hz = arguments[1];
	unsigned workers = (unsigned)arguments[4], job_count = (unsigned)arguments[5];
	bool realtime = argc > 7 && realtime_is_allowed();
	if (count == 0 || count > TASKS_MAX || hz == 0 || workers == 0 || workers > 64 || job_count > JOBS_MAX)
		return 2;
	struct pool *pool = NULL;
	const struct pool_options options = { .worker_count = workers,
		                                  .spares_max = JOBS_MAX,
		                                  .quantum_ns = FAIR_QUANTUM_NS,
		                                  .jobs_max = JOBS_MAX,
		                                  .queue_max = { JOBS_MAX, JOBS_MAX },
		                                  .tasks_max = TASKS_MAX,
		                                  .slot_ns = CLOCKWORK_SLOT_NS,
		                                  .realtime = realtime,
		                                  .wake = on_wake };
	if (pool_create(&options, &pool) != STATUS_OK)
		return 1;
	for (uint64_t i = 0; i < count; i++) {
		tickers[i].task.run = ticker_run;
		tickers[i].task.job.done = ticker_done;
		tickers[i].hz = hz;
		tickers[i].cost_ns = arguments[2] * 1000;
		if (pool_task_start(pool, &tickers[i].task, NULL) != STATUS_OK)
			return 1;
	}
	for (unsigned i = 0; i < job_count; i++) {
		struct flow *flow = pool_flow_create(pool, NULL, FAIR_WEIGHT_ONE);
		jobs[i].run = run_endless;
		if (pool_submit(pool, flow, POOL_LANE_FRESH, &jobs[i]) != STATUS_OK)
			return 1;
		pool_flow_release(flow);
	}
	const struct bare_wait_plan plan = { .rate_hz = count * hz, .slot_ns = CLOCKWORK_SLOT_NS, .realtime = realtime };
	struct bare_wait *wait = bare_wait_start(&plan);
	bare_wait_measure(wait, true);
	(void)nanosleep(&(struct timespec){ .tv_sec = (time_t)arguments[3] + 1 }, NULL);
	static struct turn_stats turns;
	add_turns(pool, workers, &turns);
	uint64_t steps = atomic_load(&job_steps);
	print_bare(wait);
	print_turns(realtime ? "realtime: " : "ordinary: ", &turns, (double)arguments[3]);
	struct pool_stats stats = pool_stats(pool);
	printf("jobs %.1f %% of a core, put aside %" PRIu64 ", lent %" PRIu64 ", due turns expected %" PRIu64 "\n",
	       (double)steps * 50 / 1e4 / (double)(arguments[3] + 1), stats.put_aside, stats.lent, count * hz * arguments[3]);
	atomic_store(&over, true);
	if (!pool_stop(pool, 10000))
		return 1;
	pool_destroy(pool, on_discard);
	return 0;
}
