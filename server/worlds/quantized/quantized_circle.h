/* quantized_circle: a circle as readers within a tolerance have it: how it goes on, how far off it is, what is told of it. Used
 * by quantized_states alone. */
#ifndef COLLIDED_WORLDS_QUANTIZED_QUANTIZED_CIRCLE_H
#define COLLIDED_WORLDS_QUANTIZED_QUANTIZED_CIRCLE_H

#include "worlds/quantized/quantized_states.h"

/* As it is told anew. */
struct quantized_circle quantized_circle_of(const struct body_motion *from, double dt);

/* Of its place or of its rim, in length units, and what it may be. */
struct quantized_error {
	double error, allowed;
};
/* How far off one will be after these ticks, if nothing is told of it. */
struct quantized_error quantized_circle_error(const struct quantized_states *states, const struct quantized_circle *circle,
                                              const struct body_motion *motion, uint64_t ticks);

/* One that its readers have goes on. It is told if it is too far off and `may_tell`; only with bytes limited it may not. */
void quantized_circle_follow(struct quantized_states *states, struct quantized_circle *circle, const struct body_motion *motion,
                             uint64_t ticks, bool may_tell, struct bit_coder *coder);

#endif
