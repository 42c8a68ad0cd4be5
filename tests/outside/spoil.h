/* spoil: runs good scenes, spoils one tick as it is told, and says what the checker found. For its tests. */
#ifndef COLLIDED_TESTS_OUTSIDE_SPOIL_H
#define COLLIDED_TESTS_OUTSIDE_SPOIL_H

#include "outside/draft.h"
#include "outside/feed.h"

/* A tick as the engine told it, about to be spoiled. */
struct told {
	struct outside_tick *tick;
	struct feed_writable columns;
};

/* Spoils what fits; whether something did. */
typedef bool (*spoil_fn)(struct told *told);
/* What the checker is told of the scene, in place of the truth. */
typedef void (*lie_fn)(struct draft *draft);

static inline unsigned
spoil_bit(enum outside_finding finding)
{
	return 1u << finding;
}

/* What is found if the first tick that `spoil` can spoil is, and none comes after it. NULL: none is. */
unsigned spoil_found_by(void (*make)(struct draft *), lie_fn lie, spoil_fn spoil);
/* Takes out the first change of that kind with a vector of at least that length. */
bool spoil_change_drop(struct told *told, enum outside_change_kind kind, double least);

#endif
