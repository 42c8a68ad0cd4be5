/* batch_coder: batches as readers of commands are told them in few bytes (WorldUpdate.coded of the schema). What was told
 * before foretells what comes, from update to update, so a reader has to have all since the coder began anew.
 *
 * The folder coded/: batches for readers of STREAM_COMMANDS that ask for that. It uses the coder of quantized/, and is used by
 * live. The worker that has the world. */
#ifndef COLLIDED_WORLDS_CODED_BATCH_CODER_H
#define COLLIDED_WORLDS_CODED_BATCH_CODER_H

#include "base/buffer.h"
#include "base/status.h"

/* A batch with more bytes is told as it is. */
#define CODED_BATCH_BYTES_MAX 1024u
/* Of all coded batches of an update: their bytes, and CODED_ROW_BYTES of each. More are told as they are. */
#define CODED_UPDATE_BYTES_MAX 65536u
#define CODED_ROW_BYTES 16u
/* Seats of which the last batch is known. */
#define CODED_SEATS_MAX 1024u

struct coded_model;

struct coded_batch {
	uint64_t tick, sequence;
	uint32_t seat;
	bool undone; /* told before, and without bytes now */
	size_t count;
	const uint8_t *bytes; /* of Commands. None, and not undone: the end of the seat */
};

struct batch_coder {
	struct buffer out; /* of an update in the making */
	struct coded_model *model;
	bool begun; /* the update has a batch */
	size_t bytes;
};

void batch_coder_finish(struct batch_coder *coder);
/* Nothing that was told counts: the next update begins anew. */
void batch_coder_restart(struct batch_coder *coder);
/* Adds a batch to the update. *plain: it is not in the bytes, but to be told as it is, in the same order. False without memory:
 * the coder has to begin anew. */
STATUS_MUST_USE bool batch_coder_add(struct batch_coder *coder, const struct coded_batch *batch, bool *plain);
/* Ends the update: coder->out has its bytes, none if it has no batch, until batch_coder_next. False without memory. */
STATUS_MUST_USE bool batch_coder_end(struct batch_coder *coder);
void batch_coder_next(struct batch_coder *coder);

#endif
