/* collide bench streams: what a reader of a live world is sent, by kind of stream, beside formats of games. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/terminal/progress.h"
#include "client/load/streams/streams.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

static const char ABOUT[] =
	"Makes small worlds of several kinds on the daemon, one after the other, steps each as fast as it goes, and lets readers of\n"
	"states, of paths, of states within a tolerance and of commands follow it. Prints bytes a second of the world's time.\n"
	"\n"
	"states, paths: of the two streams, at the socket, with envelopes. Paths are every state to the bit; the run compares them.\n"
	"states within: places and angles at updates, off by no more than those of `delta`, which the run compares too.\n"
	"commands: batches of all players, for readers that have the engine; coded: the same in few bytes (Subscribe.coded).\n"
	"Inputs set the velocity of a circle. Each player has a seat of its own. --inputs says what they choose: any direction, in\n"
	"numbers of single precision, as many games have them, or of double; one of the 16 directions of a pad, or of the 256 of a\n"
	"stick; or four keys, of which one changes each time.\n"
	"grid: what games send: x and y in 16 bits each, at each update. delta: the same places as differences to a straight\n"
	"continuation, in a Rice code, at each update and at each tick. Both have 8 bytes of an update besides, no velocities and\n"
	"no angles. off by: the farthest that a circle is drawn from where it was at a tick, if it is drawn straight from one\n"
	"update to the next; then the same of what has each tick.";

static void
head_print(const struct streams_plan *plan)
{
	double hz = (double)plan->tick_hz;
	printf("%g s of each world, %" PRIu64 " ticks a second, %g updates a second; bytes a second\n\n", plan->seconds,
	       plan->tick_hz, hz / (double)plan->every);
	bool limited = plan->bytes_per_second > 0;
	printf("%-13s %8s %8s %8s %8s %8s %8s | %8s %8s %10s | %10s %10s%s\n", "", "inputs/s", "states", "paths", "states",
	       "commands", "commands", "grid", "delta", "delta,", "grid,", "each tick,", limited ? " | within: off by, at" : "");
	printf("%-13s %8s %8s %8s %8s %8s %8s | %8s %8s %10s | %10s %10s%s\n", "", "", "", "exact", "within", "", "coded", "", "",
	       "each tick", "off by", "off by", limited ? " | beyond %  mean sq.   most" : "");
}

/* With bytes limited: the part of circles that are beyond the tolerance, and how far off they are. */
static double
left_out_percent(const struct streams_result *result)
{
	return result->near_count > 0 ? 100.0 * (double)result->near_stale / (double)result->near_count : 0.0;
}

static double
near_rms(const struct streams_result *result)
{
	return result->near_count > 0 ? sqrt(result->near_square_sum / (double)result->near_count) : 0.0;
}

static void
row_print(const struct streams_plan *plan, const char *name, const struct streams_result *result)
{
	double seconds = (double)result->ticks / (double)plan->tick_hz;
	printf("%-13s %8.0f %8.0f %8.0f %8.0f %8.0f %8.0f | %8.0f %8.0f %10.0f | %10.2g %10.2g", name,
	       (double)result->inputs / seconds, result->states, result->paths, result->near, result->commands, result->coded,
	       result->grid, result->delta, result->delta_tick, result->grid_error, result->tick_error);
	if (plan->bytes_per_second > 0)
		printf(" | %8.1f %8.2g %8.2g", left_out_percent(result), near_rms(result), result->near_error);
	printf("\n");
	fflush(stdout);
}

static json_t *
row_json(const struct streams_plan *plan, const char *name, const struct streams_result *result)
{
	double seconds = (double)result->ticks / (double)plan->tick_hz;
	return json_pack("{s:s,s:i,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:i,s:i,s:f,s:f}", "scene", name, "circles",
	                 (int)result->circles, "inputsPerSecond", (double)result->inputs / seconds, "states", result->states,
	                 "paths", result->paths, "commands", result->commands, "commandsCoded", result->coded, "within",
	                 result->near, "tolerance", result->near_tolerance, "error", result->near_error, "grid", result->grid,
	                 "delta", result->delta, "deltaEachTick", result->delta_tick, "gridError", result->grid_error,
	                 "eachTickError", result->tick_error, "compared", (int)result->compared, "differences",
	                 (int)result->differences, "leftOutPercent", left_out_percent(result), "rootMeanSquare", near_rms(result));
}

static enum exit_status
bench_failed(const struct streams_plan *plan, const struct collide_error *error)
{
	if (interrupt_came(NULL))
		return interrupt_status();
	return error->origin == COLLIDE_FROM_CONNECTION ? connection_error_report("bench streams", plan->address, error)
	                                                : error_report("bench streams", error);
}

static enum exit_status
streams_bench(const struct streams_plan *plan, bool json)
{
	json_t *rows = json ? json_array() : NULL;
	uint64_t differences = 0, compared = 0;
	interrupt_watch();
	if (!json)
		head_print(plan);
	for (int scene = 0; scene < STREAMS_SCENES; scene++) {
		const char *name = streams_scene_name((enum streams_scene)scene);
		struct streams_result result;
		struct collide_error error;
		if (!streams_run(plan, (enum streams_scene)scene, &result, &error)) {
			json_decref(rows);
			return bench_failed(plan, &error);
		}
		differences += result.differences;
		compared += result.compared;
		if (json)
			(void)json_array_append_new(rows, row_json(plan, name, &result));
		else
			row_print(plan, name, &result);
	}
	if (json) {
		json_t *tree = json_pack("{s:i,s:f,s:i,s:i,s:o}", "format", 1, "seconds", plan->seconds, "tickHz", (int)plan->tick_hz,
		                         "every", (int)plan->every, "scenes", rows);
		bool printed = tree && json_dumpf(tree, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF;
		json_decref(tree);
		if (!printed)
			return EXIT_STATUS_FAILED;
	} else {
		printf("\n%" PRIu64 " of %" PRIu64 " states of circles that the paths gave were otherwise than they are\n", differences,
		       compared);
	}
	return differences == 0 ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}

enum exit_status
cmd_bench_streams(int argc, char **argv)
{
	struct streams_plan plan = {
		.seconds = 20, .warm_up_seconds = 5, .tick_hz = 60, .every = 3, .seed = 1, .stop = interrupt_came
	};
	const char *address = NULL;
	bool json = false;
	static const char *const kinds[] = { "single", "double", "pad", "stick", "keys", NULL };
	unsigned inputs = STREAMS_SINGLE;
	const struct argument arguments[] = {
		{ .name = "--duration",
		  .letter = 'd',
		  .kind = ARGUMENT_SECONDS,
		  .out = &plan.seconds,
		  .value = "S",
		  .help = "seconds of each world (default 20)" },
		{ .name = "--warm-up",
		  .kind = ARGUMENT_NUMBER,
		  .out = &plan.warm_up_seconds,
		  .value = "S",
		  .help = "seconds before, which are not counted (default 5)" },
		{ .name = "--hz",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan.tick_hz,
		  .minimum = 1,
		  .maximum = 1000,
		  .value = "N",
		  .help = "ticks a second (default 60)" },
		{ .name = "--every",
		  .letter = 'e',
		  .kind = ARGUMENT_COUNT,
		  .out = &plan.every,
		  .minimum = 1,
		  .maximum = 60,
		  .value = "K",
		  .help = "updates come at every K-th tick (default 3)" },
		{ .name = "--tolerance",
		  .kind = ARGUMENT_NUMBER,
		  .out = &plan.tolerance,
		  .value = "LENGTH",
		  .help = "of states within, and of delta; circles have a radius of 0.4\n(default: that of 16 bits over the world)" },
		{ .name = "--bytes-per-second",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan.bytes_per_second,
		  .minimum = 1,
		  .maximum = UINT32_MAX,
		  .value = "BYTES",
		  .help = "of states within (Subscribe.bytes_per_second): no more, and what is\nleft out for it (default: no limit)" },
		{ .name = "--inputs",
		  .letter = 'i',
		  .kind = ARGUMENT_CHOICE,
		  .out = &inputs,
		  .choices = kinds,
		  .value = "single|double|pad|stick|keys",
		  .help = "what players choose (default single)" },
		{ .name = "--seed",
		  .letter = 's',
		  .kind = ARGUMENT_COUNT,
		  .out = &plan.seed,
		  .minimum = 0,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "of the chance in the worlds (default 1)" },
		CONNECTION_ARGUMENT(&address),
		JSON_ARGUMENT(&json, "print one JSON object instead of a table"),
	};
	const struct command_line line = {
		.command = "bench streams",
		.about = ABOUT,
		.example = "collide bench streams --duration 2",
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	plan.address = connection_address(address);
	plan.inputs = (enum streams_inputs)inputs;
	return streams_bench(&plan, json);
}
