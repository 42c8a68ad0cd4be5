#include "integration/relay.h"

#include "support/assert_double.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static uint64_t
chance(struct relay *relay, uint64_t below)
{
	relay->random = relay->random * 6364136223846793005u + 1442695040888963407u;
	return (relay->random >> 33) % below;
}

static struct sockaddr_in
loopback(unsigned port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		                         .sin_port = htons((uint16_t)port),
		                         .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static void
do_not_wait(int descriptor)
{
	int one = 1;
	assert_int_equal(fcntl(descriptor, F_SETFL, O_NONBLOCK), 0);
	(void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

void
relay_start(struct relay *relay, unsigned target_port, uint64_t seed, uint64_t cut_bytes_max)
{
	struct sockaddr_in address = loopback(0);
	socklen_t size = sizeof address;
	memset(relay, 0, sizeof *relay);
	relay->target_port = target_port;
	relay->random = seed;
	relay->cut_bytes_max = cut_bytes_max;
	for (size_t i = 0; i < RELAY_PAIRS_MAX; i++)
		relay->pairs[i].client = relay->pairs[i].server = -1;
	relay->listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(relay->listener, (struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(relay->listener, RELAY_PAIRS_MAX), 0);
	assert_int_equal(getsockname(relay->listener, (struct sockaddr *)&address, &size), 0);
	relay->port = ntohs(address.sin_port);
	do_not_wait(relay->listener);
}

static void
pair_close(struct relay *relay, size_t pair)
{
	close(relay->pairs[pair].client);
	close(relay->pairs[pair].server);
	relay->pairs[pair].client = relay->pairs[pair].server = -1;
	relay->pairs[pair].to_server.count = relay->pairs[pair].to_client.count = 0;
}

void
relay_stop(struct relay *relay)
{
	for (size_t i = 0; i < RELAY_PAIRS_MAX; i++)
		if (relay->pairs[i].client >= 0)
			pair_close(relay, i);
	close(relay->listener);
}

static uint64_t
bytes_until_cut(struct relay *relay)
{
	return relay->cut_bytes_max == 0 ? UINT64_MAX : 1 + chance(relay, relay->cut_bytes_max);
}

void
relay_cut_after(struct relay *relay, uint64_t cut_bytes_max)
{
	relay->cut_bytes_max = cut_bytes_max;
	for (size_t i = 0; i < RELAY_PAIRS_MAX; i++)
		relay->pairs[i].left = bytes_until_cut(relay);
}

static void
accept_one(struct relay *relay)
{
	int client = accept(relay->listener, NULL, NULL);
	if (client < 0)
		return;
	for (size_t i = 0; i < RELAY_PAIRS_MAX; i++) {
		if (relay->pairs[i].client >= 0)
			continue;
		struct sockaddr_in address = loopback(relay->target_port);
		relay->pairs[i].client = client;
		relay->pairs[i].server = socket(AF_INET, SOCK_STREAM, 0);
		assert_int_equal(connect(relay->pairs[i].server, (struct sockaddr *)&address, sizeof address), 0);
		do_not_wait(client);
		do_not_wait(relay->pairs[i].server);
		relay->pairs[i].left = bytes_until_cut(relay);
		return;
	}
	fail_msg("more connections than the relay has room for");
}

/* Moves bytes one way. false: the connection is over, or is to be cut. */
static bool
pipe_move(int from, int to, struct relay_pipe *pipe, uint64_t *left)
{
	size_t room = sizeof pipe->bytes - pipe->count;
	ssize_t got = room > 0 ? recv(from, pipe->bytes + pipe->count, room, 0) : -2;
	if (got == 0 || (got == -1 && errno != EAGAIN))
		return false;
	pipe->count += got > 0 ? (size_t)got : 0;
	size_t most = pipe->count < *left ? pipe->count : (size_t)*left;
	ssize_t sent = most > 0 ? send(to, pipe->bytes, most, MSG_NOSIGNAL) : 0;
	if (sent < 0)
		return errno == EAGAIN;
	memmove(pipe->bytes, pipe->bytes + sent, pipe->count - (size_t)sent);
	pipe->count -= (size_t)sent;
	*left -= (uint64_t)sent;
	return *left > 0;
}

void
relay_pump(struct relay *relay)
{
	accept_one(relay);
	for (size_t i = 0; i < RELAY_PAIRS_MAX; i++) {
		if (relay->pairs[i].client < 0)
			continue;
		bool good = pipe_move(relay->pairs[i].client, relay->pairs[i].server, &relay->pairs[i].to_server,
		                      &relay->pairs[i].left) &&
		            pipe_move(relay->pairs[i].server, relay->pairs[i].client, &relay->pairs[i].to_client,
		                      &relay->pairs[i].left);
		if (good)
			continue;
		relay->cuts += relay->pairs[i].left == 0;
		pair_close(relay, i);
	}
}
