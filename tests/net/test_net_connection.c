/* The loop and its connections, with real sockets: the loop in this thread, a scripted peer in another. */
#include "net/scripted_peer.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void
answer_many_then_close(struct server *server, const uint8_t *bytes, size_t count)
{
	(void)bytes;
	(void)count;
	send_pattern(server, MANY_BYTES);
	conn_close(server->conn, "ANSWERED", true);
	/* The first reason stays. */
	conn_close(server->conn, "AGAIN", true);
}

static void
ask_and_read_all(struct peer *peer)
{
	int fd = peer_connect(peer, 0);
	peer_send(peer, fd, "ask");
	peer_read_all(peer, fd);
	close(fd);
}

static void
close_sends_what_waits_first(void **state)
{
	(void)state;
	struct server server = { .on_bytes = answer_many_then_close };
	struct peer peer;
	struct net_options options = default_options();
	play(&server, &peer, &options, ask_and_read_all);
	assert_int_equal(peer.received, MANY_BYTES);
	assert_true(peer.saw_end);
	assert_false(peer.content_wrong);
	assert_string_equal(server.reasons[0], "ANSWERED");
}

static void
ask_and_leave_unread_bytes_behind(struct peer *peer)
{
	static const char more[1 << 20];
	int fd = peer_connect(peer, 0);
	peer_send(peer, fd, "ask");
	(void)peer_put(fd, more, sizeof more);
	peer_read_all(peer, fd);
	close(fd);
}

static void
no_reset_overtakes_the_last_bytes(void **state)
{
	(void)state;
	struct server server = { .on_bytes = answer_many_then_close };
	struct peer peer;
	struct net_options options = default_options();
	play(&server, &peer, &options, ask_and_leave_unread_bytes_behind);
	assert_int_equal(peer.received, MANY_BYTES);
	assert_true(peer.saw_end);
}

static void
half_close_and_read_all(struct peer *peer)
{
	int fd = peer_connect(peer, 0);
	peer_send(peer, fd, "ask");
	shutdown(fd, SHUT_WR);
	peer_read_all(peer, fd);
	close(fd);
}

static void
half_closed_peer_gets_everything(void **state)
{
	(void)state;
	struct server server = { .on_bytes = answer_many };
	struct peer peer;
	struct net_options options = default_options();
	play(&server, &peer, &options, half_close_and_read_all);
	assert_int_equal(server.ended, 1);
	assert_int_equal(peer.received, MANY_BYTES);
	assert_false(peer.content_wrong);
	assert_int_equal(server.waiting, 0);
	assert_in_range(server.most_at_once, 1, NET_WRITE_BYTES); /* others have their turn in between */
	assert_string_equal(server.reasons[0], "END");
}

static void
ask_and_read_nothing(struct peer *peer)
{
	uint8_t byte = 0;
	int fd = peer_connect(peer, 4096);
	peer_send(peer, fd, "ask");
	/* One byte, so that the answer is known to be under way; then nothing until the server has gone. */
	peer->failed = !peer_get(fd, &byte, 1) || peer->failed;
	while (peer_put(fd, "x", 1) == 1)
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	close(fd);
}

static void
peer_that_does_not_read_is_closed(void **state)
{
	(void)state;
	struct server server = { .on_bytes = answer_many };
	struct peer peer;
	struct net_options options = default_options();
	options.write_timeout_ms = 300;
	play(&server, &peer, &options, ask_and_read_nothing);
	assert_string_equal(server.reasons[0], "WRITE_STALLED");
	/* What our kernel took for it, and what its own did. */
	assert_in_range(MANY_BYTES - server.waiting, 1, NET_UNSENT_BYTES + 4 * 65536);
}

enum { SIPS = 24, SIP_MS = 200 };

/* Less than its kernel holds in all, a little every now and then: for twice as long as the server waits for one that
 * does not read. Until it is done or the server has gone. */
static void
ask_and_sip(struct peer *peer)
{
	static uint8_t sip[2048];
	int fd = peer_connect(peer, 4096);
	struct linger none = { .l_onoff = 1 };
	peer_send(peer, fd, "ask");
	bool there = true;
	for (int i = 0; i < SIPS && there; i++) {
		uint64_t begin_ns = clock_now_ns();
		nanosleep(&(struct timespec){ .tv_nsec = SIP_MS * 1000000L }, NULL);
		there = peer_get(fd, sip, sizeof sip);
		uint64_t pause_ns = clock_now_ns() - begin_ns;
		peer->pause_ns = pause_ns > peer->pause_ns ? pause_ns : peer->pause_ns;
	}
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
	close(fd);
}

static void
peer_that_reads_slowly_stays(void **state)
{
	(void)state;
	struct server server;
	struct peer peer;
	struct net_options options = default_options();
	options.write_timeout_ms = SIPS * SIP_MS / 2;
	do {
		server = (struct server){ .on_bytes = answer_many };
		play(&server, &peer, &options, ask_and_sip);
		/* If this process has stood still, it was no peer that reads slowly: the server may have been right to close it. */
	} while (strcmp(server.reasons[0], "WRITE_STALLED") == 0 && peer.pause_ns > options.write_timeout_ms * CLOCK_NS_PER_MS / 4);
	assert_string_equal(server.reasons[0], "PEER_RESET");
}

static void
queue_over_its_bound_closes(void **state)
{
	(void)state;
	struct server server = { .on_bytes = answer_many };
	struct peer peer;
	struct net_options options = default_options();
	options.write_queue_bytes_max = MANY_BYTES / 8;
	play(&server, &peer, &options, ask_and_read_nothing);
	assert_string_equal(server.reasons[0], "WRITE_QUEUE_FULL");
}

/* The loop stands still, then the peer gets its byte and goes. */
static void
stand_still(struct server *server, const uint8_t *bytes, size_t count)
{
	(void)bytes;
	(void)count;
	nanosleep(&(struct timespec){ .tv_sec = 1, .tv_nsec = 500000000 }, NULL);
	send_pattern(server, 1);
}

static void
ask_and_wait_for_a_tick(struct peer *peer)
{
	uint8_t byte = 0;
	int fd = peer_connect(peer, 0);
	peer_send(peer, fd, "ask");
	peer->failed = !peer_get(fd, &byte, 1) || peer->failed;
	while (peer->server->stood_ns == 0)
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	close(fd);
}

/* As if the process had been stopped. */
static void
time_that_the_loop_stood_is_told(void **state)
{
	(void)state;
	struct server server = { .on_bytes = stand_still };
	struct peer peer;
	struct net_options options = default_options();
	play(&server, &peer, &options, ask_and_wait_for_a_tick);
	assert_true(server.stood_ns >= 1500 * CLOCK_NS_PER_MS);
	assert_string_equal(server.reasons[0], "END");
}

static void
answer_one(struct server *server, const uint8_t *bytes, size_t count)
{
	(void)bytes;
	(void)count;
	send_pattern(server, 1);
}

static void
connect_and_reset(struct peer *peer)
{
	uint8_t byte = 0;
	struct linger none = { .l_onoff = 1 };
	int fd = peer_connect(peer, 0);
	peer_send(peer, fd, "ask");
	/* Answered, so it is open on both sides when it is reset. */
	peer->failed = !peer_get(fd, &byte, 1) || peer->failed;
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
	close(fd);
}

static void
reset_is_a_reason(void **state)
{
	(void)state;
	struct server server = { .on_bytes = answer_one };
	struct peer peer;
	struct net_options options = default_options();
	play(&server, &peer, &options, connect_and_reset);
	assert_int_equal(server.opened, 1);
	assert_string_equal(server.reasons[0], "PEER_RESET");
}

static void
one_more_than_the_quota(struct peer *peer)
{
	int fds[3];
	for (unsigned i = 0; i < 3; i++)
		fds[i] = peer_connect(peer, 0);
	peer_send(peer, fds[2], "never read");
	peer_read_all(peer, fds[2]);
	for (unsigned i = 0; i < 3; i++)
		close(fds[i]);
}

static void
quota_refuses_with_a_word(void **state)
{
	(void)state;
	struct server server = { .on_bytes = NULL };
	struct peer peer;
	struct net_options options = default_options();
	options.connections_max = 2;
	play(&server, &peer, &options, one_more_than_the_quota);
	assert_int_equal(server.refused, 1);
	assert_string_equal(server.refusal, "CONNECTIONS_MAX");
	assert_string_equal(peer.text, "full");
	assert_true(peer.saw_end);
	assert_int_equal(server.opened, 2);
}

static void
address_cap_refuses_with_a_word(void **state)
{
	(void)state;
	struct server server = { .on_bytes = NULL };
	struct peer peer;
	struct net_options options = default_options();
	options.connections_per_address_max = 2;
	play(&server, &peer, &options, one_more_than_the_quota);
	assert_int_equal(server.refused, 1);
	assert_string_equal(server.refusal, "CONNECTIONS_PER_ADDRESS");
	assert_string_equal(peer.text, "full");
}

static void
stop_reading(struct server *server, const uint8_t *bytes, size_t count)
{
	(void)bytes;
	(void)count;
	conn_set_reading(server->conn, false);
	server->in_call = true;
	conn_call_later(server->conn);
	conn_call_later(server->conn);
	server->in_call = false;
	server->on_bytes = NULL;
}

static void
send_a_lot(struct peer *peer)
{
	static const char bytes[1 << 16];
	struct timeval patience = { .tv_usec = 200000 };
	int fd = peer_connect(peer, 0);
	ssize_t sent = 1;
	peer_send(peer, fd, "stop reading");
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	for (size_t total = 0; sent > 0 && total<4u * MANY_BYTES; total += sent> 0 ? (size_t)sent : 0)
		sent = peer_put(fd, bytes, sizeof bytes);
	/* The kernel's buffers are full: nothing takes it. */
	peer->failed = sent > 0 || peer->failed;
	close(fd);
}

static void
paused_connection_is_not_read_and_gets_one_turn(void **state)
{
	(void)state;
	struct server server = { .on_bytes = stop_reading, .close_on_wake = true };
	struct peer peer;
	struct net_options options = default_options();
	play(&server, &peer, &options, send_a_lot);
	assert_in_range(server.received, 1, NET_READ_BYTES);
	assert_int_equal(server.ended, 0);
	assert_int_equal(server.turns, 1);
	assert_string_equal(server.reasons[0], "WOKEN");
}

static void
address_that_cannot_be_listened_on(void **state)
{
	(void)state;
	struct server server = { .on_bytes = NULL };
	struct net_options options = default_options();
	struct net *other = NULL;
	const char *error = NULL;
	char port[16];
	assert_int_equal(net_create(&options, &script_handlers, &server, &server.net), STATUS_OK);
	assert_int_equal(net_create(&options, &script_handlers, &server, &other), STATUS_OK);
	assert_int_equal(net_listen(server.net, "no such host", "1", &error), STATUS_INVALID_ARGUMENT);
	assert_non_null(error);
	assert_int_equal(net_listen(server.net, "127.0.0.1", "0", &error), STATUS_OK);
	assert_memory_equal(net_address(server.net), "127.0.0.1:", 10);
	snprintf(port, sizeof port, "%u", net_port(server.net));
	error = NULL;
	assert_int_equal(net_listen(other, "127.0.0.1", port, &error), STATUS_UNAVAILABLE);
	assert_non_null(error);
	net_destroy(other);
	net_destroy(server.net);
	net_destroy(NULL);
}

static void
descriptors_are_kept_back(void **state)
{
	(void)state;
	unsigned possible = net_connections_possible(100);
	assert_in_range(possible, 1, 100);
	/* More than any process may have: lowered to what the hard limit leaves. */
	assert_true(net_connections_possible(UINT32_MAX) < UINT32_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(close_sends_what_waits_first),
		cmocka_unit_test(no_reset_overtakes_the_last_bytes),
		cmocka_unit_test(half_closed_peer_gets_everything),
		cmocka_unit_test(peer_that_does_not_read_is_closed),
		cmocka_unit_test(peer_that_reads_slowly_stays),
		cmocka_unit_test(time_that_the_loop_stood_is_told),
		cmocka_unit_test(queue_over_its_bound_closes),
		cmocka_unit_test(reset_is_a_reason),
		cmocka_unit_test(quota_refuses_with_a_word),
		cmocka_unit_test(address_cap_refuses_with_a_word),
		cmocka_unit_test(paused_connection_is_not_read_and_gets_one_turn),
		cmocka_unit_test(address_that_cannot_be_listened_on),
		cmocka_unit_test(descriptors_are_kept_back),
	};
	return cmocka_run_group_tests_name("net/connection", tests, NULL, NULL);
}
