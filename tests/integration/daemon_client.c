#include "integration/daemon_client.h"

#include "proto/frame.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

/* Bounds a failing test only; a sanitizer may be slow. Where a socket has such a bound, a pause of this process interrupts it.
 */
#define PATIENCE_S 600

static void
connect_with(struct daemon_client *client, unsigned port, int receive_bytes)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct timeval patience = { .tv_sec = PATIENCE_S };
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	*client = (struct daemon_client){ .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	assert_true(client->fd >= 0);
	assert_int_equal(setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
	assert_int_equal(setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience), 0);
	if (receive_bytes > 0)
		assert_int_equal(setsockopt(client->fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes), 0);
	assert_int_equal(connect(client->fd, (struct sockaddr *)&address, sizeof address), 0);
}

void
client_connect(struct daemon_client *client, unsigned port)
{
	connect_with(client, port, 0);
}

void
client_connect_small(struct daemon_client *client, unsigned port)
{
	connect_with(client, port, 4096);
}

void
client_open(struct daemon_client *client, unsigned port)
{
	struct buffer hello;
	client_connect(client, port);
	buffer_init(&hello);
	pack_hello(&hello, 1, 1, 1);
	client_send(client, &hello);
	buffer_finish(&hello);
	Collide__V1__ServerMessage *reply = client_receive(client);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME);
	collide__v1__server_message__free_unpacked(reply, NULL);
}

void
client_close(struct daemon_client *client)
{
	close(client->fd);
	free(client->bytes);
}

void
client_reset(struct daemon_client *client)
{
	struct linger none = { .l_onoff = 1 };
	assert_int_equal(setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &none, sizeof none), 0);
	client_close(client);
}

/* A server that has closed already is not what is being tested here: the replies tell. */
void
client_send_bytes(struct daemon_client *client, const void *bytes, size_t count)
{
	const char *at = bytes;
	while (count > 0) {
		ssize_t sent = send(client->fd, at, count, MSG_NOSIGNAL);
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && (errno == EPIPE || errno == ECONNRESET))
			return;
		assert_true(sent > 0);
		at += sent;
		count -= (size_t)sent;
	}
}

void
client_send(struct daemon_client *client, struct buffer *message)
{
	client_send_bytes(client, message->bytes, message->count);
	message->count = 0;
}

void
client_simulate(struct daemon_client *client, uint64_t id, uint32_t circles, uint64_t ticks, uint32_t deadline_ms)
{
	struct buffer message;
	buffer_init(&message);
	pack_simulate(&message, id, circles, ticks, deadline_ms);
	client_send(client, &message);
	buffer_finish(&message);
}

void
client_ping(struct daemon_client *client, uint64_t id)
{
	struct buffer message;
	buffer_init(&message);
	pack_ping(&message, id, "hello");
	client_send(client, &message);
	buffer_finish(&message);
}

void
client_end_input(struct daemon_client *client)
{
	assert_int_equal(shutdown(client->fd, SHUT_WR), 0);
}

/* false at the end of the stream. */
static bool
receive_more(struct daemon_client *client)
{
	if (client->capacity - client->count < 65536) {
		client->capacity = client->capacity * 2 + 65536;
		client->bytes = realloc(client->bytes, client->capacity);
		assert_non_null(client->bytes);
	}
	ssize_t got;
	do
		got = recv(client->fd, client->bytes + client->count, client->capacity - client->count, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0 && errno != ECONNRESET)
		fail_msg("nothing came: %s", strerror(errno));
	client->count += got > 0 ? (size_t)got : 0;
	return got > 0;
}

Collide__V1__ServerMessage *
client_receive(struct daemon_client *client)
{
	size_t header = 0;
	uint32_t body = 0;
	enum frame_result result = FRAME_SHORT;
	for (;;) {
		result = client->count == 0 ? FRAME_SHORT : frame_header_read(client->bytes, client->count, UINT32_MAX, &header, &body);
		assert_true(result == FRAME_SHORT || result == FRAME_OK);
		if (result == FRAME_OK && client->count - header >= body)
			break;
		if (!receive_more(client)) {
			assert_int_equal(client->count, 0);
			return NULL;
		}
	}
	Collide__V1__ServerMessage *reply = collide__v1__server_message__unpack(NULL, body, client->bytes + header);
	assert_non_null(reply);
	client->count -= header + body;
	memmove(client->bytes, client->bytes + header + body, client->count);
	return reply;
}

void
client_expect_pong(struct daemon_client *client, uint64_t id)
{
	Collide__V1__ServerMessage *reply = client_receive(client);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_PONG);
	assert_int_equal(reply->request_id, id);
	collide__v1__server_message__free_unpacked(reply, NULL);
}

void
client_expect_error(struct daemon_client *client, uint64_t id, const char *reason)
{
	Collide__V1__ServerMessage *reply = client_receive(client);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	assert_string_equal(reply->error->reason, reason);
	assert_int_equal(reply->request_id, id);
	collide__v1__server_message__free_unpacked(reply, NULL);
}

void
client_expect_end(struct daemon_client *client)
{
	assert_null(client_receive(client));
}

struct simulated
client_take_simulation(struct daemon_client *client, uint64_t id)
{
	struct simulated simulated = { .frames = 0 };
	for (bool final = false; !final;) {
		Collide__V1__ServerMessage *reply = client_receive(client);
		assert_non_null(reply);
		assert_int_equal(reply->request_id, id);
		final = reply->reply_case != COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME;
		if (!final && !reply->frame->more) {
			assert_int_equal(reply->frame->tick, simulated.frames + 1);
			simulated.frames++;
			simulated.hash = reply->frame->hash;
		} else if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE) {
			assert_int_equal(reply->simulate_done->hash, simulated.hash);
			simulated.done = true;
		} else if (final) {
			assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
			snprintf(simulated.reason, sizeof simulated.reason, "%s", reply->error->reason);
		}
		collide__v1__server_message__free_unpacked(reply, NULL);
	}
	return simulated;
}
