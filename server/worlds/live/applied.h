/* applied: batches that took effect, as readers of commands are told them (AppliedBatch).
 *
 * The worker that has the world. */
#ifndef COLLIDED_WORLDS_LIVE_APPLIED_H
#define COLLIDED_WORLDS_LIVE_APPLIED_H

#include "base/buffer.h"
#include "wire/wire.h"
#include "worlds/commands/batch.h"

/* Fields of WorldUpdate. */
#define APPLIED_FIELD 16u
#define UNDONE_FIELD 17u

/* A batch, less what is in front of its rows; the end of a seat has no commands. Lends the bytes of `rows`, which the caller
 * finishes; rows->failed: no memory. */
Collide__V1__AppliedBatch applied_message(const struct batch *batch, struct buffer *rows);

#endif
