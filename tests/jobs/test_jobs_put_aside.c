/* Jobs that are put aside: others go on meanwhile, results stay the same, nothing is lost whatever happens. Nothing here
 * depends on how long anything takes: long jobs run until what waits for them has happened, or the test's time is over. */
#include "jobs/fair_queue.h"
#include "jobs/pool.h"
#include "support/effort.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PATIENCE_MS 600000

enum { JOBS_MAX = 64 };

struct item {
	struct job job;
	atomic_uint *until; /* a long one runs until this is `count`; NULL: so many steps */
	unsigned count;
	atomic_uint *gate;   /* NULL: none; begins when it is 1 */
	uint64_t steps, sum; /* the sum is its result */
	atomic_uint *ended;
	unsigned order; /* of its end */
};

static void
on_wake(void *context)
{
	(void)context;
}

static void
run_item(struct job *job)
{
	struct item *item = (struct item *)job;
	uint64_t state = item->steps;
	while (item->gate && atomic_load(item->gate) == 0) {
	}
	for (uint64_t i = 0; item->until ? atomic_load(item->until) < item->count : i < item->steps; i++) {
		item->sum += random_bits(&state);
		pool_checkpoint();
	}
	item->order = atomic_fetch_add(item->ended, 1);
}

static struct pool *
start(unsigned workers, unsigned spares, uint64_t quantum_ns)
{
	struct pool *pool = NULL;
	const struct pool_options options = { .worker_count = workers,
		                                  .spares_max = spares,
		                                  .quantum_ns = quantum_ns,
		                                  .jobs_max = JOBS_MAX,
		                                  .queue_max = { JOBS_MAX, JOBS_MAX },
		                                  .wake = on_wake };
	assert_int_equal(pool_create(&options, &pool), STATUS_OK);
	return pool;
}

static void
submit(struct pool *pool, struct flow *flow, struct item *item)
{
	item->job.run = run_item;
	assert_int_equal(pool_submit(pool, flow, POOL_LANE_FRESH, &item->job), STATUS_OK);
}

static void
take_all(struct pool *pool, size_t count)
{
	struct job *done[JOBS_MAX];
	while (count > 0)
		count -= pool_take_done(pool, done, JOBS_MAX);
}

static void
discard_none(struct job *job)
{
	(void)job;
	fail_msg("nothing may be left");
}

static void
finish(struct pool *pool)
{
	assert_true(pool_stop(pool, PATIENCE_MS));
	pool_destroy(pool, discard_none);
}

/* Sixteen jobs of one address that would never end hold both workers; each of twenty others gets its turn. */
static void
long_jobs_of_one_do_not_keep_others_waiting(void **state)
{
	(void)state;
	enum { GREEDY = 16, OTHERS = 20 };
	struct item greedy[GREEDY], others[OTHERS];
	struct flow *flows[OTHERS];
	atomic_uint greedy_ended = 0, others_ended = 0;
	struct pool *pool = start(2, JOBS_MAX, FAIR_QUANTUM_NS);
	struct flow *account = pool_flow_create(pool, NULL, FAIR_WEIGHT_ONE);
	struct flow *connection = pool_flow_create(pool, account, FAIR_WEIGHT_ONE);
	for (unsigned i = 0; i < GREEDY; i++) {
		greedy[i] = (struct item){ .until = &others_ended, .count = OTHERS, .ended = &greedy_ended };
		submit(pool, connection, &greedy[i]);
	}
	while (pool_stats(pool).running < 2) {
	}
	/* Released early: the jobs hold them. */
	pool_flow_release(connection);
	pool_flow_release(account);
	for (unsigned i = 0; i < OTHERS; i++) {
		flows[i] = pool_flow_create(pool, NULL, FAIR_WEIGHT_ONE);
		others[i] = (struct item){ .steps = 1000, .ended = &others_ended };
		submit(pool, flows[i], &others[i]);
		pool_flow_release(flows[i]);
	}
	take_all(pool, GREEDY + OTHERS);
	assert_int_equal(others_ended, OTHERS);
	assert_true(pool_stats(pool).put_aside > 0);
	finish(pool);
}

/* The same within one connection: its own long job does not stop its short ones. */
static void
long_jobs_of_a_flow_make_room_for_its_short_ones(void **state)
{
	(void)state;
	atomic_uint ended = 0;
	struct pool *pool = start(1, 1, FAIR_QUANTUM_NS);
	struct item first = { .until = &ended, .count = 1, .ended = &ended };
	struct item second = { .steps = 10, .ended = &ended };
	submit(pool, NULL, &first);
	submit(pool, NULL, &second);
	take_all(pool, 2);
	assert_int_equal(second.order, 0);
	finish(pool);
}

/* Put aside at each checkpoint, thousands of times, by one to three permits: the results are those of jobs that were not. */
static void
results_do_not_depend_on_it(void **state)
{
	(void)state;
	enum { ITEMS = 12 };
	const uint64_t steps = effort(200, 1000);
	uint64_t sums[ITEMS];
	for (unsigned workers = 0; workers <= 3; workers++) {
		struct item items[ITEMS];
		struct flow *flows[3];
		atomic_uint ended = 0, gate = 0;
		struct pool *pool = start(workers > 0 ? workers : 1, workers > 0 ? JOBS_MAX : 0, 0);
		for (unsigned i = 0; i < 3; i++)
			flows[i] = pool_flow_create(pool, NULL, FAIR_WEIGHT_ONE << i);
		for (unsigned i = 0; i < ITEMS; i++) {
			items[i] = (struct item){ .steps = steps + i, .gate = &gate, .ended = &ended };
			submit(pool, flows[i % 3], &items[i]);
		}
		gate = 1;
		take_all(pool, ITEMS);
		for (unsigned i = 0; i < ITEMS; i++) {
			if (workers > 0)
				assert_int_equal(items[i].sum, sums[i]);
			sums[i] = items[i].sum;
		}
		struct pool_stats stats = pool_stats(pool);
		if (workers == 0)
			assert_int_equal(stats.put_aside, 0);
		if (workers == 1) /* with more, a permit may be free for a moment */
			assert_true(stats.put_aside >= 11 * steps);
		assert_int_equal(stats.parked + stats.running + stats.queued[0] + stats.queued[1], 0);
		for (unsigned i = 0; i < 3; i++)
			pool_flow_release(flows[i]);
		finish(pool);
	}
}

/* With one spare for many long jobs nothing gets stuck: they end, one after the other if need be. */
static void
without_enough_spares_all_ends_too(void **state)
{
	(void)state;
	enum { ITEMS = 40 };
	for (unsigned spares = 0; spares <= 3; spares++) {
		struct item items[ITEMS];
		atomic_uint ended = 0;
		struct pool *pool = start(2, spares, 0);
		for (unsigned i = 0; i < ITEMS; i++) {
			items[i] = (struct item){ .steps = effort(50, 200), .ended = &ended };
			submit(pool, NULL, &items[i]);
		}
		take_all(pool, ITEMS);
		assert_int_equal(ended, ITEMS);
		finish(pool);
	}
}

static atomic_uint discarded;

static void
on_discard(struct job *job)
{
	(void)job;
	discarded++;
}

/* The pool stops while jobs are put aside and others wait: those that were begun end, the others are discarded. */
static void
a_stop_lets_go_on_what_was_put_aside(void **state)
{
	(void)state;
	enum { ITEMS = 8 };
	struct item items[ITEMS];
	atomic_uint ended = 0, go = 0;
	struct pool *pool = start(1, 3, 0);
	discarded = 0;
	for (unsigned i = 0; i < ITEMS; i++) {
		items[i] = (struct item){ .until = &go, .count = 1, .ended = &ended };
		submit(pool, NULL, &items[i]);
	}
	struct pool_stats stats;
	do {
		stats = pool_stats(pool);
	} while (stats.parked < 3 || stats.running < 4);
	assert_false(pool_stop(pool, 1));
	go = 1;
	assert_true(pool_stop(pool, PATIENCE_MS));
	pool_destroy(pool, on_discard);
	assert_int_equal(ended, 4);
	assert_int_equal(discarded, ITEMS);
}

static void
piece(void *argument, unsigned index)
{
	atomic_uint *calls = argument;
	for (unsigned i = 0; i < 100; i++)
		pool_checkpoint();
	calls[index]++;
}

struct sharing {
	struct job job;
	struct pool *pool;
	atomic_uint calls[16];
};

static unsigned
shares(void)
{
	return (unsigned)effort_most(2, 20, 50);
}

static void
run_sharing(struct job *job)
{
	struct sharing *sharing = (struct sharing *)job;
	for (unsigned i = 0; i < shares(); i++)
		pool_share(sharing->pool, 16, piece, sharing->calls);
}

/* Jobs that share pieces, and are put aside within their own, beside others. */
static void
jobs_that_share_are_put_aside_too(void **state)
{
	(void)state;
	enum { ITEMS = 6 };
	static struct sharing sharings[ITEMS];
	struct pool *pool = start(3, JOBS_MAX, 0);
	for (unsigned i = 0; i < ITEMS; i++) {
		sharings[i].pool = pool;
		sharings[i].job.run = run_sharing;
		assert_int_equal(pool_submit(pool, NULL, POOL_LANE_STARTED, &sharings[i].job), STATUS_OK);
	}
	take_all(pool, ITEMS);
	for (unsigned i = 0; i < ITEMS; i++)
		for (unsigned k = 0; k < 16; k++)
			assert_int_equal(sharings[i].calls[k], shares());
	finish(pool);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_jobs_of_one_do_not_keep_others_waiting),
		cmocka_unit_test(long_jobs_of_a_flow_make_room_for_its_short_ones),
		cmocka_unit_test(results_do_not_depend_on_it),
		cmocka_unit_test(without_enough_spares_all_ends_too),
		cmocka_unit_test(a_stop_lets_go_on_what_was_put_aside),
		cmocka_unit_test(jobs_that_share_are_put_aside_too),
	};
	return cmocka_run_group_tests_name("jobs/put_aside", tests, NULL, NULL);
}
