/* One load, or a series of loads until the knee is found. Prints a line of progress each second. */
#include "client/cli/bench/bench_run.h"
#include "client/cli/bench/bench_warn.h"
#include "client/cli/connection/connection.h"
#include "client/cli/terminal/interrupt.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The search starts at the closed model's throughput divided by this: three doublings below it. */
static const double PROBE_PART = 8;
/* The bound of the p99 unless it is given: a multiple of what the light load of the first step shows. Both percentiles count.
 * On a busy machine the p99 has little to do with the load; on a quiet one p50 and p99 are too close together. */
static const uint64_t BOUND_PER_P50 = 10, BOUND_PER_P99 = 3;
enum { P50 = 500000, P99 = 990000 };

static bool
progress_wanted(const struct bench_options *options)
{
	return options->progress == BENCH_PROGRESS_ALWAYS ||
	       (options->progress == BENCH_PROGRESS_AUTO && isatty(STDERR_FILENO) == 1);
}

static void
second_print(void *context, const struct load_second *second)
{
	if (!progress_wanted(context))
		return;
	fprintf(stderr, "%6.1f s  %9.1f/s  p50 %.3f  p99 %.3f  max %.3f ms  %llu under way", second->start + second->seconds,
	        second->seconds > 0 ? (double)second->completed / second->seconds : 0, milliseconds(second->p50_ns),
	        milliseconds(second->p99_ns), milliseconds(second->most_ns), (unsigned long long)second->under_way);
	if (second->waiting > 0)
		fprintf(stderr, "  %llu waiting", (unsigned long long)second->waiting);
	if (second->failed > 0)
		fprintf(stderr, "  %llu failed", (unsigned long long)second->failed);
	fputc('\n', stderr);
}

static bool
stop_asked(void *context)
{
	(void)context;
	return interrupt_came(NULL);
}

/* Reports what ended it, if anything did. */
static enum exit_status
end_report(const struct load_plan *plan, const struct load_result *result, bool good, const struct collide_error *error)
{
	enum exit_status status = EXIT_STATUS_DONE;
	if (interrupt_came(NULL))
		status = interrupt_status();
	else if (!good)
		status = connection_error_report("bench", plan->address, error);
	else if (result->ping_failed) {
		fprintf(stderr, "collide bench: the pings ended early\n");
		return error_report("bench", &result->ping_error);
	}
	if (status != EXIT_STATUS_DONE && (result->seconds > 0 || interrupt_came(NULL)))
		fprintf(stderr, "collide bench: %s after %.2f s of %g s\n", interrupt_came(NULL) ? "interrupted" : "the load ended",
		        result->seconds, plan->seconds);
	return status;
}

/* Runs the plan into a new result. */
static enum exit_status
load_once(const struct load_plan *plan, struct load_result **out)
{
	struct collide_error error;
	struct load_result *result = load_result_create();
	*out = result;
	if (!result) {
		fprintf(stderr, "collide bench: no memory\n");
		return EXIT_STATUS_FAILED;
	}
	bool good = load_run(plan, result, &error);
	return end_report(plan, result, good, &error);
}

static uint64_t
uint64_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct knee_step
step_of(const struct load_plan *plan, const struct load_result *result)
{
	return (struct knee_step){
		.rate = plan->rate,
		.achieved = load_rate(result, result->ended),
		.seconds = result->seconds,
		.in_flight = plan->connections * plan->pipeline,
		.p50_ns = histogram_quantile(&result->latency.response, P50),
		.p99_ns = histogram_quantile(&result->latency.response, P99),
		.completed = result->completed,
		.failed = result->failed,
	};
}

static void
step_print(const struct bench_options *options, const struct knee_step *step)
{
	if (options->progress == BENCH_PROGRESS_NEVER)
		return;
	fprintf(stderr, "knee: %.4g/s asked, %.4g/s done, p50 %.3f ms, p99 %.3f ms: %s\n", step->rate, step->achieved,
	        milliseconds(step->p50_ns), milliseconds(step->p99_ns), step->held ? "holds" : "does not hold");
}

/* Feeds the result of a step to the search. Keeps it in the outcome if it is the best so far. */
static bool
step_take(struct bench_outcome *outcome, struct knee *knee, struct load_result *result)
{
	struct bench_knee *found = &outcome->knee;
	struct knee_step step = step_of(&outcome->plan, result);
	if (found->bound_ns == 0 && step.completed > 0)
		found->bound_ns = uint64_max(BOUND_PER_P50 * step.p50_ns, BOUND_PER_P99 * step.p99_ns);
	step.held = knee_step_holds(&step, found->bound_ns);
	if (found->step_count < BENCH_STEPS_MAX)
		found->steps[found->step_count++] = step;
	step_print(outcome->options, &step);
	bool more = knee_take(knee, step.held);
	if (found->knee == 0 || step.held) {
		load_result_destroy(outcome->result);
		outcome->result = result;
	} else {
		load_result_destroy(result);
	}
	found->knee = knee->held;
	found->failed = knee->failed;
	return more;
}

/* The throughput of the closed model. */
static enum exit_status
probe_once(struct bench_outcome *outcome, const struct load_plan *plan)
{
	struct load_result *result;
	enum exit_status status = load_once(plan, &result);
	if (result)
		outcome->knee.probe = load_rate(result, result->ended);
	load_result_destroy(result);
	return status;
}

/* The first rate: the one given, or a part of the closed model's throughput. A probe in which no request ended is made again,
 * as long as a step may be. */
static enum exit_status
probe(struct bench_outcome *outcome, double *rate)
{
	struct load_plan plan = outcome->plan;
	*rate = plan.rate;
	if (plan.rate > 0)
		return EXIT_STATUS_DONE;
	enum exit_status status = probe_once(outcome, &plan);
	if (status == EXIT_STATUS_DONE && outcome->knee.probe == 0) {
		plan.seconds *= KNEE_STEP_LONGER;
		status = probe_once(outcome, &plan);
	}
	*rate = outcome->knee.probe;
	if (status == EXIT_STATUS_DONE && *rate == 0) {
		fprintf(stderr, "collide bench: no request ended within %g s: the knee needs a longer --duration\n", plan.seconds);
		return EXIT_STATUS_FAILED;
	}
	*rate /= PROBE_PART;
	return status;
}

static enum exit_status
knee_seek(struct bench_outcome *outcome)
{
	struct knee knee;
	const double asked_seconds = outcome->plan.seconds;
	double rate;
	bool more = true;
	outcome->knee = (struct bench_knee){ .sought = true, .bound_ns = (uint64_t)(outcome->options->knee_p99_ms * 1e6) };
	enum exit_status status = probe(outcome, &rate);
	knee_init(&knee, rate, knee_rate_min(asked_seconds));
	while (status == EXIT_STATUS_DONE && more) {
		struct load_result *result;
		outcome->plan.rate = knee.rate;
		outcome->plan.seconds = knee_step_seconds(knee.rate, asked_seconds);
		status = load_once(&outcome->plan, &result);
		if (status == EXIT_STATUS_DONE)
			more = step_take(outcome, &knee, result);
		else if (!outcome->result)
			outcome->result = result;
		else
			load_result_destroy(result);
	}
	if (outcome->knee.knee > 0) {
		outcome->plan.rate = outcome->knee.knee;
		outcome->plan.seconds = knee_step_seconds(outcome->knee.knee, asked_seconds);
	}
	return status;
}

enum exit_status
bench_run(const struct bench_options *options, struct bench_outcome *outcome)
{
	*outcome = (struct bench_outcome){ .options = options, .plan = options->plan };
	outcome->plan.stop = stop_asked;
	outcome->plan.on_second = second_print;
	outcome->plan.context = (void *)(uintptr_t)options;
	interrupt_watch();
	enum exit_status status = options->find_knee ? knee_seek(outcome) : load_once(&outcome->plan, &outcome->result);
	if (outcome->result) {
		bench_warn(&outcome->plan, outcome->result, &outcome->warnings);
		for (; outcome->checked < options->conditions.count; outcome->checked++)
			outcome->conditions[outcome->checked] = condition_check(&options->conditions.each[outcome->checked],
			                                                        outcome->result, outcome->knee.knee);
	}
	return status;
}
