/* world_replay: what collide replay makes of a recording of a world. One thread at a time. */
#ifndef COLLIDE_CLI_WORLD_REPLAY_H
#define COLLIDE_CLI_WORLD_REPLAY_H

#include "client/cli/recording/recording.h"
#include "client/cli/run/run_sink.h"
#include "client/cli/terminal/pace.h"
#include "client/cli/worlds/world_at.h"

/* `options` gets what the recording says of ticks and dt; its `ticks` are the most that are wanted, 0: all. */
enum exit_status world_replay(struct recording *file, struct run_options *options, const struct world_at *at,
                              struct pace *pace);

#endif
