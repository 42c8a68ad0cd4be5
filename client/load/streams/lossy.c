#include "client/load/streams/lossy.h"

#include <math.h>
#include <string.h>

enum { PARAMETER_BITS = 4, PARAMETER_MAX = 15, ONES_MAX = 32 };

void
lossy_init(struct lossy *lossy, size_t count, double x, double y, double quantum)
{
	*lossy = (struct lossy){ .count = count, .x = x, .y = y, .quantum = quantum };
}

static int64_t
predicted(const struct lossy *lossy, size_t i)
{
	if (lossy->known < 2)
		return lossy->known == 0 ? 0 : lossy->before[0][i];
	return 2 * lossy->before[0][i] - lossy->before[1][i];
}

static void
known_push(struct lossy *lossy, const int64_t *now)
{
	memcpy(lossy->before[1], lossy->before[0], sizeof lossy->before[0]);
	memcpy(lossy->before[0], now, 2 * lossy->count * sizeof *now);
	lossy->known += lossy->known < 2;
}

/* ---- bits, the low ones of a byte first */

struct bits {
	uint8_t *bytes;
	const uint8_t *from;
	size_t at, end;
	bool over; /* more were read than there are */
};

static void
bits_put(struct bits *bits, uint32_t value, unsigned count)
{
	for (unsigned i = 0; i < count; i++, bits->at++)
		if (value >> i & 1)
			bits->bytes[bits->at / 8] |= (uint8_t)(1u << bits->at % 8);
}

static uint32_t
bits_get(struct bits *bits, unsigned count)
{
	uint32_t value = 0;
	bits->over = bits->over || count > bits->end - bits->at;
	for (unsigned i = 0; i < count && !bits->over; i++, bits->at++)
		value |= (uint32_t)(bits->from[bits->at / 8] >> bits->at % 8 & 1) << i;
	return value;
}

/* ---- numbers */

/* 0, -1, 1, -2 .. as 0, 1, 2, 3 .. */
static uint32_t
folded(int64_t value)
{
	int64_t near = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
	return (uint32_t)(near < 0 ? -2 * near - 1 : 2 * near);
}

static int64_t
unfolded(uint32_t value)
{
	return value & 1 ? -(int64_t)(value / 2) - 1 : (int64_t)(value / 2);
}

static size_t
rice_bits(uint32_t value, unsigned parameter)
{
	uint32_t ones = value >> parameter;
	return ones >= ONES_MAX ? ONES_MAX + 32 : ones + 1 + parameter;
}

static void
rice_put(struct bits *bits, uint32_t value, unsigned parameter)
{
	uint32_t ones = value >> parameter;
	if (ones >= ONES_MAX) {
		bits_put(bits, UINT32_MAX, ONES_MAX);
		bits_put(bits, value, 32);
		return;
	}
	bits_put(bits, UINT32_MAX, ones);
	bits_put(bits, 0, 1);
	bits_put(bits, value, parameter);
}

static uint32_t
rice_get(struct bits *bits, unsigned parameter)
{
	uint32_t ones = 0;
	while (ones < ONES_MAX && bits_get(bits, 1) == 1)
		ones++;
	return ones == ONES_MAX ? bits_get(bits, 32) : ones << parameter | bits_get(bits, parameter);
}

static unsigned
best_parameter(const uint32_t *values, size_t count)
{
	size_t least = SIZE_MAX;
	unsigned best = 0;
	for (unsigned parameter = 0; parameter <= PARAMETER_MAX; parameter++) {
		size_t sum = 0;
		for (size_t i = 0; i < count; i++)
			sum += rice_bits(values[i], parameter);
		best = sum < least ? parameter : best;
		least = sum < least ? sum : least;
	}
	return best;
}

size_t
lossy_encode(struct lossy *lossy, const double *x, const double *y, uint8_t out[static LOSSY_BYTES_MAX])
{
	int64_t now[2 * LOSSY_CIRCLES_MAX];
	uint32_t values[2 * LOSSY_CIRCLES_MAX];
	size_t count = lossy->count;
	struct bits bits = { .bytes = out };
	memset(out, 0, LOSSY_BYTES_MAX);
	for (size_t i = 0; i < count; i++) {
		now[i] = llround((x[i] - lossy->x) / lossy->quantum);
		now[count + i] = llround((y[i] - lossy->y) / lossy->quantum);
	}
	for (size_t i = 0; i < 2 * count; i++)
		values[i] = folded(now[i] - predicted(lossy, i));
	for (size_t first = 0; first < 2 * count; first += count) {
		unsigned parameter = best_parameter(values + first, count);
		bits_put(&bits, parameter, PARAMETER_BITS);
		for (size_t i = first; i < first + count; i++)
			rice_put(&bits, values[i], parameter);
	}
	known_push(lossy, now);
	return (bits.at + 7) / 8;
}

bool
lossy_decode(struct lossy *lossy, const uint8_t *bytes, size_t byte_count, double *x, double *y)
{
	int64_t now[2 * LOSSY_CIRCLES_MAX];
	size_t count = lossy->count;
	struct bits bits = { .from = bytes, .end = 8 * byte_count };
	for (size_t first = 0; first < 2 * count; first += count) {
		unsigned parameter = bits_get(&bits, PARAMETER_BITS);
		for (size_t i = first; i < first + count; i++)
			now[i] = predicted(lossy, i) + unfolded(rice_get(&bits, parameter));
	}
	/* All numbers were there, and no byte too many. */
	if (bits.over || bits.at + 7 < bits.end)
		return false;
	for (size_t i = 0; i < count; i++) {
		x[i] = lossy->x + (double)now[i] * lossy->quantum;
		y[i] = lossy->y + (double)now[count + i] * lossy->quantum;
	}
	known_push(lossy, now);
	return true;
}
