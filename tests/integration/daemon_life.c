/* The real daemon's beginning and end. */
#include "integration/daemon_client.h"
#include "integration/daemon_process.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *const no_environment[] = { NULL };

static void
run_once(int status, const char *contains, const char *const arguments[], const char *const environment[])
{
	char out[16384];
	assert_int_equal(daemon_run_once(arguments, environment, out, sizeof out), status);
	if (!strstr(out, contains))
		fail_msg("\"%s\" is not in: %s", contains, out);
}

static void
help_version_and_settings_are_printed(void **state)
{
	(void)state;
	run_once(0, "COLLIDED_QUEUE_MAX", (const char *[]){ "collided", "--help", NULL }, no_environment);
	run_once(0, "collided ", (const char *[]){ "collided", "--version", NULL }, no_environment);
	run_once(0, "queue-max = 7  # flag", (const char *[]){ "collided", "--queue-max", "7", "--print-config", NULL },
	         (const char *[]){ "COLLIDED_QUEUE_MAX=9", NULL });
	run_once(0, "queue-max = 9  # environment", (const char *[]){ "collided", "--print-config", NULL },
	         (const char *[]){ "COLLIDED_QUEUE_MAX=9", NULL });
}

static void
wrong_settings_end_with_2_and_name_the_culprit(void **state)
{
	(void)state;
	run_once(2, "--workers: ", (const char *[]){ "collided", "--workers", "many", NULL }, no_environment);
	run_once(2, "COLLIDED_WORKERS: ", (const char *[]){ "collided", NULL }, (const char *[]){ "COLLIDED_WORKERS=-1", NULL });
	run_once(2, "\"--worker\"", (const char *[]){ "collided", "--worker", "1", NULL }, no_environment);
}

static void
address_in_use_ends_with_1(void **state)
{
	(void)state;
	struct daemon_process daemon;
	char address[64];
	daemon_start(&daemon, NULL);
	snprintf(address, sizeof address, "127.0.0.1:%u", daemon.port);
	run_once(1, "address already in use", (const char *[]){ "collided", "--listen", address, NULL }, no_environment);
	daemon_stop(&daemon);
}

static void
port_file_that_cannot_be_written_ends_with_1(void **state)
{
	(void)state;
	run_once(1, "event=\"cannot write the port file\" file=/nonexistent/port reason=\"No such file or directory\"",
	         (const char *[]){ "collided", "--listen", "[::1]:0", "--port-file", "/nonexistent/port", NULL }, no_environment);
}

static void
log_file_that_cannot_be_opened_ends_with_1(void **state)
{
	(void)state;
	run_once(1, "event=\"cannot open the log file\" file=/nonexistent/log reason=\"No such file or directory\"",
	         (const char *[]){ "collided", "--listen", "[::1]:0", "--log-file", "/nonexistent/log", NULL }, no_environment);
}

static void
terminated_while_idle(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client client;
	daemon_start(&daemon, (const char *const[]){ "--log-format", "json", NULL });
	client_open(&client, daemon.port);
	daemon_terminate(&daemon);
	client_expect_end(&client);
	client_close(&client);
	assert_int_equal(daemon_wait(&daemon), 0);
}

static void
terminated_in_the_middle_of_a_simulate_answers_it(void **state)
{
	(void)state;
	enum { TICKS = 3000 };
	struct daemon_process daemon;
	struct daemon_client client;
	struct daemon_client late;
	daemon_start(&daemon, (const char *const[]){ "--shutdown-grace-ms", "3600000", NULL });
	client_open(&client, daemon.port);
	client_open(&late, daemon.port);
	client_simulate(&client, 2, 200, TICKS, 0);
	Collide__V1__ServerMessage *reply = client_receive(&client);
	assert_non_null(reply);
	assert_int_equal(reply->frame->tick, 1);
	collide__v1__server_message__free_unpacked(reply, NULL);
	daemon_terminate(&daemon);
	/* It has understood once the idle connection ends; the other one is still served. */
	client_expect_end(&late);
	client_simulate(&client, 3, 2, 2, 0);
	uint64_t frames = 1;
	bool refused = false;
	bool done = false;
	while ((reply = client_receive(&client))) {
		refused = refused || (reply->request_id == 3 && reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR &&
		                      reply->error->code == COLLIDE__V1__CODE__CODE_UNAVAILABLE);
		frames += reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME ? 1 : 0;
		done = done || (reply->request_id == 2 && reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE);
		collide__v1__server_message__free_unpacked(reply, NULL);
	}
	assert_int_equal(frames, TICKS);
	assert_true(refused);
	assert_true(done);
	client_close(&client);
	client_close(&late);
	assert_int_equal(daemon_wait(&daemon), 0);
}

static void
grace_that_runs_out_says_so_to_the_client(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client client;
	daemon_start(&daemon, (const char *const[]){ "--shutdown-grace-ms", "200", NULL });
	client_open(&client, daemon.port);
	client_simulate(&client, 2, 2, 10000000, 0);
	while (daemon_state(&daemon, "requests") == 0) {
	}
	daemon_terminate(&daemon);
	struct simulated simulated = client_take_simulation(&client, 2);
	assert_false(simulated.done);
	assert_string_equal(simulated.reason, "SHUTTING_DOWN");
	client_expect_end(&client);
	client_close(&client);
	assert_int_equal(daemon_wait(&daemon), 0);
}

static void
second_signal_hurries(void **state)
{
	(void)state;
	struct daemon_process daemon;
	struct daemon_client client;
	struct daemon_client idle;
	daemon_start(&daemon, (const char *const[]){ "--shutdown-grace-ms", "86400000", NULL });
	client_open(&client, daemon.port);
	client_open(&idle, daemon.port);
	client_simulate(&client, 2, 2, 10000000, 0);
	client_ping(&client, 3);
	daemon_terminate(&daemon);
	client_expect_end(&idle);
	assert_int_equal(kill(daemon.pid, SIGINT), 0);
	bool told = false;
	for (Collide__V1__ServerMessage *reply = client_receive(&client); reply; reply = client_receive(&client)) {
		told = told || (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR &&
		                strcmp(reply->error->reason, "SHUTTING_DOWN") == 0);
		collide__v1__server_message__free_unpacked(reply, NULL);
	}
	assert_true(told);
	client_close(&client);
	client_close(&idle);
	assert_int_equal(daemon_wait(&daemon), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_version_and_settings_are_printed),
		cmocka_unit_test(wrong_settings_end_with_2_and_name_the_culprit),
		cmocka_unit_test(address_in_use_ends_with_1),
		cmocka_unit_test(port_file_that_cannot_be_written_ends_with_1),
		cmocka_unit_test(log_file_that_cannot_be_opened_ends_with_1),
		cmocka_unit_test(terminated_while_idle),
		cmocka_unit_test(terminated_in_the_middle_of_a_simulate_answers_it),
		cmocka_unit_test(grace_that_runs_out_says_so_to_the_client),
		cmocka_unit_test(second_signal_hurries),
	};
	return cmocka_run_group_tests_name("daemon/life", tests, NULL, NULL);
}
