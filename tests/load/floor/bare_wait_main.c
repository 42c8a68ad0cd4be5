/* bare_wait: prints how late a thread is that only waits for the due times of worlds (client/load/bare_wait.h). Not a test.
 *
 * Usage: bare_wait RATE_HZ [SECONDS [SLOT_US [realtime]]]. RATE_HZ: due times a second of all worlds together; 10 seconds and
 * slots of 500 us unless told otherwise. Beside it whatever the machine does meanwhile. */
#include "client/load/bare_wait.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t
number(const char *text, uint64_t most)
{
	char *end = NULL;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (errno != 0 || *end != '\0' || *text == '-' || value > most) {
		fprintf(stderr, "bare_wait: \"%s\" is not a whole number up to %" PRIu64 "\n", text, most);
		exit(2);
	}
	return value;
}

static double
us(uint64_t ns)
{
	return (double)ns / 1000;
}

int
main(int argc, char **argv)
{
	if (argc < 2 || argc > 5 || (argc == 5 && strcmp(argv[4], "realtime") != 0)) {
		fprintf(stderr, "usage: bare_wait RATE_HZ [SECONDS [SLOT_US [realtime]]]\n");
		return 2;
	}
	const struct bare_wait_plan plan = { .rate_hz = number(argv[1], 1000000000),
		                                 .slot_ns = (argc > 3 ? number(argv[3], 1000000) : 500) * 1000,
		                                 .realtime = argc > 4 };
	const struct timespec span = { .tv_sec = (time_t)(argc > 2 ? number(argv[2], 86400) : 10) };
	static struct bare_wait_result result;
	struct bare_wait *wait = plan.rate_hz > 0 ? bare_wait_start(&plan) : NULL;
	if (!wait) {
		fprintf(stderr, "bare_wait: no thread, or a rate of 0\n");
		return 1;
	}
	bare_wait_measure(wait, true);
	(void)nanosleep(&span, NULL);
	bare_wait_stop(wait, &result);
	if (plan.realtime && !result.realtime)
		fprintf(stderr, "bare_wait: this process may not use real-time scheduling\n");
	printf("%" PRIu64 " due times, %" PRIu64 " waits, %.1f %% of a core, %s\n", result.late.count, result.waits,
	       (double)result.cpu_ns / 1e7 / (double)(span.tv_sec > 0 ? span.tv_sec : 1),
	       result.realtime ? "SCHED_RR" : "ordinary");
	printf("late: p50 %.0f, p99 %.0f, p99.9 %.0f, most %.0f us\n", us(histogram_quantile(&result.late, 500000)),
	       us(histogram_quantile(&result.late, 990000)), us(histogram_quantile(&result.late, 999000)), us(result.late.most));
	return 0;
}
