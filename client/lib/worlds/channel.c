/* A channel: one connection at a time, and another when it is lost.
 *
 * Happy path: CLOSED, OPENING until the transport is there, GREETING until Welcome, OPEN. What can go wrong: the transport
 * fails, a phase takes too long, the server is silent or sends what is not collide.v1. Each ends the connection (channel_lose),
 * tells seats and subscriptions, and leads to the next attempt after a pause. */
#include "client/lib/worlds/channel.h"

#include "client/lib/client.h"
#include "client/lib/core.h"
#include "client/lib/failure.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	RECEIVES_MAX = 64,        /* reads of one call, so that one peer cannot hold a loop for ever */
	STEADY_MS = 1000,         /* a connection that was welcomed for so long has not failed at once */
	PAUSE_DOUBLINGS_MAX = 16, /* beyond any greatest pause */
};

static void
owner_ignores(void *context, const struct collide_event *event)
{
	(void)context;
	(void)event;
}

static bool
options_copy(struct collide_channel *channel, const struct collide_channel_options *from)
{
	static const struct collide_options client_defaults = { 0 };
	const struct collide_options *client = from->client ? from->client : &client_defaults;
	struct collide_channel_options *options = &channel->options;
	*options = *from;
	channel->client = *client;
	channel->client.client_name = channel->client.client_version = NULL;
	channel->client.token = NULL;
	if (client->client_name) {
		failure_copy_text(channel->client_name, sizeof channel->client_name, client->client_name);
		channel->client.client_name = channel->client_name;
	}
	if (client->client_version) {
		failure_copy_text(channel->client_version, sizeof channel->client_version, client->client_version);
		channel->client.client_version = channel->client_version;
	}
	options->client = &channel->client;
	options->retry_first_ms = from->retry_first_ms > 0 ? from->retry_first_ms : CHANNEL_RETRY_FIRST_MS;
	options->retry_max_ms = from->retry_max_ms > 0 ? from->retry_max_ms : CHANNEL_RETRY_MAX_MS;
	if (channel->client.connect_timeout_ms == 0)
		channel->client.connect_timeout_ms = CLIENT_CONNECT_TIMEOUT_MS;
	if (channel->client.reply_timeout_ms == 0)
		channel->client.reply_timeout_ms = CLIENT_REPLY_TIMEOUT_MS;
	if (client->token_bytes == 0)
		return true;
	channel->token = malloc(client->token_bytes);
	if (!channel->token)
		return false;
	memcpy(channel->token, client->token, client->token_bytes);
	channel->client.token = channel->token;
	return true;
}

static void channel_on_hello(void *context, const struct collide_event *event);

struct collide_channel *
channel_over(const struct channel_transport *transport, const struct collide_channel_options *options,
             struct collide_error *error)
{
	static const struct collide_channel_options defaults = { 0 };
	struct collide_channel *channel = calloc(1, sizeof *channel);
	if (!channel || !options_copy(channel, options ? options : &defaults)) {
		free(channel);
		transport->destroy(transport->context);
		failure_memory(error);
		return NULL;
	}
	channel->transport = *transport;
	channel->nobody.on_event = owner_ignores;
	channel->hello = (struct channel_owner){ channel_on_hello, channel };
	channel->now_ns = channel->without_since_ns = transport->now_ns(transport->context);
	channel->phase_until_ns = channel->now_ns;
	failure_set(&channel->error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "CONNECT_FAILED", "not connected yet");
	return channel;
}

void
collide_channel_destroy(struct collide_channel *channel)
{
	if (!channel)
		return;
	subscriptions_destroy(channel);
	seats_destroy(channel);
	channel->transport.close(channel->transport.context);
	channel->transport.destroy(channel->transport.context);
	collide_core_destroy(channel->core);
	free(channel->token);
	free(channel);
}

bool
collide_channel_move(struct collide_channel *channel, const char *address, struct collide_error *error)
{
	if (!channel->transport.move)
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, "BAD_ARGUMENT",
		                   "this channel has no address");
	if (!channel->transport.move(channel->transport.context, address, error))
		return false;
	/* Given up by the next collide_channel_process: this one may be called back by it. */
	channel->moves = true;
	return true;
}

void
channel_disown(struct collide_channel *channel, uint64_t request_id)
{
	if (request_id != 0 && channel->core)
		core_request_own(channel->core, request_id, &channel->nobody);
}

void
channel_reap(struct collide_channel *channel)
{
	if (channel->processing || !channel->reaps)
		return;
	channel->reaps = false;
	subscriptions_reap(channel);
	seats_reap(channel);
}

/* Milliseconds before the next attempt: twice as many after each failure, with a quarter of chance, so that many clients of one
 * server do not come back in step. */
static int64_t
pause_ms(const struct collide_channel *channel)
{
	uint32_t doublings = channel->failures < PAUSE_DOUBLINGS_MAX ? channel->failures : PAUSE_DOUBLINGS_MAX;
	uint64_t ms = (uint64_t)channel->options.retry_first_ms << doublings;
	ms = ms < channel->options.retry_max_ms ? ms : channel->options.retry_max_ms;
	uint64_t chance = ((uint64_t)channel->now_ns * 0x9E3779B97F4A7C15u) >> 40;
	return (int64_t)(ms - ms / 4 + chance % (ms / 4 + 1));
}

/* The connection, or the attempt at one, is over for the reason in channel->error. */
static void
channel_lose(struct collide_channel *channel)
{
	bool was_open = channel->phase == CHANNEL_OPEN;
	channel->transport.close(channel->transport.context);
	collide_core_destroy(channel->core);
	channel->core = NULL;
	channel->over = false;
	if (was_open) {
		channel->without_since_ns = channel->now_ns;
		if (channel->now_ns - channel->opened_ns >= STEADY_MS * CHANNEL_NS_PER_MS)
			channel->failures = 0;
	}
	channel->phase = CHANNEL_CLOSED;
	channel->phase_until_ns = channel->now_ns + pause_ms(channel) * CHANNEL_NS_PER_MS;
	channel->failures++;
	for (struct collide_seat *seat = channel->seats; seat; seat = seats_next(seat))
		seat_channel_lost(seat);
	for (struct collide_subscription *each = channel->subscriptions; each; each = subscriptions_next(each))
		subscription_channel_lost(each);
	if (channel->options.on_lost)
		channel->options.on_lost(channel->options.context, &channel->error);
}

static void
channel_open(struct collide_channel *channel)
{
	channel->phase = CHANNEL_OPENING;
	channel->phase_until_ns = channel->now_ns + channel->client.connect_timeout_ms * CHANNEL_NS_PER_MS;
	if (!channel->transport.open(channel->transport.context, &channel->error))
		channel_lose(channel);
}

static void
channel_greet(struct collide_channel *channel)
{
	channel->core = collide_core_create(&channel->client);
	if (!channel->core) {
		failure_memory(&channel->error);
		channel_lose(channel);
		return;
	}
	channel->phase = CHANNEL_GREETING;
	channel->received = channel->sent = 0;
	channel->asked = channel->told = false;
	channel->heard_ns = channel->told_ns = channel->now_ns;
	uint64_t hello_id = collide_core_hello(channel->core, &channel->error);
	core_request_own(channel->core, hello_id, &channel->hello);
	if (hello_id == 0)
		channel_lose(channel);
}

/* The answer to Hello. */
static void
channel_on_hello(void *context, const struct collide_event *event)
{
	struct collide_channel *channel = context;
	if (event->kind == COLLIDE_EVENT_ERROR) {
		channel->error = *event->as.error;
		channel->over = true;
		/* No later attempt goes better. */
		channel->failed = channel->error.code == COLLIDE_FAILED_PRECONDITION || channel->error.code == COLLIDE_INVALID_ARGUMENT;
		return;
	}
	channel->welcome = *event->as.welcome;
	channel->phase = CHANNEL_OPEN;
	channel->opened_ns = channel->now_ns;
	channel->subscribes = true;
	for (struct collide_seat *seat = channel->seats; seat; seat = seats_next(seat))
		seat_channel_opened(seat);
	if (channel->options.on_connected)
		channel->options.on_connected(channel->options.context, &channel->welcome);
}

/* Hands on an event to the request's owner, or to the program. */
static void
event_hand_on(struct collide_channel *channel, const struct collide_event *event)
{
	struct channel_owner *owner = core_event_owner(channel->core);
	if (event->kind == COLLIDE_EVENT_FAILED) {
		channel->error = *event->as.error;
		channel->over = true;
		return;
	}
	if (owner) {
		owner->on_event(owner->context, event);
		return;
	}
	if (event->kind == COLLIDE_EVENT_ERROR && event->request_id == 0) {
		channel->error = *event->as.error; /* the server's reason, if the connection ends now */
		channel->told = true;
	}
	if (channel->options.on_event)
		channel->options.on_event(channel->options.context, event);
}

/* Reads what is there, and hands on what it says. */
static void
channel_receive(struct collide_channel *channel)
{
	struct collide_error error = { .code = COLLIDE_OK };
	for (int i = 0; i < RECEIVES_MAX && !channel->over; i++) {
		size_t room;
		struct collide_event event;
		void *to = collide_core_input(channel->core, &room);
		ptrdiff_t moved = to ? channel->transport.receive(channel->transport.context, to, room, &error)
		                     : (failure_memory(&error), -1);
		if (moved > 0)
			collide_core_received(channel->core, (size_t)moved);
		while (!channel->over && collide_core_next(channel->core, &event))
			event_hand_on(channel, &event);
		if (moved < 0 && !channel->over) {
			/* A reason that the server gave is better than that the connection ended. */
			channel->error = channel->told ? channel->error : error;
			channel->over = true;
		}
		if (moved <= 0)
			return;
	}
}

static void
channel_send(struct collide_channel *channel)
{
	size_t count;
	const void *bytes = collide_core_output(channel->core, &count);
	for (; bytes && !channel->over; bytes = collide_core_output(channel->core, &count)) {
		struct collide_error error;
		ptrdiff_t moved = channel->transport.send(channel->transport.context, bytes, count, &error);
		if (moved == 0)
			return;
		if (moved > 0) {
			collide_core_sent(channel->core, (size_t)moved);
			continue;
		}
		/* If a server refuses and closes, sending fails while its reason can still be read. */
		channel_receive(channel);
		if (!channel->over)
			channel->error = error;
		channel->over = true;
	}
}

/* When to send a ping: after silence of either side, as a server closes what asks for nothing. Or, once it is sent, when to
 * give up. */
static int64_t
keepalive_due_ns(const struct collide_channel *channel)
{
	int64_t timeout_ns = channel->client.reply_timeout_ms * CHANNEL_NS_PER_MS;
	int64_t interval_ns = channel->welcome.ping_interval_ms * CHANNEL_NS_PER_MS;
	if (channel->asked)
		return channel->asked_ns + timeout_ns;
	bool is_short = interval_ns > 0 && interval_ns < timeout_ns;
	int64_t heard_due_ns = channel->heard_ns + (is_short ? interval_ns : timeout_ns);
	int64_t told_due_ns = interval_ns > 0 ? channel->told_ns + interval_ns : INT64_MAX;
	return heard_due_ns < told_due_ns ? heard_due_ns : told_due_ns;
}

static void
channel_keep_alive(struct collide_channel *channel)
{
	uint64_t sent, received;
	collide_core_traffic(channel->core, &sent, &received);
	if (received != channel->received) {
		channel->heard_ns = channel->now_ns;
		channel->asked = false;
	}
	if (sent != channel->sent)
		channel->told_ns = channel->now_ns;
	channel->received = received;
	channel->sent = sent;
	if (channel->now_ns < keepalive_due_ns(channel))
		return;
	if (channel->asked) {
		failure_set(&channel->error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "SILENT", "the server stopped answering");
		channel->over = true;
		return;
	}
	channel->asked = true;
	channel->asked_ns = channel->told_ns = channel->now_ns;
	uint64_t ping_id = collide_core_ping(channel->core, NULL, 0, &channel->error);
	channel_disown(channel, ping_id);
	channel->over = ping_id == 0;
}

/* What is open: reads, hands on, sends. */
static void
channel_converse(struct collide_channel *channel)
{
	channel_receive(channel);
	if (channel->over)
		return;
	if (channel->phase == CHANNEL_OPEN) {
		channel_keep_alive(channel);
		if (!channel->over && (!seats_flush(channel, &channel->error) || !subscriptions_flush(channel, &channel->error)))
			channel->over = true;
	} else if (channel->now_ns >= channel->phase_until_ns) {
		failure_set(&channel->error, COLLIDE_FROM_CONNECTION, COLLIDE_DEADLINE_EXCEEDED, "TIMEOUT",
		            "the server did not welcome in time");
		channel->over = true;
	}
	channel_send(channel);
}

static void
channel_wait_for_transport(struct collide_channel *channel)
{
	switch (channel->transport.state(channel->transport.context, &channel->error)) {
	case TRANSPORT_OPEN: channel_greet(channel); break;
	case TRANSPORT_FAILED: channel_lose(channel); break;
	case TRANSPORT_OPENING:
		if (channel->now_ns < channel->phase_until_ns)
			break;
		failure_set(&channel->error, COLLIDE_FROM_CONNECTION, COLLIDE_DEADLINE_EXCEEDED, "CONNECT_TIMEOUT",
		            "no answer in time");
		channel_lose(channel);
		break;
	}
}

static bool
is_without_for_too_long(const struct collide_channel *channel)
{
	uint32_t most_ms = channel->options.retry_for_ms;
	return most_ms > 0 && channel->phase != CHANNEL_OPEN &&
	       channel->now_ns - channel->without_since_ns >= most_ms * CHANNEL_NS_PER_MS;
}

static void
channel_advance(struct collide_channel *channel)
{
	if (channel->phase == CHANNEL_CLOSED && channel->now_ns >= channel->phase_until_ns)
		channel_open(channel);
	if (channel->phase == CHANNEL_OPENING)
		channel_wait_for_transport(channel);
	if (channel->phase == CHANNEL_GREETING || channel->phase == CHANNEL_OPEN)
		channel_converse(channel);
	if (channel->moves && channel->phase != CHANNEL_CLOSED) {
		failure_set(&channel->error, COLLIDE_FROM_LIBRARY, COLLIDE_CANCELLED, "MOVED",
		            "the channel goes on to another address");
		channel->over = true;
	}
	if (channel->over)
		channel_lose(channel);
	if (channel->moves)
		channel->phase_until_ns = channel->now_ns;
	channel->moves = false;
	channel->failed = channel->failed || is_without_for_too_long(channel);
}

bool
collide_channel_process(struct collide_channel *channel, struct collide_error *error)
{
	channel->now_ns = channel->transport.now_ns(channel->transport.context);
	channel->processing = true;
	if (!channel->failed)
		channel_advance(channel);
	seats_detach(channel);
	channel->processing = false;
	channel_reap(channel);
	if (channel->failed && error)
		*error = channel->error;
	return !channel->failed;
}

int
collide_channel_descriptor(const struct collide_channel *channel)
{
	return channel->phase == CHANNEL_CLOSED ? -1 : channel->transport.descriptor(channel->transport.context);
}

bool
collide_channel_writes(const struct collide_channel *channel)
{
	size_t count = 0;
	if (channel->core)
		(void)collide_core_output(channel->core, &count);
	return channel->phase == CHANNEL_OPENING || count > 0;
}

/* When process is due without any byte. */
static int64_t
channel_due_ns(const struct collide_channel *channel)
{
	size_t waiting = 0;
	int64_t due_ns = channel->phase_until_ns;
	if (channel->phase == CHANNEL_OPEN) {
		int64_t seats_ns = seats_due_ns(channel), subscriptions_ns = subscriptions_due_ns(channel);
		due_ns = keepalive_due_ns(channel);
		(void)collide_core_output(channel->core, &waiting);
		/* Behind a full output seats wait for the socket. */
		if (waiting <= CHANNEL_OUTPUT_BYTES_MAX && seats_ns < due_ns)
			due_ns = seats_ns;
		due_ns = subscriptions_ns < due_ns ? subscriptions_ns : due_ns;
	}
	if (channel->options.retry_for_ms > 0 && channel->phase != CHANNEL_OPEN) {
		int64_t end_ns = channel->without_since_ns + channel->options.retry_for_ms * CHANNEL_NS_PER_MS;
		due_ns = end_ns < due_ns ? end_ns : due_ns;
	}
	return due_ns;
}

int
collide_channel_wait_ms(const struct collide_channel *channel)
{
	int64_t left_ns = channel_due_ns(channel) - channel->transport.now_ns(channel->transport.context);
	if (channel->failed || channel->moves || channel->detaches || left_ns <= 0)
		return 0;
	int64_t left_ms = (left_ns - 1) / CHANNEL_NS_PER_MS + 1;
	return left_ms > INT_MAX ? INT_MAX : (int)left_ms;
}

struct collide_core *
collide_channel_core(struct collide_channel *channel)
{
	return channel_is_open(channel) ? channel->core : NULL;
}
