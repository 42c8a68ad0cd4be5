/* kept_spoil: one bit of a state in memory is another. */
#ifndef COLLIDED_TESTS_WORLDS_KEPT_SPOIL_H
#define COLLIDED_TESTS_WORLDS_KEPT_SPOIL_H

#include "physics/keep.h"

enum kept_field { KEPT_X, KEPT_VY };

/* The lowest bit of a number of the body with that index. */
void kept_spoil(struct world_kept *kept, size_t body, enum kept_field field);

#endif
