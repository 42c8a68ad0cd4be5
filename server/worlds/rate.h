/* rate: what may be spent a second, with bursts of a second.
 *
 * A value; the time is an argument. */
#ifndef COLLIDED_WORLDS_RATE_H
#define COLLIDED_WORLDS_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct rate {
	uint64_t left;
	uint64_t since_ns;
};

/* Whether so much may be spent now, of `per_s`, which is the same at each call; spends it. */
bool rate_take(struct rate *rate, uint64_t per_s, uint64_t amount, uint64_t now_ns);

/* As limits of streams are told apart: rounded down to four in each octave, so that readers with like ones share an encoding.
 */
uint32_t rate_class(uint32_t per_s);

#endif
