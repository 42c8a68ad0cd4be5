/* world_player: plays a recording of a world from any of its ticks on, as frames and as paths.
 *
 * One thread at a time. The ticks before are made as all others, so that the state after a seek is that of playing all, to the
 * bit; they are neither framed nor kept. Each hash of the recording is compared on the way. Reports on stderr as
 * "collide COMMAND: ...". */
#ifndef COLLIDE_CLI_WORLDS_WORLD_PLAYER_H
#define COLLIDE_CLI_WORLDS_WORLD_PLAYER_H

#include "client/cli/recording/recording.h"
#include "client/cli/terminal/exit_status.h"
#include "client/cli/terminal/progress.h"
#include "client/cli/worlds/world_at.h"
#include "client/cli/worlds/world_frames.h"
#include "client/cli/worlds/world_motion.h"
#include "client/cli/worlds/world_recording.h"

struct world_player {
	const char *command; /* borrowed */
	struct world_recording recording;
	struct world_play play;
	double dt;
	uint64_t first, last; /* ticks: the state that it begins with, and the last one that it makes */
	struct progress progress;

	struct world_motion paths; /* of `motion`, if there is one */
	struct run_motion *motion;
	struct world_frames *frames;
	collide_frame_fn take;
	void *context;
	bool stopped; /* `take` has returned false */
	bool failed;  /* no memory for a frame */
};

/* Reads the file and goes to the tick. `ticks`: at most so many from there on; 0: all. Otherwise than DONE: stderr says why. To
 * be closed in any case. */
enum exit_status world_player_open(struct world_player *player, const char *command, struct recording *file,
                                   const struct world_at *at, uint64_t ticks);
void world_player_close(struct world_player *player);

/* Makes its ticks. `motion` gets all paths, and `take` a frame of each tick; NULL: none. The motion is the caller's to finish,
 * in any case. DONE also if `take` has returned false, the motion is full, or a signal came. A recording that was cut off is
 * FAILED at the end, once all of it was played. */
enum exit_status world_player_run(struct world_player *player, struct run_motion *motion, collide_frame_fn take, void *context);

#endif
