/* collide run: simulates a scene file by the daemon or in this process; prints, checks and draws the frames. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/recording/recording.h"
#include "client/cli/run/run_sink.h"
#include "client/cli/scene/json_text.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/interrupt.h"
#include "jobs/pool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Seconds per tick of a scene, where --dt gives none. */
static const double DT_DEFAULT = 1.0 / 60;

/* The scene as it goes over the wire. The caller frees *bytes. */
static bool
scene_pack(const Collide__V1__Scene *scene, uint8_t **bytes, size_t *count)
{
	*count = collide__v1__scene__get_packed_size(scene);
	*bytes = malloc(*count + 1); /* never of size 0, which could be NULL */
	if (!*bytes)
		return false;
	collide__v1__scene__pack(scene, *bytes);
	return true;
}

/* Reports on stderr why there was no last reply. Returns the status that fits. */
static enum exit_status
end_report(const struct run_sink *sink, const struct collide_error *error)
{
	uint64_t tick = sink->tally.tick;
	if (interrupt_came(NULL)) {
		fprintf(stderr, "collide run: interrupted after tick %" PRIu64 " of %" PRIu64 "\n", tick, sink->last_tick);
		return interrupt_status();
	}
	/* The sink ends a run only without memory, or if its output cannot be written. */
	if (error->code == COLLIDE_CANCELLED && error->origin == COLLIDE_FROM_LIBRARY) {
		fprintf(stderr, "collide run: %s\n", sink->problem);
		return EXIT_STATUS_FAILED;
	}
	enum exit_status status = error_report("run", error);
	if (tick > 0)
		fprintf(stderr, "  after tick %" PRIu64 " of %" PRIu64 "\n", tick, sink->last_tick);
	return status;
}

/* Simulates, and reports the end. */
static enum exit_status
simulate(struct collide_client *client, const struct collide_simulation *simulation, struct run_sink *sink,
         struct recorder *recorder)
{
	struct collide_error error;
	struct collide_done done;
	collide_record_fn record = recorder->file ? recorder_take : NULL;
	collide_core_record(collide_client_core(client), record, recorder);
	double start = clock_now_seconds();
	bool good = collide_simulate(client, simulation, run_sink_frame, sink, &done, &error);
	double wall_seconds = clock_now_seconds() - start;
	progress_stop(&sink->progress);
	enum exit_status ended = good ? EXIT_STATUS_DONE : end_report(sink, &error);
	enum exit_status told = run_sink_end(sink, good ? &done : NULL, wall_seconds);
	return ended != EXIT_STATUS_DONE ? ended : told;
}

/* Connects first, to a daemon or within this process: otherwise a failed connection would have emptied the recording's file. */
static enum exit_status
connect_and_simulate(const struct run_options *options, const struct collide_simulation *simulation, struct run_sink *sink)
{
	struct recorder recorder = { 0 };
	enum exit_status status = EXIT_STATUS_FAILED;
	unsigned threads = options->threads > 0 ? (unsigned)options->threads : 1;
	struct collide_client *client = options->local ? connection_open_local("run", threads, &status)
	                                               : connection_open("run", options->address, &status);
	if (!client)
		return status;
	interrupt_watch();
	progress_start(&sink->progress, options->ticks);
	if (!options->record_path || recorder_open(&recorder, options->record_path))
		status = simulate(client, simulation, sink, &recorder);
	if (!recorder_close(&recorder) && status == EXIT_STATUS_DONE)
		status = EXIT_STATUS_FAILED;
	collide_close(client);
	return status;
}

static enum exit_status
run_start(const struct run_options *options, const struct start *start)
{
	struct collide_scene packed = { 0 };
	uint8_t *bytes = NULL;
	if (start->scene && !scene_pack(start->scene, &bytes, &packed.message_bytes)) {
		fprintf(stderr, "collide run: no memory for the scene\n");
		return EXIT_STATUS_FAILED;
	}
	packed.message = bytes;
	bool draw = run_options_draw(options);
	const struct collide_simulation simulation = {
		.scene = start->scene ? &packed : NULL,
		.snapshot = start->snapshot,
		.snapshot_bytes = start->snapshot_bytes,
		.dt = options->dt,
		.ticks = options->ticks,
		/* The certificate needs the state after every tick; so does a picture, unless a recording is to be as it was asked for.
		 */
		.every = options->certify || (draw && !options->record_path) ? 1 : options->every,
		.states_only = options->format != RUN_JSON && !options->certify && !draw && !options->record_path,
		.events = run_events_asked(options),
		.paths = options->paths,
		.snapshot_every = !options->save_path        ? 0
		                  : options->save_every != 0 ? options->save_every
		                                             : UINT64_MAX, /* after the last tick */
		.self_check = options->self_check,
		.on_snapshot = run_sink_snapshot,
	};
	struct run_sink sink;
	run_sink_init(&sink, options, start);
	enum exit_status status = connect_and_simulate(options, &simulation, &sink);
	run_sink_finish(&sink);
	free(bytes);
	return status;
}

static enum arguments_result
run_options_read(struct run_options *options, int argc, char **argv)
{
	const struct argument arguments[] = {
		{ .name = "--ticks",
		  .letter = 'n',
		  .kind = ARGUMENT_COUNT,
		  .out = &options->ticks,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "how many ticks (default 60)" },
		{ .name = "--dt",
		  .letter = 't',
		  .kind = ARGUMENT_SECONDS,
		  .out = &options->dt,
		  .value = "S",
		  .help = "seconds per tick, also as a fraction (default 1/60; of a\n"
		          "snapshot that of its run, and no other)" },
		RUN_EVERY_ARGUMENT(options),
		RUN_FORMAT_ARGUMENT(options),
		RUN_TABLE_ARGUMENT(options),
		RUN_SVG_ARGUMENT(options),
		RUN_PNG_ARGUMENT(options),
		RUN_PNG_WIDTH_ARGUMENT(options),
		RUN_LABEL_ARGUMENT(options),
		{ .name = "--record",
		  .kind = ARGUMENT_FILE,
		  .out = &options->record_path,
		  .value = "FILE",
		  .help = "keep the request and all replies, for collide replay, verify\n"
		          "and decode" },
		{ .name = "--events",
		  .kind = ARGUMENT_CHOICE,
		  .out = &options->events,
		  .choices = run_events,
		  .value = "none|touches|persist",
		  .help = "tell when pairs begin to touch, hit and end it; persist: and\n"
		          "each tick that they do. With none only what sensors see,\n"
		          "in JSON" },
		{ .name = "--paths",
		  .kind = ARGUMENT_SWITCH,
		  .out = &options->paths,
		  .help = "with --format json: each circle's path within each tick" },
		{ .name = "--local",
		  .letter = 'l',
		  .kind = ARGUMENT_SWITCH,
		  .out = &options->local,
		  .help = "run the same engine in this process, without a daemon" },
		{ .name = "--threads",
		  .kind = ARGUMENT_COUNT,
		  .out = &options->threads,
		  .minimum = 1,
		  .maximum = POOL_WORKERS_MAX,
		  .value = "N",
		  .help = "with --local: ticks of large scenes on up to so many (1); the\n"
		          "same comes of it, bit by bit" },
		{ .name = "--save",
		  .kind = ARGUMENT_FILE,
		  .out = &options->save_path,
		  .value = "FILE",
		  .help = "keep a snapshot of the state after the last tick, which goes on\n"
		          "where a scene would begin (\"-\": stdout, with --format none)" },
		{ .name = "--save-every",
		  .kind = ARGUMENT_COUNT,
		  .out = &options->save_every,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "K",
		  .help = "and after every K-th tick: the file holds the latest" },
		RUN_CERTIFY_ARGUMENT(options),
		{ .name = "--self-check",
		  .kind = ARGUMENT_SWITCH,
		  .out = &options->self_check,
		  .help = "make every tick again from a snapshot and from memory, and fail\n"
		          "unless all is the same" },
		CONNECTION_ARGUMENT(&options->address),
	};
	const struct command_line line = {
		.command = "run",
		.about =
			"Simulates a scene file (\"-\": stdin) and prints a line per frame and a summary. Scene files are JSON, as\n"
			"protobuf's JSON form of collide.v1.Scene; collide gen and collide import make some. A snapshot that --save has\n"
			"kept goes on from where it was, bit for bit. Ctrl-C ends it early, with the summary and the picture of what was\n"
			"seen; a second one at once.",
		.example = "collide gen gas --count 200 | collide run - --ticks 600 --every 60 --certify --png gas.png",
		.operand = "SCENE.json|SNAPSHOT",
		.operand_required = true,
		.operand_out = &options->scene_path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	return arguments_read(&line, argc, argv);
}

/* A snapshot goes on with the ticks that it had: with others it would not be the same run. */
static bool
dt_choose(struct run_options *options, const struct start *start)
{
	bool given = options->dt != 0;
	if (given && start->dt != 0 && options->dt != start->dt) {
		char asked[JSON_DOUBLE_BYTES], had[JSON_DOUBLE_BYTES];
		problem_begin("run");
		fprintf(stderr, "--dt: %s goes on with ticks of %s s, as it was saved, not of %s s\n", options->scene_path,
		        json_double(start->dt, had), json_double(options->dt, asked));
		return false;
	}
	if (!given)
		options->dt = start->dt != 0 ? start->dt : DT_DEFAULT;
	return true;
}

enum exit_status
cmd_run(int argc, char **argv)
{
	struct run_options options = { .command = "run", .ticks = 60, .table = RUN_TABLE_AUTO };
	enum arguments_result result = run_options_read(&options, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	enum exit_status checked = run_options_check(&options);
	if (checked != EXIT_STATUS_DONE)
		return checked;
	struct start start;
	char error[300];
	enum exit_status status = EXIT_STATUS_USAGE;
	if (!start_load(options.scene_path, &start, error, sizeof error))
		fprintf(stderr, "collide run: %s\n", error);
	else if (dt_choose(&options, &start))
		status = run_start(&options, &start);
	start_finish(&start);
	return status;
}
