#include "client/load/run_queue.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int
run_queue_open(void)
{
	return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
}

int64_t
run_queue_wait_ns(int descriptor)
{
	char line[128];
	ssize_t got = descriptor < 0 ? -1 : pread(descriptor, line, sizeof line - 1, 0);
	if (got <= 0)
		return -1;
	line[got] = '\0';
	/* Nanoseconds on a core, nanoseconds waiting for one, and how often. */
	const char *second = strchr(line, ' ');
	return second ? (int64_t)strtoll(second + 1, NULL, 10) : -1;
}
