/* The report as JSON. docs/load.md specifies it: within a format number fields may be added, but never renamed or moved. */
#include "client/cli/bench/bench_report.h"

#include "client/cli/scene/json_text.h"

#include <jansson.h>

enum { CURVE_POINTS_MAX = 400 };

static json_t *
latency_json(const struct histogram *histogram)
{
	json_t *out = json_pack("{s:I}", "count", (json_int_t)histogram->count);
	if (!out || histogram->count == 0)
		return out;
	int bad = json_object_set_new(out, "minMs", json_real(milliseconds(histogram->least)));
	bad |= json_object_set_new(out, "meanMs", json_real(histogram_mean(histogram) * 1e-6));
	for (size_t i = 0; i < PERCENTILES; i++) {
		char name[16];
		snprintf(name, sizeof name, "%sMs", percentiles[i].name);
		bad |= json_object_set_new(out, name,
		                           json_real(milliseconds(histogram_quantile(histogram, percentiles[i].millionths))));
	}
	bad |= json_object_set_new(out, "maxMs", json_real(milliseconds(histogram->most)));
	if (bad == 0)
		return out;
	json_decref(out);
	return NULL;
}

static json_t *
both_json(const struct load_latency *latency)
{
	return json_pack("{s:o,s:o}", "response", latency_json(&latency->response), "service", latency_json(&latency->service));
}

static json_t *
ping_json(const struct load_result *result)
{
	json_t *served = result->ping_served.count > 0 ? latency_json(&result->ping_served) : json_null();
	return json_pack("{s:o,s:o,s:o}", "response", latency_json(&result->ping.response), "service",
	                 latency_json(&result->ping.service), "served", served);
}

/* At most CURVE_POINTS_MAX points [share of all values, at most so many ms]. The first and the last are always among them. */
static json_t *
curve_json(const struct histogram *histogram)
{
	json_t *out = json_array();
	struct histogram_point point = { 0 };
	uint32_t counter = 0;
	uint64_t points = 0, index = 0;
	while (histogram_next(histogram, &counter, &point))
		points++;
	counter = 0;
	point = (struct histogram_point){ 0 };
	/* The tail matters most: its points are few, and all are kept. The points of the body are thinned out. */
	while (out && histogram_next(histogram, &counter, &point)) {
		bool kept = points <= CURVE_POINTS_MAX || index == 0 || index + CURVE_POINTS_MAX / 2 >= points ||
		            index % (2 * points / CURVE_POINTS_MAX + 1) == 0;
		index++;
		if (kept && json_array_append_new(out, json_pack("[f,f]", (double)point.below / (double)histogram->count,
		                                                 milliseconds(point.value))) != 0) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

static json_t *
plan_json(const struct load_plan *plan)
{
	json_t *scenes = json_array();
	for (size_t i = 0; i < plan->scene_count; i++)
		if (json_array_append_new(scenes, json_pack("{s:s,s:I,s:I}", "name", plan->scenes[i].name, "weight",
		                                            (json_int_t)plan->scenes[i].weight, "circles",
		                                            (json_int_t)plan->scenes[i].circles)) != 0)
			(void)json_array_append_new(scenes, json_null()); /* a name that is not UTF-8 */
	return json_pack("{s:s,s:o,s:I,s:I,s:f,s:f,s:f,s:I,s:I,s:f,s:b,s:o}", "model", plan->rate > 0 ? "open" : "closed", "rate",
	                 plan->rate > 0 ? json_real(plan->rate) : json_null(), "connections", (json_int_t)plan->connections,
	                 "pipeline", (json_int_t)plan->pipeline, "warmUpSeconds", plan->warm_up_seconds, "seconds", plan->seconds,
	                 "drainSeconds", plan->drain_seconds, "ticksPerRequest", (json_int_t)plan->simulation.ticks, "every",
	                 (json_int_t)plan->simulation.every, "dt", plan->simulation.dt, "statesOnly", plan->simulation.states_only,
	                 "scenes", scenes);
}

static json_t *
requests_json(const struct load_result *result)
{
	json_t *faults = json_object();
	for (size_t i = 0; i < result->faults.count; i++)
		(void)json_object_set_new(faults, result->faults.kinds[i].name,
		                          json_integer((json_int_t)result->faults.kinds[i].count));
	return json_pack("{s:I,s:I,s:I,s:I,s:f,s:o}", "scheduled", (json_int_t)result->scheduled, "completed",
	                 (json_int_t)result->completed, "failed", (json_int_t)result->failed, "unfinished",
	                 (json_int_t)result->unfinished, "oldestUnfinishedMs", milliseconds(result->oldest_unfinished_ns), "errors",
	                 faults);
}

static json_t *
throughput_json(const struct load_result *result)
{
	return json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f,s:f,s:f,s:f,s:f,s:f,s:f}", "requests", (json_int_t)result->ended,
	                 "ticks", (json_int_t)result->ticks, "circleTicks", (json_int_t)result->circle_ticks, "collisions",
	                 (json_int_t)result->collisions, "frames", (json_int_t)result->frames, "bytesReceived",
	                 (json_int_t)result->bytes_received, "bytesSent", (json_int_t)result->bytes_sent, "engineSeconds",
	                 result->engine_seconds, "workerSeconds", result->worker_seconds, "waitingSeconds", result->waiting_seconds,
	                 "requestsPerSecond", load_rate(result, result->ended), "ticksPerSecond", load_rate(result, result->ticks),
	                 "circleTicksPerSecond", load_rate(result, result->circle_ticks), "bytesPerSecond",
	                 load_rate(result, result->bytes_received));
}

static json_t *
scenes_json(const struct load_plan *plan, const struct load_result *result)
{
	json_t *out = json_array();
	for (size_t i = 0; i < plan->scene_count; i++)
		(void)json_array_append_new(out, both_json(&result->scenes[i]));
	return out;
}

static json_t *
series_json(const struct load_result *result)
{
	json_t *out = json_array();
	for (size_t i = 0; i < result->series_count; i++) {
		const struct load_second *second = &result->series[i];
		(void)json_array_append_new(out,
		                            json_pack("{s:f,s:f,s:I,s:I,s:f,s:f,s:f,s:I,s:I}", "start", second->start, "seconds",
		                                      second->seconds, "completed", (json_int_t)second->completed, "failed",
		                                      (json_int_t)second->failed, "p50Ms", milliseconds(second->p50_ns), "p99Ms",
		                                      milliseconds(second->p99_ns), "maxMs", milliseconds(second->most_ns), "underWay",
		                                      (json_int_t)second->under_way, "waiting", (json_int_t)second->waiting));
	}
	return out;
}

static json_t *
generator_json(const struct bench_outcome *outcome)
{
	const struct load_generator *generator = &outcome->result->generator;
	json_t *warnings = json_array();
	for (size_t i = 0; i < outcome->warnings.count; i++)
		(void)json_array_append_new(warnings, json_string(outcome->warnings.texts[i]));
	return json_pack("{s:f,s:f,s:o,s:o,s:o}", "busyShare", generator->busy, "cpuShare", generator->cpu, "noCoreShare",
	                 generator->no_core >= 0 ? json_real(generator->no_core) : json_null(), "late",
	                 latency_json(&generator->late), "warnings", warnings);
}

static json_t *
rate_or_null(double rate)
{
	return rate > 0 ? json_real(rate) : json_null();
}

static json_t *
knee_json(const struct bench_knee *knee)
{
	if (!knee->sought)
		return json_null();
	json_t *steps = json_array();
	for (size_t i = 0; i < knee->step_count; i++) {
		const struct knee_step *step = &knee->steps[i];
		(void)json_array_append_new(
			steps, json_pack("{s:f,s:f,s:f,s:f,s:f,s:I,s:I,s:b}", "rate", step->rate, "seconds", step->seconds, "achieved",
		                     step->achieved, "p50Ms", milliseconds(step->p50_ns), "p99Ms", milliseconds(step->p99_ns),
		                     "completed", (json_int_t)step->completed, "failed", (json_int_t)step->failed, "held", step->held));
	}
	return json_pack("{s:o,s:o,s:f,s:o,s:o}", "rate", rate_or_null(knee->knee), "firstThatFailed", rate_or_null(knee->failed),
	                 "p99BoundMs", milliseconds(knee->bound_ns), "closedModelRate", rate_or_null(knee->probe), "steps", steps);
}

static json_t *
conditions_json(const struct bench_outcome *outcome)
{
	json_t *out = json_array();
	for (size_t i = 0; i < outcome->checked; i++) {
		const struct condition_outcome *checked = &outcome->conditions[i];
		const struct condition *condition = &outcome->options->conditions.each[i];
		double scale = condition->figure <= FIGURE_MOST ? 1e-6 : 1;
		(void)json_array_append_new(out,
		                            json_pack("{s:s,s:b,s:o}", "condition", condition->text, "holds", checked->holds, "value",
		                                      checked->measured ? json_real(checked->value * scale) : json_null()));
	}
	return out;
}

bool
bench_json_print(const struct bench_outcome *outcome, FILE *out)
{
	const struct load_result *result = outcome->result;
	json_t *whole = json_pack(
		"{s:s,s:s,s:s,s:o,s:f,s:b,s:o,s:o,s:{s:o,s:o},s:{s:o,s:o},s:o,s:o,s:o,s:o,s:o,s:o}", "format", "collide.bench/1",
		"server", result->server, "client", "collide " COLLIDED_VERSION, "plan", plan_json(&outcome->plan), "seconds",
		result->seconds, "stoppedEarly", result->stopped, "requests", requests_json(result), "throughput",
		throughput_json(result), "latency", "response", latency_json(&result->latency.response), "service",
		latency_json(&result->latency.service), "curves", "response", curve_json(&result->latency.response), "service",
		curve_json(&result->latency.service), "ping", ping_json(result), "scenes", scenes_json(&outcome->plan, result),
		"perSecond", series_json(result), "generator", generator_json(outcome), "knee", knee_json(&outcome->knee), "assertions",
		conditions_json(outcome));
	return json_tree_print(whole, out);
}
