/* spoil_scenes: small good scenes that the checker's test spoils. */
#ifndef COLLIDED_TESTS_OUTSIDE_SPOIL_SCENES_H
#define COLLIDED_TESTS_OUTSIDE_SPOIL_SCENES_H

#include "outside/draft.h"

void spoil_gas(struct draft *draft);
void spoil_rough(struct draft *draft);
void spoil_overlapped(struct draft *draft);
void spoil_heap(struct draft *draft);
void spoil_sunk(struct draft *draft);
void spoil_straight(struct draft *draft);
void spoil_resting(struct draft *draft);
void spoil_ruled(struct draft *draft);

#endif
