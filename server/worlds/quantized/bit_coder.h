/* bit_coder: an adaptive binary range coder. Bits that can be foreseen cost little: of each kind of bit it is known how often
 * it was set of late.
 *
 * The coder is that of Martin, "Range encoding" (1979), with carries as in LZMA and probabilities that are means of a fast and
 * a slow estimate. WorldUpdate.quantized of the schema says what a reader does.
 *
 * The folder quantized/: states within a tolerance, for readers of STREAM_STATES that ask for that. A model of what they have
 * is taken along from update to update (quantized_states.h); where it would be too far off, numbers on a grid are told. It is
 * used by live. The worker that has the world. */
#ifndef COLLIDED_WORLDS_QUANTIZED_BIT_CODER_H
#define COLLIDED_WORLDS_QUANTIZED_BIT_CODER_H

#include "base/buffer.h"

/* How likely a bit of this kind is 0: two estimates, in parts of 32,768. */
struct bit_context {
	uint16_t fast, slow;
};

#define BIT_CONTEXT_EVEN ((struct bit_context){ 16384, 16384 })

/* Numbers of magnitude below 2^24. */
#define NUMBER_LENGTH_MAX 24
#define NUMBER_CONTEXTS (2 * NUMBER_LENGTH_MAX)

struct bit_coder {
	struct buffer *out;
	size_t start; /* of its bytes in `out` */
	uint64_t low;
	uint32_t range;
	uint8_t cache;
	size_t pending;
	bool begun; /* the cache has a byte */
};

/* Appends to `out`, where a failure is noted. */
void bit_coder_begin(struct bit_coder *coder, struct buffer *out);
void bit_put(struct bit_coder *coder, struct bit_context *context, bool bit);
/* Bits of which nothing is known, the most significant first; count <= 64. */
void bits_put(struct bit_coder *coder, uint64_t bits, unsigned count);
/* |number| < 2^24. */
void number_put(struct bit_coder *coder, struct bit_context contexts[NUMBER_CONTEXTS], int32_t number);
/* About how many bits it has taken so far. */
double bit_coder_bits(const struct bit_coder *coder);
/* Of zeros at the end nothing is appended. */
void bit_coder_end(struct bit_coder *coder);

#endif
