#include "client/cli/bench.h"
#include "client/cli/connection.h"
#include "client/cli/interrupt.h"
#include "client/cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Between two pings: often enough for percentiles within seconds, rare enough to be no load. */
static const struct timespec PAUSE = { .tv_nsec = 5000000 };

static bool
pipe_write(int descriptor, const void *bytes, size_t count)
{
	while (count > 0) {
		ssize_t moved = write(descriptor, bytes, count);
		if (moved < 0 && errno == EINTR)
			continue;
		if (moved <= 0)
			return false;
		bytes = (const char *)bytes + moved;
		count -= (size_t)moved;
	}
	return true;
}

static bool
pipe_read(int descriptor, void *bytes, size_t count)
{
	while (count > 0) {
		ssize_t moved = read(descriptor, bytes, count);
		if (moved < 0 && errno == EINTR)
			continue;
		if (moved <= 0)
			return false;
		bytes = (char *)bytes + moved;
		count -= (size_t)moved;
	}
	return true;
}

static void
ping_until(const char *address, double end_seconds, struct bench_ping_report *report)
{
	double seconds;
	struct collide_client *client = collide_connect(connection_address(address), NULL, &report->error);
	report->failed = client == NULL;
	while (!report->failed && !interrupt_came(NULL) && clock_now_seconds() < end_seconds) {
		report->failed = !collide_ping(client, &seconds, &report->error);
		if (!report->failed)
			histogram_add(&report->histogram, (uint64_t)(seconds * 1e9));
		(void)nanosleep(&PAUSE, NULL);
	}
	collide_close(client);
}

static enum exit_status
child_main(int descriptor, const char *address, uint64_t seconds)
{
	static struct bench_ping_report report;
	ping_until(address, clock_now_seconds() + (double)seconds, &report);
	return pipe_write(descriptor, &report, sizeof(report)) ? EXIT_STATUS_DONE : EXIT_STATUS_FAILED;
}

bool
bench_ping_start(struct bench_ping *ping, const char *address, uint64_t seconds)
{
	int ends[2];
	if (pipe(ends) != 0) {
		perror("collide bench: pipe");
		return false;
	}
	fflush(NULL); /* what is buffered must not be printed by both */
	ping->process = fork();
	if (ping->process == 0) {
		close(ends[0]);
		_exit((int)child_main(ends[1], address, seconds));
	}
	close(ends[1]);
	ping->descriptor = ends[0];
	if (ping->process > 0)
		return true;
	perror("collide bench: fork");
	close(ends[0]);
	return false;
}

void
bench_ping_finish(struct bench_ping *ping, bool wanted, struct bench_ping_report *report)
{
	int status;
	if (!wanted)
		kill(ping->process, SIGTERM);
	if (!pipe_read(ping->descriptor, report, sizeof(*report))) {
		*report = (struct bench_ping_report){ .failed = true, .error = { .origin = COLLIDE_FROM_LIBRARY } };
		snprintf(report->error.text, sizeof(report->error.text), "the process that pings was ended");
	}
	close(ping->descriptor);
	while (waitpid(ping->process, &status, 0) < 0 && errno == EINTR)
		continue;
}
