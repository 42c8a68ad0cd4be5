#include "daemon_worlds.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pause.h"
#include "daemon_check.h"
#include "daemon_files.h"
#include "daemon_private.h"
#include "jobs/free_list.h"
#include "jobs/lock.h"
#include "jobs/pool.h"
#include "jobs/task.h"
#include "session/world_replies.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

/* The loop takes news at most so often: a turn for each update of each world would cost it more than sending them. The second
 * is for a loop with real-time priority. One that waits for a core among other threads only gets more to do by it. */
#define DAEMON_NEWS_NS CLOCK_NS_PER_MS
#define DAEMON_NEWS_REALTIME_NS (CLOCK_NS_PER_MS / 4)
/* Between two looks at how long that takes already. */
#define DAEMON_NEWS_AT_ONCE 8

/* A live world and its turns. */
struct world_task {
	struct task task; /* the first member */
	struct daemon *daemon;
	struct live_world *live;
	struct world_check *check; /* NULL: it was never under self-check */
};

static struct world_task *
world_task_of(struct task *task)
{
	return (struct world_task *)task;
}

/* ---- turns, on workers */

/* Nothing of a tick is ever given up. */
static bool
on_pause(void *context)
{
	(void)context;
	pool_checkpoint();
	return false;
}

/* Any thread. Only an empty list wakes the loop. */
static void
news_push(struct daemon *daemon, struct news *news)
{
	struct news *first = atomic_load(&daemon->news);
	do {
		news->next = first;
	} while (!atomic_compare_exchange_weak(&daemon->news, &first, news));
	if (!first)
		net_wake(daemon->net);
}

static enum task_next
world_run(struct task *task, uint64_t *due_ns)
{
	static const enum task_next next[] = {
		[TURN_REST] = TASK_REST, [TURN_AT] = TASK_AT, [TURN_SOON] = TASK_SOON, [TURN_ENDED] = TASK_END
	};
	struct world_task *world = world_task_of(task);
	struct daemon *daemon = world->daemon;
	struct workspace *workspace = daemon->service.workspaces.take(daemon->service.workspaces.context);
	struct pause before;
	pause_begin(&before, on_pause, NULL);
	struct live_turn turn = live_world_turn(world->live, clock_now_ns(), workspace, &daemon->service.workers);
	pause_end(&before);
	if (workspace)
		daemon->service.workspaces.give(daemon->service.workspaces.context, workspace);
	world_check_want(daemon, world->live, &world->check);
	if (turn.news)
		news_push(daemon, turn.news);
	*due_ns = turn.due_ns;
	return next[turn.next];
}

/* Its last turn has been, or no worker runs any more. */
static void
world_done(struct job *job)
{
	struct world_task *world = world_task_of((struct task *)(void *)((char *)job - offsetof(struct task, job)));
	live_world_destroy(world->live);
	world_check_release(world->check);
	free(world);
}

/* ---- the host of the registry, on the loop */

static void *
host_start(void *context, struct live_world *live, void *account)
{
	struct daemon *daemon = context;
	struct world_task *world = calloc(1, sizeof *world);
	if (!world)
		return NULL;
	world->task.run = world_run;
	world->task.job.done = world_done;
	world->daemon = daemon;
	world->live = live;
	struct flow *flow = account == &daemon->service.common ? NULL : ((struct client_account *)account)->flow;
	if (pool_task_start(daemon->pool, &world->task, flow) != STATUS_OK) {
		free(world);
		return NULL;
	}
	return world;
}

static void
host_want(void *task)
{
	pool_task_want(&((struct world_task *)task)->task);
}

static void
host_reserve(void *task, uint64_t ns_per_s)
{
	pool_task_reserve(&((struct world_task *)task)->task, ns_per_s);
}

static uint64_t
host_turn_ns(void *task)
{
	return pool_task_turn_ns(&((struct world_task *)task)->task);
}

static uint64_t
host_first_due_ns(void *task, uint32_t tick_hz, uint64_t now_ns)
{
	uint64_t period_ns = CLOCK_NS_PER_S / tick_hz;
	uint64_t phase_ns = pool_task_phase_ns(&((struct world_task *)task)->task, period_ns);
	uint64_t second_ns = now_ns - now_ns % CLOCK_NS_PER_S + phase_ns;
	uint64_t n = now_ns < second_ns ? 0 : (now_ns - second_ns) / period_ns;
	while (second_ns + world_due_ns(n, tick_hz) <= now_ns)
		n++;
	return second_ns + world_due_ns(n, tick_hz);
}

static void
host_random(uint8_t *out, size_t count)
{
	size_t done = 0;
	while (done < count) {
		ssize_t got = getrandom(out + done, count - done, 0);
		/* Before the system has gathered any it waits; after that it cannot fail for so few. */
		CHECK(got > 0);
		done += (size_t)got;
	}
}

bool
daemon_start_worlds(struct daemon *daemon)
{
	daemon->named_maps_lock = lock_create();
	struct map_store_options maps = {
		.maps_max = daemon->config->session.worlds.maps_max,
		.account_hold = session_worlds_upward.account_hold,
		.account_release = session_worlds_upward.account_release,
		.account_charge = session_worlds_upward.account_charge,
		.account_check = session_worlds_upward.account_check,
		.now_ns = clock_now_ns,
		.lock = lock_take,
		.unlock = lock_give,
		.context = daemon->named_maps_lock,
	};
	daemon->named_maps = daemon->named_maps_lock ? map_store_create(&maps) : NULL;
	if (!daemon->named_maps)
		return false;
	struct worlds_options options = {
		.limits = daemon->config->session.worlds,
		.scene_limits = &daemon->service.limits.scene,
		.host = { .start = host_start,
		          .want = host_want,
		          .reserve = host_reserve,
		          .turn_ns = host_turn_ns,
		          .first_due_ns = host_first_due_ns,
		          .now_ns = clock_now_ns,
		          .cpu_ns = clock_thread_ns,
		          .long_ahead = pool_turn_is_long,
		          .random = host_random,
		          .cores = daemon->worker_count,
		          .context = daemon },
		.upward = &session_worlds_upward,
		.files = daemon_files(daemon),
		.maps = daemon->named_maps,
		.check_share = &daemon->check_share,
		/* Epochs count up from there. */
		.epoch_first = daemon->service.instance_id >> 1,
	};
	daemon->service.worlds = worlds_create(&options);
	return daemon->service.worlds != NULL;
}

/* ---- news, on the loop */

/* Oldest first. */
static struct news *
news_take(struct daemon *daemon)
{
	struct news *newest = atomic_exchange(&daemon->news, NULL), *list = NULL;
	while (newest) {
		struct news *next = newest->next;
		newest->next = list;
		list = newest;
		newest = next;
	}
	return list;
}

/* The first of a list, which ends then; returns the others. */
static struct news *
news_split(struct news *news, unsigned count)
{
	while (--count > 0 && news->next)
		news = news->next;
	struct news *rest = news->next;
	news->next = NULL;
	return rest;
}

void
daemon_take_news(struct daemon *daemon)
{
	if (!atomic_load(&daemon->news))
		return;
	uint64_t now_ns = clock_now_ns();
	uint64_t least_ns = daemon->loop_share.has_level ? DAEMON_NEWS_REALTIME_NS : DAEMON_NEWS_NS;
	if (now_ns - daemon->news_ns < least_ns) {
		net_wake_after(daemon->net, daemon->news_ns + least_ns - now_ns);
		return;
	}
	daemon->news_ns = now_ns;
	for (struct news *news = news_take(daemon); news;) {
		struct news *rest = news_split(news, DAEMON_NEWS_AT_ONCE);
		worlds_on_news(daemon->service.worlds, news);
		daemon_works(daemon);
		news = rest;
	}
	session_settle_returned(&daemon->service);
	worlds_on_sent(daemon->service.worlds);
	net_keep_ticking(daemon->net, worlds_count(daemon->service.worlds) > 0 || !daemon->trim.settled);
}

void
daemon_worlds_on_time(struct daemon *daemon)
{
	worlds_on_time(daemon->service.worlds);
	session_settle_returned(&daemon->service);
	net_keep_ticking(daemon->net, worlds_count(daemon->service.worlds) > 0 || !daemon->trim.settled);
}

void
daemon_drop_news(struct daemon *daemon)
{
	if (daemon->service.worlds)
		worlds_on_news(daemon->service.worlds, news_take(daemon));
}

void
daemon_finish_worlds(struct daemon *daemon)
{
	daemon_drop_news(daemon);
	worlds_destroy(daemon->service.worlds);
	daemon->service.worlds = NULL;
	map_store_destroy(daemon->named_maps);
	lock_destroy(daemon->named_maps_lock);
}
