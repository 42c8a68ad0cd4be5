/* taken: batches that took effect, as readers of commands are told them (TakenBatch).
 *
 * The worker that has the world. */
#ifndef COLLIDED_WORLDS_LIVE_TAKEN_H
#define COLLIDED_WORLDS_LIVE_TAKEN_H

#include "base/buffer.h"
#include "wire/wire.h"
#include "worlds/commands/batch.h"

/* Fields of WorldUpdate. */
#define TAKEN_FIELD 16u
#define UNDONE_FIELD 17u

/* A batch, less what is in front of its rows; the end of a seat has no commands. Lends the bytes of `rows`, which the caller
 * finishes; rows->failed: no memory. */
Collide__V1__TakenBatch taken_message(const struct batch *batch, struct buffer *rows);
/* Appends one of these fields. False without memory. */
STATUS_MUST_USE bool taken_field_append(struct buffer *out, uint32_t field, const Collide__V1__TakenBatch *message);

#endif
