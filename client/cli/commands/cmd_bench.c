/* collide bench: the command line, and the order of the steps. */
#include "client/cli/commands/commands.h"

#include "client/cli/bench/bench_report.h"
#include "client/cli/bench/bench_run.h"
#include "client/cli/bench/bench_scenes.h"
#include "client/cli/connection/connection.h"
#include "client/cli/terminal/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_TABLE, FORMAT_JSON };
/* A value that --rate cannot have. */
static const double RATE_NOT_GIVEN = -1;

struct bench_arguments {
	struct bench_options options;
	struct argument_texts scenes, conditions;
	const char *address;
	double rate; /* as given, or RATE_NOT_GIVEN */
	unsigned format;
	bool json;
};

static const char ABOUT[] =
	"Puts load on the daemon and measures it: every request simulates a scene (default: a gas of 1,000 circles).\n"
	"Of several scenes each gets its share by weight: game.json:3 lobby.json:1.\n"
	"\n"
	"Closed model: every connection has --pipeline requests under way and asks again when one is done.\n"
	"Open model (--rate): requests start by the clock, whatever the daemon does. Response times count from the intended\n"
	"start, service times from when the request really went out; only the former tell what users would have waited.\n"
	"Pings are sent meanwhile, 200 a second. Ctrl-C ends early and prints what was measured.\n"
	"\n"
	"Conditions of --assert: p50 p90 p99 p99.9 p99.99 p99.999 min mean max (of response times; also service.p99, ping.p99,\n"
	"ping.service.p99) with us, ms or s; rate, errors, unfinished, knee; < <= > >=; several with commas between.";

/* The options of the load itself. */
static void
load_arguments(struct bench_arguments *bench, struct argument out[static 11])
{
	struct load_plan *plan = &bench->options.plan;
	const struct argument arguments[11] = {
		{ .name = "--connections",
		  .letter = 'c',
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->connections,
		  .minimum = 1,
		  .maximum = LOAD_CONNECTIONS_MAX,
		  .value = "N",
		  .help = "how many (default 2)" },
		{ .name = "--pipeline",
		  .letter = 'p',
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->pipeline,
		  .minimum = 1,
		  .maximum = LOAD_PIPELINE_MAX,
		  .value = "N",
		  .help = "requests under way on each (default 1)" },
		{ .name = "--rate",
		  .kind = ARGUMENT_NUMBER,
		  .out = &bench->rate,
		  .value = "R",
		  .help = "open model: R requests per second, over all connections" },
		{ .name = "--duration",
		  .letter = 'd',
		  .kind = ARGUMENT_SECONDS,
		  .out = &plan->seconds,
		  .value = "S",
		  .help = "seconds that are measured (default 5)" },
		{ .name = "--warm-up",
		  .kind = ARGUMENT_NUMBER,
		  .out = &plan->warm_up_seconds,
		  .value = "S",
		  .help = "seconds before, which are not (default 1)" },
		{ .name = "--drain",
		  .kind = ARGUMENT_NUMBER,
		  .out = &plan->drain_seconds,
		  .value = "S",
		  .help = "seconds after, to wait for what is under way (default 5)" },
		{ .name = "--ticks",
		  .letter = 'n',
		  .kind = ARGUMENT_COUNT,
		  .out = &plan->simulation.ticks,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "ticks per request (default 60)" },
		{ .name = "--dt",
		  .letter = 't',
		  .kind = ARGUMENT_SECONDS,
		  .out = &plan->simulation.dt,
		  .value = "S",
		  .help = "seconds per tick, also as a fraction (default 1/60)" },
		{ .name = "--every",
		  .letter = 'e',
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
		CONNECTION_ARGUMENT(&bench->address),
	};
	memcpy(out, arguments, sizeof arguments);
}

/* The options of the report. */
static void
report_arguments(struct bench_arguments *bench, struct argument out[static 7])
{
	static const char *const formats[] = { "table", "json", NULL };
	static const char *const progresses[] = { "auto", "always", "never", NULL };
	const struct argument arguments[7] = {
		{ .name = "--find-knee",
		  .kind = ARGUMENT_SWITCH,
		  .out = &bench->options.find_knee,
		  .help = "search for the highest rate that is served well, --duration for each step:\n"
		          "99 % of it achieved, p99 within the bound. A step at a low rate lasts until\n"
		          "20 requests have started, ten --durations at most. Reports that rate's figures" },
		{ .name = "--knee-p99",
		  .kind = ARGUMENT_NUMBER,
		  .out = &bench->options.knee_p99_ms,
		  .value = "MS",
		  .help = "that bound in milliseconds (default: 10 times the p50 or 3 times the p99 of the\n"
		          "first step, whichever is more)" },
		{ .name = "--assert",
		  .kind = ARGUMENT_TEXTS,
		  .out = &bench->conditions,
		  .value = "CONDITIONS",
		  .help = "such as 'p99<5ms,errors<1': status 1 if one does not hold" },
		JSON_ARGUMENT(&bench->json, "print one JSON object instead of a table"),
		{ .name = "--html",
		  .kind = ARGUMENT_FILE,
		  .extension = ".html",
		  .out = &bench->options.html_path,
		  .value = "FILE",
		  .help = "also write a page with the curves, one file" },
		{ .name = "--progress",
		  .kind = ARGUMENT_CHOICE,
		  .out = &bench->options.progress,
		  .choices = progresses,
		  .value = "auto|always|never",
		  .help = "a line a second on stderr (default auto: on a terminal)" },
		{ .name = "--format",
		  .letter = 'f',
		  .kind = ARGUMENT_CHOICE,
		  .out = &bench->format,
		  .choices = formats,
		  .value = "table|json",
		  .help = "json is the same as --json" },
	};
	memcpy(out, arguments, sizeof arguments);
}

static bool
conditions_read(const struct argument_texts *texts, struct conditions *out)
{
	char problem[400];
	for (size_t i = 0; i < texts->count; i++)
		if (!conditions_parse(texts->texts[i], out, problem, sizeof problem)) {
			fprintf(stderr, "collide bench: --assert: %s\n", problem);
			return false;
		}
	return true;
}

/* Checks options that exclude each other, and durations that would overflow a clock. */
static bool
options_fit(const struct bench_arguments *bench)
{
	const struct load_plan *plan = &bench->options.plan;
	const char *problem = NULL;
	if (bench->rate != RATE_NOT_GIVEN && (bench->rate < KNEE_RATE_MIN || bench->rate > KNEE_RATE_MAX))
		problem = "--rate: must be from 0.01 to 10,000,000 requests per second";
	else if (plan->seconds > 86400 || plan->warm_up_seconds > 86400 || plan->drain_seconds > 86400)
		problem = "--duration, --warm-up and --drain: at most 86400 seconds";
	else if (bench->options.knee_p99_ms > 1e9)
		problem = "--knee-p99: at most 1e9";
	for (size_t i = 0; i < bench->options.conditions.count && !bench->options.find_knee; i++)
		if (bench->options.conditions.each[i].figure == FIGURE_KNEE)
			problem = "--assert: there is no knee without --find-knee";
	if (problem)
		fprintf(stderr, "collide bench: %s\n", problem);
	return !problem;
}

static enum arguments_result
bench_arguments_read(struct bench_arguments *bench, int argc, char **argv)
{
	struct argument arguments[18];
	load_arguments(bench, arguments);
	report_arguments(bench, arguments + 11);
	const struct command_line line = {
		.command = "bench",
		.about = ABOUT,
		.example = "collide gen gas -o gas.json && collide bench gas.json -c 4 -d 3 --rate 50 --ticks 10 --html load.html",
		.operand = "SCENE.json[:WEIGHT]",
		.operands_out = &bench->scenes,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result;
	bench->options.plan.rate = bench->rate != RATE_NOT_GIVEN ? bench->rate : 0;
	return conditions_read(&bench->conditions, &bench->options.conditions) && options_fit(bench) ? ARGUMENTS_GOOD
	                                                                                             : ARGUMENTS_BAD;
}

/* Reports each condition that does not hold on a line. true: all hold. */
static bool
conditions_report(const struct bench_outcome *outcome)
{
	bool all = true;
	for (size_t i = 0; i < outcome->checked; i++) {
		const struct condition *condition = &outcome->options->conditions.each[i];
		char value[64] = "nothing was measured";
		if (outcome->conditions[i].holds)
			continue;
		all = false;
		if (outcome->conditions[i].measured)
			condition_value_format(condition, outcome->conditions[i].value, value, sizeof value);
		fprintf(stderr, "collide bench: assertion failed: %s: %s\n", condition->text, value);
	}
	return all;
}

static bool
html_write(const struct bench_outcome *outcome)
{
	const char *path = outcome->options->html_path;
	if (!path)
		return true;
	FILE *file = output_open(path);
	if (file)
		bench_html_print(outcome, file);
	if (file && output_close(file))
		return true;
	fprintf(stderr, "collide bench: %s: %s\n", path, strerror(errno));
	return false;
}

static enum exit_status
run_and_report(const struct bench_arguments *bench, struct bench_outcome *outcome)
{
	enum exit_status status = bench_run(&bench->options, outcome);
	/* If the first requests were refused, or no daemon answered, there is nothing to report. */
	if (!outcome->result || (status != EXIT_STATUS_DONE && outcome->result->seconds == 0))
		return status;
	bool told = true;
	if (bench->json || bench->format == FORMAT_JSON)
		told = bench_json_print(outcome, stdout);
	else
		bench_report_print(outcome, stdout);
	told = html_write(outcome) && told;
	bool held = conditions_report(outcome);
	return status == EXIT_STATUS_DONE && !(told && held) ? EXIT_STATUS_FAILED : status;
}

/* Completes the plan with the scenes that were loaded. */
static void
plan_complete(struct bench_arguments *bench, const struct bench_scenes *scenes)
{
	struct load_plan *plan = &bench->options.plan;
	plan->address = connection_address(bench->address);
	plan->scene_count = scenes->count;
	for (size_t i = 0; i < scenes->count; i++)
		plan->scenes[i] = (struct load_scene){
			.name = scenes->names[i], .weight = scenes->weights[i], .scene = &scenes->scenes[i], .circles = scenes->circles[i]
		};
}

static enum exit_status
bench_with(struct bench_arguments *bench)
{
	struct bench_scenes scenes = { 0 };
	struct bench_outcome *outcome = calloc(1, sizeof *outcome);
	enum exit_status status = EXIT_STATUS_FAILED;
	if (!outcome)
		fprintf(stderr, "collide bench: no memory\n");
	else if (output_probe("bench", bench->options.html_path) &&
	         (status = bench_scenes_load(&bench->scenes, &scenes)) == EXIT_STATUS_DONE) {
		plan_complete(bench, &scenes);
		status = run_and_report(bench, outcome);
		load_result_destroy(outcome->result);
	}
	bench_scenes_finish(&scenes);
	free(outcome);
	return status;
}

enum exit_status
cmd_bench(int argc, char **argv)
{
	static const struct load_plan defaults = { .connections = 2,
		                                       .pipeline = 1,
		                                       .warm_up_seconds = 1,
		                                       .seconds = 5,
		                                       .drain_seconds = LOAD_DRAIN_SECONDS,
		                                       .simulation = { .ticks = 60, .every = 1, .dt = 1.0 / 60 } };
	struct bench_arguments *bench = calloc(1, sizeof *bench);
	if (!bench) {
		fprintf(stderr, "collide bench: no memory\n");
		return EXIT_STATUS_FAILED;
	}
	bench->options.plan = defaults;
	bench->rate = RATE_NOT_GIVEN;
	enum arguments_result result = bench_arguments_read(bench, argc, argv);
	enum exit_status status = EXIT_STATUS_USAGE;
	if (result == ARGUMENTS_GOOD)
		status = bench_with(bench);
	free(bench);
	return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : status;
}
