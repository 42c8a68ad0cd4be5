#include "load/fake_daemon.h"

#include "client/replies.h"
#include "proto/frame.h"

#include "support/assert_double.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PEER_BYTES = 1 << 20, BATCH_MAX = 4096 };

struct peer {
	int descriptor;
	uint8_t *bytes;
	size_t count;
};

/* What is to be said to one peer after all that it sent at once was read. */
struct batch {
	struct replies answers[BATCH_MAX];
	size_t count;
	bool close;
};

static void
error_append(struct replies *replies, uint64_t id, Collide__V1__Code code, char *reason, uint32_t retry_ms)
{
	Collide__V1__Error error = COLLIDE__V1__ERROR__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	error.code = code;
	error.reason = reason;
	error.retry_after_ms = retry_ms;
	message.request_id = id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR;
	message.error = &error;
	replies_append(replies, &message);
}

static void
welcome_append(struct replies *replies, uint64_t id, const struct fake_plan *plan)
{
	Collide__V1__Limits limits = COLLIDE__V1__LIMITS__INIT;
	Collide__V1__Welcome welcome = COLLIDE__V1__WELCOME__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	char name[] = "fake";
	limits.requests_in_flight_max = plan->requests_in_flight_max;
	welcome.version = 1;
	welcome.server = name;
	welcome.optional_limits_case = COLLIDE__V1__WELCOME__OPTIONAL_LIMITS_LIMITS;
	welcome.limits = &limits;
	message.request_id = id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME;
	message.welcome = &welcome;
	replies_append(replies, &message);
}

static void
stall(uint64_t ms)
{
	struct timespec time = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };
	while (nanosleep(&time, &time) != 0)
		continue;
}

static void
simulate_answer(struct fake_daemon *daemon, const Collide__V1__ClientMessage *message, struct batch *batch)
{
	static char queue_full[] = "QUEUE_FULL", self_check[] = "SELF_CHECK", bad_field[] = "BAD_FIELD";
	const struct fake_plan *plan = &daemon->plan;
	struct replies *out = &batch->answers[batch->count];
	uint64_t number = ++daemon->simulates, id = message->request_id;
	size_t circles = message->simulate->scene->circle_columns->n_x;
	assert_true(circles < FAKE_SCENES_MAX);
	daemon->of_circles[circles]++;
	if (number == plan->stall_at) {
		stall(plan->stall_ms);
		daemon->stalled_pings = daemon->pings;
	}
	if (number == plan->close_at)
		batch->close = true;
	if (batch->close || (plan->mute_from > 0 && number >= plan->mute_from))
		return;
	if (plan->refuse_every > 0 && number % plan->refuse_every == 0) {
		error_append(out, id, COLLIDE__V1__CODE__CODE_RESOURCE_EXHAUSTED, queue_full, 5);
		daemon->refused++;
	} else if (number == plan->fail_at) {
		error_append(out, id, COLLIDE__V1__CODE__CODE_INTERNAL, self_check, 0);
	} else if (number == plan->fatal_at) {
		error_append(out, id, COLLIDE__V1__CODE__CODE_INVALID_ARGUMENT, bad_field, 0);
	} else {
		replies_append_part(out, id, 1, true, 0, 3, 0, 0);
		replies_append_part(out, id, 1, false, 3, 3, 0, 0);
		replies_append_done(out, id, message->simulate->ticks, 1);
		daemon->answered++;
	}
	batch->count++;
}

static void
message_answer(struct fake_daemon *daemon, const Collide__V1__ClientMessage *message, struct batch *batch)
{
	assert_true(batch->count < BATCH_MAX);
	switch (message->request_case) {
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO:
		welcome_append(&batch->answers[batch->count++], message->request_id, &daemon->plan);
		break;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING:
		daemon->pings++;
		replies_append_pong(&batch->answers[batch->count++], message->request_id, message->ping->payload.data,
		                    message->ping->payload.len);
		break;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE: simulate_answer(daemon, message, batch); break;
	default: fail_msg("an unexpected request");
	}
}

/* Sends and forgets the batch; false: the peer is gone. */
static bool
batch_send(const struct fake_daemon *daemon, struct batch *batch, int descriptor)
{
	bool good = true;
	for (size_t i = 0; i < batch->count; i++) {
		struct replies *replies = &batch->answers[daemon->plan.backwards ? batch->count - 1 - i : i];
		good = good && send(descriptor, replies->bytes, replies->count, MSG_NOSIGNAL) == (ssize_t)replies->count;
	}
	for (size_t i = 0; i < batch->count; i++)
		replies_finish(&batch->answers[i]);
	batch->count = 0;
	return good && !batch->close;
}

/* Reads what is there and answers all of it; false: the peer is gone, or is to go. */
static bool
peer_serve(struct fake_daemon *daemon, struct peer *peer)
{
	static struct batch batch;
	size_t header_bytes, at = 0;
	uint32_t body_bytes;
	ssize_t got = recv(peer->descriptor, peer->bytes + peer->count, PEER_BYTES - peer->count, 0);
	if (got <= 0)
		return false;
	peer->count += (size_t)got;
	batch.close = false;
	while (frame_header_read(peer->bytes + at, peer->count - at, PEER_BYTES / 2, &header_bytes, &body_bytes) == FRAME_OK &&
	       peer->count - at >= header_bytes + body_bytes) {
		Collide__V1__ClientMessage *message = collide__v1__client_message__unpack(NULL, body_bytes,
		                                                                          peer->bytes + at + header_bytes);
		assert_non_null(message);
		message_answer(daemon, message, &batch);
		collide__v1__client_message__free_unpacked(message, NULL);
		at += header_bytes + body_bytes;
	}
	memmove(peer->bytes, peer->bytes + at, peer->count - at);
	peer->count -= at;
	daemon->under_way_most = batch.count > daemon->under_way_most ? batch.count : daemon->under_way_most;
	return batch_send(daemon, &batch, peer->descriptor);
}

static void
peer_close(struct peer *peer)
{
	close(peer->descriptor);
	free(peer->bytes);
	*peer = (struct peer){ .descriptor = -1 };
}

static void *
daemon_main(void *context)
{
	struct fake_daemon *daemon = context;
	struct peer peers[FAKE_CONNECTIONS_MAX];
	struct pollfd wanted[FAKE_CONNECTIONS_MAX + 2];
	size_t count = 0;
	wanted[0] = (struct pollfd){ .fd = daemon->ending, .events = POLLIN };
	wanted[1] = (struct pollfd){ .fd = daemon->listener, .events = POLLIN };
	for (;;) {
		assert_true(poll(wanted, count + 2, -1) > 0);
		if (wanted[0].revents != 0)
			break;
		for (size_t i = 0; i < count; i++)
			if (wanted[i + 2].revents != 0 && !peer_serve(daemon, &peers[i])) {
				peer_close(&peers[i]);
				wanted[i + 2].fd = -1;
			}
		if (wanted[1].revents != 0) {
			assert_true(count < FAKE_CONNECTIONS_MAX);
			peers[count] = (struct peer){ .descriptor = accept(daemon->listener, NULL, NULL), .bytes = malloc(PEER_BYTES) };
			wanted[count + 2] = (struct pollfd){ .fd = peers[count].descriptor, .events = POLLIN };
			count++;
		}
	}
	for (size_t i = 0; i < count; i++)
		if (peers[i].descriptor >= 0)
			peer_close(&peers[i]);
	return NULL;
}

void
fake_daemon_start(struct fake_daemon *daemon, const struct fake_plan *plan)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof address;
	int ends[2];
	*daemon = (struct fake_daemon){ .plan = *plan, .stalled_pings = UINT64_MAX };
	daemon->listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(daemon->listener, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(daemon->listener, FAKE_CONNECTIONS_MAX), 0);
	assert_int_equal(getsockname(daemon->listener, (struct sockaddr *)&address, &size), 0);
	(void)snprintf(daemon->address, sizeof daemon->address, "127.0.0.1:%u", ntohs(address.sin_port));
	assert_int_equal(pipe(ends), 0);
	daemon->ending = ends[0];
	daemon->ending_other = ends[1];
	assert_int_equal(pthread_create(&daemon->thread, NULL, daemon_main, daemon), 0);
}

void
fake_daemon_stop(struct fake_daemon *daemon)
{
	close(daemon->ending_other);
	assert_int_equal(pthread_join(daemon->thread, NULL), 0);
	close(daemon->ending);
	close(daemon->listener);
}
