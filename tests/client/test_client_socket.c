/* The blocking client against a scripted server: each script is what a thread says to the one connection it accepts. */
#include "client/replies.h"

#include "client/lib/socket.h"
#include "proto/frame.h"

#include "support/assert_double.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static void
addresses_are_split(void **state)
{
	(void)state;
	static const struct {
		const char *address, *host, *port;
	} good[] = {
		{ "127.0.0.1:99", "127.0.0.1", "99" }, { "localhost", "localhost", "7878" },
		{ ":80", "127.0.0.1", "80" },          { "[::1]:5", "::1", "5" },
		{ "[fe80::1]", "fe80::1", "7878" },    { "", "127.0.0.1", "7878" },
	};
	char host[64], port[16];
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_true(address_split(good[i].address, host, sizeof host, port, sizeof port));
		assert_string_equal(host, good[i].host);
		assert_string_equal(port, good[i].port);
	}
	static const char *const bad[] = { "::1",
		                               "a:1:2",
		                               "[::1",
		                               "[]:1",
		                               "[::1]5",
		                               "host:",
		                               "[::1]:",
		                               "a-name-of-more-than-sixty-three-characters-does-not-fit-into-this-space:1",
		                               "h:12345678901234567",
		                               "h:0",
		                               "h:65536",
		                               "h:99999",
		                               "h:80x" };
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(address_split(bad[i], host, sizeof host, port, sizeof port));
}

enum script {
	SCRIPT_SILENT,           /* accepts, and says nothing */
	SCRIPT_HANG_UP,          /* reads Hello and closes */
	SCRIPT_HTTP,             /* is something else */
	SCRIPT_REFUSE,           /* answers Hello with an Error */
	SCRIPT_SERVE,            /* two frames for a Simulate, whatever is cancelled meanwhile; pongs */
	SCRIPT_HANG_UP_IN_FRAME, /* closes in the middle of a frame */
	SCRIPT_DEAF,             /* welcomes, takes a Simulate, and never answers anything again */
	SCRIPT_BUSY,             /* answers a Simulate when it is cancelled, and no sooner */
	SCRIPT_GIVE_UP,          /* ends the connection then, and says so */
};

struct server {
	int listener;
	enum script script;
	char address[32];
	pthread_t thread;
};

static void
say(int connection, struct replies *replies)
{
	assert_int_equal(send(connection, replies->bytes, replies->count, MSG_NOSIGNAL), replies->count);
	replies_finish(replies);
}

/* Reads one small request; NULL at the end of the stream. */
static Collide__V1__ClientMessage *
hear(int connection)
{
	uint8_t bytes[1024];
	size_t count = 0, header_bytes;
	uint32_t body_bytes;
	for (;;) {
		if (frame_header_read(bytes, count, sizeof bytes - 5, &header_bytes, &body_bytes) == FRAME_OK &&
		    count == header_bytes + body_bytes)
			return collide__v1__client_message__unpack(NULL, body_bytes, bytes + header_bytes);
		if (count == sizeof bytes || recv(connection, bytes + count, 1, 0) != 1)
			return NULL;
		count++;
	}
}

static uint64_t
hear_id(int connection)
{
	Collide__V1__ClientMessage *message = hear(connection);
	if (!message)
		return 0;
	uint64_t id = message->request_id;
	collide__v1__client_message__free_unpacked(message, NULL);
	return id;
}

static void
serve_simulate(int connection, uint64_t id, enum script script)
{
	struct replies replies = { 0 };
	replies_append_part(&replies, id, 1, false, 0, 3, 0, 0);
	if (script == SCRIPT_HANG_UP_IN_FRAME)
		replies.count /= 2;
	say(connection, &replies);
	if (script == SCRIPT_HANG_UP_IN_FRAME)
		return;
	replies_append_part(&replies, id, 2, false, 0, 3, 0, 0);
	replies_append_done(&replies, id, 2, 2000);
	say(connection, &replies);
}

static void
serve(int connection, enum script script)
{
	struct replies replies = { 0 };
	Collide__V1__ClientMessage *message;
	while ((message = hear(connection))) {
		uint64_t id = message->request_id;
		switch (message->request_case) {
		case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO: replies_append_welcome(&replies, id, 0); break;
		case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING: replies_append_pong(&replies, id, "", 0); break;
		case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE:
			if (script != SCRIPT_BUSY && script != SCRIPT_GIVE_UP)
				serve_simulate(connection, id, script);
			break;
		case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CANCEL:
			if (script == SCRIPT_BUSY)
				replies_append_error(&replies, message->cancel->target_request_id, COLLIDE__V1__CODE__CODE_CANCELLED,
				                     "CANCELLED");
			if (script == SCRIPT_GIVE_UP)
				replies_append_error(&replies, 0, COLLIDE__V1__CODE__CODE_RESOURCE_EXHAUSTED, "no memory");
			break;
		default: break;
		}
		collide__v1__client_message__free_unpacked(message, NULL);
		if (replies.count > 0)
			say(connection, &replies);
		if (script == SCRIPT_HANG_UP_IN_FRAME && id == 2)
			return;
	}
}

static void *
server_main(void *argument)
{
	struct server *server = argument;
	struct replies replies = { 0 };
	int connection = accept(server->listener, NULL, NULL);
	if (connection < 0)
		return NULL;
	switch (server->script) {
	case SCRIPT_SILENT:
	case SCRIPT_DEAF:
		if (server->script == SCRIPT_DEAF) {
			replies_append_welcome(&replies, hear_id(connection), 0);
			say(connection, &replies);
		}
		while (hear_id(connection) != 0)
			continue; /* until the client hangs up */
		break;
	case SCRIPT_HANG_UP: hear_id(connection); break;
	case SCRIPT_HTTP:
		send(connection, "HTTP/1.0 400 Bad Request, and enough more of it to be as long as its first letter says.", 86,
		     MSG_NOSIGNAL);
		hear_id(connection);
		break;
	case SCRIPT_REFUSE:
		replies_append_error(&replies, hear_id(connection), COLLIDE__V1__CODE__CODE_FAILED_PRECONDITION, "not today");
		say(connection, &replies);
		break;
	case SCRIPT_BUSY:
	case SCRIPT_GIVE_UP:
	case SCRIPT_SERVE:
	case SCRIPT_HANG_UP_IN_FRAME: serve(connection, server->script); break;
	}
	close(connection);
	return NULL;
}

static void
server_start(struct server *server, enum script script)
{
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof name;
	server->script = script;
	server->listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_true(server->listener >= 0);
	assert_int_equal(bind(server->listener, (struct sockaddr *)&name, size), 0);
	assert_int_equal(listen(server->listener, 1), 0);
	assert_int_equal(getsockname(server->listener, (struct sockaddr *)&name, &size), 0);
	snprintf(server->address, sizeof server->address, "127.0.0.1:%d", ntohs(name.sin_port));
	assert_int_equal(pthread_create(&server->thread, NULL, server_main, server), 0);
}

static void
server_stop(struct server *server)
{
	assert_int_equal(pthread_join(server->thread, NULL), 0);
	close(server->listener);
}

static void
connect_expect_failure(enum script script, const struct collide_options *options, enum collide_origin origin,
                       const char *reason)
{
	struct server server;
	struct collide_error error;
	server_start(&server, script);
	assert_null(collide_connect(server.address, options, &error));
	assert_string_equal(error.reason, reason);
	assert_int_equal(error.origin, origin);
	server_stop(&server);
}

static void
servers_that_do_not_welcome_are_told_apart(void **state)
{
	(void)state;
	const struct collide_options hasty = { .connect_timeout_ms = 50 };
	connect_expect_failure(SCRIPT_SILENT, &hasty, COLLIDE_FROM_CONNECTION, "TIMEOUT");
	connect_expect_failure(SCRIPT_HANG_UP, NULL, COLLIDE_FROM_CONNECTION, "CONNECTION_CLOSED");
	connect_expect_failure(SCRIPT_HTTP, NULL, COLLIDE_FROM_CONNECTION, "MALFORMED_REPLY");
	connect_expect_failure(SCRIPT_REFUSE, NULL, COLLIDE_FROM_SERVER, "SOME_REASON");
}

static void
nobody_listening_and_bad_addresses_are_reported(void **state)
{
	(void)state;
	struct server server;
	struct collide_error error;
	/* A port that was free a moment ago, and that we hold without listening: no other program can take it meanwhile. */
	struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof name;
	server.listener = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(server.listener, (struct sockaddr *)&name, size), 0);
	assert_int_equal(getsockname(server.listener, (struct sockaddr *)&name, &size), 0);
	snprintf(server.address, sizeof server.address, "127.0.0.1:%d", ntohs(name.sin_port));
	assert_null(collide_connect(server.address, NULL, &error));
	assert_string_equal(error.reason, "CONNECT_FAILED");
	assert_non_null(strstr(error.text, server.address));
	assert_int_equal(error.code, COLLIDE_UNAVAILABLE);
	assert_null(collide_connect(server.address, NULL, NULL));
	close(server.listener);
	assert_null(collide_connect("::1", NULL, &error));
	assert_string_equal(error.reason, "BAD_ADDRESS");
	assert_null(collide_connect("127.0.0.1:no-such-service", NULL, &error));
	assert_string_equal(error.reason, "RESOLVE_FAILED");
}

static const double ONE_RADIUS = 1;
static const struct collide_scene SCENE = { .circles = { .count = 3, .radius = { &ONE_RADIUS, 1 } } };
static const struct collide_simulation SIMULATION = { .scene = &SCENE, .dt = 1, .ticks = 2 };

struct seen {
	size_t frames, most;
};

static bool
count_frames(void *context, const struct collide_frame *frame)
{
	struct seen *seen = context;
	seen->frames++;
	assert_int_equal(frame->tick, seen->frames);
	return seen->frames < seen->most;
}

static void
frames_reach_the_callback_then_done(void **state)
{
	(void)state;
	struct server server;
	struct collide_done done;
	double seconds = -1;
	server_start(&server, SCRIPT_SERVE);
	struct collide_client *client = collide_connect(server.address, NULL, NULL);
	assert_non_null(client);
	assert_int_equal(collide_client_welcome(client)->instance_id, 77);
	assert_true(collide_ping(client, &seconds, NULL));
	assert_true(seconds > 0);
	struct seen seen = { .most = 10 };
	assert_true(collide_simulate(client, &SIMULATION, count_frames, &seen, &done, NULL));
	assert_int_equal(seen.frames, 2);
	assert_int_equal(done.hash, 2000);
	assert_true(collide_simulate(client, &SIMULATION, NULL, NULL, NULL, NULL));
	collide_close(client);
	server_stop(&server);
}

static bool
wait_a_moment(void *context, const struct collide_frame *frame)
{
	const struct timespec moment = { .tv_nsec = 20000000 };
	(void)context;
	(void)frame;
	nanosleep(&moment, NULL);
	return true;
}

/* All of the rest, its end included, arrives while the first callback takes its time: the client must not wait for more then.
 * With these timeouts that would be an hour. */
static void
what_came_during_a_callback_is_seen_at_once(void **state)
{
	(void)state;
	struct server server;
	const struct collide_options patient = { .reply_timeout_ms = 3600000 };
	server_start(&server, SCRIPT_SERVE);
	struct collide_client *client = collide_connect(server.address, &patient, NULL);
	assert_non_null(client);
	assert_true(collide_simulate(client, &SIMULATION, wait_a_moment, NULL, NULL, NULL));
	collide_close(client);
	server_stop(&server);
}

static void
a_callback_that_says_no_cancels(void **state)
{
	(void)state;
	struct server server;
	struct collide_error error;
	server_start(&server, SCRIPT_SERVE);
	struct collide_client *client = collide_connect(server.address, NULL, NULL);
	assert_non_null(client);
	struct seen seen = { .most = 1 };
	assert_false(collide_simulate(client, &SIMULATION, count_frames, &seen, NULL, &error));
	assert_int_equal(error.code, COLLIDE_CANCELLED);
	assert_int_equal(seen.frames, 1);
	assert_true(collide_ping(client, NULL, NULL)); /* the connection is still good */
	collide_close(client);
	server_stop(&server);
}

static bool
stop_at_the_third_question(void *context)
{
	return ++*(int *)context >= 3;
}

/* No frame comes, so no callback has the word; the question whether to stop has. */
static void
a_wait_can_be_stopped(void **state)
{
	(void)state;
	struct server server;
	struct collide_error error;
	int questions = 0;
	const struct collide_options options = { .stop = stop_at_the_third_question, .stop_context = &questions };
	server_start(&server, SCRIPT_BUSY);
	struct collide_client *client = collide_connect(server.address, &options, NULL);
	assert_non_null(client);
	assert_false(collide_simulate(client, &SIMULATION, NULL, NULL, NULL, &error));
	assert_int_equal(error.code, COLLIDE_CANCELLED);
	assert_int_equal(questions, 3);
	assert_true(collide_ping(client, NULL, NULL)); /* the connection is still good */
	collide_close(client);
	server_stop(&server);
}

/* That the connection is over is told, and not that the request is: it is not usable any more. */
static void
a_connection_that_ends_meanwhile_is_not_cancelled(void **state)
{
	(void)state;
	struct server server;
	struct collide_error error;
	int questions = 0;
	const struct collide_options options = { .stop = stop_at_the_third_question, .stop_context = &questions };
	server_start(&server, SCRIPT_GIVE_UP);
	struct collide_client *client = collide_connect(server.address, &options, NULL);
	assert_non_null(client);
	assert_false(collide_simulate(client, &SIMULATION, NULL, NULL, NULL, &error));
	assert_string_equal(error.reason, "SOME_REASON");
	assert_int_equal(error.origin, COLLIDE_FROM_SERVER);
	collide_close(client);
	server_stop(&server);
}

static void
a_lost_connection_ends_the_simulation(void **state)
{
	(void)state;
	struct server server;
	struct collide_error error;
	server_start(&server, SCRIPT_HANG_UP_IN_FRAME);
	struct collide_client *client = collide_connect(server.address, NULL, NULL);
	assert_non_null(client);
	assert_false(collide_simulate(client, &SIMULATION, NULL, NULL, NULL, &error));
	assert_int_equal(error.origin, COLLIDE_FROM_CONNECTION);
	assert_string_equal(error.reason, "CONNECTION_CLOSED");
	assert_false(collide_ping(client, NULL, &error));
	collide_close(client);
	server_stop(&server);
}

static void
silence_is_noticed_although_there_is_no_deadline(void **state)
{
	(void)state;
	struct server server;
	struct collide_error error;
	const struct collide_options hasty = { .reply_timeout_ms = 40 };
	server_start(&server, SCRIPT_DEAF);
	struct collide_client *client = collide_connect(server.address, &hasty, NULL);
	assert_non_null(client);
	assert_false(collide_simulate(client, &SIMULATION, NULL, NULL, NULL, &error));
	assert_string_equal(error.reason, "SILENT");
	assert_false(collide_ping(client, NULL, &error));
	assert_string_equal(error.reason, "TIMEOUT");
	collide_close(client);
	server_stop(&server);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_split),
		cmocka_unit_test(servers_that_do_not_welcome_are_told_apart),
		cmocka_unit_test(nobody_listening_and_bad_addresses_are_reported),
		cmocka_unit_test(frames_reach_the_callback_then_done),
		cmocka_unit_test(what_came_during_a_callback_is_seen_at_once),
		cmocka_unit_test(a_callback_that_says_no_cancels),
		cmocka_unit_test(a_wait_can_be_stopped),
		cmocka_unit_test(a_connection_that_ends_meanwhile_is_not_cancelled),
		cmocka_unit_test(a_lost_connection_ends_the_simulation),
		cmocka_unit_test(silence_is_noticed_although_there_is_no_deadline),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
