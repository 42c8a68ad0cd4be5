/* quantized_list: the list of what readers within a tolerance have, from one update to the next. Used by quantized_states.c,
 * and by quantized_limited.c where bytes are limited. */
#ifndef COLLIDED_WORLDS_QUANTIZED_QUANTIZED_LIST_H
#define COLLIDED_WORLDS_QUANTIZED_QUANTIZED_LIST_H

#include "worlds/quantized/quantized_circle.h"

/* What an update is about. */
struct quantized_telling {
	uint64_t ticks;
	const uint32_t *defined; /* ids of circles that are told anew anyhow, ascending */
	size_t defined_count;
	uint32_t told_most; /* with bytes limited: only motions of a rank up to this are told */
};

/* Takes the world's motions: those that are told, in states->motions. False without memory. */
STATUS_MUST_USE bool quantized_motions_take(struct quantized_states *states, const struct world *world, uint64_t ticks);
/* Makes the next list of them in states->spare, and appends what is told. It may be made again. False without memory. */
STATUS_MUST_USE bool quantized_list_make(struct quantized_states *states, const struct quantized_telling *telling,
                                         struct buffer *out);
/* That list is the readers' from now on. */
void quantized_list_accept(struct quantized_states *states);

#endif
