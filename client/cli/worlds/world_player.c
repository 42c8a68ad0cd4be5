#include "client/cli/worlds/world_player.h"

#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/interrupt.h"

#include <inttypes.h>
#include <stdio.h>

static enum exit_status
player_fail(const struct world_player *player, const char *text)
{
	progress_clear(&player->progress);
	problem_begin(player->command);
	fprintf(stderr, "%s: %s\n", player->recording.path, text);
	return EXIT_STATUS_FAILED;
}

static bool
player_ended(const struct world_player *player)
{
	return player->stopped || player->failed || (player->motion && player->paths.failed) || interrupt_came(NULL);
}

/* Up to that tick. */
static enum exit_status
ticks_make(struct world_player *player, uint64_t tick)
{
	while (world_play_now(&player->play) < tick && !player_ended(player)) {
		if (!world_play_tick(&player->play))
			return player_fail(player, player->play.error.text);
		progress_update(&player->progress, world_play_now(&player->play) - player->recording.begin,
		                player->motion ? player->motion->contacts : 0);
	}
	return EXIT_STATUS_DONE;
}

enum exit_status
world_player_open(struct world_player *player, const char *command, struct recording *file, const struct world_at *at,
                  uint64_t ticks)
{
	struct world_recording *recording = &player->recording;
	*player = (struct world_player){ .command = command };
	if (!world_recording_take(recording, command, file))
		return EXIT_STATUS_FAILED;
	if (!world_play_open(&player->play, recording))
		return player_fail(player, player->play.error.text);
	player->dt = collide_mirror_state(player->play.mirror).dt;
	player->first = world_at_tick(at, recording->begin, player->dt);
	if (player->first < recording->begin || player->first >= recording->end) {
		problem_begin(command);
		if (recording->begin == recording->end)
			fprintf(stderr, "%s: the recording has the state after tick %" PRIu64 ", and no tick\n", recording->path,
			        recording->begin);
		else
			fprintf(stderr,
			        "--at: the recording has the ticks %" PRIu64 " to %" PRIu64 ", so that it can begin after %" PRIu64
			        " to %" PRIu64 " (%.9g s to %.9g s)\n",
			        recording->begin, recording->end, recording->begin, recording->end - 1, 0.0,
			        (double)(recording->end - 1 - recording->begin) * player->dt);
		return EXIT_STATUS_USAGE;
	}
	uint64_t left = recording->end - player->first;
	player->last = player->first + (ticks > 0 && ticks < left ? ticks : left);
	interrupt_watch();
	progress_start(&player->progress, player->last - recording->begin);
	enum exit_status status = ticks_make(player, player->first);
	progress_stop(&player->progress);
	return status == EXIT_STATUS_DONE && interrupt_came(NULL) ? interrupt_status() : status;
}

void
world_player_close(struct world_player *player)
{
	world_motion_finish(&player->paths);
	world_frames_destroy(player->frames);
	world_play_close(&player->play);
	world_recording_free(&player->recording);
}

/* ---- the observer */

static void
on_begun(void *context, const struct world *world, bool edited)
{
	struct world_player *player = context;
	if (player->motion)
		world_motion_tick_begun(&player->paths, world, edited);
}

static void
on_made(void *context, struct world *world, const struct tick_report *report)
{
	struct world_player *player = context;
	if (player->motion)
		world_motion_tick_made(&player->paths, world, report);
	if (!player->take || player->stopped || player->failed)
		return;
	const struct collide_frame *frame = world_frames_tick(player->frames, world, report);
	player->failed = !frame;
	player->stopped = frame && !player->take(player->context, frame);
}

enum exit_status
world_player_run(struct world_player *player, struct run_motion *motion, collide_frame_fn take, void *context)
{
	const struct tick_observer observer = { .begun = on_begun, .made = on_made, .context = player };
	struct collide_mirror *mirror = player->play.mirror;
	bool good = true;
	player->motion = motion;
	player->take = take;
	player->context = context;
	if (motion)
		good = world_motion_begin(&player->paths, motion, mirror_world(mirror), player->dt);
	if (take)
		player->frames = world_frames_create(player->dt);
	good = good && (!take || player->frames) && mirror_observe(mirror, &observer, motion ? WORLD_MOTION_EVENTS : 0);
	if (!good)
		return player_fail(player, "no memory to play it");
	progress_start(&player->progress, player->last - player->recording.begin);
	enum exit_status status = ticks_make(player, player->last);
	progress_stop(&player->progress);
	if (player->failed)
		return player_fail(player, "no memory for a frame");
	bool whole = world_play_now(&player->play) == player->recording.end;
	return status == EXIT_STATUS_DONE && whole && player->recording.cut ? EXIT_STATUS_FAILED : status;
}
