#include "worlds/coded/speed_model.h"

#include <math.h>
#include <string.h>

/* A column of protobuf with a length of one byte. */
#define COLUMN_BYTES_MAX 120
/* Bits of a double beyond those of single precision. */
#define BEYOND_SINGLE 29
#define MAGNITUDE (UINT64_MAX >> 1)
#define FRACTION_BITS 52
/* Numbers that are farther off are not told by a speed: their bytes cost hardly more. */
#define DIFFERENCE_END (1 << 16)

static const double SPEED_MIN = 0x1p-500, SPEED_MAX = 0x1p500, SAME = 0x1p-20;

bool
number_pair_begins(struct number_pair *pair, const uint8_t *bytes, size_t at)
{
	if (pair->left == 0 && at >= 2) {
		size_t length = bytes[at - 1];
		bool second = length > 0 && length <= COLUMN_BYTES_MAX && length % 8 == 0 && at >= length + 4 &&
		              bytes[at - length - 3] == length && (uint8_t)(bytes[at - length - 4] + 8) == bytes[at - 2];
		if (second)
			*pair = (struct number_pair){ .left = length, .length = length, .list = bytes[at - 2] >> 3 & (SPEED_LISTS - 1) };
	}
	return pair->left > 0 && pair->left % 8 == 0;
}

bool
number_pair_ends(struct number_pair *pair)
{
	if (pair->left == 0)
		return false;
	pair->left--;
	return pair->left % 8 == 0;
}

void
speed_model_begin(struct speed_model *model)
{
	struct bit_context *contexts = (struct bit_context *)&model->contexts;
	for (size_t i = 0; i < sizeof model->contexts / sizeof *contexts; i++)
		contexts[i] = BIT_CONTEXT_EVEN;
	memset(model->lists, 0, sizeof model->lists);
	model->place = SPEEDS_MAX;
}

static double
double_of(uint64_t bits)
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

static bool
is_single(uint64_t bits)
{
	return (bits & ((UINT64_C(1) << BEYOND_SINGLE) - 1)) == 0;
}

/* The bits of what the speed leaves beside x. */
static uint64_t
rest_of(double speed, uint64_t x)
{
	double size = double_of(x & MAGNITUDE);
	return size <= speed ? bits_of(sqrt((speed - size) * (speed + size))) : 0;
}

/* How far y is from that, in steps of its precision. */
static int64_t
difference_of(uint64_t rest, uint64_t y, bool single)
{
	uint64_t size = y & MAGNITUDE;
	if (!single)
		return (int64_t)size - (int64_t)rest;
	return (int64_t)(size >> BEYOND_SINGLE) - (int64_t)((rest + (UINT64_C(1) << (BEYOND_SINGLE - 1))) >> BEYOND_SINGLE);
}

static size_t
octave_of(double speed, uint64_t rest)
{
	uint64_t octaves = (bits_of(speed) >> FRACTION_BITS) - (rest >> FRACTION_BITS);
	return octaves < SPEED_OCTAVES ? octaves : SPEED_OCTAVES - 1;
}

/* The speed that comes nearest to it; SPEEDS_MAX if none is near. */
static size_t
nearest_of(const struct speed_list *list, uint64_t x, uint64_t y, bool single)
{
	size_t nearest = SPEEDS_MAX;
	int64_t least = DIFFERENCE_END;
	for (size_t i = 0; i < list->count; i++) {
		int64_t difference = difference_of(rest_of(list->speeds[i], x), y, single);
		int64_t size = difference < 0 ? -difference : difference;
		if (size < least) {
			nearest = i;
			least = size;
		}
	}
	return nearest;
}

bool
speed_model_put(struct speed_model *model, struct bit_coder *coder, unsigned list_at, uint64_t x, uint64_t y)
{
	struct speed_contexts *contexts = &model->contexts;
	const struct speed_list *list = &model->lists[list_at];
	if (list->count == 0)
		return false;
	bool single = is_single(x);
	size_t place = single && !is_single(y) ? SPEEDS_MAX : nearest_of(list, x, y, single);
	bit_put(coder, &contexts->told[list_at], place < SPEEDS_MAX);
	if (place == SPEEDS_MAX)
		return false;
	uint64_t rest = rest_of(list->speeds[place], x);
	size_t octave = octave_of(list->speeds[place], rest);
	number_put(coder, contexts->place, (int32_t)place);
	bit_put(coder, &contexts->negative, y > MAGNITUDE);
	number_put(coder, contexts->difference[single][octave], (int32_t)difference_of(rest, y, single));
	model->place = place;
	return true;
}

static bool
speed_is_known(const struct speed_list *list, double speed)
{
	for (size_t i = 0; i < list->count; i++)
		if (fabs(speed - list->speeds[i]) <= list->speeds[i] * SAME)
			return true;
	return false;
}

void
speed_model_follow(struct speed_model *model, unsigned list_at, uint64_t x, uint64_t y)
{
	struct speed_list *list = &model->lists[list_at];
	size_t place = model->place;
	model->place = SPEEDS_MAX;
	double xx = double_of(x) * double_of(x), yy = double_of(y) * double_of(y), speed = sqrt(xx + yy);
	if (!(speed > SPEED_MIN && speed < SPEED_MAX))
		return;
	if (place < SPEEDS_MAX) {
		/* Roundings of each pair: their mean is nearer. */
		double mean = list->speeds[place] + (speed - list->speeds[place]) / 4;
		memmove(&list->speeds[1], &list->speeds[0], place * sizeof list->speeds[0]);
		list->speeds[0] = mean;
	} else if (!speed_is_known(list, speed)) {
		/* The last one: chance pairs take each other's place. */
		list->count += list->count < SPEEDS_MAX;
		list->speeds[list->count - 1] = speed;
	}
}
