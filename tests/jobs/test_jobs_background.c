/* Class 3: the plan, against a search through what all permits and items do, from many seeds. And its threads, which
 * give way to the work of a pool. */
#include "base/clock.h"
#include "jobs/background.h"
#include "jobs/pool.h"
#include "support/random.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* ---- the plan */

enum { ITEMS = 12, PERMITS_MAX = 4, OPS = 400, SEEDS = 2000 };

enum place { IDLE, QUEUED, RUNS, PAUSED };

/* What the owners know. */
struct book {
	struct background_plan plan;
	struct background_item items[ITEMS];
	enum place places[ITEMS];
	unsigned order[ITEMS], orders; /* in which those queued came */
	struct background_load load;
};

static unsigned
count(const struct book *book, enum place place)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < ITEMS; i++)
		sum += book->places[i] == place;
	return sum;
}

/* One more may compute: nothing waits, and a permit would be idle. */
static bool
one_may(const struct book *book)
{
	if (book->load.waiting > 0)
		return false;
	for (unsigned permit = 0, used = 0; permit < book->load.permits; permit++) {
		used += permit < book->load.busy || permit - book->load.busy < count(book, RUNS);
		if (permit + 1 == book->load.permits)
			return used < book->load.permits;
	}
	return false;
}

/* What runs at present is beyond what the other classes leave. */
static bool
one_must_not(const struct book *book)
{
	return book->load.waiting > 0 || book->load.busy + count(book, RUNS) > book->load.permits;
}

static int
any_at(const struct book *book, enum place place, uint64_t *seed)
{
	unsigned from = (unsigned)random_below(seed, ITEMS);
	for (unsigned i = 0; i < ITEMS; i++)
		if (book->places[(from + i) % ITEMS] == place)
			return (int)((from + i) % ITEMS);
	return -1;
}

static int
oldest(const struct book *book)
{
	int found = -1;
	for (int i = 0; i < ITEMS; i++)
		if (book->places[i] == QUEUED && (found < 0 || book->order[i] < book->order[found]))
			found = i;
	return found;
}

static uint64_t begun, paused, resumed, held;

static void
begin_check(struct book *book)
{
	bool may = count(book, QUEUED) > 0 && count(book, PAUSED) == 0 && one_may(book);
	int next = oldest(book);
	struct background_item *item = background_plan_begin(&book->plan, &book->load);
	assert_int_equal(item != NULL, may);
	held += !may && count(book, QUEUED) > 0;
	if (!item)
		return;
	assert_ptr_equal(item, &book->items[next]);
	book->places[next] = RUNS;
	begun++;
}

static void
checkpoint_check(struct book *book, uint64_t *seed)
{
	int at = any_at(book, RUNS, seed);
	if (at < 0)
		return;
	bool must = one_must_not(book);
	assert_int_equal(background_plan_pause(&book->plan, &book->load), must);
	book->places[at] = must ? PAUSED : RUNS;
	paused += must;
}

static void
resume_check(struct book *book, uint64_t *seed)
{
	int at = any_at(book, PAUSED, seed);
	if (at < 0)
		return;
	bool may = one_may(book);
	assert_int_equal(background_plan_resume(&book->plan, &book->load), may);
	book->places[at] = may ? RUNS : PAUSED;
	resumed += may;
}

static void
op_check(struct book *book, uint64_t *seed)
{
	int at;
	switch (random_below(seed, 7)) {
	case 0:
		book->load.busy = (unsigned)random_below(seed, book->load.permits + 1);
		/* For a moment something may wait although a permit is free. */
		book->load.waiting = random_below(seed, 3) == 0 ? 1 + (unsigned)random_below(seed, 2) : 0;
		break;
	case 1:
	case 2:
		at = any_at(book, IDLE, seed);
		if (at >= 0) {
			background_plan_push(&book->plan, &book->items[at]);
			book->places[at] = QUEUED;
			book->order[at] = ++book->orders;
		}
		break;
	case 3: begin_check(book); break;
	case 4: checkpoint_check(book, seed); break;
	case 5: resume_check(book, seed); break;
	default:
		at = any_at(book, random_below(seed, 4) == 0 ? PAUSED : RUNS, seed);
		if (at >= 0) {
			background_plan_end(&book->plan, book->places[at] == PAUSED);
			book->places[at] = IDLE;
		}
	}
	assert_int_equal(book->plan.running, count(book, RUNS));
	assert_int_equal(book->plan.paused, count(book, PAUSED));
}

/* Once each has passed a checkpoint, none runs while something of the other classes waits, nor beyond the idle permits. And
 * while permits are idle, that is not for want of asking. */
static void
rest_check(struct book *book, uint64_t *seed)
{
	for (unsigned i = 0; i < ITEMS; i++)
		checkpoint_check(book, seed);
	assert_true(count(book, RUNS) == 0 || !one_must_not(book));
	for (unsigned i = 0; i < ITEMS; i++)
		resume_check(book, seed);
	for (unsigned i = 0; i < ITEMS; i++)
		begin_check(book);
	assert_true(count(book, RUNS) == 0 || !one_must_not(book));
	assert_true(!one_may(book) || count(book, QUEUED) + count(book, PAUSED) == 0);
}

static void
test_the_plan(void **state)
{
	static struct book book;
	(void)state;
	for (uint64_t first = 1; first <= SEEDS; first++) {
		uint64_t seed = first;
		memset(&book, 0, sizeof book);
		background_plan_init(&book.plan);
		book.load.permits = 1 + (unsigned)random_below(&seed, PERMITS_MAX);
		for (int i = 0; i < OPS; i++) {
			op_check(&book, &seed);
			if (random_below(&seed, 20) == 0)
				rest_check(&book, &seed);
		}
	}
	assert_true(begun > SEEDS && paused > SEEDS && resumed > SEEDS && held > SEEDS);
}

/* ---- the threads */

/* These only bound a failing test. */
#define PATIENCE_MS 600000
#define PATIENCE_NS (UINT64_C(1000000) * PATIENCE_MS)

struct work {
	struct job job;
	struct background_item item;
	struct background *background;
	atomic_bool stays, begun;
	atomic_uint steps, runs, freed;
};

static void
sleep_ms(long ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	(void)nanosleep(&time, NULL);
}

/* Until it is as wanted. */
#define WAIT_UNTIL(condition)                             \
	do {                                                  \
		uint64_t until_ns = clock_now_ns() + PATIENCE_NS; \
		while (!(condition) && clock_now_ns() < until_ns) \
			sleep_ms(1);                                  \
		assert_true(condition);                           \
	} while (0)

static void
run_job(struct job *job)
{
	struct work *work = (struct work *)job;
	work->begun = true;
	while (work->stays)
		sleep_ms(1);
}

static void
on_done(struct job *job)
{
	(void)job;
}

static struct work *
work_of(struct background_item *item)
{
	return (struct work *)(void *)((char *)item - offsetof(struct work, item));
}

static void
run_item(struct background_item *item)
{
	struct work *work = work_of(item);
	work->begun = true;
	while (work->stays && !background_checkpoint()) {
		work->steps++;
		sleep_ms(1);
	}
	work->runs++;
}

static void
free_item(struct background_item *item)
{
	work_of(item)->freed++;
}

static void
on_wake(void *context)
{
	(void)context;
}

static struct pool *
pool_open(unsigned workers)
{
	const struct pool_options options = {
		.worker_count = workers,
		.quantum_ns = 1000000,
		.jobs_max = 8,
		.queue_max = { [POOL_LANE_FRESH] = 8, [POOL_LANE_STARTED] = 8 },
		.wake = on_wake,
	};
	struct pool *pool = NULL;
	assert_int_equal(pool_create(&options, &pool), STATUS_OK);
	return pool;
}

static void
item_open(struct work *work, struct background *background)
{
	*work = (struct work){ .background = background };
	work->item.run = run_item;
	work->item.free = free_item;
	background_item_init(&work->item);
}

static void
jobs_submit(struct pool *pool, struct work *jobs, unsigned job_count)
{
	for (unsigned i = 0; i < job_count; i++) {
		jobs[i] = (struct work){ .job = { .run = run_job, .done = on_done } };
		jobs[i].stays = true;
		assert_int_equal(pool_submit(pool, NULL, POOL_LANE_FRESH, &jobs[i].job), STATUS_OK);
	}
	for (unsigned i = 0; i < job_count; i++)
		WAIT_UNTIL(jobs[i].begun);
}

static void
jobs_end(struct work *jobs, unsigned job_count)
{
	for (unsigned i = 0; i < job_count; i++)
		jobs[i].stays = false;
}

static void
discard(struct job *job)
{
	(void)job;
}

static void
close_all(struct pool *pool, struct background *background)
{
	background_destroy(background);
	assert_true(pool_stop(pool, PATIENCE_MS));
	pool_destroy(pool, discard);
}

static void
test_it_gives_way_and_goes_on(void **state)
{
	static struct work jobs[2], one, two;
	struct background *background = NULL;
	struct pool *pool = pool_open(2);
	(void)state;
	assert_int_equal(background_create(pool, &background), STATUS_OK);
	item_open(&one, background);
	item_open(&two, background);
	one.stays = two.stays = true;
	background_want(background, &one.item);
	background_want(background, &two.item);
	WAIT_UNTIL(one.steps > 2 && two.steps > 2);

	/* All permits are in use: both pause, and nothing of them goes on. */
	jobs_submit(pool, jobs, 2);
	WAIT_UNTIL(background_stats(background).pauses == 2);
	unsigned first = one.steps, second = two.steps;
	sleep_ms(30);
	assert_true(one.steps == first && two.steps == second);

	/* One is idle again: one of them goes on, and the other does not. */
	jobs[0].stays = false;
	WAIT_UNTIL(one.steps + two.steps > first + second + 5);
	assert_true(one.steps == first || two.steps == second);
	jobs_end(jobs, 2);
	first = one.steps, second = two.steps;
	WAIT_UNTIL(one.steps > first + 2 && two.steps > second + 2);
	one.stays = two.stays = false;
	WAIT_UNTIL(one.runs == 1 && two.runs == 1);
	background_item_release(&one.item);
	background_item_release(&two.item);
	close_all(pool, background);
	assert_int_equal(one.freed, 1);
	assert_int_equal(two.freed, 1);
}

static void
test_none_begins_while_all_permits_are_in_use(void **state)
{
	static struct work jobs[2], one;
	struct background *background = NULL;
	struct pool *pool = pool_open(2);
	(void)state;
	assert_int_equal(background_create(pool, &background), STATUS_OK);
	jobs_submit(pool, jobs, 2);
	item_open(&one, background);
	for (int i = 0; i < 30; i++) {
		background_want(background, &one.item);
		sleep_ms(1);
	}
	assert_false(one.begun);
	jobs_end(jobs, 2);
	WAIT_UNTIL(one.runs == 1);
	background_item_release(&one.item);
	close_all(pool, background);
	assert_int_equal(one.freed, 1);
	assert_int_equal(one.runs, 1);
}

/* What is wanted while it runs, runs once more. What is paused, or waits, when all ends, is let go. */
static void
test_again_and_the_end(void **state)
{
	static struct work jobs[1], one, two;
	struct background *background = NULL;
	struct pool *pool = pool_open(1);
	(void)state;
	assert_int_equal(background_create(pool, &background), STATUS_OK);
	item_open(&one, background);
	item_open(&two, background);
	one.stays = true;
	background_want(background, &one.item);
	WAIT_UNTIL(one.begun);
	background_want(background, &one.item);
	background_want(background, &one.item);
	one.stays = false;
	WAIT_UNTIL(one.runs == 2);
	one.stays = true;
	background_want(background, &one.item);
	unsigned steps = one.steps;
	WAIT_UNTIL(one.steps > steps);
	background_want(background, &two.item);
	jobs_submit(pool, jobs, 1);
	WAIT_UNTIL(background_stats(background).pauses == 1);
	background_item_release(&one.item);
	background_item_release(&two.item);
	assert_int_equal(one.freed + two.freed, 0);
	background_destroy(background);
	jobs_end(jobs, 1);
	assert_true(pool_stop(pool, PATIENCE_MS));
	pool_destroy(pool, discard);
	assert_int_equal(one.runs, 3);
	assert_int_equal(one.freed, 1);
	assert_int_equal(two.runs, 0);
	assert_int_equal(two.freed, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_plan),
		cmocka_unit_test(test_it_gives_way_and_goes_on),
		cmocka_unit_test(test_none_begins_while_all_permits_are_in_use),
		cmocka_unit_test(test_again_and_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
