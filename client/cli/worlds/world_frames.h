/* world_frames: the ticks of a world that is played from a recording, as the frames of a run.
 *
 * One thread at a time. Made by the code that makes the server's frames, and joined as a client does. A frame is valid until
 * the next tick. */
#ifndef COLLIDE_CLI_WORLDS_WORLD_FRAMES_H
#define COLLIDE_CLI_WORLDS_WORLD_FRAMES_H

#include "client/lib/collide.h"
#include "physics/physics.h"

#include <stdbool.h>

struct world_frames;

/* For ticks of dt seconds. NULL: no memory. */
struct world_frames *world_frames_create(double dt);
void world_frames_destroy(struct world_frames *frames);
/* The frame of the tick that the world has made last; the world is only read. NULL: no memory. */
const struct collide_frame *world_frames_tick(struct world_frames *frames, struct world *world,
                                              const struct tick_report *report);

#endif
