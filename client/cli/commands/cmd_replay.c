/* collide replay: prints, checks and draws a recording as the run itself did or could have done. */
#include "client/cli/commands/commands.h"

#include "client/cli/connection/connection.h"
#include "client/cli/recording/playback.h"
#include "client/cli/run/run_sink.h"
#include "client/cli/terminal/arguments.h"

#include <stdio.h>

/* Plays all frames. If the recording does not end as a run does, stderr says how it ends. */
static enum exit_status
frames_play(struct playback *playback, struct run_sink *sink)
{
	const struct collide_frame *frame;
	enum playback_step step;
	while ((step = playback_next(playback, &frame)) == PLAYBACK_FRAME)
		if (!run_sink_frame(sink, frame)) {
			fprintf(stderr, "collide replay: %s\n", sink->problem);
			return EXIT_STATUS_FAILED;
		}
	progress_stop(&sink->progress);
	if (step == PLAYBACK_DONE)
		return EXIT_STATUS_DONE;
	if (step == PLAYBACK_REFUSED)
		return error_report("replay", &playback->error);
	fprintf(stderr, "collide replay: %s\n", playback->problem);
	return EXIT_STATUS_FAILED;
}

static bool
can_be_certified(const Collide__V1__Simulate *request)
{
	return request->every <= 1 && request->detail != COLLIDE__V1__DETAIL__DETAIL_STATES;
}

static enum exit_status
recording_replay(struct playback *playback, struct run_options *options)
{
	const Collide__V1__Simulate *request = playback->request;
	if (options->certify && !can_be_certified(request)) {
		fprintf(stderr, "collide replay: --certify needs the contacts and the state of every tick, and the recording has not;\n"
		                "  record with --every 1\n");
		return EXIT_STATUS_USAGE;
	}
	options->ticks = request->ticks;
	options->dt = request->dt;
	if (request->events >= COLLIDE__V1__EVENTS__EVENTS_TOUCHES)
		options->events = (unsigned)(request->events - COLLIDE__V1__EVENTS__EVENTS_TOUCHES) + 1;
	struct run_sink sink;
	double start = clock_now_seconds();
	run_sink_init(&sink, options, &playback->start);
	progress_start(&sink.progress, options->ticks);
	enum exit_status played = frames_play(playback, &sink);
	bool whole = played == EXIT_STATUS_DONE;
	enum exit_status told = run_sink_end(&sink, whole ? &playback->done : NULL, clock_now_seconds() - start);
	run_sink_finish(&sink);
	return whole ? told : played;
}

enum exit_status
cmd_replay(int argc, char **argv)
{
	struct run_options options = { .command = "replay", .table = RUN_TABLE_AUTO };
	const struct argument arguments[] = {
		RUN_EVERY_ARGUMENT(&options), RUN_FORMAT_ARGUMENT(&options),  RUN_TABLE_ARGUMENT(&options),
		RUN_SVG_ARGUMENT(&options),   RUN_PNG_ARGUMENT(&options),     RUN_PNG_WIDTH_ARGUMENT(&options),
		RUN_LABEL_ARGUMENT(&options), RUN_CERTIFY_ARGUMENT(&options),
	};
	const struct command_line line = {
		.command = "replay",
		.about =
			"Plays what collide run --record kept (\"-\": stdin), without a daemon and without simulating: the same output as\n"
			"that of the run. Times are those of the original run.",
		.example =
			"collide gen break | collide run - --local --format none --record run.bin && collide replay run.bin --png run.png",
		.operand = "RECORDING",
		.operand_required = true,
		.operand_out = &options.scene_path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	enum exit_status status = run_options_check(&options);
	if (status != EXIT_STATUS_DONE)
		return status;
	struct playback playback;
	status = EXIT_STATUS_USAGE;
	if (playback_open(&playback, options.scene_path))
		status = recording_replay(&playback, &options);
	else
		fprintf(stderr, "collide replay: %s\n", playback.problem);
	playback_close(&playback);
	return status;
}
