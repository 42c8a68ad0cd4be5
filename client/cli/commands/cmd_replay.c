/* collide replay: prints, checks and draws a recording as the run itself did or could have done. */
#include "client/cli/commands/commands.h"

#include "client/cli/commands/world_replay.h"
#include "client/cli/connection/connection.h"
#include "client/cli/recording/playback.h"
#include "client/cli/run/run_sink.h"
#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/interrupt.h"

#include <stdio.h>

struct replay {
	struct run_options options;
	struct world_at at;
	struct pace pace;
};

/* Plays its frames, up to the last one that is wanted. If the recording does not end as a run does, stderr says how it ends.
 * *whole: it was played to its end. */
static enum exit_status
frames_play(struct playback *playback, struct run_sink *sink, struct pace *pace, bool *whole)
{
	const struct collide_frame *frame;
	enum playback_step step;
	while ((step = playback_next(playback, &frame)) == PLAYBACK_FRAME) {
		pace_wait(pace, frame->time);
		if (interrupt_came(NULL))
			return interrupt_status();
		if (!run_sink_frame(sink, frame)) {
			fprintf(stderr, "collide replay: %s\n", sink->problem);
			return EXIT_STATUS_FAILED;
		}
		if (frame->tick >= sink->last_tick && frame->tick < playback->start.tick + playback->request->ticks)
			return EXIT_STATUS_DONE;
	}
	progress_stop(&sink->progress);
	*whole = step == PLAYBACK_DONE;
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
run_replay(struct playback *playback, struct run_options *options, struct pace *pace)
{
	const Collide__V1__Simulate *request = playback->request;
	if (options->certify && !can_be_certified(request)) {
		fprintf(stderr, "collide replay: --certify needs the contacts and the state of every tick, and the recording has not;\n"
		                "  record with --every 1\n");
		return EXIT_STATUS_USAGE;
	}
	options->ticks = options->ticks > 0 && options->ticks < request->ticks ? options->ticks : request->ticks;
	options->dt = request->dt;
	if (request->events >= COLLIDE__V1__EVENTS__EVENTS_TOUCHES)
		options->events = (unsigned)(request->events - COLLIDE__V1__EVENTS__EVENTS_TOUCHES) + 1;
	struct run_sink sink;
	double start = clock_now_seconds();
	run_sink_init(&sink, options, &playback->start);
	progress_start(&sink.progress, options->ticks);
	bool whole = false;
	interrupt_watch();
	enum exit_status played = frames_play(playback, &sink, pace, &whole);
	enum exit_status told = run_sink_end(&sink, whole ? &playback->done : NULL, clock_now_seconds() - start);
	run_sink_finish(&sink);
	return played == EXIT_STATUS_DONE ? told : played;
}

static enum exit_status
recording_replay(struct recording *recording, struct replay *replay)
{
	struct playback playback;
	if (recording_kind(recording) == RECORDING_OF_WORLD) {
		enum exit_status world = world_replay(recording, &replay->options, &replay->at, &replay->pace);
		recording_close(recording);
		return world;
	}
	enum exit_status status = EXIT_STATUS_USAGE;
	if (!playback_begin(&playback, recording))
		fprintf(stderr, "collide replay: %s\n", playback.problem);
	else if (replay->at.given)
		fprintf(stderr, "collide replay: --at: %s is a recording of a run; --at is for those of collide world record\n",
		        replay->options.scene_path);
	else
		status = run_replay(&playback, &replay->options, &replay->pace);
	playback_close(&playback);
	return status;
}

enum exit_status
cmd_replay(int argc, char **argv)
{
	struct replay replay = { .options = { .command = "replay", .table = RUN_TABLE_AUTO } };
	struct run_options *options = &replay.options;
	const struct argument arguments[] = {
		WORLD_AT_ARGUMENT(&replay.at),
		{ .name = "--ticks",
		  .letter = 'n',
		  .kind = ARGUMENT_COUNT,
		  .out = &options->ticks,
		  .minimum = 1,
		  .maximum = UINT64_MAX,
		  .value = "N",
		  .help = "at most so many ticks" },
		{ .name = "--speed",
		  .kind = ARGUMENT_SECONDS,
		  .out = &replay.pace.speed,
		  .value = "X",
		  .help =
		      "seconds of the recording per second, also as a fraction; 1: at\nits own rate (default: as fast as possible)" },
		RUN_EVERY_ARGUMENT(options),
		RUN_FORMAT_ARGUMENT(options),
		RUN_TABLE_ARGUMENT(options),
		RUN_SVG_ARGUMENT(options),
		RUN_PNG_ARGUMENT(options),
		RUN_PNG_WIDTH_ARGUMENT(options),
		RUN_LABEL_ARGUMENT(options),
		RUN_CERTIFY_ARGUMENT(options),
	};
	const struct command_line line = {
		.command = "replay",
		.about =
			"Plays a recording (\"-\": stdin) without a daemon. Of collide run --record: without simulating, with the same output\n"
			"as that of the run; times are those of the original run. Of collide world record: the engine makes its ticks again,\n"
			"compares the hashes that it has, and gives them as a run's; --at begins at any of them, with the same bits.",
		.example =
			"collide gen break | collide run - --local --format none --record run.bin && collide replay run.bin --png run.png",
		.operand = "RECORDING",
		.operand_required = true,
		.operand_out = &options->scene_path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	enum exit_status status = run_options_check(options);
	if (status != EXIT_STATUS_DONE)
		return status;
	struct recording recording;
	if (recording_open(&recording, options->scene_path))
		return recording_replay(&recording, &replay);
	fprintf(stderr, "collide replay: %s\n", recording.problem);
	return EXIT_STATUS_USAGE;
}
