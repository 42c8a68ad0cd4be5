#include "client/cli/terminal/pace.h"

#include "client/cli/terminal/interrupt.h"
#include "client/cli/terminal/progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

/* A signal that comes just before a sleep is noticed after this long. */
static const double sleep_most = 0.1;

void
pace_wait(struct pace *pace, double seconds)
{
	if (!(pace->speed > 0))
		return;
	if (!pace->begun)
		*pace = (struct pace){ .speed = pace->speed, .begun = true, .first = seconds, .began = clock_now_seconds() };
	double due = pace->began + (seconds - pace->first) / pace->speed, left = due - clock_now_seconds();
	(void)fflush(stdout);
	while (left > 0 && !interrupt_came(NULL)) {
		double part = fmin(left, sleep_most), whole = floor(part);
		const struct timespec wait = { .tv_sec = (time_t)whole, .tv_nsec = (long)((part - whole) * 1e9) };
		(void)nanosleep(&wait, NULL);
		left = due - clock_now_seconds();
	}
}
