/* trial: one degenerate scene, stepped and judged (judge.h, the certificate, the checker from outside), and the sums of a sweep
 * of them.
 *
 * One thread. What is found is printed as a scene for `collide run`, with the circle that it happened to alone where that is
 * enough. */
#ifndef COLLIDED_TESTS_PHYSICS_JOINS_TRIAL_H
#define COLLIDED_TESTS_PHYSICS_JOINS_TRIAL_H

#include "physics/joins/judge.h"
#include "physics/scenario.h"

struct trial {
	struct scenario scenario; /* the sweep's to fill */
	double dt;
	int ticks;
	long double rounding; /* judge_create */
	bool judge_alone;     /* without the two checkers, which take long where there are many walls */
	bool elastic;         /* no gravity, no loss, nothing that moves: each speed stays */
	/* Where whole > 0: no centre inside the circle around `middle` may get out of it, or into `core` from outside. */
	double middle[2], whole, core;
};

/* What came of one, or of many. */
struct tally {
	const char *name;
	uint64_t scenes, balls, refused;
	uint64_t bad;                  /* scenes */
	uint64_t faults[JUDGE_FAULTS]; /* scenes with it */
	uint64_t strays, drifts;       /* scenes with a centre where it may not be, or a speed that did not stay */
	uint64_t uncertified, outside; /* scenes with what the certificate, or the checker from outside, finds */
	uint64_t told[4];              /* scenes with each enum body_flag */
	double deepest;                /* overlap, in radii */
	unsigned shown;
};

/* Wrong scenes that each tally prints: 3. */
extern uint64_t trial_shown_max;

void trial_init(struct trial *trial);
void trial_finish(struct trial *trial);
/* Runs it and adds what came of it. `what` and `index` say which it is, if anything is wrong. Returns whether nothing is. */
bool trial_run(struct trial *trial, struct tally *tally, const char *what, uint64_t index);
/* One line. */
void tally_print(const struct tally *tally);
/* Adds what another one has. */
void tally_add(struct tally *total, const struct tally *part);
/* Fails the test if anything was wrong, or if there was nothing to be. */
void tally_judge(const struct tally *tally);

#endif
