/* speeds: the second of two numbers of a coded batch, read by a speed that was there before: Coded in collide.proto. One thread
 * at a time; no memory. */
#ifndef COLLIDE_LIB_FOLLOW_SPEEDS_H
#define COLLIDE_LIB_FOLLOW_SPEEDS_H

#include "client/lib/follow/bits.h"

enum { SPEEDS_LISTS = 8, SPEEDS_MAX = 8, SPEEDS_OCTAVES = 8 };

struct speeds_contexts {
	struct follow_context told[SPEEDS_LISTS], negative;
	struct follow_context place[FOLLOW_NUMBER_CONTEXTS];
	struct follow_context difference[2][SPEEDS_OCTAVES][FOLLOW_NUMBER_CONTEXTS];
};

struct speeds_list {
	size_t count;
	double speeds[SPEEDS_MAX];
};

struct speeds {
	struct speeds_contexts contexts;
	struct speeds_list lists[SPEEDS_LISTS];
};

/* Where in a batch second numbers are. */
struct speeds_columns {
	size_t left, length; /* of the second column, behind the byte in hand */
	unsigned list;
	bool within; /* the byte in hand is one of a second number */
};

/* Which speed one was told by. */
#define SPEEDS_NONE SIZE_MAX
/* No speed of a list is there. */
#define SPEEDS_BAD (SIZE_MAX - 1)

void speeds_begin_anew(struct speeds *speeds);
/* Before each byte of a batch, in order. */
void speeds_columns_step(struct speeds_columns *columns, const uint8_t *bytes, size_t at);
/* Reads the eight bytes of y, if a speed foretells it. Gives which one. */
size_t speeds_read(struct speeds *speeds, struct bit_reader *bits, unsigned list, const uint8_t *x, uint8_t y[8]);
/* After y, which was told by that speed. */
void speeds_learn(struct speeds *speeds, unsigned list, size_t told_by, const uint8_t *x, const uint8_t *y);

#endif
