/* sweep_judge: whether a sweep ended where it should, without a line of the engine.
 *
 * Any thread. Failures are cmocka's. */
#ifndef COLLIDED_TESTS_PHYSICS_SWEEP_JUDGE_H
#define COLLIDED_TESTS_PHYSICS_SWEEP_JUDGE_H

#include "physics/scenario.h"

struct sweep_counts {
	uint64_t swept, stopped, stuck; /* all; not at the place that was asked for; where they began */
};

/* The circle, as it was among the shapes of the scenario, was swept to (x, y), and is now at `now`. No circle was within others
 * or walls, of which none is one-sided. */
void sweep_judge(const struct scenario *s, const struct circle_def *before, double x, double y, const struct circle_def *now,
                 struct sweep_counts *counts);

#endif
