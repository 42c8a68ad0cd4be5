/* One loop thread, a pool of workers, and the wires between the layers:
 *
 *     net -- on_bytes ----------> session -- submit --> pool -- job->run on a worker
 *     net <- conn_send, close --- session <- job->done <- done list <- wake */
#include "daemon.h"

#include "account.h"
#include "base/check.h"
#include "base/clock.h"
#include "jobs/core_yield.h"
#include "jobs/cores.h"
#include "jobs/fair_queue.h"
#include "jobs/free_list.h"
#include "jobs/lock.h"
#include "jobs/pool.h"
#include "port_file.h"
#include "readiness.h"
#include "scene/map_cache.h"
#include "session/session.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define DAEMON_ABORT_MS 2000 /* after the grace: time for the last errors to reach their clients */
/* For workers to come to the end of their tick once everything else is over. */
#define DAEMON_WORKER_PATIENCE_MS 3000
/* Threads for requests that are put aside: one for each request under way, up to so many. Less would not do: a few addresses
 * with long ticks would hold all threads, and no other request could begin. */
#define DAEMON_SPARES_MAX 512
/* Jobs taken back from the pool at once. */
#define DAEMON_DONE_BATCH 64
/* Of a workspace that is kept for the next worker: what small worlds need, and about what a core's own cache holds. */
#define DAEMON_WORKSPACE_BYTES_MAX (1u << 20)

struct daemon {
	/* Immutable once running. */
	const struct config *config;
	struct pool *pool;
	struct net *net;

	struct free_list *free_workspaces; /* workspaces that no worker is using */
	struct lock *maps_lock;            /* of service.maps */

	/* Loop only. */
	struct service service;
	struct buffer refusal; /* what a refused connection is told */
	struct account *accounts;
	bool shutting_down, aborted;
	uint64_t reply_bytes; /* of all clients, as last added up */
	uint64_t shutdown_ns; /* when the grace, then the abort ends */
};

/* A connection and its conversation; the context of both. */
struct client {
	struct daemon *daemon;
	struct account *account;
	struct flow *flow; /* what its requests share with those of others */
	struct conn *conn;
	struct session *session;
	uint64_t opened_ns;
	char peer[NET_ADDRESS_BYTES];
};

/* ---- session's outside */

static size_t
host_send(void *context, struct shared_bytes *const *blocks, size_t count)
{
	return conn_send(((struct client *)context)->conn, blocks, count);
}

static void
host_set_reading(void *context, bool reading)
{
	conn_set_reading(((struct client *)context)->conn, reading);
}

static enum status
host_submit(void *context, struct job *job, bool started)
{
	struct client *client = context;
	return pool_submit(client->daemon->pool, client->flow, started ? POOL_LANE_STARTED : POOL_LANE_FRESH, job);
}

static void
host_call_later(void *context)
{
	conn_call_later(((struct client *)context)->conn);
}

static void
host_close(void *context, const char *reason, bool flush)
{
	conn_close(((struct client *)context)->conn, reason, flush);
}

static const struct session_host session_host = {
	.send = host_send,
	.set_reading = host_set_reading,
	.submit = host_submit,
	.call_later = host_call_later,
	.close = host_close,
};

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

static void
client_destroy(struct client *client)
{
	if (!client)
		return;
	session_destroy(client->session);
	pool_flow_release(client->flow);
	account_leave(&client->daemon->accounts, client->account);
	free(client);
}

/* ---- net's handlers */

static void *
on_open(void *context, struct conn *conn, const char *peer)
{
	struct daemon *daemon = context;
	struct client *client = calloc(1, sizeof *client);
	if (client) {
		*client = (struct client){ .daemon = daemon, .conn = conn, .opened_ns = clock_now_ns() };
		snprintf(client->peer, sizeof client->peer, "%s", peer);
		client->account = account_enter(&daemon->accounts, daemon->pool, conn);
		client->flow = client->account ? pool_flow_create(daemon->pool, client->account->flow, FAIR_WEIGHT_ONE) : NULL;
		client->session = client->flow ? session_create(&daemon->service, &session_host, client) : NULL;
	}
	if (!client || !client->session) {
		client_destroy(client);
		counters_add(&daemon->service.counters, "close", "NO_MEMORY", 1);
		return NULL;
	}
	counters_add(&daemon->service.counters, "connection", "OPENED", 1);
	return client;
}

static size_t
on_refused(void *context, const char *peer, const char *reason, const uint8_t **bytes)
{
	struct daemon *daemon = context;
	struct wire_problem problem = { .status = STATUS_OK };
	struct log_line line;
	(void)wire_problem_set(&problem, STATUS_RESOURCE_EXHAUSTED, reason, "", "the server has as many connections as it may");
	problem.retry_after_ms = 1000;
	daemon->refusal.count = 0;
	wire_error_append(&daemon->refusal, 0, &problem);
	counters_add(&daemon->service.counters, "connection_refused", reason, 1);
	log_begin(&line, LOG_LEVEL_DEBUG, "connection refused");
	log_text(&line, "peer", peer);
	log_text(&line, "reason", reason);
	log_end(&line);
	*bytes = daemon->refusal.bytes;
	return daemon->refusal.count;
}

static void
on_bytes(void *context, const uint8_t *bytes, size_t count)
{
	session_on_bytes(((struct client *)context)->session, bytes, count);
}

static void
on_end(void *context)
{
	session_on_end(((struct client *)context)->session);
}

static void
on_sent(void *context, size_t count)
{
	session_on_sent(((struct client *)context)->session, count);
}

static void
on_later(void *context)
{
	session_on_later(((struct client *)context)->session);
}

static void
on_time(void *context)
{
	session_on_time(((struct client *)context)->session);
}

static void
on_closed(void *context, const char *reason)
{
	struct client *client = context;
	struct daemon *daemon = client->daemon;
	struct log_line line;
	size_t count = 0;
	const uint8_t *name = session_client_name(client->session, &count);
	log_begin(&line, LOG_LEVEL_INFO, "connection closed");
	log_text(&line, "peer", client->peer);
	log_bytes(&line, "client", name, count);
	log_text(&line, "reason", reason);
	log_number(&line, "open_ms", (clock_now_ns() - client->opened_ns) / CLOCK_NS_PER_MS);
	log_end(&line);
	counters_add(&daemon->service.counters, "close", reason, 1);
	client_destroy(client);
	if (daemon->shutting_down && net_connection_count(daemon->net) == 0)
		net_stop(daemon->net);
}

static void
on_wake(void *context)
{
	struct daemon *daemon = context;
	struct job *jobs[DAEMON_DONE_BATCH];
	size_t count = 0;
	do {
		count = pool_take_done(daemon->pool, jobs, DAEMON_DONE_BATCH);
		session_on_chunks(&daemon->service);
		for (size_t i = 0; i < count; i++)
			jobs[i]->done(jobs[i]);
		session_settle_returned(&daemon->service);
	} while (count == DAEMON_DONE_BATCH);
}

static void
visit_drain(void *context)
{
	session_drain(((struct client *)context)->session);
}

static void
visit_abort(void *context)
{
	session_abort(((struct client *)context)->session);
}

static void
daemon_abort(struct daemon *daemon)
{
	log_event(LOG_LEVEL_WARNING, "shutting down without waiting any longer");
	daemon->aborted = true;
	daemon->shutdown_ns = clock_now_ns() + DAEMON_ABORT_MS * CLOCK_NS_PER_MS;
	net_for_each(daemon->net, visit_abort);
}

static void
on_tick(void *context)
{
	struct daemon *daemon = context;
	if (!daemon->shutting_down || clock_now_ns() < daemon->shutdown_ns)
		return;
	if (!daemon->aborted)
		daemon_abort(daemon);
	else
		net_stop(daemon->net);
}

static void
daemon_shut_down(struct daemon *daemon)
{
	if (daemon->shutting_down) {
		if (!daemon->aborted)
			daemon_abort(daemon);
		return;
	}
	readiness_tell("STOPPING=1");
	daemon->shutting_down = true;
	daemon->shutdown_ns = clock_now_ns() + daemon->config->shutdown_grace_ms * CLOCK_NS_PER_MS;
	net_stop_listening(daemon->net);
	net_for_each(daemon->net, visit_drain);
	if (net_connection_count(daemon->net) == 0)
		net_stop(daemon->net);
}

static void
visit_add_replies(void *context)
{
	struct client *client = context;
	client->daemon->reply_bytes += session_queued_bytes(client->session);
}

/* One line each, so that any number of counters fits. */
static void
daemon_log_counters(struct daemon *daemon)
{
	const struct service *service = &daemon->service;
	struct log_line line;
	for (size_t i = 0; i < service->counters.count; i++) {
		const struct counter *counter = &service->counters.entries[i];
		log_begin(&line, LOG_LEVEL_INFO, "counter");
		log_text(&line, "group", counter->group);
		log_text(&line, "name", counter->name);
		log_number(&line, "value", counter->value);
		log_end(&line);
	}
	if (service->maps) {
		struct map_cache_stats maps = map_cache_stats(service->maps);
		log_begin(&line, LOG_LEVEL_INFO, "maps");
		log_number(&line, "hits", maps.hits);
		log_number(&line, "misses", maps.misses);
		log_number(&line, "evictions", maps.evictions);
		log_number(&line, "maps", maps.maps);
		log_number(&line, "bytes", maps.bytes);
		log_end(&line);
	}
	struct pool_stats stats = pool_stats(daemon->pool);
	daemon->reply_bytes = 0;
	net_for_each(daemon->net, visit_add_replies);
	log_begin(&line, LOG_LEVEL_INFO, "state");
	log_number(&line, "connections", net_connection_count(daemon->net));
	log_number(&line, "requests", service->requests_under_way);
	log_number(&line, "request_bytes", service->memory_bytes);
	log_number(&line, "reply_bytes", daemon->reply_bytes);
	log_number(&line, "queued_fresh", stats.queued[POOL_LANE_FRESH]);
	log_number(&line, "queued_started", stats.queued[POOL_LANE_STARTED]);
	log_number(&line, "running", stats.running);
	log_number(&line, "put_aside", stats.put_aside);
	log_number(&line, "put_aside_now", stats.parked);
	log_number(&line, "stretch_us", stats.stretch_ns / 1000);
	log_end(&line);
}

static void
on_signal(void *context, int number)
{
	struct daemon *daemon = context;
	struct log_line line;
	if (number == SIGUSR1) {
		daemon_log_counters(daemon);
		return;
	}
	log_begin(&line, LOG_LEVEL_INFO, "shutting down");
	log_number(&line, "signal", (uint64_t)number);
	log_number(&line, "connections", net_connection_count(daemon->net));
	log_number(&line, "requests", daemon->service.requests_under_way);
	log_end(&line);
	daemon_shut_down(daemon);
}

static const struct net_handlers net_handlers = {
	.on_open = on_open,
	.on_refused = on_refused,
	.on_bytes = on_bytes,
	.on_end = on_end,
	.on_sent = on_sent,
	.on_later = on_later,
	.on_time = on_time,
	.on_closed = on_closed,
	.on_wake = on_wake,
	.on_tick = on_tick,
	.on_signal = on_signal,
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

/* ---- and the walls that scenes have in common, with a secret key of this process. */

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
	struct pool_stats stats = pool_stats(((struct daemon *)context)->pool);
	return stats.queued[POOL_LANE_FRESH] + stats.queued[POOL_LANE_STARTED] > 0;
}

static bool
daemon_start_pool(struct daemon *daemon)
{
	const struct config *config = daemon->config;
	daemon->free_workspaces = free_list_create();
	if (!daemon->free_workspaces)
		return fail("cannot start workers", "no memory");
	size_t jobs_max = config->session.requests_under_way_max;
	struct pool_options options = {
		.worker_count = count_workers(config),
		.spares_max = (unsigned)(jobs_max < DAEMON_SPARES_MAX ? jobs_max : DAEMON_SPARES_MAX),
		.quantum_ns = FAIR_QUANTUM_NS,
		.jobs_max = jobs_max,
		/* A request that was admitted is never refused: its lane has room for all there can be. */
		.queue_max = { [POOL_LANE_FRESH] = config->queue_max < jobs_max ? config->queue_max : jobs_max,
		               [POOL_LANE_STARTED] = jobs_max },
		.wake = on_done,
		.context = daemon,
	};
	return pool_create(&options, &daemon->pool) == STATUS_OK || fail("cannot start workers", "no memory or no thread");
}

static bool
daemon_start_net(struct daemon *daemon)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGUSR1 };
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
		return fail("cannot write the port file", strerror(errno));
	log_begin(&line, LOG_LEVEL_INFO, "ready");
	log_text(&line, "address", net_address(daemon->net));
	log_text(&line, "version", COLLIDED_VERSION);
	log_number(&line, "workers", count_workers(daemon->config));
	log_number(&line, "pid", (uint64_t)getpid());
	log_end(&line);
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
	if (daemon->pool)
		all = pool_stop(daemon->pool, DAEMON_WORKER_PATIENCE_MS);
	if (!all)
		return false;
	session_on_chunks(&daemon->service);
	pool_destroy(daemon->pool, on_discard);
	net_destroy(daemon->net);
	service_finish(&daemon->service);
	map_cache_destroy(daemon->service.maps);
	lock_destroy(daemon->maps_lock);
	free_list_destroy(daemon->free_workspaces, on_workspace_discard);
	buffer_finish(&daemon->refusal);
	return true;
}

enum daemon_result
daemon_run(const struct config *config)
{
	struct daemon daemon = { .config = config };
	log_configure(config->log_level, config->log_format, STDERR_FILENO);
	service_init(&daemon.service, &config->session, make_instance_id(), clock_now_ns);
	daemon.service.yield_core = core_yield_point;
	daemon.service.checkpoint = pool_checkpoint;
	daemon.service.workers = (struct workers){ .count = workers_count, .run = workers_run, .context = &daemon };
	daemon.service.workspaces = (struct workspaces){ workspaces_take, workspaces_give, &daemon };
	daemon.service.notifier = (struct notifier){ .notify = on_done, .others_wait = others_wait, .context = &daemon };
	buffer_init(&daemon.refusal);
	bool ok = daemon_start_net(&daemon) && daemon_start_maps(&daemon) && daemon_start_pool(&daemon) && daemon_listen(&daemon);
	if (ok) {
		net_run(daemon.net);
		daemon_log_counters(&daemon);
	}
	bool finished = daemon_finish(&daemon);
	if (ok && config->port_file[0] != '\0')
		(void)unlink(config->port_file);
	log_event(LOG_LEVEL_INFO, finished ? "ended" : "ended while a worker was inside a tick");
	if (!finished)
		return DAEMON_STUCK;
	return ok ? DAEMON_ENDED : DAEMON_FAILED;
}
