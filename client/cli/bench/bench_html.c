/* The report as a page. It is well-formed XML, so that any tool can read it; it has no script and loads nothing from
 * elsewhere. */
#include "client/cli/bench/bench_report.h"
#include "client/cli/bench/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { CURVE_POINTS_MAX = 2000 };

struct curve {
	size_t count;
	double xs[CURVE_POINTS_MAX], ys[CURVE_POINTS_MAX];
};

static void
cell_time(FILE *out, double nanoseconds)
{
	fprintf(out, "<td>%.3f</td>", nanoseconds * 1e-6);
}

static void
latency_row(FILE *out, const char *name, const struct histogram *histogram)
{
	fputs("<tr><th>", out);
	xml_print(out, name);
	fputs("</th>", out);
	if (histogram->count == 0) {
		fprintf(out, "<td colspan=\"%d\">nothing was measured</td></tr>\n", PERCENTILES + 3);
		return;
	}
	cell_time(out, histogram_mean(histogram));
	for (size_t i = 0; i < PERCENTILES; i++)
		cell_time(out, (double)histogram_quantile(histogram, percentiles[i].millionths));
	cell_time(out, (double)histogram->most);
	fprintf(out, "<td>%" PRIu64 "</td></tr>\n", histogram->count);
}

static void
latencies_table(FILE *out, const struct bench_outcome *outcome)
{
	const struct load_result *result = outcome->result;
	char name[200];
	fputs("<table><tr><th>latency, ms</th><th>mean</th>", out);
	for (size_t i = 0; i < PERCENTILES; i++)
		fprintf(out, "<th>%s</th>", percentiles[i].name);
	fputs("<th>max</th><th>of so many</th></tr>\n", out);
	latency_row(out, "response", &result->latency.response);
	latency_row(out, "service", &result->latency.service);
	for (size_t i = 0; i < outcome->plan.scene_count && outcome->plan.scene_count > 1; i++) {
		snprintf(name, sizeof name, "%.150s: response", outcome->plan.scenes[i].name);
		latency_row(out, name, &result->scenes[i].response);
	}
	latency_row(out, "ping: response", &result->ping.response);
	latency_row(out, "ping: service", &result->ping.service);
	fputs("</table>\n", out);
}

static void fact(FILE *out, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void
fact(FILE *out, const char *name, const char *format, ...)
{
	char value[200];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(value, sizeof value, format, arguments);
	va_end(arguments);
	fprintf(out, "<tr><th>%s</th><td class=\"text\">", name);
	xml_print(out, value);
	fputs("</td></tr>\n", out);
}

static void
facts_table(FILE *out, const struct bench_outcome *outcome)
{
	const struct load_plan *plan = &outcome->plan;
	const struct load_result *result = outcome->result;
	fputs("<table>", out);
	fact(out, "daemon", "%s at %.150s", result->server, plan->address);
	if (plan->rate > 0)
		fact(out, "load", "open model, %.6g requests/s", plan->rate);
	else
		fact(out, "load", "closed model");
	fact(out, "connections", "%" PRIu64 ", at most %" PRIu64 " requests under way on each", plan->connections, plan->pipeline);
	fact(out, "time", "%.2f s after %g s of warm-up", result->seconds, plan->warm_up_seconds);
	fact(out, "each request", "%" PRIu64 " ticks, a frame every %" PRIu64, plan->simulation.ticks, plan->simulation.every);
	for (size_t i = 0; i < plan->scene_count; i++)
		fact(out, "scene", "%.150s, %" PRIu64 " circles, weight %" PRIu64, plan->scenes[i].name, plan->scenes[i].circles,
		     plan->scenes[i].weight);
	fact(out, "requests", "%" PRIu64 " begun, %" PRIu64 " done, %" PRIu64 " failed, %" PRIu64 " unfinished", result->scheduled,
	     result->completed, result->failed, result->unfinished);
	for (size_t i = 0; i < result->faults.count; i++)
		fact(out, "failed", "%" PRIu64 " %s", result->faults.kinds[i].count, result->faults.kinds[i].name);
	fact(out, "throughput", "%.6g requests/s, %.6g ticks/s, %.6g bytes/s", load_rate(result, result->ended),
	     load_rate(result, result->ticks), load_rate(result, result->bytes_received));
	fact(out, "generator", "busy %.0f %%, on a core %.0f %%", result->generator.busy * 100, result->generator.cpu * 100);
	if (outcome->knee.sought)
		fact(out, "knee", "%.4g requests/s held, %.4g did not (p99 within %.3f ms)", outcome->knee.knee, outcome->knee.failed,
		     milliseconds(outcome->knee.bound_ns));
	for (size_t i = 0; i < outcome->checked; i++)
		fact(out, "assertion", "%s: %s", outcome->options->conditions.each[i].text,
		     outcome->conditions[i].holds ? "holds" : "FAILED");
	fputs("</table>\n", out);
	for (size_t i = 0; i < outcome->warnings.count; i++) {
		fputs("<p class=\"warning\">", out);
		xml_print(out, outcome->warnings.texts[i]);
		fputs("</p>\n", out);
	}
}

/* Keeps fewer points where there are more counters than points. The tail is kept whole. */
static void
percentile_curve(const struct histogram *histogram, struct curve *curve)
{
	struct histogram_point point = { 0 };
	uint32_t counter = 0;
	size_t points = 0, index = 0;
	while (histogram_next(histogram, &counter, &point))
		points++;
	size_t stride = points / (CURVE_POINTS_MAX / 2) + 1;
	counter = 0;
	point = (struct histogram_point){ 0 };
	curve->count = 0;
	while (histogram_next(histogram, &counter, &point)) {
		bool kept = index % stride == 0 || index + CURVE_POINTS_MAX / 4 >= points;
		index++;
		if (!kept || curve->count == CURVE_POINTS_MAX)
			continue;
		/* No value is above the last one, which an axis of nines cannot show. It is drawn as if half a value were above. */
		double above = fmax((double)(histogram->count - point.below), 0.5);
		curve->xs[curve->count] = 1 - above / (double)histogram->count;
		curve->ys[curve->count++] = milliseconds(point.value);
	}
}

static void
percentiles_plot(FILE *out, const struct load_result *result, struct curve *curve)
{
	const struct histogram *response = &result->latency.response, *service = &result->latency.service;
	struct plot plot;
	if (response->count == 0)
		return;
	double most = milliseconds(response->most > service->most ? response->most : service->most);
	plot_begin(&plot, out, "Latency by percentile",
	           plot_axis_for("percentile", PLOT_NINES, 0, 1 - 0.5 / (double)response->count),
	           plot_axis_for("milliseconds", PLOT_LOG, milliseconds(service->least), most));
	percentile_curve(response, curve);
	plot_line(&plot, "response time", curve->xs, curve->ys, curve->count);
	percentile_curve(service, curve);
	plot_line(&plot, "service time", curve->xs, curve->ys, curve->count);
	plot_end(&plot);
}

enum column { COLUMN_RATE, COLUMN_FAILED, COLUMN_P50, COLUMN_P99, COLUMN_MAX };

static double
second_value(const struct load_second *second, enum column column)
{
	switch (column) {
	case COLUMN_RATE: return (double)second->completed / second->seconds;
	case COLUMN_FAILED: return (double)second->failed / second->seconds;
	case COLUMN_P50: return milliseconds(second->p50_ns);
	case COLUMN_P99: return milliseconds(second->p99_ns);
	case COLUMN_MAX: break;
	}
	return milliseconds(second->most_ns);
}

/* A long run shows every n-th second only. The rest of a second at its end has no meaningful rate, and is left out. */
static void
series_curve(const struct load_result *result, enum column column, struct curve *curve)
{
	size_t stride = result->series_count / CURVE_POINTS_MAX + 1;
	curve->count = 0;
	for (size_t i = 0; i < result->series_count; i += stride) {
		const struct load_second *second = &result->series[i];
		if (second->seconds < 0.2 && i > 0)
			continue;
		curve->xs[curve->count] = second->start + second->seconds;
		curve->ys[curve->count++] = second_value(second, column);
	}
}

static double
curve_most(const struct curve *curve)
{
	double most = 0;
	for (size_t i = 0; i < curve->count; i++)
		most = fmax(most, curve->ys[i]);
	return most;
}

static void
series_plots(FILE *out, const struct load_result *result, struct curve *curve)
{
	struct plot plot;
	if (result->series_count == 0)
		return;
	struct plot_axis time = plot_axis_for("seconds", PLOT_LINEAR, 0, result->seconds);
	series_curve(result, COLUMN_FAILED, curve);
	double most = curve_most(curve);
	series_curve(result, COLUMN_RATE, curve);
	plot_begin(&plot, out, "Throughput", time,
	           plot_axis_for("requests per second", PLOT_LINEAR, 0, fmax(most, curve_most(curve))));
	plot_line(&plot, "done", curve->xs, curve->ys, curve->count);
	if (most > 0) {
		series_curve(result, COLUMN_FAILED, curve);
		plot_line(&plot, "failed", curve->xs, curve->ys, curve->count);
	}
	plot_end(&plot);
	series_curve(result, COLUMN_MAX, curve);
	plot_begin(&plot, out, "Response time, second by second", time,
	           plot_axis_for("milliseconds", PLOT_LINEAR, 0, curve_most(curve)));
	static const struct {
		const char *name;
		enum column column;
	} lines[] = { { "p50", COLUMN_P50 }, { "p99", COLUMN_P99 }, { "max", COLUMN_MAX } };
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		series_curve(result, lines[i].column, curve);
		plot_line(&plot, lines[i].name, curve->xs, curve->ys, curve->count);
	}
	plot_end(&plot);
}

static int
steps_compare(const void *left, const void *right)
{
	double a = ((const struct knee_step *)left)->rate, b = ((const struct knee_step *)right)->rate;
	return (a > b) - (a < b);
}

static void
knee_plot(FILE *out, const struct bench_knee *knee, struct curve *curve)
{
	struct knee_step steps[BENCH_STEPS_MAX];
	struct plot plot;
	size_t count = knee->step_count;
	double least = INFINITY, most = 0, rates[BENCH_STEPS_MAX], bounds[BENCH_STEPS_MAX];
	for (size_t i = 0; i < count; i++) {
		steps[i] = knee->steps[i];
		least = fmin(least, milliseconds(steps[i].p50_ns));
		most = fmax(most, milliseconds(steps[i].p99_ns));
	}
	if (count == 0 || most == 0)
		return;
	qsort(steps, count, sizeof steps[0], steps_compare);
	for (size_t i = 0; i < count; i++) {
		rates[i] = steps[i].rate;
		bounds[i] = milliseconds(knee->bound_ns);
	}
	plot_begin(&plot, out, "Response time by rate: the search for the knee",
	           plot_axis_for("requests per second, asked", PLOT_LINEAR, 0, rates[count - 1]),
	           plot_axis_for("milliseconds", PLOT_LOG, least, fmax(most, bounds[0])));
	curve->count = count;
	for (size_t i = 0; i < count; i++)
		curve->ys[i] = milliseconds(steps[i].p50_ns);
	plot_line(&plot, "p50", rates, curve->ys, count);
	for (size_t i = 0; i < count; i++)
		curve->ys[i] = milliseconds(steps[i].p99_ns);
	plot_line(&plot, "p99", rates, curve->ys, count);
	plot_line(&plot, "bound of the p99", rates, bounds, count);
	plot_end(&plot);
}

void
bench_html_print(const struct bench_outcome *outcome, FILE *out)
{
	struct curve *curve = calloc(1, sizeof *curve);
	fputs(
		"<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
		"<title>collide bench</title>\n<style>\n"
		"body { font: 15px/1.45 sans-serif; color: #222; background: #fff; max-width: 60em; margin: 2em auto; padding: 0 1em; }\n"
		"table { border-collapse: collapse; margin: 1em 0; } th { text-align: left; font-weight: normal; color: #555; }\n"
		"td, th { padding: .15em .7em .15em 0; } td { text-align: right; font-variant-numeric: tabular-nums; }\n"
		"td.text { text-align: left; } .warning { background: #fdf0d5; padding: .6em 1em; } svg { max-width: 100%; height: auto; }\n"
		"</style></head><body>\n<h1>collide bench</h1>\n",
		out);
	facts_table(out, outcome);
	latencies_table(out, outcome);
	fputs("<p>Response time counts from when a request was meant to start, service time from when it was sent.</p>\n", out);
	if (curve) {
		percentiles_plot(out, outcome->result, curve);
		series_plots(out, outcome->result, curve);
		knee_plot(out, &outcome->knee, curve);
	}
	fputs("</body></html>\n", out);
	free(curve);
}
