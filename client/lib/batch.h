/* batch: a batch of commands as bytes, and messages of many such.
 *
 * Any thread. Bytes are made once, when a batch is given; its handle and numbers are put in front whenever it is sent. */
#ifndef COLLIDE_CLIENT_LIB_BATCH_H
#define COLLIDE_CLIENT_LIB_BATCH_H

#include "client/lib/bytes.h"
#include "client/lib/collide.h"

#include <stdbool.h>

/* What handle, sequence and acked take at most. */
#define BATCH_NUMBERS_BYTES_MAX 28

/* A serialized Commands but for handle, sequence and acked. */
struct batch_bytes {
	uint64_t tick;
	size_t count;
	uint8_t bytes[];
};

/* The caller frees it with free. NULL: a column without values, a message that is no Commands, or no memory. */
struct batch_bytes *batch_pack(const struct collide_batch *batch, struct collide_error *error);
/* How many of its first bytes are its tick: none if that is 0. */
size_t batch_tick_bytes(const struct batch_bytes *batch);

/* A batch with the place where it belongs. */
struct batch_place {
	struct collide_numbers numbers;
	const struct batch_bytes *batch;
};

/* Bytes of the batch as a Commands, with its numbers. */
size_t batch_place_bytes(const struct batch_place *place);
/* Appends one message: a Commands of one batch, else ManyCommands. false: over body_bytes_max (0: only the framing's limit), or
 * no memory. */
bool batches_append(struct bytes *out, uint64_t request_id, const struct batch_place *places, size_t count,
                    uint32_t body_bytes_max, struct collide_error *error);

#endif
