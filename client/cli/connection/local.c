/* Both ends of a conversation on one thread. An exchange gives the client's bytes to the session. If there are none, it runs
 * the job that the session has submitted, and gives its replies to the client.
 *
 * What can go wrong: no memory at either end, which ends the conversation. */
#include "client/cli/connection/local.h"

#include "base/clock.h"
#include "client/cli/terminal/interrupt.h"
#include "client/lib/client.h"
#include "jobs/pool.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For idle threads to end. */
#define HELPERS_PATIENCE_MS 60000
/* The server's instance id: with one client there are no two to tell apart. */
#define INSTANCE_ID 1

struct local {
	struct service service;
	struct session *session;
	struct collide_core *core; /* the client's, during an exchange */
	struct job *job;           /* submitted by the session; NULL: none */
	bool reading, later_asked;
	bool failed;          /* no memory for the client's input, or the session has ended */
	struct pool *helpers; /* NULL: none */
	unsigned threads;     /* the helpers and this one */
};

/* ---- The session's host ---- */

static void
core_give(struct local *local, const uint8_t *bytes, size_t count)
{
	for (size_t at = 0; at < count && !local->failed;) {
		size_t room, left = count - at;
		void *to = collide_core_input(local->core, &room);
		if (!to) {
			local->failed = true;
			break;
		}
		size_t piece = left < room ? left : room;
		memcpy(to, bytes + at, piece);
		collide_core_received(local->core, piece);
		at += piece;
	}
}

/* Takes everything at once: this client never makes the session wait. */
static size_t
host_send(void *context, struct shared_bytes *const *blocks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		core_give(context, blocks[i]->bytes, blocks[i]->count);
		shared_bytes_release(blocks[i]);
	}
	return 0;
}

static void
host_set_reading(void *context, bool reading)
{
	((struct local *)context)->reading = reading;
}

static enum status
host_submit(void *context, struct job *job, bool started)
{
	struct local *local = context;
	(void)started;
	if (local->job)
		return STATUS_RESOURCE_EXHAUSTED;
	local->job = job;
	return STATUS_OK;
}

static void
host_call_later(void *context)
{
	((struct local *)context)->later_asked = true;
}

static void
host_close(void *context, const char *reason, bool flush)
{
	(void)reason;
	(void)flush;
	((struct local *)context)->failed = true;
}

static const struct session_host HOST = {
	.send = host_send,
	.set_reading = host_set_reading,
	.submit = host_submit,
	.call_later = host_call_later,
	.close = host_close,
};

static bool
host_cancels_all(void)
{
	return interrupt_came(NULL);
}

static unsigned
workers_count(void *context)
{
	return ((struct local *)context)->threads;
}

static void
workers_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	pool_share(((struct local *)context)->helpers, count, piece, argument);
}

/* ---- The client's link ---- */

/* Runs the job's next slice and hands its replies over. */
static void
local_run_job(struct local *local)
{
	struct job *job = local->job;
	local->job = NULL;
	job->run(job);
	job->done(job);
	session_settle_returned(&local->service);
}

/* The client's output goes before its input, so that a ping or a cancel is answered between two slices. */
static bool
local_exchange(void *context, struct collide_core *core, int wait_ms, struct collide_error *error)
{
	struct local *local = context;
	size_t count;
	const void *bytes = collide_core_output(core, &count);
	(void)wait_ms;
	local->core = core;
	if (!local->failed && local->later_asked) {
		local->later_asked = false;
		session_on_later(local->session);
	} else if (!local->failed && count > 0 && local->reading) {
		session_on_bytes(local->session, bytes, count);
		collide_core_sent(core, count);
	} else if (!local->failed && local->job) {
		local_run_job(local);
	} else {
		local->failed = true; /* no bytes can come any more */
	}
	local->core = NULL;
	if (local->failed && error) {
		*error = (struct collide_error){ .code = COLLIDE_RESOURCE_EXHAUSTED,
			                             .origin = COLLIDE_FROM_LIBRARY,
			                             .reason = "LOCAL" };
		snprintf(error->text, sizeof error->text, "no memory");
	}
	return !local->failed;
}

static void
local_close(void *context)
{
	struct local *local = context;
	session_destroy(local->session);
	if (local->job) {
		/* It is cancelled and does no more work; its end releases it. */
		local->job->run(local->job);
		local->job->done(local->job);
	}
	service_finish(&local->service);
	if (local->helpers && pool_stop(local->helpers, HELPERS_PATIENCE_MS))
		pool_destroy(local->helpers, NULL);
	free(local);
}

/* A daemon's limits, without those that protect it from clients. */
static struct session_limits
local_limits(void)
{
	struct session_limits limits = session_limits_default();
	limits.scene.deadline_ms_max = 0;
	limits.message_bytes_max = UINT32_MAX;
	limits.memory_total_bytes_max = UINT64_MAX / 2;
	limits.ping_interval_ms = limits.hello_timeout_ms = limits.frame_timeout_ms = 0;
	return limits;
}

static struct local *
local_create(unsigned threads)
{
	const struct session_limits limits = local_limits();
	struct local *local = calloc(1, sizeof *local);
	if (!local)
		return NULL;
	local->reading = true;
	local->threads = threads;
	service_init(&local->service, &limits, INSTANCE_ID, clock_now_ns);
	local->service.cancels_all = host_cancels_all;
	local->session = session_create(&local->service, NULL, &HOST, local);
	if (!local->session || (threads > 1 && pool_create_helpers(threads - 1, &local->helpers) != STATUS_OK)) {
		local_close(local);
		return NULL;
	}
	if (local->helpers)
		local->service.workers = (struct workers){ .count = workers_count, .run = workers_run, .context = local };
	return local;
}

struct collide_client *
local_open(unsigned threads, const struct collide_options *options, struct collide_error *error)
{
	struct local *local = local_create(threads);
	if (!local) {
		if (error) {
			*error = (struct collide_error){ .code = COLLIDE_RESOURCE_EXHAUSTED,
				                             .origin = COLLIDE_FROM_LIBRARY,
				                             .reason = "LOCAL" };
			snprintf(error->text, sizeof error->text, "no memory or no thread");
		}
		return NULL;
	}
	const struct client_link link = { .exchange = local_exchange, .close = local_close, .context = local };
	return client_over_link(&link, options, error);
}
