#include "worlds/quantized/bit_coder.h"

#include <math.h>

#define ONE_LOG 15
#define FAST_SHIFT 5
#define SLOW_SHIFT 7
#define RANGE_MIN (UINT32_C(1) << 24)
#define TOP_BYTE UINT32_C(0xff000000)

void
bit_coder_begin(struct bit_coder *coder, struct buffer *out)
{
	*coder = (struct bit_coder){ .out = out, .start = out->count, .range = UINT32_MAX };
}

static void
byte_put(struct bit_coder *coder, uint8_t byte)
{
	buffer_append(coder->out, &byte, 1);
}

/* Moves the top byte of `low` out. Bytes of ones wait, as a carry may still come. */
static void
low_shift(struct bit_coder *coder)
{
	uint8_t carry = (uint8_t)(coder->low >> 32);
	if (carry != 0 || (uint32_t)coder->low < TOP_BYTE) {
		if (coder->begun)
			byte_put(coder, (uint8_t)(coder->cache + carry));
		for (; coder->pending > 0; coder->pending--)
			byte_put(coder, (uint8_t)(UINT8_MAX + carry));
		coder->cache = (uint8_t)(coder->low >> 24);
		coder->begun = true;
	} else {
		coder->pending++;
	}
	coder->low = (coder->low & (RANGE_MIN - 1)) << 8;
}

static void
range_widen(struct bit_coder *coder)
{
	while (coder->range < RANGE_MIN) {
		coder->range <<= 8;
		low_shift(coder);
	}
}

static void
estimate_follow(uint16_t *estimate, unsigned shift, bool bit)
{
	unsigned value = *estimate;
	*estimate = (uint16_t)(bit ? value - (value >> shift) : value + (((1u << ONE_LOG) - value) >> shift));
}

void
bit_put(struct bit_coder *coder, struct bit_context *context, bool bit)
{
	uint32_t bound = (coder->range >> ONE_LOG) * (((uint32_t)context->fast + context->slow) >> 1);
	if (bit) {
		coder->low += bound;
		coder->range -= bound;
	} else {
		coder->range = bound;
	}
	estimate_follow(&context->fast, FAST_SHIFT, bit);
	estimate_follow(&context->slow, SLOW_SHIFT, bit);
	range_widen(coder);
}

void
bits_put(struct bit_coder *coder, uint64_t bits, unsigned count)
{
	while (count-- > 0) {
		coder->range >>= 1;
		if (bits >> count & 1)
			coder->low += coder->range;
		range_widen(coder);
	}
}

void
number_put(struct bit_coder *coder, struct bit_context contexts[NUMBER_CONTEXTS], int32_t number)
{
	struct bit_context *lengths = contexts + 1, *seconds = contexts + NUMBER_LENGTH_MAX;
	uint32_t size = number < 0 ? 0u - (uint32_t)number : (uint32_t)number;
	unsigned length = size == 0 ? 0 : 32u - (unsigned)__builtin_clz(size);

	bit_put(coder, &contexts[0], size != 0);
	if (size == 0)
		return;
	bit_put(coder, &lengths[0], number < 0);
	for (unsigned i = 1; i < NUMBER_LENGTH_MAX && i <= length; i++)
		bit_put(coder, &lengths[i], i < length);
	if (length < 2)
		return;
	bit_put(coder, &seconds[length - 1], size >> (length - 2) & 1);
	bits_put(coder, size, length - 2);
}

double
bit_coder_bits(const struct bit_coder *coder)
{
	size_t bytes = coder->out->count - coder->start + coder->pending + (coder->begun ? 1 : 0);
	int exponent;
	double range = frexp((double)coder->range, &exponent);

	return 8.0 * (double)bytes + 32.0 - ((double)exponent + 2.0 * range - 2.0);
}

/* Of the numbers that mean the same the one with the most zeros at its end. */
static uint64_t
roundest(const struct bit_coder *coder)
{
	uint64_t last = coder->low + coder->range - 1, number = coder->low;
	for (unsigned bits = 32; bits > 0; bits -= 8) {
		uint64_t mask = (UINT64_C(1) << bits) - 1;
		number = (coder->low + mask) & ~mask;
		if (number <= last)
			return number;
	}
	return coder->low;
}

void
bit_coder_end(struct bit_coder *coder)
{
	coder->low = roundest(coder);
	for (unsigned i = 0; i < 5; i++)
		low_shift(coder);
	struct buffer *out = coder->out;
	while (out->count > coder->start && out->bytes[out->count - 1] == 0)
		out->count--;
}
