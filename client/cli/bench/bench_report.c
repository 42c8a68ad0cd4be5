#include "client/cli/bench/bench_report.h"
#include "client/cli/terminal/text.h"

#include <inttypes.h>

static void
rate_print(FILE *out, const char *name, double rate)
{
	char digits[DIGITS_GROUPED_BYTES];
	if (rate < 100)
		fprintf(out, "%-16s %.2f\n", name, rate);
	else
		fprintf(out, "%-16s %s\n", name, digits_grouped((uint64_t)rate, digits));
}

static void
load_print(FILE *out, const struct load_plan *plan, const struct load_result *result)
{
	if (plan->rate > 0)
		fprintf(out, "load             open model, %.6g requests/s", plan->rate);
	else
		fprintf(out, "load             closed model");
	fprintf(out, ", %" PRIu64 " connections, at most %" PRIu64 " under way on each, %.2f s after %g s of warm-up\n",
	        plan->connections, plan->pipeline, result->seconds, plan->warm_up_seconds);
	fprintf(out, "each request     %" PRIu64 " ticks, a frame every %" PRIu64 ", of ", plan->simulation.ticks,
	        plan->simulation.every);
	for (size_t i = 0; i < plan->scene_count; i++) {
		fprintf(out, "%s%s (%" PRIu64 " circles", i > 0 ? ", " : "", plan->scenes[i].name, plan->scenes[i].circles);
		if (plan->scene_count > 1)
			fprintf(out, ", weight %" PRIu64, plan->scenes[i].weight);
		fputc(')', out);
	}
	fputc('\n', out);
}

static void
requests_print(FILE *out, const struct load_result *result)
{
	char digits[DIGITS_GROUPED_BYTES];
	fprintf(out, "requests         %s begun", digits_grouped(result->scheduled, digits));
	fprintf(out, ", %s done", digits_grouped(result->completed, digits));
	fprintf(out, ", %s failed", digits_grouped(result->failed, digits));
	fprintf(out, ", %s unfinished", digits_grouped(result->unfinished, digits));
	if (result->unfinished > 0)
		fprintf(out, ", the oldest for %.1f ms: latencies know nothing of them", milliseconds(result->oldest_unfinished_ns));
	fputc('\n', out);
	for (size_t i = 0; i < result->faults.count; i++)
		fprintf(out, "  failed         %s %s\n", digits_grouped(result->faults.kinds[i].count, digits),
		        result->faults.kinds[i].name);
	rate_print(out, "requests/s", load_rate(result, result->ended));
	rate_print(out, "ticks/s", load_rate(result, result->ticks));
	rate_print(out, "circle-ticks/s", load_rate(result, result->circle_ticks));
	rate_print(out, "collisions/s", load_rate(result, result->collisions));
	rate_print(out, "bytes/s", load_rate(result, result->bytes_received));
	fprintf(out, "engine           %.2f threads busy on average, in the requests that ended\n",
	        result->seconds > 0 ? result->engine_seconds / result->seconds : 0);
}

static void
latency_row(FILE *out, const char *name, const struct histogram *histogram)
{
	char digits[DIGITS_GROUPED_BYTES];
	fprintf(out, "%-16s", name);
	if (histogram->count == 0) {
		fprintf(out, " nothing was measured\n");
		return;
	}
	fprintf(out, " %9.3f", histogram_mean(histogram) * 1e-6);
	for (size_t i = 0; i < PERCENTILES; i++)
		fprintf(out, " %9.3f", milliseconds(histogram_quantile(histogram, percentiles[i].millionths)));
	fprintf(out, " %9.3f  %s\n", milliseconds(histogram->most), digits_grouped(histogram->count, digits));
}

static void
latencies_print(FILE *out, const struct load_plan *plan, const struct load_result *result)
{
	fprintf(out, "%-16s %9s", "latency, ms", "mean");
	for (size_t i = 0; i < PERCENTILES; i++)
		fprintf(out, " %9s", percentiles[i].name);
	fprintf(out, " %9s  of so many\n", "max");
	latency_row(out, "  response", &result->latency.response);
	latency_row(out, "  service", &result->latency.service);
	for (size_t i = 0; i < plan->scene_count && plan->scene_count > 1; i++) {
		fprintf(out, "  %s\n", plan->scenes[i].name);
		latency_row(out, "    response", &result->scenes[i].response);
		latency_row(out, "    service", &result->scenes[i].service);
	}
	latency_row(out, "ping meanwhile", &result->ping.response);
	latency_row(out, "  service", &result->ping.service);
	latency_row(out, "  with a core", &result->ping_served);
}

static void
generator_print(FILE *out, const struct load_plan *plan, const struct load_generator *generator)
{
	fprintf(out, "generator        busy %.0f %%, on a core %.0f %%", generator->busy * 100, generator->cpu * 100);
	if (generator->no_core >= 0)
		fprintf(out, ", waiting for one %.0f %%", generator->no_core * 100);
	if (plan->rate > 0)
		fprintf(out, "; late by %.3f ms (p99)", milliseconds(histogram_quantile(&generator->late, 990000)));
	fprintf(out, "\n");
}

static void
knee_print(FILE *out, const struct bench_knee *knee)
{
	fprintf(out, "knee             ");
	if (knee->knee > 0)
		fprintf(out, "%.4g requests/s held", knee->knee);
	else
		fprintf(out, "none found: no rate held");
	if (knee->failed > 0)
		fprintf(out, ", %.4g did not", knee->failed);
	fprintf(out, " (p99 within %.3f ms, 99 %% achieved; %zu steps)\n", milliseconds(knee->bound_ns), knee->step_count);
}

void
bench_report_print(const struct bench_outcome *outcome, FILE *out)
{
	const struct load_plan *plan = &outcome->plan;
	const struct load_result *result = outcome->result;
	load_print(out, plan, result);
	if (outcome->knee.sought)
		knee_print(out, &outcome->knee);
	requests_print(out, result);
	latencies_print(out, plan, result);
	generator_print(out, plan, &result->generator);
	for (size_t i = 0; i < outcome->warnings.count; i++)
		fprintf(out, "WARNING          %s\n", outcome->warnings.texts[i]);
	for (size_t i = 0; i < outcome->checked; i++)
		fprintf(out, "assertion        %s: %s\n", outcome->options->conditions.each[i].text,
		        outcome->conditions[i].holds ? "holds" : "FAILED");
}
