/* trial: one scene run and judged; made smaller while it still fails; written down.
 *
 * One thread. */
#ifndef COLLIDED_TESTS_OUTSIDE_TRIAL_H
#define COLLIDED_TESTS_OUTSIDE_TRIAL_H

#include "outside/checker.h"
#include "outside/draft.h"

struct trial {
	bool refused; /* the engine does not take the scene */
	bool failed;  /* a tick could not be made */
	unsigned ticks;
	unsigned found; /* bit f: a finding of kind f */
	struct outside_report report;
};

struct trial trial_run(struct draft *draft);
/* Takes away circles, walls, ticks and features, as long as a finding of kind `finding` stays. */
void trial_shrink(struct draft *draft, enum outside_finding finding);
/* As the command `collide run` reads it; false: the file could not be written. */
bool trial_write(const struct draft *draft, const char *path);

#endif
