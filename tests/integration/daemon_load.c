/* The real daemon with many clients at once, some of them slow. */
#include "integration/daemon_client.h"
#include "integration/daemon_process.h"
#include "session/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

enum { CLIENTS = 10 };

static void
ping_is_answered_while_all_workers_are_busy(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client busy;
	struct daemon_client client;
	struct buffer message;
	buffer_init(&message);
	daemon_start(&daemon, (const char *const[]){ "--workers", "1", NULL });
	client_open(&busy, daemon.port);
	client_open(&client, daemon.port);
	/* No frame before the last tick, which never comes: the worker is busy from here on, 20 ms or a tick at a time. */
	pack_simulate_every(&message, 2, 20000, 10000000, 10000000);
	client_send(&busy, &message);
	while (daemon_state(&daemon, "running") == 0) {
	}
	/* The ping overtakes the simulation of its own connection. */
	pack_simulate(&message, 2, 2, 2, 0);
	pack_ping(&message, 3, "hello");
	client_send(&client, &message);
	buffer_finish(&message);
	client_expect_pong(&client, 3);
	assert_true(client_take_simulation(&client, 2).done);
	for (uint64_t id = 4; id < 100; id++) {
		client_ping(&client, id);
		client_expect_pong(&client, id);
	}
	assert_int_equal(daemon_state(&daemon, "requests"), 1);
	client_reset(&busy);
	client_close(&client);
	daemon_stop(&daemon);
}

static void
ten_clients_at_once_each_get_their_own_frames(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client clients[CLIENTS];
	uint64_t alone[CLIENTS];
	daemon_start(&daemon, (const char *const[]){ "--workers", "3", NULL });
	for (uint32_t i = 0; i < CLIENTS; i++) {
		client_open(&clients[i], daemon.port);
		client_simulate(&clients[i], 2, 20 + i, 50 + i, 0);
		struct simulated simulated = client_take_simulation(&clients[i], 2);
		assert_true(simulated.done);
		alone[i] = simulated.hash;
	}
	for (uint32_t i = 0; i < CLIENTS; i++)
		client_simulate(&clients[i], 7, 20 + i, 50 + i, 0);
	for (uint32_t i = 0; i < CLIENTS; i++) {
		struct simulated simulated = client_take_simulation(&clients[i], 7);
		assert_true(simulated.done);
		assert_int_equal(simulated.frames, 50 + i);
		assert_int_equal(simulated.hash, alone[i]);
		client_close(&clients[i]);
	}
	daemon_stop(&daemon);
}

static void
say_hello_and_simulate(struct daemon_client *client, uint32_t circles, uint64_t ticks)
{
	struct buffer message;
	buffer_init(&message);
	pack_hello(&message, 1, 1, 1);
	pack_simulate(&message, 2, circles, ticks, 0);
	client_send(client, &message);
	buffer_finish(&message);
}

static void
clients_that_stop_reading_cost_a_bounded_buffer_and_delay_nobody(void **state)
{
	(void)state;
	enum { TICKS = 20000 }; /* of 100 circles: 74 MB of frames for each one that does not read */
	struct daemon_process daemon;
	struct daemon_client slow[CLIENTS];
	struct daemon_client client;
	daemon_start(&daemon, (const char *const[]){ "--workers", "2", "--write-timeout-ms", "0", NULL });
	client_open(&client, daemon.port);
	client_simulate(&client, 2, 100, 2000, 0);
	assert_true(client_take_simulation(&client, 2).done);
	uint64_t memory_before = daemon_memory(&daemon);
	for (unsigned i = 0; i < CLIENTS; i++) {
		client_connect_small(&slow[i], daemon.port);
		say_hello_and_simulate(&slow[i], 100, TICKS);
	}
	/* A client that reads gets all of it meanwhile, several times over. */
	for (uint64_t id = 3; id < 8; id++) {
		client_simulate(&client, id, 100, 2000, 0);
		struct simulated simulated = client_take_simulation(&client, id);
		assert_true(simulated.done);
		client_ping(&client, 100);
		client_expect_pong(&client, 100);
	}
	/* Exactly: a slice each, and what fitted into the queue before it. */
	assert_true(daemon_state(&daemon, "reply_bytes") < CLIENTS * (SESSION_SLICE_BYTES + SESSION_QUEUE_PAUSE_BYTES + 10000));
	uint64_t memory_after = daemon_memory(&daemon);
	/* A slice, half of another and a world each: 0.5 MB; the rest is what malloc keeps. */
	uint64_t each = memory_after > memory_before ? (memory_after - memory_before) / CLIENTS : 0;
	printf("memory for each client that does not read: %llu KiB\n", (unsigned long long)each / 1024);
#ifndef COLLIDED_SANITIZED
	assert_true(each < (8u << 20));
#endif
	/* They are still there, and get every frame once they read. */
	Collide__V1__ServerMessage *welcome = client_receive(&slow[3]);
	assert_non_null(welcome);
	assert_int_equal(welcome->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME);
	collide__v1__server_message__free_unpacked(welcome, NULL);
	for (unsigned tick = 1; tick <= 1000; tick++) {
		Collide__V1__ServerMessage *frame = client_receive(&slow[3]);
		assert_non_null(frame);
		assert_int_equal(frame->frame->tick, tick);
		collide__v1__server_message__free_unpacked(frame, NULL);
	}
	for (unsigned i = 0; i < CLIENTS; i++)
		client_reset(&slow[i]);
	client_close(&client);
	daemon_stop(&daemon);
}

static void
client_that_never_reads_is_closed_with_a_counted_reason(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client slow;
	struct daemon_client client;
	daemon_start(&daemon, (const char *const[]){ "--write-timeout-ms", "300", NULL });
	client_connect_small(&slow, daemon.port);
	say_hello_and_simulate(&slow, 100, 100000);
	client_open(&client, daemon.port);
	while (daemon_counter(&daemon, "close", "WRITE_STALLED") == 0) {
		client_ping(&client, 2);
		client_expect_pong(&client, 2);
	}
	client_close(&slow);
	client_close(&client);
	daemon_stop(&daemon);
}

static void
half_closed_client_gets_its_replies(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client client;
	daemon_start(&daemon, NULL);
	client_open(&client, daemon.port);
	client_simulate(&client, 2, 100, 1000, 0);
	client_end_input(&client);
	struct simulated simulated = client_take_simulation(&client, 2);
	assert_true(simulated.done);
	assert_int_equal(simulated.frames, 1000);
	client_expect_end(&client);
	client_close(&client);
	daemon_stop(&daemon);
}

static void
resets_in_the_middle_leave_nothing_behind(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client client;
	daemon_start(&daemon, (const char *const[]){ "--workers", "2", NULL });
	for (unsigned i = 0; i < 50; i++) {
		client_open(&client, daemon.port);
		client_simulate(&client, 2, 50, 1000000, 0);
		client_simulate(&client, 3, 50, 1000000, 0);
		if (i % 2 == 0) {
			Collide__V1__ServerMessage *reply = client_receive(&client);
			assert_non_null(reply);
			collide__v1__server_message__free_unpacked(reply, NULL);
		}
		client_reset(&client);
	}
	client_open(&client, daemon.port);
	client_simulate(&client, 2, 50, 10, 0);
	assert_true(client_take_simulation(&client, 2).done);
	client_close(&client);
	daemon_stop(&daemon); /* exits 0 only if every request came back */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ping_is_answered_while_all_workers_are_busy),
		cmocka_unit_test(ten_clients_at_once_each_get_their_own_frames),
		cmocka_unit_test(clients_that_stop_reading_cost_a_bounded_buffer_and_delay_nobody),
		cmocka_unit_test(client_that_never_reads_is_closed_with_a_counted_reason),
		cmocka_unit_test(half_closed_client_gets_its_replies),
		cmocka_unit_test(resets_in_the_middle_leave_nothing_behind),
	};
	return cmocka_run_group_tests_name("daemon/load", tests, NULL, NULL);
}
