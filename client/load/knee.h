/* knee: searches the highest rate that is still served well, by asking for one step after another. It measures nothing itself,
 * so a test can use a made-up function without a clock.
 *
 * First the rate doubles while steps hold, or halves until one does. Then the interval between the last rate that held and the
 * first that did not is halved until it is narrow. A step that does not hold is repeated once, because a single disturbance of
 * the machine is not a knee. One thread at a time. */
#ifndef COLLIDE_LOAD_KNEE_H
#define COLLIDE_LOAD_KNEE_H

#include <stdbool.h>
#include <stdint.h>

#define KNEE_NARROW 1.05   /* the search is over when the lowest that failed is at most this times the highest that held */
#define KNEE_RATE_MIN 0.01 /* requests per second: halving ends here, and no knee is found */
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
/* Takes the result of a step at knee->rate and sets the next rate. false: the search is over. */
bool knee_take(struct knee *knee, bool held);

/* What a step measured. Times in nanoseconds. */
struct knee_step {
	double rate;        /* asked for */
	double achieved;    /* requests per second that ended within the window */
	double seconds;     /* of the window */
	uint64_t in_flight; /* that may be in flight: so many may be missing at the end although nothing is wrong */
	uint64_t p50_ns, p99_ns, completed, failed;
	bool held;
};

/* Whether the step was served well: the p99 of the response times is within the bound, and at least 99 % of the rate was
 * achieved. */
bool knee_step_holds(const struct knee_step *step, uint64_t p99_bound_ns);

#endif
