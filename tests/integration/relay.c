#include "integration/relay.h"

#include "support/assert_double.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
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
	relay->pairs[pair].to_server.mark_count = relay->pairs[pair].to_client.mark_count = 0;
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

void
relay_delay(struct relay *relay, uint64_t delay_ms, uint64_t jitter_ms)
{
	relay->delay_ns = delay_ms * 1000000;
	relay->jitter_ns = jitter_ms * 1000000;
}

static uint64_t
now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void
pipe_mark(struct relay *relay, struct relay_pipe *pipe, size_t count)
{
	uint64_t due_ns = now_ns() + relay->delay_ns + (relay->jitter_ns > 0 ? chance(relay, relay->jitter_ns) : 0);
	size_t last = pipe->mark_count;
	if (last > 0 && pipe->marks[last - 1].due_ns > due_ns)
		due_ns = pipe->marks[last - 1].due_ns;
	if (last == RELAY_MARKS) {
		pipe->marks[last - 1].count += count;
		pipe->marks[last - 1].due_ns = due_ns;
		return;
	}
	pipe->marks[last].count = count;
	pipe->marks[last].due_ns = due_ns;
	pipe->mark_count++;
}

/* How many bytes may go on now. */
static size_t
pipe_due(const struct relay_pipe *pipe)
{
	uint64_t now = now_ns();
	size_t due = 0;
	for (size_t i = 0; i < pipe->mark_count && pipe->marks[i].due_ns <= now; i++)
		due += pipe->marks[i].count;
	return due;
}

static void
pipe_passed(struct relay_pipe *pipe, size_t count)
{
	size_t done = 0;
	while (done < pipe->mark_count && pipe->marks[done].count <= count)
		count -= pipe->marks[done++].count;
	if (done < pipe->mark_count)
		pipe->marks[done].count -= count;
	memmove(pipe->marks, pipe->marks + done, (pipe->mark_count - done) * sizeof pipe->marks[0]);
	pipe->mark_count -= done;
}

/* Moves bytes one way. false: the connection is over, or is to be cut. */
static bool
pipe_move(struct relay *relay, int from, int to, struct relay_pipe *pipe, uint64_t *left)
{
	size_t room = sizeof pipe->bytes - pipe->count;
	ssize_t got = room > 0 ? recv(from, pipe->bytes + pipe->count, room, 0) : -2;
	if (got == 0 || (got == -1 && errno != EAGAIN))
		return false;
	if (got > 0) {
		pipe->count += (size_t)got;
		pipe_mark(relay, pipe, (size_t)got);
	}
	size_t due = pipe_due(pipe), most = due < *left ? due : (size_t)*left;
	ssize_t sent = most > 0 ? send(to, pipe->bytes, most, MSG_NOSIGNAL) : 0;
	if (sent < 0)
		return errno == EAGAIN;
	memmove(pipe->bytes, pipe->bytes + sent, pipe->count - (size_t)sent);
	pipe->count -= (size_t)sent;
	pipe_passed(pipe, (size_t)sent);
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
		bool good = pipe_move(relay, relay->pairs[i].client, relay->pairs[i].server, &relay->pairs[i].to_server,
		                      &relay->pairs[i].left) &&
		            pipe_move(relay, relay->pairs[i].server, relay->pairs[i].client, &relay->pairs[i].to_client,
		                      &relay->pairs[i].left);
		if (good)
			continue;
		relay->cuts += relay->pairs[i].left == 0;
		pair_close(relay, i);
	}
}
