/* progress: a bar on stderr while a run goes on, when stderr is a terminal. One thread at a time. */
#ifndef COLLIDE_CLI_PROGRESS_H
#define COLLIDE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	bool shown; /* stderr is a terminal */
	double start_seconds, drawn_seconds;
	uint64_t ticks; /* of the whole run */
};

/* Seconds of a monotonic clock. */
double clock_now_seconds(void);

void progress_start(struct progress *progress, uint64_t ticks);
/* Draws, at most ten times a second. */
void progress_update(struct progress *progress, uint64_t tick, uint64_t collisions);
/* Removes the bar until the next update, so that something else can be printed on the terminal. */
void progress_clear(const struct progress *progress);
/* Removes it for good. */
void progress_stop(struct progress *progress);

/* The bar as text, for `seconds` since the start. */
void progress_format(uint64_t tick, uint64_t ticks, uint64_t collisions, double seconds, char *to, size_t size);

#endif
