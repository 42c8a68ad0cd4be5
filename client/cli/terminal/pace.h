/* pace: waits so that what is shown goes on as fast as its own time, or a multiple of it. One thread at a time. */
#ifndef COLLIDE_CLI_PACE_H
#define COLLIDE_CLI_PACE_H

#include <stdbool.h>

struct pace {
	double speed; /* seconds of its time per second; 0: as fast as possible */
	bool begun;
	double first, began; /* its time at the first call, and the clock's */
};

/* Waits until that second of its time is due; the first call does not wait. A signal ends the wait. What was printed so far is
 * flushed, so that it is seen in time. */
void pace_wait(struct pace *pace, double seconds);

#endif
