#include "client/cli/bench.h"
#include "client/cli/connection.h"
#include "client/cli/progress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
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

static enum exit_status
ping_until(struct collide_client *client, double end_seconds, struct histogram *histogram)
{
	struct collide_error error;
	double seconds;
	while (clock_now_seconds() < end_seconds) {
		if (!collide_ping(client, &seconds, &error))
			return error_tell("bench", &error);
		histogram_add(histogram, (uint64_t)(seconds * 1e9));
		(void)nanosleep(&PAUSE, NULL);
	}
	return EXIT_STATUS_DONE;
}

static enum exit_status
child_main(int descriptor, const char *address, uint64_t seconds)
{
	static struct histogram histogram;
	double end_seconds = clock_now_seconds() + (double)seconds;
	enum exit_status status;
	struct collide_client *client = connection_open("bench", address, &status);
	if (client == NULL)
		return status;
	status = ping_until(client, end_seconds, &histogram);
	collide_close(client);
	if (status == EXIT_STATUS_DONE && !pipe_write(descriptor, &histogram, sizeof(histogram)))
		status = EXIT_STATUS_FAILED;
	return status;
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

bool
bench_ping_finish(struct bench_ping *ping, struct histogram *out)
{
	struct histogram received;
	int status;
	bool whole = pipe_read(ping->descriptor, &received, sizeof(received));
	close(ping->descriptor);
	while (waitpid(ping->process, &status, 0) < 0 && errno == EINTR)
		continue;
	if (whole)
		*out = received;
	return whole;
}
