#include "client/load/knee.h"

#include <math.h>

void
knee_init(struct knee *knee, double rate, double rate_min)
{
	*knee = (struct knee){ .rate_min = rate_min, .rate = fmax(rate, rate_min) };
}

double
knee_step_seconds(double rate, double asked_seconds)
{
	return fmin(fmax(asked_seconds, KNEE_STEP_STARTS / rate), KNEE_STEP_LONGER * asked_seconds);
}

double
knee_rate_min(double asked_seconds)
{
	return fmax(KNEE_RATE_MIN, 1 / (KNEE_STEP_LONGER * asked_seconds));
}

/* The next rate between the known ones; 0: the search is over. */
static double
next_rate(const struct knee *knee)
{
	if (knee->failed == 0)
		return knee->rate * 2 <= KNEE_RATE_MAX ? knee->rate * 2 : 0;
	if (knee->held == 0)
		return knee->rate / 2 >= knee->rate_min ? knee->rate / 2 : 0;
	return knee->failed > knee->held * KNEE_NARROW ? (knee->held + knee->failed) / 2 : 0;
}

bool
knee_take(struct knee *knee, bool held)
{
	knee->steps++;
	if (!held && !knee->again && knee->steps < KNEE_STEPS_MAX) {
		knee->again = true;
		return true;
	}
	knee->again = false;
	if (held)
		knee->held = knee->rate;
	else
		knee->failed = knee->rate;
	double rate = next_rate(knee);
	if (rate == 0 || knee->steps >= KNEE_STEPS_MAX)
		return false;
	knee->rate = rate;
	return true;
}

bool
knee_step_holds(const struct knee_step *step, uint64_t p99_bound_ns)
{
	double missing = (double)step->in_flight + 1;
	return step->completed > 0 && step->p99_ns <= p99_bound_ns &&
	       step->achieved * step->seconds >= 0.99 * step->rate * step->seconds - missing;
}
