/* knee: searches the highest rate that is still served well, by asking for one step after another. It measures nothing itself,
 * so a test can use a made-up function without a clock.
 *
 * First the rate doubles while steps hold, or halves until one does. Then the interval between the last rate that held and the
 * first that did not is halved until it is narrow. A step that does not hold is repeated once, because a single disturbance of
 * the machine is not a knee. One thread at a time.
 *
 * A step is as long as was asked for, or longer where hardly any request would start in it. */
#ifndef COLLIDE_LOAD_KNEE_H
#define COLLIDE_LOAD_KNEE_H

#include <stdbool.h>
#include <stdint.h>

#define KNEE_NARROW 1.05   /* the search is over when the lowest that failed is at most this times the highest that held */
#define KNEE_RATE_MIN 0.01 /* requests per second: halving ends here at the latest, and no knee is found */
#define KNEE_RATE_MAX 1e7  /* doubling ends here */
#define KNEE_STEPS_MAX 64
#define KNEE_STEP_STARTS 20 /* requests that start in a step, at least */
#define KNEE_STEP_LONGER 10 /* but a step is at most so many times as long as was asked for */

struct knee {
	double rate_min; /* below it there are no steps */
	double rate;     /* of the next step */
	double held;     /* the highest that held; 0: none yet */
	double failed;   /* the lowest that did not; 0: none yet */
	bool again;      /* the next step repeats one that did not hold */
	unsigned steps;
};

/* The first step is at this rate, or at rate_min. */
void knee_init(struct knee *knee, double rate, double rate_min);
/* Takes the result of a step at knee->rate and sets the next rate. false: the search is over. */
bool knee_take(struct knee *knee, bool held);

/* How long a step at this rate lasts. */
double knee_step_seconds(double rate, double asked_seconds);
/* The least rate at which a request starts in each step. Below it a step says nothing. */
double knee_rate_min(double asked_seconds);

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
