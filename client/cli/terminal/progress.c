#include "client/cli/terminal/progress.h"

#include "client/cli/terminal/text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR_CELLS = 24 };
static const double REDRAW_SECONDS = 0.1;

double
clock_now_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void
progress_start(struct progress *progress, uint64_t ticks)
{
	double now = clock_now_seconds();
	*progress = (struct progress){
		.shown = isatty(STDERR_FILENO) == 1, .start_seconds = now, .drawn_seconds = now, .ticks = ticks
	};
}

static void
duration_format(double seconds, char *to, size_t size)
{
	if (seconds < 99.5)
		snprintf(to, size, "%.0f s", seconds);
	else if (seconds < 99.5 * 60)
		snprintf(to, size, "%.0f min", seconds / 60);
	else
		snprintf(to, size, "%.0f h", seconds / 3600);
}

void
progress_format(uint64_t tick, uint64_t ticks, uint64_t collisions, double seconds, char *to, size_t size)
{
	char bar[BAR_CELLS + 1], left[32] = "?", digits[DIGITS_GROUPED_BYTES];
	double done = ticks > 0 ? (double)tick / (double)ticks : 1;
	int cells = (int)(done * BAR_CELLS);
	for (int i = 0; i < BAR_CELLS; i++)
		bar[i] = i < cells ? '#' : '.';
	bar[BAR_CELLS] = '\0';
	if (tick > 0)
		duration_format(seconds * (1 - done) / done, left, sizeof left);
	snprintf(to, size, "[%s] %3.0f %%  tick %llu of %llu, %s collisions, %s left", bar, done * 100, (unsigned long long)tick,
	         (unsigned long long)ticks, digits_grouped(collisions, digits), left);
}

void
progress_update(struct progress *progress, uint64_t tick, uint64_t collisions)
{
	double now;
	if (!progress->shown || (now = clock_now_seconds()) - progress->drawn_seconds < REDRAW_SECONDS)
		return;
	char line[200];
	progress->drawn_seconds = now;
	progress_format(tick, progress->ticks, collisions, now - progress->start_seconds, line, sizeof line);
	fprintf(stderr, "\r%s\x1b[K", line);
}

void
progress_clear(const struct progress *progress)
{
	if (progress->shown)
		fputs("\r\x1b[K", stderr);
}

void
progress_stop(struct progress *progress)
{
	progress_clear(progress);
	progress->shown = false;
}
