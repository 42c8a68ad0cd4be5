/* collide verify: simulates a recording's request again; every frame must be the same. */
#include "client/cli/commands/commands.h"

#include "client/cli/check/frame_compare.h"
#include "client/cli/connection/connection.h"
#include "client/cli/recording/playback.h"
#include "client/cli/terminal/arguments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct verify {
	struct playback playback;
	enum playback_step step; /* of the recording, so far */
	uint64_t frames;         /* found to be the same */
	bool differs;
	bool over; /* the recording's frames ended before the simulation's */
	char difference[300];
};

static bool
difference_set(struct verify *verify, uint64_t tick, const char *text)
{
	snprintf(verify->difference, sizeof verify->difference, "tick %" PRIu64 ": %s", tick, text);
	verify->differs = true;
	return false;
}

/* A collide_frame_fn: the next frame of the recording must be the same. */
static bool
frame_verify(void *context, const struct collide_frame *here)
{
	struct verify *verify = context;
	const struct collide_frame *there;
	char text[200];
	verify->step = playback_next(&verify->playback, &there);
	if (verify->step == PLAYBACK_DONE)
		return difference_set(verify, here->tick, "the recording has ended before");
	if (verify->step != PLAYBACK_FRAME) {
		verify->over = true;
		return false;
	}
	if (there->tick != here->tick) {
		snprintf(text, sizeof text, "the recording goes on with tick %" PRIu64, there->tick);
		return difference_set(verify, here->tick, text);
	}
	if (!frame_compare(there, here, text, sizeof text))
		return difference_set(verify, here->tick, text);
	verify->frames++;
	return true;
}

/* The recording must end as the simulation did. */
static void
end_verify(struct verify *verify, const struct collide_done *here)
{
	const struct collide_frame *frame;
	const struct collide_done *there = &verify->playback.done;
	verify->step = playback_next(&verify->playback, &frame);
	if (verify->step == PLAYBACK_FRAME)
		difference_set(verify, frame->tick, "the simulation has ended before");
	else if (verify->step == PLAYBACK_DONE &&
	         (there->ticks != here->ticks || there->events != here->events || there->collisions != here->collisions ||
	          there->clusters != here->clusters || there->clips != here->clips || there->shortfalls != here->shortfalls ||
	          there->hash != here->hash || there->start_tick != here->start_tick))
		difference_set(verify, here->ticks, "the sums of SimulateDone");
	verify->over = verify->step == PLAYBACK_REFUSED || verify->step == PLAYBACK_BROKEN;
}

static enum exit_status
result_report(const struct verify *verify)
{
	const struct playback *playback = &verify->playback;
	if (verify->differs) {
		printf("differs at %s\n", verify->difference);
		return EXIT_STATUS_FAILED;
	}
	if (verify->over && verify->step == PLAYBACK_BROKEN) {
		fprintf(stderr, "collide verify: %s\n", playback->problem);
		return EXIT_STATUS_FAILED;
	}
	printf("the same: %" PRIu64 " frames up to tick %" PRIu64, verify->frames, playback->tick);
	if (verify->over)
		printf(", where the recording ends with %s: %s\n", playback->error.reason, playback->error.text);
	else
		printf(", state hash %016" PRIx64 "\n", playback->done.hash);
	return EXIT_STATUS_DONE;
}

/* Whether the recording ends here with this error as well. */
static bool
refusal_verify(struct verify *verify, const struct collide_error *error)
{
	const struct collide_frame *frame;
	verify->step = playback_next(&verify->playback, &frame);
	verify->over = verify->step == PLAYBACK_REFUSED && strcmp(verify->playback.error.reason, error->reason) == 0;
	return verify->over;
}

static enum exit_status
request_repeat(struct verify *verify, const struct collide_simulation *simulation, const char *address)
{
	struct collide_error error;
	struct collide_done done;
	enum exit_status status;
	struct collide_client *client = address ? connection_open("verify", address, &status)
	                                        : connection_open_local("verify", 1, &status);
	if (!client)
		return status;
	bool good = collide_simulate(client, simulation, frame_verify, verify, &done, &error);
	collide_close(client);
	if (good)
		end_verify(verify, &done);
	else if (!verify->differs && !verify->over && !refusal_verify(verify, &error))
		return error_report("verify", &error);
	return result_report(verify);
}

static enum exit_status
recording_verify(struct verify *verify, const char *address)
{
	const Collide__V1__Simulate *request = verify->playback.request;
	const struct start *start = &verify->playback.start;
	struct collide_scene scene = { 0 };
	if (start->scene)
		scene.message_bytes = collide__v1__scene__get_packed_size(start->scene);
	uint8_t *bytes = malloc(scene.message_bytes + 1);
	if (!bytes) {
		fprintf(stderr, "collide verify: no memory for the scene\n");
		return EXIT_STATUS_FAILED;
	}
	if (start->scene)
		collide__v1__scene__pack(start->scene, bytes);
	scene.message = bytes;
	const struct collide_simulation simulation = {
		.scene = start->scene ? &scene : NULL,
		.snapshot = start->snapshot,
		.snapshot_bytes = start->snapshot_bytes,
		.dt = request->dt,
		.ticks = request->ticks,
		.every = request->every,
		.states_only = request->detail == COLLIDE__V1__DETAIL__DETAIL_STATES,
		.events = (enum collide_events)request->events,
		.paths = request->paths != 0,
	};
	enum exit_status status = request_repeat(verify, &simulation, address);
	free(bytes);
	return status;
}

enum exit_status
cmd_verify(int argc, char **argv)
{
	const char *path = NULL, *address = NULL;
	bool local = false;
	const struct argument arguments[] = {
		{ .name = "--local",
		  .letter = 'l',
		  .kind = ARGUMENT_SWITCH,
		  .out = &local,
		  .help = "simulate in this process, which is the default" },
		{ .name = "--connect",
		  .letter = 'C',
		  .alias = "--server",
		  .kind = ARGUMENT_TEXT,
		  .out = &address,
		  .value = "HOST:PORT",
		  .help = "simulate in this daemon (default: in this process)" },
	};
	const struct command_line line = {
		.command = "verify",
		.about =
			"Simulates again what collide run --record kept (\"-\": stdin), and compares the state hash of every frame, then\n"
			"every number in it. Exit status 1, with the first tick that differs, if one does.",
		.example = "collide gen gas | collide run - --local --format none --record run.bin && collide verify run.bin",
		.operand = "RECORDING",
		.operand_required = true,
		.operand_out = &path,
		.arguments = arguments,
		.count = sizeof arguments / sizeof arguments[0],
	};
	enum arguments_result result = arguments_read(&line, argc, argv);
	if (result != ARGUMENTS_GOOD)
		return result == ARGUMENTS_HELP ? EXIT_STATUS_DONE : EXIT_STATUS_USAGE;
	if (local && address) {
		fprintf(stderr, "collide verify: --local and --connect exclude each other\n");
		return EXIT_STATUS_USAGE;
	}
	struct verify verify = { 0 };
	enum exit_status status = EXIT_STATUS_USAGE;
	if (playback_open(&verify.playback, path))
		status = recording_verify(&verify, address);
	else
		fprintf(stderr, "collide verify: %s\n", verify.playback.problem);
	playback_close(&verify.playback);
	return status;
}
