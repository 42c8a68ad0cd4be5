/* What keepers do for each other. Nothing here depends on how long anything takes: the test waits for what must happen, or its
 * time is over. */
#include "task_pool.h"

#include <limits.h>
#include <string.h>

enum { GROUP = CLOCKWORK_PHASE_GROUP };

/* Its turns are due each millisecond; one of them waits until those of its group have had turns without it. */
struct grouped {
	struct task task; /* the first member */
	struct grouped *group;
	atomic_bool ends, has_waited;
	atomic_uint turns;
	bool waits;
};

static unsigned
group_turns_least(const struct grouped *group)
{
	unsigned least = UINT_MAX;
	for (unsigned i = 1; i < GROUP; i++) {
		unsigned turns = atomic_load(&group[i].turns);
		least = turns < least ? turns : least;
	}
	return least;
}

static enum task_next
grouped_run(struct task *task, uint64_t *due_ns)
{
	struct grouped *grouped = (struct grouped *)task;
	if (grouped->waits && atomic_load(&grouped->turns) >= 10 && !atomic_load(&grouped->has_waited)) {
		for (unsigned least = group_turns_least(grouped->group); group_turns_least(grouped->group) < least + 10;)
			rest_a_moment();
		atomic_store(&grouped->has_waited, true);
	}
	atomic_fetch_add(&grouped->turns, 1);
	*due_ns = clock_now_ns() + 1000 * US;
	return atomic_load(&grouped->ends) ? TASK_END : TASK_AT;
}

static void
grouped_done(struct job *job)
{
	(void)job;
}

/* Tasks that are started one after the other have one keeper. While it stands in a turn, without checkpoints, as if the host
 * had its core, the other keeper makes the turns of those beside. */
static void
a_keeper_that_does_not_come_on_loses_its_turns_to_another(void **state)
{
	(void)state;
	static struct grouped all[2 * GROUP];
	memset(all, 0, sizeof all);
	struct pool *pool = start(2, 1, 0);
	for (unsigned i = 0; i < 2 * GROUP; i++) {
		all[i].task.run = grouped_run;
		all[i].task.job.done = grouped_done;
		all[i].group = &all[i - i % GROUP];
		all[i].waits = i == 0;
		assert_int_equal(pool_task_start(pool, &all[i].task, NULL), STATUS_OK);
		pool_task_reserve(&all[i].task, CLOCK_NS_PER_S / 50);
	}
	while (!atomic_load(&all[0].has_waited))
		rest_a_moment();
	assert_ptr_equal(atomic_load(&all[0].task.home), atomic_load(&all[GROUP - 1].task.home));
	assert_ptr_not_equal(atomic_load(&all[0].task.home), atomic_load(&all[GROUP].task.home));
	for (unsigned i = 0; i < 2 * GROUP; i++)
		atomic_store(&all[i].ends, true);
	take_back(pool, 2 * GROUP);
	finish(pool, discard_none);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_keeper_that_does_not_come_on_loses_its_turns_to_another),
	};
	return cmocka_run_group_tests_name("jobs/keepers", tests, NULL, NULL);
}
