/* limited_choice: which circles are told if not all fit into an update. Pure, but for its memory.
 *
 * Of four rows three are of those that matter most, by error times importance. The fourth is of that which has been stale for
 * longest. So one that is stale waits for at most four times as many rows as there were of them when it became so. */
#ifndef COLLIDED_WORLDS_QUANTIZED_LIMITED_CHOICE_H
#define COLLIDED_WORLDS_QUANTIZED_LIMITED_CHOICE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A circle that could be told. */
struct limited_row {
	double weight;  /* how much it matters */
	double bits;    /* about what it takes */
	uint32_t stale; /* ticks */
	uint32_t place; /* among the motions; of equals the first goes first */
};

struct limited_rows {
	struct limited_row *items;
	size_t count, capacity;
};

/* What is known of a motion before it is told. */
struct limited_motion {
	double error;  /* length units; of one that is not too far off 0 */
	double bits;   /* about what it takes */
	uint32_t rank; /* in the order in which they are chosen, from 1 on; 0: it is left out */
	bool known;    /* its readers have it */
};

struct limited_choice {
	struct limited_rows rows, entries; /* circles that are too far off, and that are not told of yet */
	struct limited_motion *motions;
	uint32_t *order, *heaps; /* room */
	size_t motion_capacity, order_capacity, heap_capacity;
	/* Of the last updates: what a row took of what was thought, what all took that is no row, bytes of a new circle. */
	double row_scale, rest_bits, entry_bytes;
	double row_bits; /* that rows took in the list made last */
	uint64_t turn;   /* rows that were told */
};

void limited_choice_finish(struct limited_choice *choice);
/* Appends. There must be room. */
void limited_row_add(struct limited_rows *rows, const struct limited_row *row);
/* Writes the places of those that are chosen into choice->order, as many as `bits` allow, and one more. *count of them.
 * `turn`: how many rows were told before, so that few of them take turns, too. False without memory. */
STATUS_MUST_USE bool limited_choice_make(struct limited_choice *choice, const struct limited_rows *rows, uint64_t turn,
                                         double bits, size_t *count);

#endif
