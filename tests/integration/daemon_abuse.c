/* The real daemon and clients that mean no good: one error, a counted reason, and no effect on other clients. */
#include "integration/daemon_client.h"
#include "integration/daemon_process.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void
expect_alive(struct daemon_process *daemon)
{
	struct daemon_client client;
	client_open(&client, daemon->port);
	client_ping(&client, 2);
	client_expect_pong(&client, 2);
	client_close(&client);
}

static void
connections_over_the_quota_are_told_so(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client inside[2];
	struct daemon_client outside;
	daemon_start(&daemon, (const char *const[]){ "--connections-max", "2", NULL });
	client_open(&inside[0], daemon.port);
	client_open(&inside[1], daemon.port);
	for (unsigned i = 0; i < 5; i++) {
		client_connect(&outside, daemon.port);
		client_expect_error(&outside, 0, "CONNECTIONS_MAX");
		client_expect_end(&outside);
		client_close(&outside);
	}
	assert_int_equal(daemon_counter(&daemon, "connection_refused", "CONNECTIONS_MAX"), 5);
	client_ping(&inside[1], 2);
	client_expect_pong(&inside[1], 2);
	/* A place that is given back can be taken again. */
	client_close(&inside[0]);
	while (daemon_counter(&daemon, "close", "END") == 0) {
	}
	expect_alive(&daemon);
	client_close(&inside[1]);
	daemon_stop(&daemon);
}

static void
connections_of_one_address_are_capped(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client inside;
	struct daemon_client outside;
	daemon_start(&daemon, (const char *const[]){ "--connections-per-address-max", "1", NULL });
	client_open(&inside, daemon.port);
	client_connect(&outside, daemon.port);
	client_expect_error(&outside, 0, "CONNECTIONS_PER_ADDRESS");
	client_expect_end(&outside);
	client_close(&outside);
	client_close(&inside);
	daemon_stop(&daemon);
}

static void
other_protocols_get_one_error_and_the_end(void **state)
{
	(void)state;
	static const char *const openings[] = {
		"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n",
		"POST /collide HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
		"\x16\x03\x01\x02\x05\x01",
		"SSH-2.0-OpenSSH_9.2\r\n",
	};
	struct daemon_process daemon;
	struct daemon_client client;
	daemon_start(&daemon, NULL);
	for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
		client_connect(&client, daemon.port);
		client_send_bytes(&client, openings[i], strlen(openings[i]));
		client_expect_error(&client, 0, "NOT_COLLIDE");
		client_expect_end(&client);
		client_close(&client);
	}
	while (daemon_counter(&daemon, "close", "NOT_COLLIDE") < sizeof openings / sizeof openings[0]) {
	}
	expect_alive(&daemon);
	daemon_stop(&daemon);
}

static void
garbage_before_and_after_hello(void **state)
{
	(void)state;
	uint64_t seed = 11;
	struct daemon_process daemon;
	struct daemon_client client;
	daemon_start(&daemon, NULL);
	for (unsigned i = 0; i < 100; i++) {
		uint8_t bytes[4096];
		for (size_t j = 0; j < sizeof bytes; j++)
			bytes[j] = (uint8_t)(random_bits(&seed) >> 32);
		if (i % 2 == 0)
			client_connect(&client, daemon.port);
		else
			client_open(&client, daemon.port);
		client_send_bytes(&client, bytes, sizeof bytes);
		client_end_input(&client);
		for (Collide__V1__ServerMessage *reply = client_receive(&client); reply; reply = client_receive(&client)) {
			assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
			collide__v1__server_message__free_unpacked(reply, NULL);
		}
		client_close(&client);
	}
	expect_alive(&daemon);
	daemon_stop(&daemon);
}

static void
announced_length_costs_nothing(void **state)
{
	(void)state;
	enum { CLIENTS = 30 };
	struct daemon_process daemon;
	struct daemon_client clients[CLIENTS];
	daemon_start(&daemon, NULL);
	expect_alive(&daemon);
	uint64_t before = daemon_memory(&daemon);
	for (unsigned i = 0; i < CLIENTS; i++) {
		client_open(&clients[i], daemon.port);
		client_send_bytes(&clients[i], "\x80\x80\x80\x40", 4); /* 128 MiB */
		client_send_bytes(&clients[i], "\x08\x02", 2);
	}
	expect_alive(&daemon);
	uint64_t after = daemon_memory(&daemon);
	assert_true(after < before + (32u << 20));
	for (unsigned i = 0; i < CLIENTS; i++)
		client_close(&clients[i]);
	daemon_stop(&daemon);
}

static void
close_counted_once(struct daemon_process *daemon, const char *reason)
{
	while (daemon_counter(daemon, "close", reason) == 0) {
	}
	assert_int_equal(daemon_counter(daemon, "close", reason), 1);
}

static void
silence_and_dribble_are_timed_out(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client silent;
	struct daemon_client dribbler;
	struct daemon_client idle;
	/* One short time each: what comes before it may take long. */
	daemon_start(&daemon, (const char *const[]){ "--hello-timeout-ms", "300", NULL });
	client_connect(&silent, daemon.port);
	client_expect_error(&silent, 0, "HELLO_TIMEOUT");
	client_expect_end(&silent);
	client_close(&silent);
	close_counted_once(&daemon, "HELLO_TIMEOUT");
	daemon_stop(&daemon);

	daemon_start(&daemon, (const char *const[]){ "--hello-timeout-ms", "3600000", "--frame-timeout-ms", "300", NULL });
	client_open(&dribbler, daemon.port);
	client_send_bytes(&dribbler, "\x20\x08", 2);
	client_expect_error(&dribbler, 0, "FRAME_TIMEOUT");
	client_expect_end(&dribbler);
	client_close(&dribbler);
	close_counted_once(&daemon, "FRAME_TIMEOUT");
	daemon_stop(&daemon);

	daemon_start(&daemon, (const char *const[]){ "--hello-timeout-ms", "3600000", "--ping-interval-ms", "300", NULL });
	client_open(&idle, daemon.port);
	client_expect_end(&idle);
	client_close(&idle);
	close_counted_once(&daemon, "IDLE");
	daemon_stop(&daemon);
}

static void
error_arrives_though_bytes_were_left_unread(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client client;
	static uint8_t more[1 << 20];
	daemon_start(&daemon, NULL);
	for (unsigned i = 0; i < 20; i++) {
		client_open(&client, daemon.port);
		client_send_bytes(&client, "\xff\xff\xff\xff\xff", 5);
		client_send_bytes(&client, more, sizeof more);
		client_expect_error(&client, 0, "FRAME_MALFORMED");
		client_expect_end(&client);
		client_close(&client);
	}
	daemon_stop(&daemon);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections_over_the_quota_are_told_so),
		cmocka_unit_test(connections_of_one_address_are_capped),
		cmocka_unit_test(other_protocols_get_one_error_and_the_end),
		cmocka_unit_test(garbage_before_and_after_hello),
		cmocka_unit_test(announced_length_costs_nothing),
		cmocka_unit_test(silence_and_dribble_are_timed_out),
		cmocka_unit_test(error_arrives_though_bytes_were_left_unread),
	};
	return cmocka_run_group_tests_name("daemon/abuse", tests, NULL, NULL);
}
