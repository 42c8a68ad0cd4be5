/* collide ping: round trips to the daemon. It is also the container's health check, so one ping is quick and its status is
 * reliable. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/scene/json_text.h"

#include <stdio.h>
#include <time.h>

struct round_trips {
	uint64_t count;
	double least, most, sum; /* seconds */
};

static void
sleep_ms(uint64_t ms)
{
	struct timespec time = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000 };
	while (nanosleep(&time, &time) != 0)
		continue;
}

static void
round_trip_add(struct round_trips *trips, double seconds)
{
	trips->least = trips->count == 0 || seconds < trips->least ? seconds : trips->least;
	trips->most = seconds > trips->most ? seconds : trips->most;
	trips->sum += seconds;
	trips->count++;
}

static bool
trip_print_json(const char *server, double seconds)
{
	return json_tree_print(json_pack("{s:s,s:f}", "server", server, "roundTripMs", seconds * 1e3), stdout);
}

static enum exit_status
ping_many(struct collide_client *client, uint64_t count, uint64_t interval_ms, bool json)
{
	struct round_trips trips = { 0 };
	struct collide_error error;
	for (uint64_t i = 0; i < count; i++) {
		double seconds;
		if (i > 0)
			sleep_ms(interval_ms);
		if (!collide_ping(client, &seconds, &error))
			return error_report("ping", &error);
		round_trip_add(&trips, seconds);
		const char *server = collide_client_welcome(client)->server;
		if (json && !trip_print_json(server, seconds))
			return EXIT_STATUS_FAILED;
		if (!json)
			printf("%s answered in %.3f ms\n", server, seconds * 1e3);
		fflush(stdout);
	}
	if (count > 1 && !json)
		printf("%llu pings: %.3f ms at least, %.3f on average, %.3f at most\n", (unsigned long long)trips.count,
		       trips.least * 1e3, trips.sum / (double)trips.count * 1e3, trips.most * 1e3);
	return EXIT_STATUS_DONE;
}

enum exit_status
cmd_ping(int argc, char **argv)
{
	const char *address = NULL;
	uint64_t count = 1, interval_ms = 1000;
	bool json = false;
	const struct argument arguments[] = {
		CONNECTION_ARGUMENT(&address),
		{ .name = "--count",
		  .letter = 'c',
		  .kind = ARGUMENT_COUNT,
		  .out = &count,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "how many (default 1)" },
		{ .name = "--interval",
		  .kind = ARGUMENT_COUNT,
		  .out = &interval_ms,
		  .minimum = 0,
		  .maximum = 3600000,
		  .value = "MS",
		  .help = "milliseconds between two (default 1000)" },
		JSON_ARGUMENT(&json, "one JSON object a ping: server, roundTripMs"),
	};
	const struct command_line line = {
		.command = "ping",
		.about = "Measures the time of round trips to the daemon, which answers even while all its workers are busy.",
		.example = "collide ping --count 5 --interval 200",
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;

	enum exit_status status;
	struct collide_client *client = connection_open("ping", address, &status);
	if (!client)
		return status;
	status = ping_many(client, count, interval_ms, json);
	collide_close(client);
	return status;
}
