/* Many tasks and jobs on a pool: a turn at a time, no want and no due time lost, all end, whatever happens. Nothing here
 * depends on how long anything takes: each test waits for what must happen, or its time is over. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "jobs/cores.h"
#include "jobs/realtime.h"
#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"
#include "task_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct world {
	struct task task; /* the first member */
	uint64_t seed, asked_seen;
	atomic_bool inside;
	atomic_uint asked; /* what the wanters want of it */
	atomic_uint seen;
	atomic_uint turns;
	atomic_bool steady; /* rests no more */
	atomic_bool ends;
	unsigned turns_min;
	bool long_turns;
};

static unsigned rounds = 3;
static atomic_uint worlds_done, pieces_done, pieces_shared;

static void
piece(void *argument, unsigned index)
{
	(void)index;
	compute(clock_now_ns, *(const uint64_t *)argument);
	pieces_done++;
}

/* On workers that are idle, which may lend their permit meanwhile. */
static void
share_pieces(struct pool *pool, unsigned count, uint64_t ns)
{
	pieces_shared += count;
	pool_share(pool, count, piece, &ns);
}

static bool keepers_have_cores;
static atomic_uint misplaced;

/* A keeper's thread has the core that it should have, an ordinary one has all. */
static void
look_at_core(void)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	bool known = sched_getaffinity(0, sizeof set, &set) == 0;
	bool keeps = (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != SCHED_OTHER;
	unsigned cores = keeps && keepers_have_cores ? 1 : cores_allowed();
	misplaced += !known || (unsigned)CPU_COUNT(&set) != cores;
}

static enum task_next
world_run(struct task *task, uint64_t *due_ns)
{
	struct world *world = (struct world *)task;
	overlaps += atomic_exchange(&world->inside, true);
	unsigned asked = atomic_load(&world->asked);
	look_at_core();
	if (random_below(&world->seed, 4) == 0)
		compute(clock_now_ns, random_below(&world->seed, 100 * US));
	if (world->long_turns && random_below(&world->seed, 16) == 0)
		compute(clock_now_ns, random_below(&world->seed, 4000 * US));
	if (random_below(&world->seed, 32) == 0)
		share_pieces(task->pool, 4, 50 * US);
	if (random_below(&world->seed, 16) == 0)
		pool_task_reserve(task, random_below(&world->seed, 3) * CLOCK_NS_PER_S / 100);
	unsigned turns = atomic_load(&world->turns) + 1;
	bool ends = atomic_load(&world->ends) && turns >= world->turns_min;
	look_at_core();
	atomic_store(&world->seen, asked);
	atomic_store(&world->inside, false);
	uint64_t choice = random_below(&world->seed, 16);
	*due_ns = clock_now_ns() + random_below(&world->seed, 3000 * US) - random_below(&world->seed, 1000 * US);
	if (atomic_load(&world->steady))
		choice = 15;
	atomic_store(&world->turns, turns);
	return ends ? TASK_END : choice == 0 ? TASK_SOON : choice < 3 ? TASK_REST : TASK_AT;
}

static void
world_done(struct job *job)
{
	(void)job;
	worlds_done++;
}

struct beside {
	struct job job;
	struct pool *pool;
	atomic_uint *ended;
};

static void
run_beside(struct job *job)
{
	struct beside *beside = (struct beside *)job;
	compute(clock_now_ns, 1000 * US);
	share_pieces(beside->pool, 8, 200 * US);
	atomic_fetch_add(beside->ended, 1);
}

struct wanter {
	struct world *worlds;
	unsigned count;
	uint64_t seed;
	atomic_bool *over;
};

/* Says what it wants, and that it wants it; whether every want is seen is asked at the end. */
static void *
want_main(void *context)
{
	struct wanter *wanter = context;
	while (!atomic_load(wanter->over)) {
		struct world *world = &wanter->worlds[random_below(&wanter->seed, wanter->count)];
		atomic_fetch_add(&world->asked, 1);
		pool_task_want(&world->task);
		if (random_below(&wanter->seed, 4) == 0)
			rest_a_moment();
	}
	return NULL;
}

static void
submit_beside(struct pool *pool, struct beside *beside, unsigned count, atomic_uint *ended)
{
	for (unsigned i = 0; i < count; i++) {
		beside[i] = (struct beside){ { .run = run_beside }, pool, ended };
		assert_int_equal(pool_submit(pool, NULL, POOL_LANE_FRESH, &beside[i].job), STATUS_OK);
	}
}

static void
wait_turns(struct world *worlds, unsigned count, unsigned turns)
{
	for (unsigned i = 0; i < count; i++)
		while (atomic_load(&worlds[i].turns) < turns)
			rest_a_moment();
}

/* Nothing wants any: each due time has its turn. */
static void
expect_due_turns(struct world *worlds, unsigned count)
{
	unsigned before[TASKS_MAX];
	for (unsigned i = 0; i < count; i++) {
		atomic_store(&worlds[i].steady, true);
		pool_task_want(&worlds[i].task);
	}
	for (unsigned i = 0; i < count; i++)
		before[i] = atomic_load(&worlds[i].turns);
	for (unsigned i = 0; i < count; i++)
		wait_turns(&worlds[i], 1, before[i] + (unsigned)effort(2, 10));
}

/* Tasks at random times, wanted at random by three threads, beside jobs, on one to three permits. */
/* What turns have left of each core, told once: of one core, where keepers have none of their own. */
static void
expect_cores_left(struct pool *pool, unsigned workers)
{
	const uint64_t most_ns = UINT64_C(1) << 40;
	uint64_t cores_ns[3] = { 0 }, left_ns = 0, used_ns = 0;
	for (unsigned i = 0; i < workers; i++) {
		struct turn_stats turns = { 0 };
		pool_turn_stats_add(pool, i, &turns);
		cores_ns[keepers_have_cores ? i % cores_allowed() : 0] += turns.cpu_ns;
		used_ns += turns.cpu_ns;
	}
	for (unsigned i = 0; i < (keepers_have_cores ? cores_allowed() : 1); i++)
		left_ns += most_ns - (i < 3 ? cores_ns[i] : 0);
	assert_true(used_ns > 0);
	assert_int_equal(pool_cores_left_ns(pool, most_ns), left_ns < most_ns ? left_ns : most_ns);
	assert_int_equal(pool_cores_left_ns(pool, most_ns), most_ns);
	assert_int_equal(misplaced, 0);
}

static void
many_tasks_and_jobs(bool long_turns, unsigned spares)
{
	enum { WORLDS = 24, WANTERS = 3, JOBS = 24 };
	const unsigned jobs = (unsigned)effort(4, JOBS);
	static struct world worlds[WORLDS];
	static struct beside beside[JOBS];
	const unsigned turns = (unsigned)effort(4, 20);
	for (unsigned round = 0; round < rounds; round++) {
		unsigned workers = 1 + round % 3;
		keepers_have_cores = with_realtime && realtime_is_allowed() && workers >= cores_allowed();
		struct pool *pool = start(workers, spares, workers == 2 ? 0 : CLOCKWORK_SLOT_NS);
		struct flow *flows[3];
		pthread_t threads[WANTERS];
		struct wanter wanters[WANTERS];
		atomic_bool over = false;
		atomic_uint ended = 0;
		worlds_done = 0;
		for (unsigned i = 0; i < 3; i++)
			flows[i] = pool_flow_create(pool, i == 2 ? flows[1] : NULL, FAIR_WEIGHT_ONE);
		for (unsigned i = 0; i < WORLDS; i++) {
			worlds[i] = (struct world){ .task = { .run = world_run, .job = { .done = world_done } }, .seed = round * 1000 + i };
			worlds[i].turns_min = turns;
			worlds[i].long_turns = long_turns;
			assert_int_equal(pool_task_start(pool, &worlds[i].task, flows[i % 3]), STATUS_OK);
			pool_task_reserve(&worlds[i].task, CLOCK_NS_PER_S / 100);
		}
		for (unsigned i = 0; i < 3; i++)
			pool_flow_release(flows[i]);
		for (unsigned i = 0; i < WANTERS; i++) {
			wanters[i] = (struct wanter){ worlds, WORLDS, round * 10 + i, &over };
			assert_int_equal(pthread_create(&threads[i], NULL, want_main, &wanters[i]), 0);
		}
		submit_beside(pool, beside, jobs, &ended);
		take_back(pool, jobs);
		wait_turns(worlds, WORLDS, turns);
		over = true;
		for (unsigned i = 0; i < WANTERS; i++)
			assert_int_equal(pthread_join(threads[i], NULL), 0);
		/* Every want has its turn, though no more come. */
		for (unsigned i = 0; i < WORLDS; i++)
			while (atomic_load(&worlds[i].seen) != atomic_load(&worlds[i].asked))
				rest_a_moment();
		submit_beside(pool, beside, jobs, &ended);
		expect_due_turns(worlds, WORLDS);
		take_back(pool, jobs);
		for (unsigned i = 0; i < WORLDS; i++) {
			worlds[i].ends = true;
			pool_task_want(&worlds[i].task);
		}
		take_back(pool, WORLDS);
		assert_int_equal(ended, 2 * jobs);
		assert_int_equal(pieces_done, pieces_shared);
		assert_int_equal(worlds_done, WORLDS);
		struct pool_stats stats = pool_stats(pool);
		assert_int_equal(stats.tasks + stats.running + stats.parked + stats.queued_turns + stats.done, 0);
		expect_cores_left(pool, workers);
		finish(pool, discard_none);
	}
}

static void
tasks_and_jobs_beside_each_other(void **state)
{
	(void)state;
	many_tasks_and_jobs(false, JOBS_MAX);
}

/* Turns of up to 4 ms, beyond any reservation here: some are cut, and the keeper is another thread then. */
static void
long_turns_are_cut(void **state)
{
	(void)state;
	many_tasks_and_jobs(true, JOBS_MAX);
}

/* Keepers take no permits, and what is cut has ordinary priority from then on. */
static void
with_real_time_priority_all_ends_too(void **state)
{
	(void)state;
	with_realtime = true;
	many_tasks_and_jobs(true, JOBS_MAX);
	with_realtime = false;
}

/* Nothing gets stuck without threads to spare. */
static void
without_spares_all_ends_too(void **state)
{
	(void)state;
	many_tasks_and_jobs(true, 0);
}

static atomic_uint discarded;

static void
on_discard(struct job *job)
{
	(void)job;
	discarded++;
}

/* At rest, waiting, queued, running, put aside: all are discarded once, and those that run end their turn first. */
static void
a_stop_leaves_tasks_where_they_are(void **state)
{
	(void)state;
	enum { WORLDS = 24 };
	static struct world worlds[WORLDS];
	for (unsigned round = 0; round < 10; round++) {
		struct pool *pool = start(1 + round % 3, 4, CLOCKWORK_SLOT_NS);
		discarded = 0;
		for (unsigned i = 0; i < WORLDS; i++) {
			worlds[i] = (struct world){ .task = { .run = world_run, .job = { .done = world_done } }, .seed = i };
			worlds[i].long_turns = i % 2 == 0;
			assert_int_equal(pool_task_start(pool, &worlds[i].task, NULL), STATUS_OK);
			pool_task_reserve(&worlds[i].task, CLOCK_NS_PER_S / 100);
		}
		for (unsigned i = 0; i < WORLDS; i++)
			while (atomic_load(&worlds[i].turns) < round)
				pool_task_want(&worlds[i].task);
		assert_true(pool_stop(pool, PATIENCE_MS));
		static struct world late;
		late.task = worlds[0].task;
		assert_int_equal(pool_task_start(pool, &late.task, NULL), STATUS_UNAVAILABLE);
		for (unsigned i = 0; i < WORLDS; i++) {
			assert_false(worlds[i].inside);
			pool_task_want(&worlds[i].task);
		}
		pool_destroy(pool, on_discard);
		assert_int_equal(discarded, WORLDS);
	}
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		rounds = (unsigned)strtoul(argv[1], NULL, 10);
	const struct CMUnitTest tests[] = {
		long_case(tasks_and_jobs_beside_each_other),          cmocka_unit_test(long_turns_are_cut),
		long_case(with_real_time_priority_all_ends_too),      cmocka_unit_test(without_spares_all_ends_too),
		cmocka_unit_test(a_stop_leaves_tasks_where_they_are),
	};
	return cmocka_run_group_tests_name("jobs/tasks_many", tests, NULL, NULL);
}
