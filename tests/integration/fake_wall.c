/* fake_wall: for LD_PRELOAD: the wall clock is a day behind while the file exists that FAKE_WALL_FILE names. Other clocks are
 * themselves. */
#define _GNU_SOURCE /* syscall */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DAY_S 86400

static time_t
shift_s(void)
{
	const char *file = getenv("FAKE_WALL_FILE");
	return file && access(file, F_OK) == 0 ? -DAY_S : 0;
}

int
clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = (int)syscall(SYS_clock_gettime, clock, now);
	if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		now->tv_sec += shift_s();
	return result;
}

int
gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec exact;
	(void)zone;
	if (clock_gettime(CLOCK_REALTIME, &exact) != 0)
		return -1;
	*now = (struct timeval){ .tv_sec = exact.tv_sec, .tv_usec = exact.tv_nsec / 1000 };
	return 0;
}

time_t
time(time_t *out)
{
	struct timespec exact;
	if (clock_gettime(CLOCK_REALTIME, &exact) != 0)
		return (time_t)-1;
	if (out)
		*out = exact.tv_sec;
	return exact.tv_sec;
}
