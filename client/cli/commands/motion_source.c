#include "client/cli/commands/motion_source.h"

#include "client/cli/recording/input.h"
#include "client/cli/recording/playback.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/terminal/progress.h"
#include "client/cli/worlds/world_player.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loading {
	struct run_motion *motion;
	struct progress progress;
	uint64_t last_tick; /* that is wanted */
};

/* A collide_frame_fn. */
static bool
frame_take(void *context, const struct collide_frame *frame)
{
	struct loading *loading = context;
	if (!motion_frame(loading->motion, frame))
		return false;
	progress_update(&loading->progress, frame->tick - loading->motion->scene.tick, loading->motion->contacts);
	return frame->tick < loading->last_tick;
}

/* Why a frame was not taken. */
static enum exit_status
full_report(const struct motion_source *source, const struct run_motion *motion)
{
	if (motion->full)
		fprintf(stderr, "collide %s: the paths of more than %" PRIu64 " ticks take over %zu MiB; fewer --ticks fit\n",
		        source->command, motion->tick - motion->scene.tick, MOTION_BYTES_MAX >> 20);
	else
		fprintf(stderr, "collide %s: no memory for the paths\n", source->command);
	return EXIT_STATUS_FAILED;
}

static void
at_refuse(const struct motion_source *source, const char *what)
{
	fprintf(stderr, "collide %s: --at: %s is %s; --at is for recordings of collide world record\n", source->command,
	        source->path, what);
}

static enum exit_status
end_report(const struct motion_source *source, const struct run_motion *motion, const struct collide_error *error)
{
	if (interrupt_came(NULL))
		return interrupt_status();
	if (error->code == COLLIDE_CANCELLED && error->origin == COLLIDE_FROM_LIBRARY)
		return full_report(source, motion);
	return error_report(source->command, error);
}

static enum exit_status
simulate(const struct motion_source *source, const struct start *start, struct loading *loading)
{
	enum exit_status status = EXIT_STATUS_FAILED;
	struct collide_scene packed = { .message_bytes = start->scene ? collide__v1__scene__get_packed_size(start->scene) : 0 };
	uint8_t *bytes = malloc(packed.message_bytes + 1);
	struct collide_client *client = !bytes          ? NULL
	                                : source->local ? connection_open_local(source->command, (unsigned)source->threads, &status)
	                                                : connection_open(source->command, source->address, &status);
	if (client) {
		if (start->scene)
			collide__v1__scene__pack(start->scene, bytes);
		packed.message = bytes;
		const struct collide_simulation simulation = {
			.scene = start->scene ? &packed : NULL,
			.snapshot = start->snapshot,
			.snapshot_bytes = start->snapshot_bytes,
			.dt = loading->motion->dt,
			.ticks = source->ticks != 0 ? source->ticks : MOTION_SOURCE_TICKS,
		};
		struct collide_error error;
		interrupt_watch();
		loading->last_tick = UINT64_MAX;
		progress_start(&loading->progress, simulation.ticks);
		bool good = collide_simulate(client, &simulation, frame_take, loading, NULL, &error);
		progress_stop(&loading->progress);
		status = good ? EXIT_STATUS_DONE : end_report(source, loading->motion, &error);
	}
	collide_close(client);
	free(bytes);
	return status;
}

static enum exit_status
scene_load(const struct motion_source *source, struct run_motion *out)
{
	struct start start;
	char error[300];
	enum exit_status status = EXIT_STATUS_USAGE;
	bool good = start_load(source->path, &start, error, sizeof error);
	double dt = source->dt > 0 ? source->dt : start.dt != 0 ? start.dt : MOTION_SOURCE_DT;
	if (good && start.dt != 0 && start.dt != dt) {
		snprintf(error, sizeof error, "--dt: the snapshot goes on with ticks of %.9g s, as it was saved", start.dt);
		good = false;
	}
	if (good && motion_init(out, &start, dt, error, sizeof error)) {
		struct loading loading = { .motion = out };
		status = simulate(source, &start, &loading);
	} else {
		fprintf(stderr, "collide %s: %s\n", source->command, error);
	}
	start_finish(&start);
	return status;
}

static enum exit_status
frames_load(const struct motion_source *source, struct playback *playback, struct loading *loading)
{
	const struct collide_frame *frame;
	enum playback_step step;
	while ((step = playback_next(playback, &frame)) == PLAYBACK_FRAME)
		if (!frame_take(loading, frame))
			return loading->motion->tick >= loading->last_tick ? EXIT_STATUS_DONE : full_report(source, loading->motion);
	progress_stop(&loading->progress);
	if (step == PLAYBACK_REFUSED)
		return error_report(source->command, &playback->error);
	if (step == PLAYBACK_BROKEN)
		fprintf(stderr, "collide %s: %s\n", source->command, playback->problem);
	return step == PLAYBACK_DONE || loading->motion->duration > 0 ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}

/* Of a recording of a world. */
static enum exit_status
world_load(const struct motion_source *source, struct recording *file, struct run_motion *out)
{
	struct world_player player;
	enum exit_status status = world_player_open(&player, source->command, file, &source->at, source->ticks);
	if (status == EXIT_STATUS_DONE && source->dt > 0 && source->dt != player.dt) {
		fprintf(stderr, "collide %s: --dt: the recording has ticks of %.9g s\n", source->command, player.dt);
		status = EXIT_STATUS_USAGE;
	} else if (status == EXIT_STATUS_DONE) {
		status = world_player_run(&player, out, NULL, NULL);
		if (interrupt_came(NULL))
			status = interrupt_status();
		else if (player.paths.failed)
			status = full_report(source, out);
		else if (out->duration > 0) /* what is wrong was told */
			status = EXIT_STATUS_DONE;
	}
	world_player_close(&player);
	return status;
}

static enum exit_status
run_load(const struct motion_source *source, struct recording *file, struct run_motion *out)
{
	struct playback playback;
	char error[300];
	enum exit_status status = EXIT_STATUS_USAGE;
	if (!playback_begin(&playback, file))
		fprintf(stderr, "collide %s: %s\n", source->command, playback.problem);
	else if (source->at.given)
		at_refuse(source, "a recording of a run");
	else if (playback.request->detail == COLLIDE__V1__DETAIL__DETAIL_STATES)
		fprintf(stderr, "collide %s: the recording has no contacts, so that its paths are unknown\n", source->command);
	else if (source->dt > 0 && source->dt != playback.request->dt)
		fprintf(stderr, "collide %s: --dt: the recording has ticks of %.9g s\n", source->command, playback.request->dt);
	else if (!motion_init(out, &playback.start, playback.request->dt, error, sizeof error))
		fprintf(stderr, "collide %s: %s\n", source->command, error);
	else {
		uint64_t ticks = playback.request->ticks;
		struct loading loading = { .motion = out };
		ticks = source->ticks != 0 && source->ticks < ticks ? source->ticks : ticks;
		loading.last_tick = out->scene.tick + ticks;
		progress_start(&loading.progress, ticks);
		status = frames_load(source, &playback, &loading);
		progress_stop(&loading.progress);
	}
	playback_close(&playback);
	return status;
}

static enum exit_status
recording_load(const struct motion_source *source, struct run_motion *out)
{
	struct recording file;
	if (!recording_open(&file, source->path)) {
		fprintf(stderr, "collide %s: %s\n", source->command, file.problem);
		return EXIT_STATUS_USAGE;
	}
	if (recording_kind(&file) != RECORDING_OF_WORLD)
		return run_load(source, &file, out);
	enum exit_status status = world_load(source, &file, out);
	recording_close(&file);
	return status;
}

enum exit_status
motion_source_load(const struct motion_source *source, struct run_motion *out)
{
	enum input_kind kind;
	if (source->threads > 0 && !source->local) {
		fprintf(stderr, "collide %s: --threads needs --local: a daemon has its own (collided --workers)\n", source->command);
		return EXIT_STATUS_USAGE;
	}
	*out = (struct run_motion){ 0 };
	if (!input_look(source->path, &kind)) {
		fprintf(stderr, "collide %s: %s: %s\n", source->command, source->path, strerror(errno));
		return EXIT_STATUS_USAGE;
	}
	if (kind != INPUT_RECORDING && source->at.given) {
		at_refuse(source, kind == INPUT_SNAPSHOT ? "a snapshot" : "a scene");
		return EXIT_STATUS_USAGE;
	}
	return kind == INPUT_RECORDING ? recording_load(source, out) : scene_load(source, out);
}
