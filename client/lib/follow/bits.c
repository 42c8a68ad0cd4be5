#include "client/lib/follow/bits.h"

enum { ESTIMATE_BITS = 15, FAST = 5, SLOW = 7, LENGTH_MAX = 24 };

static uint8_t
byte_next(struct bit_reader *reader)
{
	size_t at = reader->at++;
	return at < reader->count ? reader->bytes[at] : 0;
}

void
bit_reader_begin(struct bit_reader *reader, const uint8_t *bytes, size_t count)
{
	*reader = (struct bit_reader){ .bytes = bytes, .count = count, .range = UINT32_MAX };
	for (int i = 0; i < 4; i++)
		reader->code = reader->code << 8 | byte_next(reader);
}

static void
range_widen(struct bit_reader *reader)
{
	while (reader->range < UINT32_C(1) << 24) {
		reader->range <<= 8;
		reader->code = reader->code << 8 | byte_next(reader);
	}
}

static uint16_t
estimate_after(unsigned estimate, unsigned shift, bool bit)
{
	return (uint16_t)(bit ? estimate - (estimate >> shift) : estimate + (((1u << ESTIMATE_BITS) - estimate) >> shift));
}

bool
bit_read(struct bit_reader *reader, struct follow_context *context)
{
	uint32_t bound = (reader->range >> ESTIMATE_BITS) * ((uint32_t)(context->fast + context->slow) >> 1);
	bool bit = reader->code >= bound;
	reader->code -= bit ? bound : 0;
	reader->range = bit ? reader->range - bound : bound;
	context->fast = estimate_after(context->fast, FAST, bit);
	context->slow = estimate_after(context->slow, SLOW, bit);
	range_widen(reader);
	return bit;
}

uint64_t
bits_read(struct bit_reader *reader, unsigned count)
{
	uint64_t bits = 0;
	for (unsigned i = 0; i < count; i++) {
		reader->range >>= 1;
		bool bit = reader->code >= reader->range;
		reader->code -= bit ? reader->range : 0;
		bits = bits << 1 | bit;
		range_widen(reader);
	}
	return bits;
}

unsigned
tree_read(struct bit_reader *reader, struct follow_context tree[3])
{
	unsigned high = bit_read(reader, &tree[0]);
	return high << 1 | bit_read(reader, &tree[1 + high]);
}

double
bits_number_read(struct bit_reader *reader, struct follow_context contexts[FOLLOW_NUMBER_CONTEXTS])
{
	if (!bit_read(reader, &contexts[0]))
		return 0.0;
	bool negative = bit_read(reader, &contexts[1]);
	unsigned length = 1;
	while (length < LENGTH_MAX && bit_read(reader, &contexts[1 + length]))
		length++;
	uint64_t size = 1;
	if (length > 1)
		size = size << 1 | bit_read(reader, &contexts[LENGTH_MAX + length - 1]);
	if (length > 2)
		size = size << (length - 2) | bits_read(reader, length - 2);
	return negative ? -(double)size : (double)size;
}

bool
bit_reader_ends(const struct bit_reader *reader)
{
	return reader->at >= reader->count;
}
