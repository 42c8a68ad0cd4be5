/* world_state: the bytes of a world's snapshot, a serialized WorldState: the engine's, pending forces, and owners of circles.
 *
 * The worker that has the world; reading: any. */
#ifndef COLLIDED_WORLDS_LIVE_WORLD_STATE_H
#define COLLIDED_WORLDS_LIVE_WORLD_STATE_H

#include "base/buffer.h"
#include "worlds/live/live_private.h"

#define WORLD_STATE_MAGIC 0x31535743u

/* Appends them. `whole`: with the walls of a map that the world is in. False without memory. */
bool world_state_append(const struct live_world *world, bool whole, struct buffer *out);
/* Appends fields `waiting` of a Handover: the batches that wait, in the order of their arrival. False without memory. */
bool world_waiting_append(const struct live_world *world, struct buffer *out);

#endif
