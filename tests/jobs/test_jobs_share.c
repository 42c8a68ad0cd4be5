/* Work that is cut into pieces: each piece is run once, idle workers help, and jobs go before pieces. */
#include "base/clock.h"
#include "jobs/pool_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
		struct item item = { .fixture = pieces->fixture, .waits_at_gate = 1 };
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
		fixture_start(&fixture, workers, 8, 8, 8);
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
		fixture_finish(&fixture, discard_none);
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
	fixture_start(&fixture, 2, 8, 8, 8);
	assert_int_equal(pthread_create(&thread, NULL, share_main, &sharer), 0);
	gate_wait(&fixture, 3);
	assert_int_equal(pool_idle(fixture.pool), 0);
	gate_open(&fixture);
	pthread_join(thread, NULL);
	fixture_finish(&fixture, discard_none);
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
	fixture_start(&fixture, 1, 8, 8, 8);
	assert_int_equal(pthread_create(&thread, NULL, share_main, &sharer), 0);
	gate_wait(&fixture, 2);
	assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &item), STATUS_OK);
	gate_open(&fixture);
	pthread_join(thread, NULL);
	idle_wait(&fixture);
	assert_int_equal(item.runs, 1);
	unsigned helped_before = 0;
	for (unsigned i = 0; i < 64; i++)
		helped_before += pieces.helped[i] && pieces.order[i] < item.order;
	assert_int_equal(helped_before, 1);
	fixture_finish(&fixture, item_discard);
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
	fixture_start(&fixture, 1, 8, 8, 8);
	for (unsigned round = 0; round < ROUNDS; round++) {
		pool_share(fixture.pool, 2, run_piece, &pieces);
		/* Up to twice as long as it stays up. */
		const uint64_t begin_ns = clock_now_ns();
		while (clock_now_ns() - begin_ns < round * UINT64_C(200)) {
		}
		assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &items[round]), STATUS_OK);
		wakes_wait(&fixture, round + 1);
		assert_int_equal(pool_take_done(fixture.pool, &done, 1), 1);
		assert_ptr_equal(done, &items[round].job);
	}
	assert_int_equal(pieces.calls[0], ROUNDS);
	assert_int_equal(pieces.calls[1], ROUNDS);
	fixture_finish(&fixture, discard_none);
}

static void
no_worker_helps_while_all_are_busy(void **state)
{
	(void)state;
	struct fixture fixture;
	struct item item = { .waits_at_gate = 1 };
	struct pieces pieces = { .fixture = &fixture };
	fixture_start(&fixture, 1, 8, 8, 8);
	assert_int_equal(item_submit(&fixture, POOL_LANE_FRESH, &item), STATUS_OK);
	gate_wait(&fixture, 1);
	assert_int_equal(pool_idle(fixture.pool), 0);
	/* Would never return if it waited for the worker. */
	pool_share(fixture.pool, 8, run_piece, &pieces);
	assert_int_equal(pieces.calls[7], 1);
	gate_open(&fixture);
	fixture_finish(&fixture, item_discard);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_run_once_each_wherever),      cmocka_unit_test(idle_workers_help),
		cmocka_unit_test(an_item_goes_before_pieces),         cmocka_unit_test(an_item_soon_after_a_piece_is_run),
		cmocka_unit_test(no_worker_helps_while_all_are_busy), cmocka_unit_test(helpers_only_help),
	};
	return cmocka_run_group_tests_name("jobs/share", tests, NULL, NULL);
}
