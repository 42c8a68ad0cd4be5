/* byte_allowance: how many bytes a stream may take up to now, if they are limited. A token bucket that goes by ticks: with
 * the same ticks the same is told, whatever the clock does. A value.
 *
 * What an update leaves over is kept for one more. So no second takes more than the limit, what one update may take, and what
 * an update took beyond. That is owed, and paid by the updates that follow.
 *
 * While not all fits, an update waits until it is no more than a quarter envelope. With twenty small updates a second most of a
 * small limit would be envelopes. */
#ifndef COLLIDED_WORLDS_QUANTIZED_BYTE_ALLOWANCE_H
#define COLLIDED_WORLDS_QUANTIZED_BYTE_ALLOWANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_allowance {
	uint32_t per_second;
	double left;  /* under 0: owed, at most what a second brings */
	double least; /* for the next update */
};

/* A tick has passed, of which there are `hz` a second, and `every` or more from update to update. */
void byte_allowance_tick(struct byte_allowance *allowance, uint32_t hz, uint32_t every);
/* Whether there is enough for an update. */
bool byte_allowance_is_enough(const struct byte_allowance *allowance);
/* What there is for an update in which `spent` goes away anyhow: at least a quarter of an update's part. */
size_t byte_allowance_of_update(const struct byte_allowance *allowance, size_t spent, uint32_t hz, uint32_t every);
/* After an update. `envelope`: what it would have taken without any circle; 0: all has fit. */
void byte_allowance_spend(struct byte_allowance *allowance, size_t bytes, size_t envelope);

#endif
