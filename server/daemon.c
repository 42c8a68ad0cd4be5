/* One loop thread, a pool of workers, and the wires between the layers:
 *
 *     net -- on_bytes ----------> session -- submit --> pool -- job->run on a worker
 *     net <- conn_send, close --- session <- job->done <- done list <- wake */
#include "daemon.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/memory.h"
#include "daemon_check.h"
#include "daemon_files.h"
#include "daemon_private.h"
#include "daemon_worlds.h"
#include "jobs/clockwork.h"
#include "jobs/core_yield.h"
#include "jobs/cores.h"
#include "jobs/fair_queue.h"
#include "jobs/free_list.h"
#include "jobs/lock.h"
#include "jobs/pool.h"
#include "jobs/realtime.h"
#include "port_file.h"
#include "readiness.h"
#include "scene/map_cache.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* For workers to come to the end of their tick once everything else is over. */
#define DAEMON_WORKER_PATIENCE_MS 3000
/* The same for the disk, until it has all of the recordings. */
#define DAEMON_DISK_PATIENCE_MS 5000
/* Threads for requests that are put aside: one for each request under way, up to so many. Less would not do: a few addresses
 * with long ticks would hold all threads, and no other request could begin. */
#define DAEMON_SPARES_MAX 512
/* Of malloc's arenas: as many threads allocate at once as there are permits and keepers, the loop and the background. glibc
 * would make eight for each core, for threads of requests that are put aside, and each keeps some megabytes of what was freed.
 * Not with real-time priority: no keeper shall wait for a thread without it that has a share of its arena. */
#define ARENAS_PER_WORKER 2
#define ARENAS_OTHER 2
/* Of one core, for all threads with real-time priority that may come to be on it. Beyond 95 % the kernel stops them for the
 * rest of a second. */
#define DAEMON_REALTIME_SHARE 0.8
/* With less it would have the level for moments only. */
#define DAEMON_LOOP_SHARE_MIN 0.1
/* What ticks leave of that is looked at so often. */
#define DAEMON_LOOP_FIT_NS (CLOCK_NS_PER_S / 10)
/* Blocks that the loop keeps: those of a hundred short requests, with their replies. */
#define DAEMON_KEPT_BYTES ((size_t)512 << 10)
/* Jobs taken back from the pool at once. */
#define DAEMON_DONE_BATCH 64
/* Of a workspace that is kept for the next worker: what small worlds need, and about what a core's own cache holds. */
#define DAEMON_WORKSPACE_BYTES_MAX (1u << 20)

/* ---- the pool's outside */

static void
on_done(void *context)
{
	net_wake(((struct daemon *)context)->net);
}

static void
on_discard(struct job *job)
{
	job->done(job);
}

/* News of ticks first: they are due. */
static void
on_wake(void *context)
{
	struct daemon *daemon = context;
	struct job *jobs[DAEMON_DONE_BATCH];
	size_t count = 0;
	daemon_works(daemon);
	daemon_take_news(daemon);
	do {
		count = pool_take_done(daemon->pool, jobs, DAEMON_DONE_BATCH);
		if (count > 0)
			realtime_share_lower(&daemon->loop_share);
		session_on_chunks(&daemon->service);
		for (size_t i = 0; i < count; i++)
			jobs[i]->done(jobs[i]);
		session_settle_returned(&daemon->service);
	} while (count == DAEMON_DONE_BATCH);
	daemon_take_files(daemon);
	session_settle_returned(&daemon->service);
}

/* The loop has what ticks leave of the share of each core, as it goes to that where no tick is made. Where they take more it is
 * an ordinary thread. */
static void
loop_share_fit(struct daemon *daemon, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - daemon->loop_fitted_ns;
	if (!daemon->has_realtime || passed_ns < DAEMON_LOOP_FIT_NS)
		return;
	uint64_t most_ns = (uint64_t)(DAEMON_REALTIME_SHARE * (double)passed_ns);
	double left = (double)pool_cores_left_ns(daemon->pool, most_ns) / (double)passed_ns;
	left = left < DAEMON_LOOP_SHARE_MIN ? 0.0 : left;
	realtime_share_set(&daemon->loop_share, (uint64_t)(left * (double)CLOCK_NS_PER_S), now_ns);
	daemon->loop_fitted_ns = now_ns;
}

static void
on_iteration(void *context)
{
	struct daemon *daemon = context;
	uint64_t now_ns = clock_now_ns();
	daemon->service.round++;
	loop_share_fit(daemon, now_ns);
	realtime_share_look(&daemon->loop_share, now_ns);
}

static const struct net_handlers net_handlers = {
	.on_open = client_on_open,
	.make_room = client_make_room,
	.on_refused = client_on_refused,
	.on_bytes = client_on_bytes,
	.on_end = client_on_end,
	.on_sent = client_on_sent,
	.on_later = client_on_later,
	.on_time = client_on_time,
	.on_stood = client_on_stood,
	.on_closed = client_on_closed,
	.on_wake = on_wake,
	.on_iteration = on_iteration,
	.on_tick = daemon_on_tick,
	.on_signal = daemon_on_signal,
};

/* ---- life */

static bool
fail(const char *what, const char *why)
{
	struct log_line line;
	log_begin(&line, LOG_LEVEL_ERROR, what);
	log_text(&line, "reason", why);
	log_end(&line);
	return false;
}

static bool
fail_file(const char *what, const char *path, const char *why)
{
	struct log_line line;
	log_begin(&line, LOG_LEVEL_ERROR, what);
	log_text(&line, "file", path);
	log_text(&line, "reason", why);
	log_end(&line);
	return false;
}

/* Never 0, never the same twice. */
static uint64_t
make_instance_id(void)
{
	uint64_t id = 0;
	if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id || id == 0)
		id = clock_now_ns() ^ ((uint64_t)getpid() << 48);
	return id;
}

static uint32_t
count_workers(const struct config *config)
{
	uint32_t wanted = config->workers != 0 ? config->workers : cores_usable();
	return wanted < POOL_WORKERS_MAX ? wanted : POOL_WORKERS_MAX;
}

/* ---- what a large world's tick is shared out to: the workers that wait. A request that comes meanwhile gets the first of them
 * that is through with its piece. */

static unsigned
workers_count(void *context)
{
	return 1 + pool_idle(((struct daemon *)context)->pool);
}

static void
workers_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	pool_share(((struct daemon *)context)->pool, count, piece, argument);
}

/* ---- and what a small world's tick is made in. */

static struct workspace *
workspaces_take(void *context)
{
	struct workspace *workspace = free_list_take(((struct daemon *)context)->free_workspaces);
	if (!workspace && workspace_create(&workspace) != STATUS_OK)
		return NULL;
	return workspace;
}

static void
workspaces_give(void *context, struct workspace *workspace)
{
	if (workspace_memory_bytes(workspace) > DAEMON_WORKSPACE_BYTES_MAX ||
	    !free_list_give(((struct daemon *)context)->free_workspaces, workspace))
		workspace_destroy(workspace);
}

static void
on_workspace_discard(void *workspace)
{
	workspace_destroy(workspace);
}

/* ---- and the walls that scenes have in common. */

/* With a secret key of this process. */
static bool
daemon_start_maps(struct daemon *daemon)
{
	if (daemon->config->session.map_cache_bytes_max == 0)
		return true;
	daemon->maps_lock = lock_create();
	if (daemon->maps_lock) {
		daemon->service.maps = map_cache_create(&(struct map_cache_options){
			.bytes_max = daemon->config->session.map_cache_bytes_max,
			.key = make_instance_id(),
			.lock = lock_take,
			.unlock = lock_give,
			.context = daemon->maps_lock,
		});
	}
	return daemon->service.maps || fail("cannot keep maps", "no memory");
}

/* ---- The notifier: workers that continue while the loop sends. */

static bool
others_wait(void *context)
{
	return pool_others_wait(((struct daemon *)context)->pool);
}

/* Whether ticks that are due have real-time priority; said at the start if that was asked for. Without it others' computing
 * threads keep a core for up to a slice of the kernel's; with it none does. */
static bool
daemon_has_realtime(const struct daemon *daemon)
{
	if (daemon->config->realtime == 0)
		return false;
	struct log_line line;
	bool may = realtime_is_allowed();
	log_begin(&line, may ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING,
	          may ? "ticks that are due have real-time priority" : "ticks that are due have no real-time priority");
	if (!may) {
		log_text(&line, "reason", strerror(EPERM));
		log_text(&line, "needs", "CAP_SYS_NICE or RLIMIT_RTPRIO 3");
		log_text(&line, "costs", "beside other computing threads they begin some milliseconds late, not tenths of one");
	}
	log_end(&line);
	return may;
}

static bool
daemon_start_pool(struct daemon *daemon)
{
	const struct config *config = daemon->config;
	daemon->free_workspaces = free_list_create();
	if (!daemon->free_workspaces)
		return fail("cannot start workers", "no memory");
	daemon->worker_count = count_workers(config);
	size_t jobs_max = config->session.requests_under_way_max;
	daemon->has_realtime = daemon_has_realtime(daemon);
	if (!daemon->has_realtime)
		memory_arenas_set(ARENAS_OTHER + ARENAS_PER_WORKER * daemon->worker_count);
	struct pool_options options = {
		.worker_count = daemon->worker_count,
		.spares_max = (unsigned)(jobs_max < DAEMON_SPARES_MAX ? jobs_max : DAEMON_SPARES_MAX),
		.quantum_ns = FAIR_QUANTUM_NS,
		.jobs_max = jobs_max,
		/* A request that was admitted is never refused: its lane has room for all there can be. */
		.queue_max = { [POOL_LANE_FRESH] = config->queue_max < jobs_max ? config->queue_max : jobs_max,
		               [POOL_LANE_STARTED] = jobs_max },
		.tasks_max = config->session.worlds.worlds_max,
		.slot_ns = CLOCKWORK_SLOT_NS,
		.realtime = daemon->has_realtime,
		.wake = on_done,
		.context = daemon,
	};
	if (pool_create(&options, &daemon->pool) != STATUS_OK)
		return fail("cannot start workers", "no memory or no thread");
	daemon->service.quotas = config_quotas(config);
	daemon->accounts = (struct client_accounts){ &daemon->service, daemon->pool, config->account_weights, NULL };
	return true;
}

static bool
daemon_start_worlds_or_fail(struct daemon *daemon)
{
	return daemon_start_worlds(daemon) || fail("cannot keep worlds", "no memory");
}

static bool
daemon_start_net(struct daemon *daemon)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGUSR1, SIGHUP };
	struct net_options options = daemon->config->net;
	options.connections_max = net_connections_possible(options.connections_max);
	if (options.connections_max < daemon->config->net.connections_max) {
		struct log_line line;
		log_begin(&line, LOG_LEVEL_WARNING, "fewer connections than configured: not enough file descriptors");
		log_number(&line, "connections_max", options.connections_max);
		log_end(&line);
	}
	if (net_create(&options, &net_handlers, daemon, &daemon->net) != STATUS_OK)
		return fail("cannot start the loop", "no memory or no descriptor");
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		if (net_handle_signal(daemon->net, signals[i]) != STATUS_OK)
			return fail("cannot handle signals", "no memory or no descriptor");
	return true;
}

static bool
daemon_listen(struct daemon *daemon)
{
	char host[CONFIG_HOST_BYTES];
	const char *port = NULL;
	const char *error = "not HOST:PORT";
	struct log_line line;
	if (!config_split_address(daemon->config->listen, host, &port) ||
	    net_listen(daemon->net, host, port, &error) != STATUS_OK) {
		log_begin(&line, LOG_LEVEL_ERROR, "cannot listen");
		log_text(&line, "listen", daemon->config->listen);
		log_text(&line, "reason", error);
		log_end(&line);
		return false;
	}
	if (!port_file_write(daemon->config->port_file, net_port(daemon->net)))
		return fail_file("cannot write the port file", daemon->config->port_file, strerror(errno));
	log_begin(&line, LOG_LEVEL_INFO, "ready");
	log_text(&line, "address", net_address(daemon->net));
	log_text(&line, "version", COLLIDED_VERSION);
	log_number(&line, "workers", count_workers(daemon->config));
	log_number(&line, "pid", (uint64_t)getpid());
	log_end(&line);
	if (!net_is_loopback(daemon->net))
		log_event(LOG_LEVEL_WARNING, "other machines can reach this port, which neither encrypts nor asks for a name");
	readiness_tell("READY=1");
	return true;
}

/* In the reverse order; a connection's end cancels what it has under way. */
static bool
daemon_finish(struct daemon *daemon)
{
	bool all = true;
	if (daemon->net) {
		/* Connections end now, workers may still wake the loop: it goes last. */
		net_close_connections(daemon->net);
	}
	/* Worlds may still tick; what they have told by now is recorded. */
	daemon_drop_news(daemon);
	daemon_close_files(daemon);
	/* It looks at the pool as long as it is there. */
	daemon_check_stop(daemon);
	if (daemon->pool)
		all = pool_stop(daemon->pool, DAEMON_WORKER_PATIENCE_MS);
	if (!all)
		return false;
	session_on_chunks(&daemon->service);
	daemon_drop_news(daemon);
	client_accounts_leave_pool(&daemon->accounts);
	pool_destroy(daemon->pool, on_discard);
	daemon_check_finish(daemon);
	daemon_drop_news(daemon);
	if (!daemon_finish_files(daemon, DAEMON_DISK_PATIENCE_MS))
		return false;
	daemon_finish_worlds(daemon);
	net_destroy(daemon->net);
	service_finish(&daemon->service);
	map_cache_destroy(daemon->service.maps);
	lock_destroy(daemon->maps_lock);
	free_list_destroy(daemon->free_workspaces, on_workspace_discard);
	buffer_finish(&daemon->refusal);
	return true;
}

enum daemon_result
daemon_run(const struct config *config, const struct config_inputs *inputs)
{
	struct daemon daemon = { .config = config, .inputs = inputs };
	log_configure(config->log_level, config->log_format, STDERR_FILENO);
	if (config->log_file[0] != '\0' && !log_open_file(config->log_file)) {
		(void)fail_file("cannot open the log file", config->log_file, strerror(errno));
		return DAEMON_FAILED;
	}
	service_init(&daemon.service, &config->session, make_instance_id(), clock_now_ns);
	daemon.service.yield_core = core_yield_point;
	daemon.service.checkpoint = pool_checkpoint;
	daemon.service.workers = (struct workers){ .count = workers_count, .run = workers_run, .context = &daemon };
	daemon.service.workspaces = (struct workspaces){ workspaces_take, workspaces_give, &daemon };
	daemon.service.notifier = (struct notifier){ .notify = on_done, .others_wait = others_wait, .context = &daemon };
	buffer_init(&daemon.refusal);
	bool ok = daemon_start_net(&daemon) && daemon_start_maps(&daemon) && daemon_start_pool(&daemon) &&
	          daemon_start_files(&daemon) && daemon_start_worlds_or_fail(&daemon) &&
	          daemon_check_set(&daemon, config->worlds_self_check) && daemon_listen(&daemon);
	if (ok) {
		if (daemon.has_realtime)
			realtime_share_begin(&daemon.loop_share, clock_now_ns());
		memory_keep(DAEMON_KEPT_BYTES);
		net_run(daemon.net);
		memory_keep(0);
		daemon_log_counters(&daemon);
	}
	bool finished = daemon_finish(&daemon);
	if (ok && config->port_file[0] != '\0')
		(void)unlink(config->port_file);
	log_tell_left_out();
	log_event(LOG_LEVEL_INFO, finished       ? "ended"
	                          : daemon.files ? "ended while a disk was waited for, or a worker was inside a tick"
	                                         : "ended while a worker was inside a tick");
	if (!finished)
		return DAEMON_STUCK;
	config_finish(&daemon.reloaded);
	return ok ? DAEMON_ENDED : DAEMON_FAILED;
}
