/* byte_model: bytes of batches, each foretold by those in front of it. A batch is mostly like one before, of its seat or of
 * another: the same fields, the same circle, a number that was there.
 *
 * What followed the last ten bytes when they were there before is tried first, then what followed the last three. A byte that
 * is neither is told bit by bit. Numbers that go with others are told as a whole where a speed foretells them (speed_model.h).
 * It knows nothing else of protobuf, and any bytes come back as they were. Coded of the schema says what a reader does.
 *
 * The worker that has the world. No memory of its own. */
#ifndef COLLIDED_WORLDS_CODED_BYTE_MODEL_H
#define COLLIDED_WORLDS_CODED_BYTE_MODEL_H

#include "worlds/coded/speed_model.h"
#include "worlds/quantized/bit_coder.h"

/* Places in a batch that have contexts of their own; beyond them the last eight take turns. */
#define BYTE_PLACES 32
#define BYTE_TURNS 8
#define BYTE_TRUST_MAX 3
#define BYTE_ENTRIES_LOG 14

/* What followed some bytes. */
struct byte_entry {
	uint8_t check; /* of these bytes */
	uint8_t byte;
	uint8_t trust; /* 0: nothing is known, up to BYTE_TRUST_MAX */
};

struct byte_contexts {
	struct bit_context ten[BYTE_PLACES][BYTE_TRUST_MAX];
	struct bit_context three[BYTE_PLACES][2][BYTE_TRUST_MAX]; /* after nothing was tried, and after that failed */
	struct bit_context byte[BYTE_PLACES][256];
};

struct byte_model {
	struct byte_contexts contexts;
	struct byte_entry ten[1 << BYTE_ENTRIES_LOG], three[1 << BYTE_ENTRIES_LOG];
	struct speed_model speeds;
};

/* Nothing was told so far. */
void byte_model_begin(struct byte_model *model);
/* Bytes of a batch of that seat. */
void byte_model_put(struct byte_model *model, struct bit_coder *coder, uint32_t seat, const uint8_t *bytes, size_t count);

#endif
