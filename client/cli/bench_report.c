#include "client/cli/bench.h"
#include "client/cli/text.h"

#include <inttypes.h>
#include <stdio.h>

enum { QUANTILES = 4 };
static const struct {
	const char *name;
	double share;
} quantiles[QUANTILES] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "p99.9", 0.999 } };

static double
per_second(uint64_t count, const struct bench_result *result)
{
	return result->seconds > 0 ? (double)count / result->seconds : 0;
}

static void
latency_print(const char *name, const struct histogram *histogram)
{
	char digits[DIGITS_GROUPED_BYTES];
	printf("%-16s", name);
	for (size_t i = 0; i < QUANTILES; i++)
		printf(" %s %.3f", quantiles[i].name, (double)histogram_quantile(histogram, quantiles[i].share) * 1e-6);
	printf(" max %.3f ms (%s of them)\n", (double)histogram->most * 1e-6, digits_grouped(histogram->count, digits));
}

static void
rate_print(const char *name, double rate)
{
	char digits[DIGITS_GROUPED_BYTES];
	if (rate < 100)
		printf("%-16s %.2f\n", name, rate);
	else
		printf("%-16s %s\n", name, digits_grouped((uint64_t)rate, digits));
}

static void
table_print(const struct bench_plan *plan, const struct bench_result *result)
{
	char digits[DIGITS_GROUPED_BYTES];
	printf("load             %" PRIu64 " connections for %.2f s, each request %" PRIu64 " ticks of %" PRIu64
	       " circles, a frame every %" PRIu64 "\n",
	       plan->connections, result->seconds, plan->simulation.ticks,
	       result->ticks > 0 ? result->circle_ticks / result->ticks : 0, plan->simulation.every);
	rate_print("requests/s", per_second(result->requests, result));
	rate_print("ticks/s", per_second(result->ticks, result));
	rate_print("circle-ticks/s", per_second(result->circle_ticks, result));
	rate_print("collisions/s", per_second(result->collisions, result));
	rate_print("bytes/s", per_second(result->bytes_received, result));
	printf("engine           %.2f threads busy on average, in the requests that ended\n",
	       result->seconds > 0 ? result->engine_seconds / result->seconds : 0);
	latency_print("request latency", &result->latency);
	latency_print("ping meanwhile", &result->pings);
	if (result->refused > 0)
		printf("refused          %s requests, tried again later\n", digits_grouped(result->refused, digits));
}

static void
latency_print_json(const char *name, const struct histogram *histogram)
{
	printf(",\"%s\":{\"count\":%" PRIu64, name, histogram->count);
	for (size_t i = 0; i < QUANTILES; i++)
		printf(",\"%sMs\":%.6f", quantiles[i].name, (double)histogram_quantile(histogram, quantiles[i].share) * 1e-6);
	printf(",\"maxMs\":%.6f}", (double)histogram->most * 1e-6);
}

static void
json_print(const struct bench_plan *plan, const struct bench_result *result)
{
	printf("{\"connections\":%" PRIu64 ",\"seconds\":%.6f,\"ticksPerRequest\":%" PRIu64 ",\"every\":%" PRIu64,
	       plan->connections, result->seconds, plan->simulation.ticks, plan->simulation.every);
	printf(",\"requests\":%" PRIu64 ",\"refused\":%" PRIu64 ",\"ticks\":%" PRIu64 ",\"frames\":%" PRIu64
	       ",\"circleTicks\":%" PRIu64 ",\"collisions\":%" PRIu64,
	       result->requests, result->refused, result->ticks, result->frames, result->circle_ticks, result->collisions);
	printf(",\"bytesReceived\":%" PRIu64 ",\"bytesSent\":%" PRIu64 ",\"engineSeconds\":%.6f", result->bytes_received,
	       result->bytes_sent, result->engine_seconds);
	printf(",\"requestsPerSecond\":%.6g,\"ticksPerSecond\":%.6g,\"circleTicksPerSecond\":%.6g,\"bytesPerSecond\":%.6g",
	       per_second(result->requests, result), per_second(result->ticks, result), per_second(result->circle_ticks, result),
	       per_second(result->bytes_received, result));
	latency_print_json("requestLatency", &result->latency);
	latency_print_json("pingLatency", &result->pings);
	printf("}\n");
}

void
bench_report_print(const struct bench_plan *plan, const struct bench_result *result, enum bench_format format)
{
	if (format == BENCH_JSON)
		json_print(plan, result);
	else
		table_print(plan, result);
}
