#include "client/cli/bench/rooms_report.h"

#include "client/cli/scene/json_text.h"
#include "client/cli/terminal/text.h"

#include <inttypes.h>

static const struct quantile {
	const char *name;
	uint32_t millionths;
} quantiles[] = { { "p50", 500000 }, { "p90", 900000 }, { "p99", 990000 }, { "p99.9", 999000 } };

enum { QUANTILES = sizeof quantiles / sizeof quantiles[0] };

static double
ms(uint64_t nanoseconds)
{
	return (double)nanoseconds * 1e-6;
}

static void
histogram_row(FILE *out, const char *name, const struct histogram *histogram)
{
	fprintf(out, "%-18s", name);
	if (histogram->count == 0) {
		fprintf(out, " nothing was measured\n");
		return;
	}
	fprintf(out, " %9.3f", histogram_mean(histogram) * 1e-6);
	for (size_t i = 0; i < QUANTILES; i++)
		fprintf(out, " %9.3f", ms(histogram_quantile(histogram, quantiles[i].millionths)));
	fprintf(out, " %9.3f\n", ms(histogram->most));
}

static void
count_row(FILE *out, const char *name, uint64_t value)
{
	char digits[DIGITS_GROUPED_BYTES];
	fprintf(out, "%-18s %s\n", name, digits_grouped(value, digits));
}

static void
plan_print(const struct rooms_plan *plan, const struct rooms_result *result, FILE *out)
{
	fprintf(out, "rooms              %" PRIu64 " of %" PRIu64 " circles at %" PRIu64 " Hz, in one map of %" PRIu64 " walls\n",
	        result->rooms, plan->circles, plan->tick_hz, plan->walls);
	fprintf(out,
	        "players            %" PRIu64 " a room, %g inputs/s each; a reader a room, of %s every %" PRIu64 " ticks; %" PRIu64
	        " connections\n",
	        plan->players, plan->inputs_hz, plan->paths ? "paths" : "states", plan->every, plan->connections);
	if (plan->late_percent > 0)
		fprintf(out, "late inputs        %" PRIu64 " of 100, up to %d ticks before what their player has seen\n",
		        plan->late_percent, ROOMS_LATE_TICKS_MAX);
	fprintf(out, "measured           %.2f s after %g s of warm-up%s\n", result->seconds, plan->warm_up_seconds,
	        result->stopped ? ", ended early" : "");
}

static void
search_print(const struct rooms_search *search, FILE *out)
{
	if (!search->sought)
		return;
	fprintf(out, "\n%8s %14s %12s %12s\n", "rooms", "late p99, ms", "lost ticks", "missed");
	for (size_t i = 0; i < search->step_count; i++)
		fprintf(out, "%8" PRIu64 " %14.3f %12" PRIu64 " %12" PRIu64 "  %s\n", search->steps[i].rooms,
		        ms(search->steps[i].late_p99_ns), search->steps[i].lost_ticks, search->steps[i].updates_missed,
		        search->steps[i].held                 ? "held"
		        : search->steps[i].refused[0] != '\0' ? search->steps[i].refused
		                                              : "did not hold");
	fprintf(out, "knee               %" PRIu64 " rooms (p99 of lateness at most %.3f ms, no tick lost, no update missed)\n",
	        search->held, ms(search->bound_ns));
}

static void
memory_print(const struct rooms_result *result, FILE *out)
{
	if (result->server_bytes > 0)
		fprintf(out, "memory, MB         %.1f, of which %.1f came with the rooms\n", (double)result->server_bytes * 1e-6,
		        (double)result->rooms_bytes * 1e-6);
}

/* Of the daemon's threads: in the table, and in JSON. */
static const struct {
	const char *text, *json;
} thread_kinds[THREAD_KINDS] = {
	[THREAD_LOOP] = { "loop", "loop" },
	[THREAD_TICKS] = { "due ticks", "dueTicks" },
	[THREAD_REQUESTS] = { "requests", "requests" },
	[THREAD_BACKGROUND] = { "background", "background" },
	[THREAD_DISK] = { "disk", "disk" },
	[THREAD_OTHER] = { "other", "other" },
};

static void
threads_print(const struct rooms_result *result, FILE *out)
{
	if (!result->has_threads)
		return;
	fprintf(out, "of the server     ");
	for (size_t i = 0; i < THREAD_KINDS; i++)
		fprintf(out, "%s%.2f %s", i == 0 ? " " : ", ", result->server_threads[i], thread_kinds[i].text);
	fputc('\n', out);
}

/* NULL: no memory. */
static json_t *
threads_json(const struct rooms_result *result)
{
	if (!result->has_threads)
		return json_null();
	json_t *out = json_object();
	for (size_t i = 0; i < THREAD_KINDS; i++) {
		if (json_object_set_new(out, thread_kinds[i].json, json_real(result->server_threads[i])) != 0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

static void
result_print(const struct rooms_result *result, FILE *out)
{
	fprintf(out, "\n%-18s %9s", "milliseconds", "mean");
	for (size_t i = 0; i < QUANTILES; i++)
		fprintf(out, " %9s", quantiles[i].name);
	fprintf(out, " %9s\n", "max");
	histogram_row(out, "late", &result->late);
	histogram_row(out, "due to received", &result->received);
	histogram_row(out, "due to given", &result->given);
	histogram_row(out, "bare wait", &result->bare.late);
	histogram_row(out, "margin of inputs", &result->margin);
	fputc('\n', out);
	count_row(out, "updates", result->updates);
	count_row(out, "updates missed", result->updates_missed);
	count_row(out, "lost ticks", result->lost_ticks);
	count_row(out, "overruns", result->overruns);
	count_row(out, "failed worlds", result->failed_worlds);
	count_row(out, "inputs", result->inputs);
	count_row(out, "inputs decided", result->inputs_decided);
	count_row(out, "inputs refused", result->inputs_refused);
	count_row(out, "ticks made again", result->resimulated_ticks);
	if (result->self_checks + result->self_checks_skipped > 0) {
		count_row(out, "self-checks", result->self_checks);
		count_row(out, "checks skipped", result->self_checks_skipped);
		count_row(out, "checks differing", result->self_checks_differing);
	}
	double seconds = result->seconds > 0 ? result->seconds : 1;
	count_row(out, "bytes/s received", (uint64_t)((double)result->bytes_received / seconds));
	count_row(out, "bytes/s sent", (uint64_t)((double)result->bytes_sent / seconds));
	fprintf(out, "cores busy         ");
	if (result->server_cpu >= 0)
		fprintf(out, "%.2f of the server, ", result->server_cpu);
	fprintf(out, "%.2f of this program, of which %.2f of the bare wait%s\n", result->client_cpu,
	        (double)result->bare.cpu_ns * 1e-9 / seconds, result->bare.realtime ? " (real-time)" : "");
	threads_print(result, out);
	memory_print(result, out);
}

void
rooms_report_print(const struct rooms_plan *plan, const struct rooms_report *report, bool titled, FILE *out)
{
	if (titled)
		fprintf(out, "---- %s\n", report->name);
	plan_print(plan, report->result, out);
	result_print(report->result, out);
	search_print(report->search, out);
	(void)fflush(out);
}

void
rooms_knees_print(const struct rooms_report *reports, size_t count, FILE *out)
{
	for (size_t i = 1; i < count; i++)
		if (reports[i].search->held > 0)
			fprintf(out, "knee of the daemon %.2f times that of %s\n",
			        (double)reports[0].search->held / (double)reports[i].search->held, reports[i].name);
}

/* ---- JSON */

static json_t *
histogram_json(const struct histogram *histogram)
{
	json_t *out = json_pack("{s:I}", "count", (json_int_t)histogram->count);
	int bad = out ? 0 : -1;
	if (bad != 0 || histogram->count == 0)
		return out;
	bad |= json_object_set_new(out, "meanMs", json_real(histogram_mean(histogram) * 1e-6));
	for (size_t i = 0; i < QUANTILES; i++) {
		char name[16];
		(void)snprintf(name, sizeof name, "%sMs", quantiles[i].name);
		bad |= json_object_set_new(out, name, json_real(ms(histogram_quantile(histogram, quantiles[i].millionths))));
	}
	bad |= json_object_set_new(out, "maxMs", json_real(ms(histogram->most)));
	if (bad == 0)
		return out;
	json_decref(out);
	return NULL;
}

static json_t *
search_json(const struct rooms_search *search)
{
	json_t *steps = json_array();
	for (size_t i = 0; i < search->step_count; i++)
		if (json_array_append_new(steps, json_pack("{s:I,s:f,s:I,s:I,s:b,s:s}", "rooms", (json_int_t)search->steps[i].rooms,
		                                           "lateP99Ms", ms(search->steps[i].late_p99_ns), "lostTicks",
		                                           (json_int_t)search->steps[i].lost_ticks, "updatesMissed",
		                                           (json_int_t)search->steps[i].updates_missed, "held", search->steps[i].held,
		                                           "refused", search->steps[i].refused)) != 0) {
			json_decref(steps);
			return NULL;
		}
	return json_pack("{s:I,s:I,s:f,s:o}", "held", (json_int_t)search->held, "failed", (json_int_t)search->failed, "boundMs",
	                 ms(search->bound_ns), "steps", steps);
}

static json_t *
plan_json(const struct rooms_plan *plan, const struct rooms_result *result)
{
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:f,s:I,s:I,s:I,s:s}", "rooms", (json_int_t)result->rooms, "circles",
	                 (json_int_t)plan->circles, "walls", (json_int_t)plan->walls, "tickHz", (json_int_t)plan->tick_hz,
	                 "players", (json_int_t)plan->players, "inputsHz", plan->inputs_hz, "latePercent",
	                 (json_int_t)plan->late_percent, "every", (json_int_t)plan->every, "connections",
	                 (json_int_t)plan->connections, "stream", plan->paths ? "paths" : "states");
}

static json_t *
counts_json(const struct rooms_result *result)
{
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "updates", (json_int_t)result->updates,
	                 "updatesMissed", (json_int_t)result->updates_missed, "lostTicks", (json_int_t)result->lost_ticks,
	                 "overruns", (json_int_t)result->overruns, "failedWorlds", (json_int_t)result->failed_worlds, "inputs",
	                 (json_int_t)result->inputs, "inputsDecided", (json_int_t)result->inputs_decided, "inputsRefused",
	                 (json_int_t)result->inputs_refused, "resimulatedTicks", (json_int_t)result->resimulated_ticks,
	                 "selfChecks", (json_int_t)result->self_checks, "selfChecksSkipped",
	                 (json_int_t)result->self_checks_skipped, "selfChecksDiffering", (json_int_t)result->self_checks_differing,
	                 "bytesReceived", (json_int_t)result->bytes_received, "bytesSent", (json_int_t)result->bytes_sent);
}

struct rooms_plan
rooms_plan_told(const struct rooms_plan *plan, const struct rooms_report *report, bool floor)
{
	struct rooms_plan told = *plan;
	told.connections = floor || told.connections > report->result->rooms ? report->result->rooms : told.connections;
	return told;
}

/* NULL: no memory. */
static json_t *
report_json(const struct rooms_plan *plan, const struct rooms_report *report)
{
	const struct rooms_result *result = report->result;
	double seconds = result->seconds > 0 ? result->seconds : 1;
	json_t *cores = json_pack(
		"{s:o,s:o,s:f,s:f}", "daemon", result->server_cpu >= 0 ? json_real(result->server_cpu) : json_null(), "daemonThreads",
		threads_json(result), "client", result->client_cpu, "bareWait", (double)result->bare.cpu_ns * 1e-9 / seconds);
	json_t *memory = result->server_bytes == 0 ? json_null()
	                                           : json_pack("{s:I,s:I}", "server", (json_int_t)result->server_bytes, "rooms",
	                                                       (json_int_t)result->rooms_bytes);
	return json_pack("{s:i,s:s,s:o,s:f,s:b,s:o,s:o,s:o,s:o,s:o,s:b,s:o,s:o,s:o,s:o}", "format", 1, "server", report->name,
	                 "plan", plan_json(plan, result), "seconds", result->seconds, "stoppedEarly", result->stopped, "late",
	                 histogram_json(&result->late), "dueToReceived", histogram_json(&result->received), "dueToGiven",
	                 histogram_json(&result->given), "bareWait", histogram_json(&result->bare.late), "inputMargin",
	                 histogram_json(&result->margin), "bareWaitRealtime", result->bare.realtime, "counts", counts_json(result),
	                 "coresBusy", cores, "memoryBytes", memory, "knee",
	                 report->search->sought ? search_json(report->search) : json_null());
}

bool
rooms_json_print(const struct rooms_plan *plan, const struct rooms_report *reports, size_t count, FILE *out)
{
	const struct rooms_plan first = rooms_plan_told(plan, &reports[0], false);
	json_t *tree = report_json(&first, &reports[0]), *floors = json_array();
	int bad = tree && floors ? 0 : -1;
	for (size_t i = 1; bad == 0 && i < count; i++) {
		const struct rooms_plan own = rooms_plan_told(plan, &reports[i], true);
		bad = json_array_append_new(floors, report_json(&own, &reports[i]));
	}
	if (bad == 0 && json_object_set_new(tree, "floors", floors) == 0)
		return json_tree_print(tree, out);
	json_decref(tree);
	json_decref(floors);
	return false;
}
