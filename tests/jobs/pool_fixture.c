#include "jobs/pool_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct item *
item_of(struct job *job)
{
	return (struct item *)job; /* it is its first member */
}

void
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
		while (fixture->gates_open < item->waits_at_gate)
			pthread_cond_wait(&fixture->changed, &fixture->lock);
		pthread_mutex_unlock(&fixture->lock);
	}
	while (item->waits_for_wake && atomic_load(&fixture->wakes) == 0)
		pool_checkpoint();
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

void
item_discard(struct job *job)
{
	struct item *item = item_of(job);
	assert_false(item->discarded);
	item->discarded = true;
}

void
discard_none(struct job *job)
{
	(void)job;
	fail_msg("nothing may be left");
}

void
fixture_start(struct fixture *fixture, unsigned workers, size_t items_max, size_t fresh_max, size_t started_max)
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

enum status
item_submit(struct fixture *fixture, enum pool_lane lane, struct item *item)
{
	item->job.run = run_item;
	item->fixture = fixture;
	return pool_submit(fixture->pool, NULL, lane, &item->job);
}

void
items_submit(struct fixture *fixture, struct item *items, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(item_submit(fixture, POOL_LANE_FRESH, &items[i]), STATUS_OK);
}

void
fixture_finish(struct fixture *fixture, void (*discard)(struct job *job))
{
	assert_true(pool_stop(fixture->pool, PATIENCE_MS));
	pool_destroy(fixture->pool, discard);
	pthread_cond_destroy(&fixture->changed);
	pthread_mutex_destroy(&fixture->lock);
}

void
gate_wait(struct fixture *fixture, unsigned count)
{
	pthread_mutex_lock(&fixture->lock);
	while (fixture->at_gate < count)
		pthread_cond_wait(&fixture->changed, &fixture->lock);
	pthread_mutex_unlock(&fixture->lock);
}

void
gate_open(struct fixture *fixture)
{
	pthread_mutex_lock(&fixture->lock);
	fixture->gates_open++;
	pthread_cond_broadcast(&fixture->changed);
	pthread_mutex_unlock(&fixture->lock);
}

void
wakes_wait(struct fixture *fixture, unsigned count)
{
	pthread_mutex_lock(&fixture->lock);
	while (fixture->woken < count)
		pthread_cond_wait(&fixture->changed, &fixture->lock);
	pthread_mutex_unlock(&fixture->lock);
}

void
idle_wait(struct fixture *fixture)
{
	for (;;) {
		struct pool_stats stats = pool_stats(fixture->pool);
		if (stats.queued[0] + stats.queued[1] + stats.running == 0)
			return;
	}
}
