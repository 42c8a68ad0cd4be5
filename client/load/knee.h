/* knee: looks for the highest rate that is still served well, by asking for one step after another. It measures nothing itself:
 * so a made-up function tests it, without a clock.
 *
 * First the rate doubles while steps hold (or halves until one does), then the gap between the last that held and the first
 * that did not is halved until it is narrow. A step that does not hold is tried once more before it is believed: one hiccup of
 * the machine is no knee. One thread at a time. */
#ifndef COLLIDE_LOAD_KNEE_H
#define COLLIDE_LOAD_KNEE_H

#include <stdbool.h>
#include <stdint.h>

#define KNEE_NARROW 1.05   /* the first that fails over the last that holds, when the search is over */
#define KNEE_RATE_MIN 0.01 /* requests per second: halving ends here, with no knee found */
#define KNEE_RATE_MAX 1e7  /* doubling ends here */
#define KNEE_STEPS_MAX 64

struct knee {
	double rate;   /* of the next step */
	double held;   /* the highest that held; 0: none yet */
	double failed; /* the lowest that did not; 0: none yet */
	bool again;    /* the next step repeats one that did not hold */
	unsigned steps;
};

void knee_init(struct knee *knee, double rate);
/* Takes what became of a step at knee->rate and sets the next. false: the search is over. */
bool knee_take(struct knee *knee, bool held);

/* What a step measured. Times in nanoseconds. */
struct knee_step {
	double rate;        /* asked for */
	double achieved;    /* requests per second that ended within the window */
	double seconds;     /* of the window */
	uint64_t in_flight; /* that may be at once: so many may be missing at the end without anything being wrong */
	uint64_t p50_ns, p99_ns, completed, failed;
	bool held;
};

/* Whether it was served well: the p99 of the response times within the bound, and at least 99 % of the rate asked for. */
bool knee_step_holds(const struct knee_step *step, uint64_t p99_bound_ns);

#endif
