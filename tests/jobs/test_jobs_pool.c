/* The pool: every job has one owner at any time, bounds refuse, one wake per filling of the done list. */
#include "jobs/pool_fixture.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void
every_item_runs_once_and_comes_back(void **state)
{
	(void)state;
	enum { ITEMS = 20000, OWNED_MAX = 64 };
	struct fixture fixture;
	struct item *items = calloc(ITEMS, sizeof *items);
	struct job *done[16];
	size_t submitted = 0;
	size_t back = 0;
	fixture_start(&fixture, 4, OWNED_MAX, 16, 16);
	while (back < ITEMS) {
		enum pool_lane lane = submitted % 3 == 0 ? POOL_LANE_STARTED : POOL_LANE_FRESH;
		if (submitted < ITEMS && item_submit(&fixture, lane, &items[submitted]) == STATUS_OK) {
			submitted++;
			continue;
		}
		size_t taken = pool_take_done(fixture.pool, done, 16);
		for (size_t i = 0; i < taken; i++)
			assert_int_equal(item_of(done[i])->runs, 1);
		back += taken;
	}
	assert_int_equal(atomic_load(&fixture.runs), ITEMS);
	fixture_finish(&fixture, discard_none);
	free(items);
}

static void
full_lane_refuses_and_the_other_does_not(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item items[6] = { { .waits_at_gate = 1 } };
	fixture_start(&fixture, 1, 16, 2, 2);
	assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &items[0]), STATUS_OK);
	gate_wait(&fixture, 1);
	assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &items[1]), STATUS_OK);
	assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &items[2]), STATUS_OK);
	assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &items[3]), STATUS_RESOURCE_EXHAUSTED);
	assert_int_equal(item_submit(&fixture, POOL_LANE_STARTED, &items[4]), STATUS_OK);
	struct pool_stats stats = pool_stats(fixture.pool);
	assert_int_equal(stats.queued[POOL_LANE_FRESH], 2);
	assert_int_equal(stats.queued[POOL_LANE_STARTED], 1);
	assert_int_equal(stats.running, 1);
	gate_open(&fixture);
	idle_wait(&fixture);
	assert_int_equal(items[3].runs, 0);
	struct job *done[8];
	assert_int_equal(pool_take_done(fixture.pool, done, 8), 4);
	fixture_finish(&fixture, discard_none);
}

static void
items_done_but_not_taken_count_as_owned(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item items[4] = { { .runs = 0 } };
	struct job *done[4];
	fixture_start(&fixture, 2, 3, 3, 3);
	items_submit(&fixture, items, 3);
	idle_wait(&fixture);
	assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &items[3]), STATUS_RESOURCE_EXHAUSTED);
	assert_int_equal(pool_take_done(fixture.pool, done, 1), 1);
	assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &items[3]), STATUS_OK);
	idle_wait(&fixture);
	assert_int_equal(pool_take_done(fixture.pool, done, 4), 3);
	fixture_finish(&fixture, discard_none);
}

static void
jobs_of_a_flow_keep_their_order(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item gate = { .waits_at_gate = 1 };
	struct item fresh[3] = { { .runs = 0 } };
	struct item started[3] = { { .runs = 0 } };
	fixture_start(&fixture, 1, 16, 8, 8);
	assert_int_equal(item_submit(&fixture, POOL_LANE_STARTED, &gate), STATUS_OK);
	gate_wait(&fixture, 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(item_submit(&fixture, POOL_LANE_STARTED, &started[i]), STATUS_OK);
		assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &fresh[i]), STATUS_OK);
	}
	gate_open(&fixture);
	idle_wait(&fixture);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(started[i].order, 2 * i + 2);
		assert_int_equal(fresh[i].order, 2 * i + 3);
	}
	struct job *done[8];
	assert_int_equal(pool_take_done(fixture.pool, done, 8), 7);
	fixture_finish(&fixture, discard_none);
}

static void
wakes_once_per_filling_of_the_done_list(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item items[5] = { { .runs = 0 } };
	struct job *done[8];
	fixture_start(&fixture, 2, 8, 8, 8);
	items_submit(&fixture, items, 4);
	idle_wait(&fixture);
	wakes_wait(&fixture, 1); /* which a worker does a little later than it is done */
	assert_int_equal(atomic_load(&fixture.wakes), 1);
	assert_int_equal(pool_take_done(fixture.pool, done, 8), 4);
	assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &items[4]), STATUS_OK);
	wakes_wait(&fixture, 2);
	idle_wait(&fixture);
	assert_int_equal(pool_take_done(fixture.pool, done, 8), 1);
	assert_ptr_equal(done[0], &items[4].job);
	fixture_finish(&fixture, discard_none);
}

/* What is done while others wait is told of together, but before a job ends that takes long. */
static void
a_long_job_does_not_hold_back_what_is_done(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item items[4] = { { .waits_at_gate = 1 }, [2] = { .waits_for_wake = true } };
	struct job *done[4];
	fixture_start(&fixture, 1, 8, 8, 8);
	items_submit(&fixture, items, 4);
	gate_wait(&fixture, 1);
	gate_open(&fixture);
	idle_wait(&fixture); /* comes to an end only if the third is told of the two before it */
	assert_int_equal(pool_take_done(fixture.pool, done, 4), 4);
	fixture_finish(&fixture, discard_none);
}

/* However short they are, not more than some jobs are kept back. */
static void
some_jobs_that_are_done_are_told(void **state)
{
	(void)state;
	enum { FIRST = 33, ITEMS = 66 };
	struct fixture fixture;
	struct item items[ITEMS] = { { .waits_at_gate = 1 }, [FIRST] = { .waits_at_gate = 2 } };
	struct job *done[ITEMS];
	fixture_start(&fixture, 1, 2 * ITEMS, 2 * ITEMS, 2 * ITEMS);
	items_submit(&fixture, items, ITEMS);
	gate_wait(&fixture, 1);
	gate_open(&fixture);
	gate_wait(&fixture, 2); /* the one behind the first, without a checkpoint */
	wakes_wait(&fixture, 1);
	assert_int_equal(pool_take_done(fixture.pool, done, ITEMS), FIRST);
	gate_open(&fixture);
	wakes_wait(&fixture, 2);
	idle_wait(&fixture);
	assert_int_equal(pool_take_done(fixture.pool, done, ITEMS), ITEMS - FIRST);
	fixture_finish(&fixture, discard_none);
}

static void
stop_loses_patience_then_discards_what_is_left(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item items[3] = { { .waits_at_gate = 1 } };
	fixture_start(&fixture, 1, 8, 8, 8);
	items_submit(&fixture, items, 3);
	gate_wait(&fixture, 1);
	assert_false(pool_stop(fixture.pool, 1));
	assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &items[0]), STATUS_UNAVAILABLE);
	gate_open(&fixture);
	fixture_finish(&fixture, item_discard);
	assert_int_equal(items[0].runs, 1);
	assert_int_equal(items[1].runs, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_true(items[i].discarded);
}

static void
wait_resting(struct pool *pool, unsigned count)
{
	while (pool_idle(pool) < count)
		sched_yield();
}

/* While there is never more than one item, one worker does them all. */
static void
the_worker_that_rested_last_is_called_first(void **state)
{
	enum { WORKERS = 4, ITEMS = 20 };
	struct fixture fixture;
	struct item item = { .runs = 0 };
	pthread_t first = pthread_self();
	(void)state;
	fixture_start(&fixture, WORKERS, 1, 1, 1);
	for (unsigned i = 0; i < ITEMS; i++) {
		struct job *done = NULL;
		wait_resting(fixture.pool, WORKERS);
		assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &item), STATUS_OK);
		wakes_wait(&fixture, i + 1);
		assert_int_equal(pool_take_done(fixture.pool, &done, 1), 1);
		first = i == 0 ? item.worker : first;
		assert_true(pthread_equal(item.worker, first));
	}
	fixture_finish(&fixture, discard_none);
}

/* With one worker that is inside an item: what waits can be taken back, also out of its turn, and what has begun cannot. */
static void
items_that_wait_can_be_taken_back(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item items[4] = { { .waits_at_gate = 1 } };
	fixture_start(&fixture, 1, 4, 3, 4);
	struct flow *flow = pool_flow_create(fixture.pool, NULL, 1024);
	for (unsigned i = 0; i < 4; i++) {
		items[i].job.run = run_item;
		items[i].fixture = &fixture;
		assert_int_equal(pool_submit(fixture.pool, i == 2 ? flow : NULL, POOL_LANE_FRESH, &items[i].job), STATUS_OK);
		if (i == 0)
			gate_wait(&fixture, 1);
	}
	pool_flow_weight_set(flow, 2048);
	pool_flow_release(flow);
	assert_false(pool_withdraw(fixture.pool, &items[0].job));
	assert_true(pool_withdraw(fixture.pool, &items[2].job));
	assert_false(pool_withdraw(fixture.pool, &items[2].job));
	assert_int_equal(pool_stats(fixture.pool).queued[POOL_LANE_FRESH], 2);
	/* Its place is free. */
	assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &items[2]), STATUS_OK);
	assert_true(pool_withdraw(fixture.pool, &items[1].job));
	assert_true(pool_withdraw(fixture.pool, &items[3].job));
	gate_open(&fixture);
	struct job *done[4];
	size_t count = 0;
	while (count < 2)
		count += pool_take_done(fixture.pool, done + count, 4 - count);
	assert_int_equal(items[2].runs, 1);
	assert_int_equal(items[1].runs + items[3].runs, 0);
	fixture_finish(&fixture, discard_none);
}

static void
destroy_of_nothing(void **state)
{
	(void)state;
	pool_destroy(NULL, discard_none);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_runs_once_and_comes_back),
		cmocka_unit_test(full_lane_refuses_and_the_other_does_not),
		cmocka_unit_test(items_done_but_not_taken_count_as_owned),
		cmocka_unit_test(jobs_of_a_flow_keep_their_order),
		cmocka_unit_test(wakes_once_per_filling_of_the_done_list),
		cmocka_unit_test(a_long_job_does_not_hold_back_what_is_done),
		cmocka_unit_test(some_jobs_that_are_done_are_told),
		cmocka_unit_test(stop_loses_patience_then_discards_what_is_left),
		cmocka_unit_test(the_worker_that_rested_last_is_called_first),
		cmocka_unit_test(items_that_wait_can_be_taken_back),
		cmocka_unit_test(destroy_of_nothing),
	};
	return cmocka_run_group_tests_name("jobs/pool", tests, NULL, NULL);
}
