/* The pool: every job has one owner at any time, bounds refuse, one wake per filling of the done list. */
#include "base/clock.h"
#include "jobs/pool.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Two 30-second waits would mean a hang; the numbers only bound a failing test. */
#define PATIENCE_MS 30000

struct fixture;

struct item {
	struct job job;
	struct fixture *fixture;
	unsigned runs;  /* its owner's: the pool's hand-over must order it */
	unsigned order; /* when it ran, counted from 1 */
	bool waits_at_gate;
	bool discarded;
	pthread_t worker; /* that ran it last */
};

struct fixture {
	struct pool *pool;
	atomic_uint wakes;
	atomic_uint runs;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool gate_open; /* guarded by lock */
	unsigned at_gate;
	unsigned woken;
};

static struct item *
item_of(struct job *job)
{
	return (struct item *)job; /* it is its first member */
}

static void
run_item(struct job *job)
{
	struct item *item = item_of(job);
	struct fixture *fixture = item->fixture;
	item->runs++;
	item->worker = pthread_self();
	item->order = atomic_fetch_add(&fixture->runs, 1) + 1;
	if (item->waits_at_gate) {
		pthread_mutex_lock(&fixture->lock);
		fixture->at_gate++;
		pthread_cond_broadcast(&fixture->changed);
		while (!fixture->gate_open)
			pthread_cond_wait(&fixture->changed, &fixture->lock);
		pthread_mutex_unlock(&fixture->lock);
	}
}

static void
wake(void *context)
{
	struct fixture *fixture = context;
	atomic_fetch_add(&fixture->wakes, 1);
	pthread_mutex_lock(&fixture->lock);
	fixture->woken++;
	pthread_cond_broadcast(&fixture->changed);
	pthread_mutex_unlock(&fixture->lock);
}

static void
discard_item(struct job *job)
{
	struct item *item = item_of(job);
	assert_false(item->discarded);
	item->discarded = true;
}

static void
discard_none(struct job *job)
{
	(void)job;
	fail_msg("nothing may be left");
}

static void
start(struct fixture *fixture, unsigned workers, size_t items_max, size_t fresh_max, size_t started_max)
{
	*fixture = (struct fixture){ 0 };
	pthread_mutex_init(&fixture->lock, NULL);
	pthread_cond_init(&fixture->changed, NULL);
	struct pool_options options = {
		.worker_count = workers,
		.jobs_max = items_max,
		.queue_max = { [POOL_LANE_FRESH] = fresh_max, [POOL_LANE_STARTED] = started_max },
		.wake = wake,
		.context = fixture,
	};
	assert_int_equal(pool_create(&options, &fixture->pool), STATUS_OK);
}

static enum status
submit(struct fixture *fixture, enum pool_lane lane, struct item *item)
{
	item->job.run = run_item;
	item->fixture = fixture;
	return pool_submit(fixture->pool, NULL, lane, &item->job);
}

static void
finish(struct fixture *fixture, void (*discard)(struct job *job))
{
	assert_true(pool_stop(fixture->pool, PATIENCE_MS));
	pool_destroy(fixture->pool, discard);
	pthread_cond_destroy(&fixture->changed);
	pthread_mutex_destroy(&fixture->lock);
}

static void
wait_at_gate(struct fixture *fixture, unsigned count)
{
	pthread_mutex_lock(&fixture->lock);
	while (fixture->at_gate < count)
		pthread_cond_wait(&fixture->changed, &fixture->lock);
	pthread_mutex_unlock(&fixture->lock);
}

static void
open_gate(struct fixture *fixture)
{
	pthread_mutex_lock(&fixture->lock);
	fixture->gate_open = true;
	pthread_cond_broadcast(&fixture->changed);
	pthread_mutex_unlock(&fixture->lock);
}

static void
wait_woken(struct fixture *fixture, unsigned count)
{
	pthread_mutex_lock(&fixture->lock);
	while (fixture->woken < count)
		pthread_cond_wait(&fixture->changed, &fixture->lock);
	pthread_mutex_unlock(&fixture->lock);
}

/* Until nothing is queued or running. */
static void
wait_idle(struct fixture *fixture)
{
	for (;;) {
		struct pool_stats stats = pool_stats(fixture->pool);
		if (stats.queued[0] + stats.queued[1] + stats.running == 0)
			return;
	}
}

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
	start(&fixture, 4, OWNED_MAX, 16, 16);
	while (back < ITEMS) {
		enum pool_lane lane = submitted % 3 == 0 ? POOL_LANE_STARTED : POOL_LANE_FRESH;
		if (submitted < ITEMS && submit(&fixture, lane, &items[submitted]) == STATUS_OK) {
			submitted++;
			continue;
		}
		size_t taken = pool_take_done(fixture.pool, done, 16);
		for (size_t i = 0; i < taken; i++)
			assert_int_equal(item_of(done[i])->runs, 1);
		back += taken;
	}
	assert_int_equal(atomic_load(&fixture.runs), ITEMS);
	finish(&fixture, discard_none);
	free(items);
}

static void
full_lane_refuses_and_the_other_does_not(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item items[6] = { { .waits_at_gate = true } };
	start(&fixture, 1, 16, 2, 2);
	assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[0]), STATUS_OK);
	wait_at_gate(&fixture, 1);
	assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[1]), STATUS_OK);
	assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[2]), STATUS_OK);
	assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[3]), STATUS_RESOURCE_EXHAUSTED);
	assert_int_equal(submit(&fixture, POOL_LANE_STARTED, &items[4]), STATUS_OK);
	struct pool_stats stats = pool_stats(fixture.pool);
	assert_int_equal(stats.queued[POOL_LANE_FRESH], 2);
	assert_int_equal(stats.queued[POOL_LANE_STARTED], 1);
	assert_int_equal(stats.running, 1);
	open_gate(&fixture);
	wait_idle(&fixture);
	assert_int_equal(items[3].runs, 0);
	struct job *done[8];
	assert_int_equal(pool_take_done(fixture.pool, done, 8), 4);
	finish(&fixture, discard_none);
}

static void
items_done_but_not_taken_count_as_owned(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item items[4] = { { .runs = 0 } };
	struct job *done[4];
	start(&fixture, 2, 3, 3, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[i]), STATUS_OK);
	wait_idle(&fixture);
	assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[3]), STATUS_RESOURCE_EXHAUSTED);
	assert_int_equal(pool_take_done(fixture.pool, done, 1), 1);
	assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[3]), STATUS_OK);
	wait_idle(&fixture);
	assert_int_equal(pool_take_done(fixture.pool, done, 4), 3);
	finish(&fixture, discard_none);
}

static void
jobs_of_a_flow_keep_their_order(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item gate = { .waits_at_gate = true };
	struct item fresh[3] = { { .runs = 0 } };
	struct item started[3] = { { .runs = 0 } };
	start(&fixture, 1, 16, 8, 8);
	assert_int_equal(submit(&fixture, POOL_LANE_STARTED, &gate), STATUS_OK);
	wait_at_gate(&fixture, 1);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(submit(&fixture, POOL_LANE_STARTED, &started[i]), STATUS_OK);
		assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &fresh[i]), STATUS_OK);
	}
	open_gate(&fixture);
	wait_idle(&fixture);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(started[i].order, 2 * i + 2);
		assert_int_equal(fresh[i].order, 2 * i + 3);
	}
	struct job *done[8];
	assert_int_equal(pool_take_done(fixture.pool, done, 8), 7);
	finish(&fixture, discard_none);
}

static void
wakes_once_per_filling_of_the_done_list(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item items[5] = { { .runs = 0 } };
	struct job *done[8];
	start(&fixture, 2, 8, 8, 8);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[i]), STATUS_OK);
	wait_idle(&fixture);
	assert_int_equal(atomic_load(&fixture.wakes), 1);
	assert_int_equal(pool_take_done(fixture.pool, done, 8), 4);
	assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[4]), STATUS_OK);
	wait_woken(&fixture, 2);
	wait_idle(&fixture);
	assert_int_equal(pool_take_done(fixture.pool, done, 8), 1);
	assert_ptr_equal(done[0], &items[4].job);
	finish(&fixture, discard_none);
}

static void
stop_loses_patience_then_discards_what_is_left(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item items[3] = { { .waits_at_gate = true } };
	start(&fixture, 1, 8, 8, 8);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[i]), STATUS_OK);
	wait_at_gate(&fixture, 1);
	assert_false(pool_stop(fixture.pool, 1));
	assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[0]), STATUS_UNAVAILABLE);
	open_gate(&fixture);
	finish(&fixture, discard_item);
	assert_int_equal(items[0].runs, 1);
	assert_int_equal(items[1].runs, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_true(items[i].discarded);
}

/* Pieces of a share: each counts its calls; if told to, waits at the gate and says when it began and where. */
struct pieces {
	struct fixture *fixture;
	unsigned calls[64]; /* plain: the hand-over must order them */
	bool wait;
	pthread_t caller;
	unsigned order[64];
	bool helped[64];
};

static void
run_piece(void *argument, unsigned index)
{
	struct pieces *pieces = argument;
	pieces->calls[index]++;
	if (pieces->wait) {
		struct item item = { .fixture = pieces->fixture, .waits_at_gate = true };
		run_item(&item.job);
		pieces->order[index] = item.order;
		pieces->helped[index] = !pthread_equal(pthread_self(), pieces->caller);
	}
}

static void
pieces_run_once_each_wherever(void **state)
{
	(void)state;
	for (unsigned workers = 1; workers <= 5; workers += 2) {
		struct fixture fixture;
		struct pieces pieces = { .fixture = &fixture };
		start(&fixture, workers, 8, 8, 8);
		for (unsigned round = 1; round <= 200; round++) {
			pool_share(fixture.pool, round % 64 + 1, run_piece, &pieces);
			pool_share(fixture.pool, 0, run_piece, &pieces);
		}
		for (unsigned i = 0; i < 64; i++) {
			/* In 200 rounds of 2, 3 .. 64, 1, 2 .. pieces. */
			unsigned expected = 0;
			for (unsigned round = 1; round <= 200; round++)
				expected += round % 64 + 1 > i;
			assert_int_equal(pieces.calls[i], expected);
		}
		finish(&fixture, discard_none);
	}
}

struct sharer {
	struct pieces *pieces;
	unsigned count;
};

static void *
share_main(void *context)
{
	struct sharer *sharer = context;
	sharer->pieces->caller = pthread_self();
	pool_share(sharer->pieces->fixture->pool, sharer->count, run_piece, sharer->pieces);
	return NULL;
}

/* The caller and both workers are at the gate: all three pieces run at once. */
static void
idle_workers_help(void **state)
{
	(void)state;
	struct fixture fixture;
	struct pieces pieces = { .fixture = &fixture, .wait = true };
	struct sharer sharer = { &pieces, 3 };
	pthread_t thread;
	start(&fixture, 2, 8, 8, 8);
	assert_int_equal(pthread_create(&thread, NULL, share_main, &sharer), 0);
	wait_at_gate(&fixture, 3);
	assert_int_equal(pool_idle(fixture.pool), 0);
	open_gate(&fixture);
	pthread_join(thread, NULL);
	finish(&fixture, discard_none);
}

/* One worker is inside a piece, with more to come, when an item arrives: the item is next. */
static void
an_item_goes_before_pieces(void **state)
{
	(void)state;
	struct fixture fixture;
	struct pieces pieces = { .fixture = &fixture, .wait = true };
	struct sharer sharer = { &pieces, 64 };
	struct item item = { .runs = 0 };
	pthread_t thread;
	start(&fixture, 1, 8, 8, 8);
	assert_int_equal(pthread_create(&thread, NULL, share_main, &sharer), 0);
	wait_at_gate(&fixture, 2);
	assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &item), STATUS_OK);
	open_gate(&fixture);
	pthread_join(thread, NULL);
	wait_idle(&fixture);
	assert_int_equal(item.runs, 1);
	unsigned helped_before = 0;
	for (unsigned i = 0; i < 64; i++)
		helped_before += pieces.helped[i] && pieces.order[i] < item.order;
	assert_int_equal(helped_before, 1);
	finish(&fixture, discard_item);
}

/* A worker that has helped polls for a while, then sleeps: an item that comes at any moment of that is run. */
static void
an_item_soon_after_a_piece_is_run(void **state)
{
	(void)state;
	enum { ROUNDS = 500 };
	struct fixture fixture;
	struct pieces pieces = { .fixture = &fixture };
	static struct item items[ROUNDS];
	struct job *done;
	start(&fixture, 1, 8, 8, 8);
	for (unsigned round = 0; round < ROUNDS; round++) {
		pool_share(fixture.pool, 2, run_piece, &pieces);
		/* Up to twice as long as it stays up. */
		const uint64_t begin_ns = clock_now_ns();
		while (clock_now_ns() - begin_ns < round * UINT64_C(200)) {
		}
		assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[round]), STATUS_OK);
		wait_woken(&fixture, round + 1);
		assert_int_equal(pool_take_done(fixture.pool, &done, 1), 1);
		assert_ptr_equal(done, &items[round].job);
	}
	assert_int_equal(pieces.calls[0], ROUNDS);
	assert_int_equal(pieces.calls[1], ROUNDS);
	finish(&fixture, discard_none);
}

static void
no_worker_helps_while_all_are_busy(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item item = { .waits_at_gate = true };
	struct pieces pieces = { .fixture = &fixture };
	start(&fixture, 1, 8, 8, 8);
	assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &item), STATUS_OK);
	wait_at_gate(&fixture, 1);
	assert_int_equal(pool_idle(fixture.pool), 0);
	/* Would never return if it waited for the worker. */
	pool_share(fixture.pool, 8, run_piece, &pieces);
	assert_int_equal(pieces.calls[7], 1);
	open_gate(&fixture);
	finish(&fixture, discard_item);
}

static void
helpers_only_help(void **state)
{
	(void)state;
	struct pool *pool;
	struct pieces pieces = { 0 };
	assert_int_equal(pool_create_helpers(3, &pool), STATUS_OK);
	pool_share(pool, 64, run_piece, &pieces);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(pieces.calls[i], 1);
	assert_true(pool_stop(pool, PATIENCE_MS));
	/* All by the caller, then. */
	pool_share(pool, 2, run_piece, &pieces);
	assert_int_equal(pieces.calls[1], 2);
	pool_destroy(pool, discard_none);
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
	start(&fixture, WORKERS, 1, 1, 1);
	for (unsigned i = 0; i < ITEMS; i++) {
		struct job *done = NULL;
		wait_resting(fixture.pool, WORKERS);
		assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &item), STATUS_OK);
		wait_woken(&fixture, i + 1);
		assert_int_equal(pool_take_done(fixture.pool, &done, 1), 1);
		first = i == 0 ? item.worker : first;
		assert_true(pthread_equal(item.worker, first));
	}
	finish(&fixture, discard_none);
}

/* With one worker that is inside an item: what waits can be taken back, also out of its turn, and what has begun cannot. */
static void
items_that_wait_can_be_taken_back(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item items[4] = { { .waits_at_gate = true } };
	start(&fixture, 1, 4, 3, 4);
	struct flow *flow = pool_flow_create(fixture.pool, NULL, 1024);
	for (unsigned i = 0; i < 4; i++) {
		items[i].job.run = run_item;
		items[i].fixture = &fixture;
		assert_int_equal(pool_submit(fixture.pool, i == 2 ? flow : NULL, POOL_LANE_FRESH, &items[i].job), STATUS_OK);
		if (i == 0)
			wait_at_gate(&fixture, 1);
	}
	pool_flow_weight_set(flow, 2048);
	pool_flow_release(flow);
	assert_false(pool_withdraw(fixture.pool, &items[0].job));
	assert_true(pool_withdraw(fixture.pool, &items[2].job));
	assert_false(pool_withdraw(fixture.pool, &items[2].job));
	assert_int_equal(pool_stats(fixture.pool).queued[POOL_LANE_FRESH], 2);
	/* Its place is free. */
	assert_int_equal(submit(&fixture, POOL_LANE_FRESH, &items[2]), STATUS_OK);
	assert_true(pool_withdraw(fixture.pool, &items[1].job));
	assert_true(pool_withdraw(fixture.pool, &items[3].job));
	open_gate(&fixture);
	struct job *done[4];
	size_t count = 0;
	while (count < 2)
		count += pool_take_done(fixture.pool, done + count, 4 - count);
	assert_int_equal(items[2].runs, 1);
	assert_int_equal(items[1].runs + items[3].runs, 0);
	finish(&fixture, discard_none);
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
		cmocka_unit_test(stop_loses_patience_then_discards_what_is_left),
		cmocka_unit_test(pieces_run_once_each_wherever),
		cmocka_unit_test(idle_workers_help),
		cmocka_unit_test(an_item_goes_before_pieces),
		cmocka_unit_test(an_item_soon_after_a_piece_is_run),
		cmocka_unit_test(no_worker_helps_while_all_are_busy),
		cmocka_unit_test(helpers_only_help),
		cmocka_unit_test(the_worker_that_rested_last_is_called_first),
		cmocka_unit_test(items_that_wait_can_be_taken_back),
		cmocka_unit_test(destroy_of_nothing),
	};
	return cmocka_run_group_tests_name("jobs/pool", tests, NULL, NULL);
}
