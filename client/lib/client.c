/* The blocking client: a socket, or another link, under a collide_core.
 *
 * Every call is one request and a loop that moves bytes until its final reply. Events of other requests are skipped: late
 * answers to a cancel, or to a ping that was given up. */
#include "client/lib/client.h"

#include "client/lib/failure.h"
#include "client/lib/socket.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct collide_client {
	int descriptor;          /* of a socket; -1 with a link */
	struct client_link link; /* all 0 with a socket */
	struct collide_core *core;
	struct collide_welcome welcome;
	uint32_t reply_timeout_ms;
	bool (*stop)(void *context); /* may be NULL */
	void *stop_context;
};

int
collide_client_descriptor(const struct collide_client *client)
{
	return client->descriptor;
}

struct collide_core *
collide_client_core(struct collide_client *client)
{
	return client->core;
}

const struct collide_welcome *
collide_client_welcome(const struct collide_client *client)
{
	return &client->welcome;
}

static bool
client_receive(struct collide_client *client, struct collide_error *error)
{
	size_t room;
	void *to = collide_core_input(client->core, &room);
	if (!to)
		return failure_memory(error);
	ptrdiff_t moved = socket_receive(client->descriptor, to, room, error);
	if (moved < 0)
		return false;
	collide_core_received(client->core, (size_t)moved);
	return true;
}

static bool
client_send(struct collide_client *client, struct collide_error *error)
{
	size_t count;
	const void *bytes = collide_core_output(client->core, &count);
	if (count == 0)
		return true;
	ptrdiff_t moved = socket_send(client->descriptor, bytes, count, error);
	if (moved < 0)
		return false;
	collide_core_sent(client->core, (size_t)moved);
	return true;
}

bool
collide_client_exchange(struct collide_client *client, int wait_ms, struct collide_error *error)
{
	size_t to_send;
	bool readable, writable;
	if (client->link.exchange)
		return client->link.exchange(client->link.context, client->core, wait_ms, error);
	(void)collide_core_output(client->core, &to_send);
	if (!socket_wait(client->descriptor, to_send > 0, wait_ms, &readable, &writable, error))
		return false;
	if (readable && !client_receive(client, error))
		return false;
	/* If a server refuses and closes, sending fails while its reason can still be read. So reading goes first, and a failure to
	 * send is reported only if there was nothing to read. */
	struct collide_error ignored;
	return !writable || client_send(client, readable ? &ignored : error) || readable;
}

/* Milliseconds from now, as poll takes them. */
static int
wait_until(int64_t deadline_ms)
{
	int64_t left = deadline_ms - clock_ms();
	return left <= 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* Of the request, or of the whole connection. That the server is about to end (Draining) changes no answer. */
static bool
event_is_for(const struct collide_event *event, uint64_t request_id)
{
	return event->request_id == request_id || (event->request_id == 0 && event->kind != COLLIDE_EVENT_DRAINING);
}

/* Waits until the deadline for the next event of the request, or of the whole connection. */
static bool
client_await(struct collide_client *client, uint64_t request_id, int64_t deadline_ms, struct collide_event *event,
             struct collide_error *error)
{
	for (;;) {
		while (collide_core_next(client->core, event))
			if (event_is_for(event, request_id))
				return true;
		if (clock_ms() >= deadline_ms)
			return failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_DEADLINE_EXCEEDED, "TIMEOUT",
			                   "the server did not answer in time");
		if (!collide_client_exchange(client, wait_until(deadline_ms), error))
			return false;
	}
}

/* Passes on the error of an unexpected event. Always false. */
static bool
event_refused(const struct collide_event *event, struct collide_error *error)
{
	if (!error)
		return false;
	if (event->kind == COLLIDE_EVENT_ERROR || event->kind == COLLIDE_EVENT_FAILED)
		*error = *event->as.error;
	else
		failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_INTERNAL, "MALFORMED_REPLY", "an unexpected reply");
	return false;
}

/* Waits for the one reply of a request, which must be of this kind. */
static bool
client_ask(struct collide_client *client, uint64_t request_id, enum collide_event_kind kind, int64_t deadline_ms,
           struct collide_event *event, struct collide_error *error)
{
	if (request_id == 0 || !client_await(client, request_id, deadline_ms, event, error))
		return false;
	return event->kind == kind || event_refused(event, error);
}

static bool
client_hello(struct collide_client *client, int64_t deadline_ms, struct collide_error *error)
{
	struct collide_event event;
	uint64_t request_id = collide_core_hello(client->core, error);
	if (!client_ask(client, request_id, COLLIDE_EVENT_WELCOME, deadline_ms, &event, error))
		return false;
	client->welcome = *event.as.welcome;
	return true;
}

/* A client without a server yet. */
static struct collide_client *
client_create(const struct collide_options *options, struct collide_error *error)
{
	struct collide_client *client = calloc(1, sizeof *client);
	struct collide_core *core = collide_core_create(options);
	if (!client || !core) {
		free(client);
		collide_core_destroy(core);
		failure_memory(error);
		return NULL;
	}
	client->descriptor = -1;
	client->core = core;
	client->reply_timeout_ms = options->reply_timeout_ms != 0 ? options->reply_timeout_ms : CLIENT_REPLY_TIMEOUT_MS;
	client->stop = options->stop;
	client->stop_context = options->stop_context;
	return client;
}

static const struct collide_options option_defaults = { 0 };

static int64_t
connect_deadline_ms(const struct collide_options *options)
{
	return clock_ms() + (options->connect_timeout_ms != 0 ? options->connect_timeout_ms : CLIENT_CONNECT_TIMEOUT_MS);
}

struct collide_client *
collide_connect(const char *address, const struct collide_options *options, struct collide_error *error)
{
	if (!options)
		options = &option_defaults;
	int64_t deadline_ms = connect_deadline_ms(options);
	struct collide_client *client = client_create(options, error);
	if (!client)
		return NULL;
	client->descriptor = socket_connect(address, deadline_ms, error);
	if (client->descriptor < 0 || !client_hello(client, deadline_ms, error)) {
		collide_close(client);
		return NULL;
	}
	return client;
}

struct collide_client *
client_over_link(const struct client_link *link, const struct collide_options *options, struct collide_error *error)
{
	if (!options)
		options = &option_defaults;
	struct collide_client *client = client_create(options, error);
	if (!client) {
		link->close(link->context);
		return NULL;
	}
	client->link = *link;
	if (!client_hello(client, connect_deadline_ms(options), error)) {
		collide_close(client);
		return NULL;
	}
	return client;
}

void
collide_close(struct collide_client *client)
{
	if (!client)
		return;
	if (client->descriptor >= 0)
		close(client->descriptor);
	collide_core_destroy(client->core);
	if (client->link.close)
		client->link.close(client->link.context);
	free(client);
}

static double
clock_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool
collide_ping(struct collide_client *client, double *seconds, struct collide_error *error)
{
	struct collide_event event;
	int64_t deadline_ms = clock_ms() + client->reply_timeout_ms;
	double start = clock_seconds();
	uint64_t request_id = collide_core_ping(client->core, NULL, 0, error);
	if (!client_ask(client, request_id, COLLIDE_EVENT_PONG, deadline_ms, &event, error))
		return false;
	if (seconds)
		*seconds = clock_seconds() - start;
	return true;
}

bool
collide_describe(struct collide_client *client, const void **bytes, size_t *count, struct collide_error *error)
{
	struct collide_event event;
	int64_t deadline_ms = clock_ms() + client->reply_timeout_ms;
	uint64_t request_id = collide_core_describe(client->core, error);
	if (!client_ask(client, request_id, COLLIDE_EVENT_DESCRIBED, deadline_ms, &event, error))
		return false;
	*bytes = event.as.data.bytes;
	*count = event.as.data.count;
	return true;
}

/* A long wait without a deadline. While bytes come, the other end is alive; after silence a ping is sent. A server that only
 * takes bytes, slowly, is given the time. */
struct keepalive {
	uint64_t sent, received;
	int64_t heard_at_ms; /* when bytes last came, or went before the ping */
	int64_t silence_ms;  /* until a ping is sent */
	bool asked;          /* a ping is unanswered */
};

static void
keepalive_init(struct keepalive *keepalive, const struct collide_client *client)
{
	uint32_t interval_ms = client->welcome.ping_interval_ms;
	*keepalive = (struct keepalive){
		.heard_at_ms = clock_ms(),
		.silence_ms = interval_ms > 0 && interval_ms < client->reply_timeout_ms ? interval_ms : client->reply_timeout_ms,
	};
}

/* Checks whether bytes moved; sends a ping, or gives up. */
static bool
keepalive_check(struct keepalive *keepalive, struct collide_client *client, struct collide_error *error)
{
	uint64_t sent, received;
	int64_t now_ms = clock_ms();
	collide_core_traffic(client->core, &sent, &received);
	if (received != keepalive->received || (sent != keepalive->sent && !keepalive->asked)) {
		keepalive->heard_at_ms = now_ms;
		keepalive->asked = false;
	}
	keepalive->sent = sent;
	keepalive->received = received;
	if (!keepalive->asked && now_ms - keepalive->heard_at_ms >= keepalive->silence_ms) {
		keepalive->asked = true;
		return collide_core_ping(client->core, NULL, 0, error) != 0;
	}
	if (now_ms - keepalive->heard_at_ms >= keepalive->silence_ms + client->reply_timeout_ms)
		return failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "SILENT", "the server stopped answering");
	return true;
}

static int64_t
keepalive_next_ms(const struct keepalive *keepalive, const struct collide_client *client)
{
	return keepalive->heard_at_ms + keepalive->silence_ms + (keepalive->asked ? client->reply_timeout_ms : 0);
}

/* A Simulate, Detect, Respond, Query or GetMap in progress. Only the callback of its kind is used, and it may be NULL. */
struct pending_request {
	uint64_t request_id;
	collide_frame_fn on_frame;
	collide_snapshot_fn on_snapshot;
	collide_detected_fn on_detected;
	collide_responded_fn on_responded;
	collide_queried_fn on_queried;
	collide_map_segments_fn on_map_segments;
	void *context;
	bool cancelled; /* by a callback */
	bool silent;    /* a callback has returned false, and is not called again */
	bool of_world;  /* a SnapshotWorld, which ends with its snapshot */
};

/* Whether the event is the last of its request. */
static bool
event_is_final(const struct pending_request *pending, const struct collide_event *event)
{
	switch (event->kind) {
	case COLLIDE_EVENT_FRAME: return false;
	case COLLIDE_EVENT_SNAPSHOT: return pending->of_world;
	case COLLIDE_EVENT_DETECTED: return !event->as.detected->more;
	case COLLIDE_EVENT_RESPONDED: return !event->as.responded->more;
	case COLLIDE_EVENT_QUERIED: return !event->as.queried->more;
	case COLLIDE_EVENT_MAP_SEGMENTS: return !event->as.map_segments->more;
	default: return true;
	}
}

/* Calls the callback with a frame or part, and returns its result. */
static bool
pending_wants_more(const struct pending_request *pending, const struct collide_event *event)
{
	switch (event->kind) {
	case COLLIDE_EVENT_FRAME: return !pending->on_frame || pending->on_frame(pending->context, event->as.frame);
	case COLLIDE_EVENT_SNAPSHOT: return !pending->on_snapshot || pending->on_snapshot(pending->context, event->as.snapshot);
	case COLLIDE_EVENT_DETECTED: return !pending->on_detected || pending->on_detected(pending->context, event->as.detected);
	case COLLIDE_EVENT_RESPONDED: return !pending->on_responded || pending->on_responded(pending->context, event->as.responded);
	case COLLIDE_EVENT_QUERIED: return !pending->on_queried || pending->on_queried(pending->context, event->as.queried);
	case COLLIDE_EVENT_MAP_SEGMENTS:
		return !pending->on_map_segments || pending->on_map_segments(pending->context, event->as.map_segments);
	default: return true;
	}
}

/* Gives a frame or part to the callback, which may end the request. */
static bool
pending_part(struct collide_client *client, struct pending_request *pending, const struct collide_event *event,
             struct collide_error *error)
{
	if (pending->silent || pending_wants_more(pending, event))
		return true;
	pending->silent = true;
	if (pending->cancelled)
		return true;
	pending->cancelled = true;
	return event_is_final(pending, event) || collide_core_cancel(client->core, pending->request_id, error) != 0;
}

/* Cancels once if the client's stop function asks for it. */
static bool
pending_check_stop(struct collide_client *client, struct pending_request *pending, struct collide_error *error)
{
	if (pending->cancelled || !client->stop || !client->stop(client->stop_context))
		return true;
	pending->cancelled = true;
	return collide_core_cancel(client->core, pending->request_id, error) != 0;
}

/* How long to wait for bytes: until the next ping, timeout or question whether to stop. */
static int
pending_wait_ms(const struct collide_client *client, const struct pending_request *pending, const struct keepalive *keepalive)
{
	int wait_ms = wait_until(keepalive_next_ms(keepalive, client));
	bool asks = client->stop != NULL && !pending->cancelled;
	return asks && wait_ms > CLIENT_STOP_INTERVAL_MS ? CLIENT_STOP_INTERVAL_MS : wait_ms;
}

/* Moves bytes until the request's final reply is in *event. */
static bool
pending_until_final(struct collide_client *client, struct pending_request *pending, struct collide_event *event,
                    struct collide_error *error)
{
	struct keepalive keepalive;
	keepalive_init(&keepalive, client);
	for (;;) {
		while (collide_core_next(client->core, event)) {
			bool ours = event_is_for(event, pending->request_id);
			if (ours && !pending_part(client, pending, event, error))
				return false;
			if (ours && event_is_final(pending, event))
				return true;
		}
		/* Bytes come before the clock: those that came during a long callback are not silence. */
		if (!collide_client_exchange(client, pending_wait_ms(client, pending, &keepalive), error) ||
		    !keepalive_check(&keepalive, client, error) || !pending_check_stop(client, pending, error))
			return false;
	}
}

/* Not the request's end, but that of the whole connection. */
static bool
event_is_of_connection(const struct collide_event *event)
{
	return event->kind == COLLIDE_EVENT_FAILED || (event->kind == COLLIDE_EVENT_ERROR && event->request_id == 0);
}

/* Runs a request that has begun. Its final reply, which must be of this kind, is in *event. */
static bool
pending_run(struct collide_client *client, struct pending_request *pending, enum collide_event_kind kind,
            struct collide_event *event, struct collide_error *error)
{
	if (pending->request_id == 0 || !pending_until_final(client, pending, event, error))
		return false;
	if (pending->cancelled && !event_is_of_connection(event))
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_CANCELLED, "CANCELLED", "a callback ended it");
	return event->kind == kind || event_refused(event, error);
}

bool
client_run(struct collide_client *client, uint64_t request_id, enum collide_event_kind kind, struct collide_event *event,
           struct collide_error *error)
{
	struct pending_request pending = { .request_id = request_id, .of_world = true };
	return pending_run(client, &pending, kind, event, error);
}

bool
client_reply(struct collide_client *client, uint64_t request_id, enum collide_event_kind kind, struct collide_event *event,
             struct collide_error *error)
{
	return client_ask(client, request_id, kind, clock_ms() + client->reply_timeout_ms, event, error);
}

bool
collide_simulate(struct collide_client *client, const struct collide_simulation *simulation, collide_frame_fn on_frame,
                 void *context, struct collide_done *done, struct collide_error *error)
{
	struct collide_event event;
	struct pending_request pending = { .on_frame = on_frame, .on_snapshot = simulation->on_snapshot, .context = context };
	pending.request_id = collide_core_simulate(client->core, simulation, error);
	if (!pending_run(client, &pending, COLLIDE_EVENT_SIMULATE_DONE, &event, error))
		return false;
	if (done)
		*done = *event.as.done;
	return true;
}

bool
collide_detect(struct collide_client *client, const struct collide_detection *detection, collide_detected_fn on_part,
               void *context, struct collide_error *error)
{
	struct collide_event event;
	struct pending_request pending = { .on_detected = on_part, .context = context };
	pending.request_id = collide_core_detect(client->core, detection, error);
	return pending_run(client, &pending, COLLIDE_EVENT_DETECTED, &event, error);
}

bool
collide_respond(struct collide_client *client, const struct collide_response *response, collide_responded_fn on_part,
                void *context, struct collide_error *error)
{
	struct collide_event event;
	struct pending_request pending = { .on_responded = on_part, .context = context };
	pending.request_id = collide_core_respond(client->core, response, error);
	return pending_run(client, &pending, COLLIDE_EVENT_RESPONDED, &event, error);
}

bool
collide_query(struct collide_client *client, const struct collide_questions *questions, collide_queried_fn on_part,
              void *context, struct collide_error *error)
{
	struct collide_event event;
	struct pending_request pending = { .on_queried = on_part, .context = context };
	pending.request_id = collide_core_query(client->core, questions, error);
	return pending_run(client, &pending, COLLIDE_EVENT_QUERIED, &event, error);
}

bool
client_run_map(struct collide_client *client, uint64_t request_id, collide_map_segments_fn on_part, void *context,
               struct collide_error *error)
{
	struct collide_event event;
	struct pending_request pending = { .request_id = request_id, .on_map_segments = on_part, .context = context };
	return pending_run(client, &pending, COLLIDE_EVENT_MAP_SEGMENTS, &event, error);
}
