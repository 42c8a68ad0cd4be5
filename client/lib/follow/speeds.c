#include "client/lib/follow/speeds.h"

#include <math.h>
#include <string.h>

enum { COLUMN_MAX = 120, SINGLE_SHIFT = 29, EXPONENT_SHIFT = 52 };

static const uint64_t SIGN = UINT64_C(1) << 63;

void
speeds_begin_anew(struct speeds *speeds)
{
	struct follow_context *contexts = (struct follow_context *)&speeds->contexts;
	for (size_t i = 0; i < sizeof speeds->contexts / sizeof *contexts; i++)
		contexts[i] = (struct follow_context){ 16384, 16384 };
	memset(speeds->lists, 0, sizeof speeds->lists);
}

/* Whether the two bytes in front begin a column that is as long as the one in front of it, of the field before. */
static bool
second_column_begins(const uint8_t *bytes, size_t at)
{
	size_t length = at >= 2 ? bytes[at - 1] : 0;
	if (length == 0 || length > COLUMN_MAX || length % 8 != 0 || at < length + 4)
		return false;
	const uint8_t *front = &bytes[at - length - 4];
	return front[1] == length && (uint8_t)(bytes[at - 2] - front[0]) == 8;
}

void
speeds_columns_step(struct speeds_columns *columns, const uint8_t *bytes, size_t at)
{
	columns->within = columns->left > 0 || second_column_begins(bytes, at);
	if (!columns->within)
		return;
	if (columns->left == 0) {
		columns->left = columns->length = bytes[at - 1];
		columns->list = bytes[at - 2] / 8 % SPEEDS_LISTS;
	}
	columns->left--;
}

static uint64_t
bits_at(const uint8_t *bytes)
{
	uint64_t bits = 0;
	for (unsigned i = 0; i < 8; i++)
		bits |= (uint64_t)bytes[i] << 8 * i;
	return bits;
}

static double
number_of(uint64_t bits)
{
	double number;
	memcpy(&number, &bits, sizeof number);
	return number;
}

static uint64_t
bits_of(double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	return bits;
}

size_t
speeds_read(struct speeds *speeds, struct bit_reader *bits, unsigned list, const uint8_t *x, uint8_t y[8])
{
	struct speeds_contexts *contexts = &speeds->contexts;
	const struct speeds_list *known = &speeds->lists[list];
	if (known->count == 0 || !bit_read(bits, &contexts->told[list]))
		return SPEEDS_NONE;
	double number = bits_number_read(bits, contexts->place);
	if (number < 0 || number >= (double)known->count)
		return SPEEDS_BAD;
	size_t place = (size_t)number;
	double speed = known->speeds[place], size = fabs(number_of(bits_at(x)));
	uint64_t rest = size <= speed ? bits_of(sqrt((speed - size) * (speed + size))) : 0;
	uint64_t octave = (bits_of(speed) >> EXPONENT_SHIFT) - (rest >> EXPONENT_SHIFT);
	octave = octave < SPEEDS_OCTAVES ? octave : SPEEDS_OCTAVES - 1;
	bool single = bits_at(x) << (64 - SINGLE_SHIFT) == 0, negative = bit_read(bits, &contexts->negative);
	uint64_t difference = (uint64_t)(int64_t)bits_number_read(bits, contexts->difference[single][octave]);
	uint64_t out = single ? (((rest + (1u << (SINGLE_SHIFT - 1))) >> SINGLE_SHIFT) + difference) << SINGLE_SHIFT
	                      : rest + difference;
	out = (out & ~SIGN) | (negative ? SIGN : 0);
	for (unsigned i = 0; i < 8; i++)
		y[i] = (uint8_t)(out >> 8 * i);
	return place;
}

void
speeds_learn(struct speeds *speeds, unsigned list, size_t told_by, const uint8_t *x, const uint8_t *y)
{
	struct speeds_list *known = &speeds->lists[list];
	double vx = number_of(bits_at(x)), vy = number_of(bits_at(y)), square_x = vx * vx, square_y = vy * vy;
	double speed = sqrt(square_x + square_y);
	if (!(speed > 0x1p-500 && speed < 0x1p500))
		return;
	if (told_by != SPEEDS_NONE) {
		double before = known->speeds[told_by];
		memmove(&known->speeds[1], &known->speeds[0], told_by * sizeof before);
		known->speeds[0] = before + (speed - before) / 4;
		return;
	}
	for (size_t i = 0; i < known->count; i++)
		if (fabs(speed - known->speeds[i]) <= known->speeds[i] * 0x1p-20)
			return;
	known->count += known->count < SPEEDS_MAX;
	known->speeds[known->count - 1] = speed;
}
