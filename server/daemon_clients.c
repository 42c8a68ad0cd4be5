/* Connections and their conversations: what net tells the session, and what the session asks of net and the pool. */
#include "daemon_private.h"

#include "base/clock.h"
#include "jobs/fair_queue.h"
#include "session/limits.h"
#include "session/make_room.h"

#include <stdlib.h>
#include <string.h>

/* Of what comes at once: more may take long, and ticks go before it. */
#define DAEMON_SHORT_BYTES 16384

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

static bool
host_withdraw(void *context, struct job *job)
{
	return pool_withdraw(((struct client *)context)->daemon->pool, job);
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
	.withdraw = host_withdraw,
	.call_later = host_call_later,
	.close = host_close,
};

static void
client_destroy(struct client *client)
{
	if (!client)
		return;
	session_destroy(client->session);
	pool_flow_release(client->flow);
	client_account_leave(client->account);
	free(client);
}

/* ---- net's handlers */

static void
client_start(struct client *client)
{
	struct daemon *daemon = client->daemon;
	struct address_key key = conn_address_key(client->conn);
	client->account = client_account_enter(&daemon->accounts, &key);
	if (client->account)
		client->flow = pool_flow_create(daemon->pool, client->account->flow, FAIR_WEIGHT_ONE);
	if (client->flow)
		client->session = session_create(&daemon->service, &client->account->share, &session_host, client);
}

void *
client_on_open(void *context, struct conn *conn, const char *peer)
{
	struct daemon *daemon = context;
	realtime_share_lower(&daemon->loop_share);
	struct client *client = calloc(1, sizeof *client);
	if (client) {
		*client = (struct client){ .daemon = daemon, .conn = conn, .opened_ns = clock_now_ns() };
		snprintf(client->peer, sizeof client->peer, "%s", peer);
		client_start(client);
	}
	if (!client || !client->session) {
		client_destroy(client);
		counters_add(&daemon->service.counters, "close", "NO_MEMORY", 1);
		return NULL;
	}
	counters_add(&daemon->service.counters, "connection", "OPENED", 1);
	return client;
}

bool
client_make_room(void *context, const struct address_key *key)
{
	struct daemon *daemon = context;
	size_t own_count = client_account_connections(&daemon->accounts, key);
	struct session *session = make_connection_room(&daemon->service, own_count);
	if (session)
		conn_give_place_up(((struct client *)session_host_context(session))->conn);
	return session != NULL;
}

size_t
client_on_refused(void *context, const char *peer, const char *reason, const uint8_t **bytes)
{
	struct daemon *daemon = context;
	struct wire_problem problem = { .status = STATUS_OK };
	struct log_line line;
	(void)wire_problem_set(&problem, STATUS_RESOURCE_EXHAUSTED, reason, "", "the server has as many connections as it may");
	problem.retry_after_ms = SESSION_RETRY_CONNECTION_MS;
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

void
client_on_bytes(void *context, const uint8_t *bytes, size_t count)
{
	struct client *client = context;
	daemon_works(client->daemon);
	if (count > DAEMON_SHORT_BYTES)
		realtime_share_lower(&client->daemon->loop_share);
	session_on_bytes(client->session, bytes, count);
}

void
client_on_end(void *context)
{
	session_on_end(((struct client *)context)->session);
}

void
client_on_sent(void *context, size_t count)
{
	struct client *client = context;
	session_on_sent(client->session, count);
	worlds_on_sent(client->daemon->service.worlds);
}

void
client_on_later(void *context)
{
	struct client *client = context;
	realtime_share_lower(&client->daemon->loop_share);
	session_on_later(client->session);
}

void
client_on_time(void *context)
{
	session_on_time(((struct client *)context)->session);
}

void
client_on_stood(void *context, uint64_t stood_ns)
{
	session_forgive(((struct client *)context)->session, stood_ns);
}

/* One that connected and left, or only asked whether the server is there, as health checks do. */
static bool
client_only_looked(const struct client *client, const char *reason)
{
	return !session_was_used(client->session) && (strcmp(reason, "END") == 0 || strcmp(reason, "PEER_RESET") == 0);
}

void
client_on_closed(void *context, const char *reason)
{
	struct client *client = context;
	struct daemon *daemon = client->daemon;
	struct log_line line;
	size_t count = 0;
	const uint8_t *name = session_client_name(client->session, &count);
	log_begin(&line, client_only_looked(client, reason) ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO, "connection closed");
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
