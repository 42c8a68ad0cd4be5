/* Signals: the end of the daemon, its counters, and its settings read again. */
#include "daemon_check.h"
#include "daemon_private.h"
#include "daemon_worlds.h"

#include "base/clock.h"
#include "base/memory.h"
#include "jobs/free_list.h"
#include "readiness.h"
#include "scene/map_cache.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* After the grace: time for worlds to have their last turn, and then for the last errors to reach their clients. */
#define DAEMON_ABORT_MS 2000
/* One for each worker is kept, more than that until they were not needed for so long. */
#define DAEMON_WORKSPACE_KEPT_NS CLOCK_NS_PER_S

static void
visit_drain(void *context)
{
	const struct client *client = context;
	session_drain(client->session, client->daemon->config->shutdown_grace_ms);
}

static void
visit_abort(void *context)
{
	session_abort(((struct client *)context)->session);
}

static void
daemon_abort(struct daemon *daemon)
{
	daemon->aborted = true;
	daemon->shutdown_ns = clock_now_ns() + DAEMON_ABORT_MS * CLOCK_NS_PER_MS;
	net_for_each(daemon->net, visit_abort);
}

/* Worlds first: their seats are told how they ended. */
static void
daemon_end(struct daemon *daemon)
{
	log_event(LOG_LEVEL_WARNING, "shutting down without waiting any longer");
	daemon->ending = true;
	daemon->shutdown_ns = clock_now_ns() + DAEMON_ABORT_MS * CLOCK_NS_PER_MS;
	worlds_end_all(daemon->service.worlds);
	session_settle_returned(&daemon->service);
	if (!worlds_are_ending(daemon->service.worlds))
		daemon_abort(daemon);
}

/* Those that were put to use when there was more to do at once; true: no more than needed are left. */
static bool
workspaces_release(struct daemon *daemon, uint64_t now_ns)
{
	struct workspace *workspace;
	if (now_ns - daemon->workspaces_ns >= DAEMON_WORKSPACE_KEPT_NS) {
		daemon->workspaces_ns = now_ns;
		while ((workspace = free_list_take_unused(daemon->free_workspaces, daemon->worker_count)))
			workspace_destroy(workspace);
	}
	return free_list_count(daemon->free_workspaces) <= daemon->worker_count;
}

void
daemon_on_tick(void *context)
{
	struct daemon *daemon = context;
	bool active = net_connection_count(daemon->net) > 0 || worlds_count(daemon->service.worlds) > 0;
	daemon_works(daemon);
	log_tell_left_out();
	active = !workspaces_release(daemon, clock_now_ns()) || active;
	trim_look(&daemon->trim, daemon->pool, active, clock_now_ns());
	daemon_worlds_on_time(daemon);
	if (!daemon->shutting_down)
		return;
	bool waited = clock_now_ns() >= daemon->shutdown_ns;
	if (daemon->ending && !daemon->aborted && (waited || !worlds_are_ending(daemon->service.worlds)))
		daemon_abort(daemon);
	else if (waited && !daemon->ending)
		daemon_end(daemon);
	else if (waited)
		net_stop(daemon->net);
}

static void
daemon_shut_down(struct daemon *daemon)
{
	if (daemon->shutting_down) {
		if (!daemon->ending)
			daemon_end(daemon);
		else if (!daemon->aborted)
			daemon_abort(daemon);
		return;
	}
	readiness_tell("STOPPING=1");
	daemon->shutting_down = true;
	daemon->shutdown_ns = clock_now_ns() + daemon->config->shutdown_grace_ms * CLOCK_NS_PER_MS;
	net_stop_listening(daemon->net);
	worlds_drain(daemon->service.worlds);
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
void
daemon_log_counters(struct daemon *daemon)
{
	const struct service *service = &daemon->service;
	struct log_line line;
	for (size_t i = 0; i < service->counters.count; i++) {
		const struct counter *counter = &service->counters.entries[i];
		log_begin_asked(&line, LOG_LEVEL_INFO, "counter");
		log_text(&line, "group", counter->group);
		log_text(&line, "name", counter->name);
		log_number(&line, "value", counter->value);
		log_end(&line);
	}
	if (service->maps) {
		struct map_cache_stats maps = map_cache_stats(service->maps);
		log_begin_asked(&line, LOG_LEVEL_INFO, "maps");
		log_number(&line, "hits", maps.hits);
		log_number(&line, "misses", maps.misses);
		log_number(&line, "evictions", maps.evictions);
		log_number(&line, "maps", maps.maps);
		log_number(&line, "bytes", maps.bytes);
		log_end(&line);
	}
	struct pool_stats stats = pool_stats(daemon->pool);
	struct turn_stats turns = { 0 };
	for (unsigned i = 0; i < daemon->worker_count; i++)
		pool_turn_stats_add(daemon->pool, i, &turns);
	log_begin_asked(&line, LOG_LEVEL_INFO, "worlds");
	log_number(&line, "worlds", worlds_count(daemon->service.worlds));
	log_number(&line, "turns", turns.turns);
	log_number(&line, "turns_cpu_us", turns.cpu_ns / 1000);
	log_number(&line, "beyond_reservation", turns.beyond);
	log_number(&line, "cut", turns.cut);
	log_number(&line, "moved", turns.moved);
	log_end(&line);
	daemon_check_log(daemon);
	daemon->reply_bytes = 0;
	net_for_each(daemon->net, visit_add_replies);
	log_begin_asked(&line, LOG_LEVEL_INFO, "state");
	log_number(&line, "connections", net_connection_count(daemon->net));
	log_number(&line, "requests", service->requests_under_way);
	log_number(&line, "request_bytes", service->memory_bytes);
	log_number(&line, "reply_bytes", daemon->reply_bytes);
	log_number(&line, "queued_fresh", stats.queued[POOL_LANE_FRESH]);
	log_number(&line, "queued_started", stats.queued[POOL_LANE_STARTED]);
	log_number(&line, "running", stats.running);
	log_number(&line, "put_aside", stats.put_aside);
	log_number(&line, "put_aside_now", stats.parked);
	log_number(&line, "lent", stats.lent);
	log_number(&line, "stretch_us", stats.stretch_ns / 1000);
	log_number(&line, "allocated_bytes", memory_used());
	log_number(&line, "resident_bytes", memory_resident());
	log_end(&line);
}

/* ---- settings that are read again */

static void
on_change(void *context, const char *name, bool reloads)
{
	struct log_line line;
	(void)context;
	if (!reloads) {
		log_begin_asked(&line, LOG_LEVEL_WARNING, "this setting has changed, and applies from the next start on");
		log_text(&line, "name", name);
		log_end(&line);
	}
}

static void
daemon_apply(struct daemon *daemon, const struct config *config)
{
	log_level_set(config->log_level);
	daemon->service.quotas = config_quotas(config);
	client_accounts_weigh(&daemon->accounts, config->account_weights);
	(void)daemon_check_set(daemon, config->worlds_self_check);
	net_set_connections_per_address(daemon->net, config->net.connections_per_address_max);
}

/* What is wrong leaves everything as it was. The limits that connections were told stay as they are. */
static void
daemon_reload(struct daemon *daemon)
{
	struct config config;
	struct config_sources sources;
	struct log_line line;
	char error[CONFIG_ERROR_BYTES];
	const char *log_file = daemon->config->log_file;
	if (log_file[0] != '\0' && !log_open_file(log_file)) {
		log_begin_asked(&line, LOG_LEVEL_ERROR, "cannot open the log file again");
		log_text(&line, "file", log_file);
		log_text(&line, "reason", strerror(errno));
		log_end(&line);
	}
	if (config_load(&config, &sources, daemon->inputs, error) != CONFIG_RUN) {
		log_begin_asked(&line, LOG_LEVEL_ERROR, "the settings stay as they are");
		log_text(&line, "reason", error);
		log_end(&line);
		return;
	}
	daemon_apply(daemon, &config);
	config_changes(daemon->config, &config, on_change, NULL);
	config_finish(&daemon->reloaded); /* what it lent is not used any more */
	daemon->reloaded = config;
	log_begin_asked(&line, LOG_LEVEL_INFO, "settings read again");
	log_end(&line);
}

void
daemon_on_signal(void *context, int number)
{
	struct daemon *daemon = context;
	struct log_line line;
	if (number == SIGUSR1) {
		daemon_log_counters(daemon);
		return;
	}
	if (number == SIGHUP) {
		daemon_reload(daemon);
		return;
	}
	log_begin(&line, LOG_LEVEL_INFO, "shutting down");
	log_number(&line, "signal", (uint64_t)number);
	log_number(&line, "connections", net_connection_count(daemon->net));
	log_number(&line, "requests", daemon->service.requests_under_way);
	log_end(&line);
	daemon_shut_down(daemon);
}
