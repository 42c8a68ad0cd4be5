/* speed_model: the second of two numbers, foretold from the first. Players mostly give a direction at a speed that stays: of
 * a velocity's two numbers the second is what the speed leaves, but for its sign and a few roundings.
 *
 * Which numbers go together is seen from the bytes in front (number_pair). The speeds are those of pairs before. Coded of the
 * schema says what a reader does.
 *
 * The worker that has the world. No memory of its own. */
#ifndef COLLIDED_WORLDS_CODED_SPEED_MODEL_H
#define COLLIDED_WORLDS_CODED_SPEED_MODEL_H

#include "worlds/quantized/bit_coder.h"

#define SPEED_LISTS 8
#define SPEEDS_MAX 8
/* How much smaller than the speed the number is, in octaves, that has contexts of its own. */
#define SPEED_OCTAVES 8

/* The one of latest use is the first. */
struct speed_list {
	size_t count;
	double speeds[SPEEDS_MAX];
};

struct speed_contexts {
	struct bit_context told[SPEED_LISTS], negative;
	struct bit_context place[NUMBER_CONTEXTS];
	struct bit_context difference[2][SPEED_OCTAVES][NUMBER_CONTEXTS]; /* of doubles, and of single precision */
};

struct speed_model {
	struct speed_contexts contexts;
	struct speed_list lists[SPEED_LISTS];
	size_t place; /* of the speed by which the number in hand was told; SPEEDS_MAX: by none */
};

/* Two columns of numbers behind each other, as protobuf has them: where the second is. */
struct number_pair {
	size_t left;   /* bytes of the second column that are still to come */
	size_t length; /* of a column */
	unsigned list; /* of speeds */
};

/* Before each byte of a batch, in order. Whether the second number of a pair begins with it. Its first is
 * number_pair_distance in front. */
bool number_pair_begins(struct number_pair *pair, const uint8_t *bytes, size_t at);
/* After the byte: whether such a number ends with it. */
bool number_pair_ends(struct number_pair *pair);

static inline size_t
number_pair_distance(const struct number_pair *pair)
{
	return pair->length + 2;
}

/* Nothing was told so far. */
void speed_model_begin(struct speed_model *model);
/* Tells of the bits of y, after x, whether a speed foretells them. If so it tells them. */
bool speed_model_put(struct speed_model *model, struct bit_coder *coder, unsigned list, uint64_t x, uint64_t y);
/* After each second number, whichever way it was told. */
void speed_model_follow(struct speed_model *model, unsigned list, uint64_t x, uint64_t y);

#endif
