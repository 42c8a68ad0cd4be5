/* collide bench: the command line, the scene, and the order of things. */
#include "client/cli/bench.h"

#include "client/cli/arguments.h"
#include "client/cli/connection.h"
#include "client/cli/gen.h"
#include "client/cli/interrupt.h"
#include "client/cli/scene_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The scene when none is given: the gas of the project's benchmarks. */
static Collide__V1__Scene *
gas_make(char *error, size_t error_size)
{
	const struct gen_options options = {
		.count = 1000, .seed = 1, .fraction = 0.3, .speed = 60, .radius = 0.5, .gap = 0.01, .restitution = 1
	};
	struct scene_build build;
	Collide__V1__Scene *scene = NULL;
	scene_build_init(&build);
	if (gen_gas(&options, &build, error, error_size)) {
		scene = scene_build_message(&build);
		if (scene == NULL)
			snprintf(error, error_size, "no memory for the scene");
	}
	scene_build_finish(&build);
	return scene;
}

/* The serialized scene; NULL with *status set after telling why not. The caller frees it. */
static uint8_t *
scene_bytes(const char *path, size_t *count, enum exit_status *status)
{
	Collide__V1__Scene *scene = NULL;
	char error[300];
	*status = EXIT_STATUS_USAGE;
	if (path == NULL ? (scene = gas_make(error, sizeof(error))) == NULL
	                 : !scene_json_load(path, &scene, error, sizeof(error))) {
		fprintf(stderr, "collide bench: %s\n", error);
		return NULL;
	}
	*count = collide__v1__scene__get_packed_size(scene);
	uint8_t *bytes = malloc(*count + 1);
	if (bytes != NULL)
		collide__v1__scene__pack(scene, bytes);
	else
		*status = error_tell("bench", &(struct collide_error){ .origin = COLLIDE_FROM_LIBRARY, .text = "no memory" });
	scene_json_free(scene);
	return bytes;
}

/* Says why a bench ended before its time; what was measured until then is printed all the same. */
static enum exit_status
end_tell(const struct bench_plan *plan, const struct bench_result *result, enum exit_status status)
{
	if (interrupt_came(NULL))
		status = interrupt_status();
	if (status != EXIT_STATUS_DONE)
		fprintf(stderr, "collide bench: %s after %.2f s of %" PRIu64 " s\n",
		        interrupt_came(NULL) ? "interrupted" : "the load ended", result->seconds, plan->seconds);
	return status;
}

static enum exit_status
load_and_pings(const struct bench_plan *plan, struct bench_result *result, struct bench_ping_report *pings)
{
	struct bench_ping ping;
	interrupt_watch();
	/* The pings' process starts before the load's connections are made, or it would hold them open. */
	if (!bench_ping_start(&ping, plan->address, plan->seconds))
		return EXIT_STATUS_FAILED;
	enum exit_status status = end_tell(plan, result, bench_load_run(plan, result));
	bench_ping_finish(&ping, status == EXIT_STATUS_DONE, pings);
	result->pings = pings->histogram;
	/* When the load has ended early, the pings have for the same reason. */
	if (!pings->failed || status != EXIT_STATUS_DONE)
		return status;
	fprintf(stderr, "collide bench: the pings ended early\n");
	return error_tell("bench", &pings->error);
}

static enum exit_status
bench_run(const struct bench_plan *plan, enum bench_format format)
{
	enum exit_status status = EXIT_STATUS_FAILED;
	struct bench_result *result = calloc(1, sizeof(*result));
	struct bench_ping_report *pings = calloc(1, sizeof(*pings));
	if (result != NULL && pings != NULL) {
		status = load_and_pings(plan, result, pings);
		if (status == EXIT_STATUS_DONE || result->frames > 0)
			bench_report_print(plan, result, format);
	} else {
		fprintf(stderr, "collide bench: no memory\n");
	}
	free(pings);
	free(result);
	return status;
}

struct bench_arguments {
	struct bench_plan plan;
	const char *scene_path;
	unsigned format;
};

static enum arguments_result
bench_arguments_read(struct bench_arguments *bench, int argc, char **argv)
{
	static const char *const formats[] = { "table", "json", NULL };
	struct bench_plan *plan = &bench->plan;
	const struct argument arguments[] = {
		{ .name = "-c",
		  .alias = "--connections",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->connections,
		  .minimum = 1,
		  .maximum = BENCH_CONNECTIONS_MAX,
		  .value = "N",
		  .help = "connections, each with one request at a time (default 2)" },
		{ .name = "-d",
		  .alias = "--duration",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->seconds,
		  .minimum = 1,
		  .maximum = 86400,
		  .value = "S",
		  .help = "seconds (default 5)" },
		{ .name = "--ticks",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->simulation.ticks,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "ticks per request (default 60)" },
		{ .name = "--dt",
		  .kind = ARGUMENT_SECONDS,
		  .out = &plan->simulation.dt,
		  .value = "S",
		  .help = "seconds per tick, also as a fraction (default 1/60)" },
		{ .name = "--every",
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->simulation.every,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "K",
		  .help = "a frame after every K-th tick and the last (default 1)" },
		{ .name = "--states-only",
		  .kind = ARGUMENT_SWITCH,
		  .out = &plan->simulation.states_only,
		  .help = "frames without contacts" },
		{ .name = "--format",
		  .kind = ARGUMENT_CHOICE,
		  .out = &bench->format,
		  .choices = formats,
		  .value = "table|json",
		  .help = "how to print the figures (default table)" },
		CONNECTION_ARGUMENT(&plan->address),
	};
	const struct command_line line = {
		.command = "bench",
		.about =
			"Puts a closed-loop load on the daemon: every connection simulates the scene (default: a gas of 1,000\n"
			"circles), again and again. Prints throughput, the latency of requests, and that of pings meanwhile; also of what was\n"
			"measured until Ctrl-C, or until the daemon went away.",
		.example = "collide gen gas -o gas.json && collide bench gas.json -c 4 -d 3 --ticks 120",
		.operand = "SCENE.json",
		.operand_out = &bench->scene_path,
		.arguments = arguments,
		.count = sizeof(arguments) / sizeof(arguments[0]),
	};
	return arguments_read(&line, argc, argv);
}

int
cmd_bench(int argc, char **argv)
{
	struct bench_arguments bench = {
		.plan = { .connections = 2, .seconds = 5, .simulation = { .ticks = 60, .every = 1, .dt = 1.0 / 60 } },
	};
	enum arguments_result result = bench_arguments_read(&bench, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	enum exit_status status;
	struct collide_scene scene = { 0 };
	uint8_t *bytes = scene_bytes(bench.scene_path, &scene.message_bytes, &status);
	if (bytes == NULL)
		return status;
	scene.message = bytes;
	bench.plan.simulation.scene = &scene;
	status = bench_run(&bench.plan, (enum bench_format)bench.format);
	free(bytes);
	return status;
}
