#include "client/load/process_cpu.h"

#include <limits.h>
#include <sys/types.h>
#include <time.h>

bool
process_cpu_seconds(uint64_t pid, double *seconds)
{
	struct timespec spent;
	clockid_t clock;

	if (pid > INT_MAX || clock_getcpuclockid((pid_t)pid, &clock) != 0 || clock_gettime(clock, &spent) != 0)
		return false;
	*seconds = (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec;
	return true;
}
