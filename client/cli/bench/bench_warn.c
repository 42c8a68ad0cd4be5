/* Whether the load generator is the bottleneck. If so, its figures describe the generator rather than the daemon. */
#include "client/cli/bench/bench_warn.h"

#include <stdarg.h>
#include <stdio.h>

/* Shares of the window's time. A thread that is busy nine tenths of the time has queues of its own. One that waits a tenth of
 * the time for a core delays one reply in ten. */
static const double BUSY_MOST = 0.9, NO_CORE_MOST = 0.1;
/* Lateness counts only where it is a large part of the latency, and more than a timer's usual error. */
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
