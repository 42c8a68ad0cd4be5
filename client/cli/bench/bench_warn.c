/* Is the load generator itself the bottleneck? Then its figures say more about it than about the daemon. */
#include "client/cli/bench/bench_warn.h"

#include <stdarg.h>
#include <stdio.h>

/* Shares of the window's time. A thread that is busy nine tenths has queues of its own; one that waits for a core a tenth of
 * the time adds to one latency in ten. */
static const double BUSY_MOST = 0.9, NO_CORE_MOST = 0.1;
/* Lateness counts only where it is a good part of what was measured, and more than a timer is off anyway. */
static const double LATE_PART_MOST = 0.5;
enum { LATE_NS_LEAST = 1000000, P99 = 990000 };

static void __attribute__((format(printf, 2, 3))) warn(struct bench_warnings *out, const char *format, ...)
{
	va_list arguments;
	if (out->count == BENCH_WARNINGS_MAX)
		return;
	va_start(arguments, format);
	vsnprintf(out->texts[out->count], sizeof out->texts[0], format, arguments);
	va_end(arguments);
	out->count++;
}

void
bench_warn(const struct load_plan *plan, const struct load_result *result, struct bench_warnings *out)
{
	const struct load_generator *generator = &result->generator;
	*out = (struct bench_warnings){ 0 };
	if (generator->busy > BUSY_MOST)
		warn(out, "the load generator was busy %.0f %% of the time: it, not the daemon, may be the limit",
		     generator->busy * 100);
	if (generator->no_core > NO_CORE_MOST)
		warn(
			out,
			"the load generator waited for a core %.0f %% of the time, and every latency includes that: give it a core, or another "
			"machine",
			generator->no_core * 100);
	uint64_t late = histogram_quantile(&generator->late, P99), response = histogram_quantile(&result->latency.response, P99);
	if (plan->rate > 0 && late > LATE_NS_LEAST && (double)late > LATE_PART_MOST * (double)response)
		warn(out, "requests went out up to %.1f ms late (p99) without the daemon's fault: see the service times",
		     milliseconds(late));
}
