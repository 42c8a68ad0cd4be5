#include "client/load/window.h"

#include "client/load/load_clock.h"
#include "client/load/run_queue.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECOND_NS = 1000000000 };

bool
window_init(struct window *window, struct load_result *result, int64_t begin_ns, int64_t end_ns)
{
	*window = (struct window){ .result = result, .begin_ns = begin_ns, .end_ns = end_ns, .second_begin_ns = begin_ns };
	window->second = calloc(1, sizeof *window->second);
	return window->second != NULL;
}

void
window_finish(struct window *window)
{
	free(window->second);
	window->second = NULL;
}

static int64_t
run_queue_now(void)
{
	int descriptor = run_queue_open();
	int64_t ns = run_queue_wait_ns(descriptor);
	if (descriptor >= 0)
		close(descriptor);
	return ns;
}

void
window_begin(struct window *window)
{
	window->open = true;
	window->waited_ns = 0;
	window->cpu_begin_ns = clock_ns_of(CLOCK_THREAD_CPUTIME_ID);
	window->run_queue_begin_ns = run_queue_now();
}

void
window_end(struct window *window, int64_t now_ns)
{
	struct load_result *result = window->result;
	int64_t end_ns = now_ns < window->end_ns ? now_ns : window->end_ns;
	double span = (double)(now_ns - window->begin_ns);
	int64_t no_core = run_queue_now();
	window->open = false;
	window->end_ns = end_ns;
	result->seconds = (double)(end_ns - window->begin_ns) * 1e-9;
	if (span <= 0)
		return;
	result->generator.busy = 1 - (double)window->waited_ns / span;
	result->generator.cpu = (double)(clock_ns_of(CLOCK_THREAD_CPUTIME_ID) - window->cpu_begin_ns) / span;
	result->generator.no_core = no_core < 0 || window->run_queue_begin_ns < 0
	                                ? -1
	                                : (double)(no_core - window->run_queue_begin_ns) / span;
}

void
window_completed(struct window *window, const struct flight *flight, const struct load_reply *done, uint64_t circles,
                 int64_t now_ns)
{
	struct load_result *result = window->result;
	uint64_t response = (uint64_t)(now_ns - flight->intended_ns), service = (uint64_t)(now_ns - flight->sent_ns);
	if (window_has(window, flight->intended_ns)) {
		result->completed++;
		histogram_add(&result->latency.response, response);
		histogram_add(&result->latency.service, service);
		histogram_add(&result->scenes[flight->scene].response, response);
		histogram_add(&result->scenes[flight->scene].service, service);
	}
	if (!window->open || now_ns >= window->end_ns)
		return;
	result->ended++;
	result->ticks += done->ticks;
	result->circle_ticks += done->ticks * circles;
	result->collisions += done->collisions;
	result->engine_seconds += done->engine_seconds;
	result->worker_seconds += done->worker_seconds;
	result->waiting_seconds += done->waiting_seconds;
	window->second_completed++;
	histogram_add(window->second, response);
}

void
window_failed(struct window *window, const struct flight *flight, const char *reason)
{
	if (window_has(window, flight->intended_ns)) {
		window->result->failed++;
		faults_add(&window->result->faults, reason, 1);
	}
	if (window->open)
		window->second_failed++;
}

static bool
second_append(struct load_result *result, const struct load_second *second)
{
	if (result->series_count == result->series_room) {
		size_t room = result->series_room == 0 ? 64 : 2 * result->series_room;
		struct load_second *series = realloc(result->series, room * sizeof *series);
		if (!series)
			return false;
		result->series = series;
		result->series_room = room;
	}
	result->series[result->series_count++] = *second;
	return true;
}

static bool
second_close(struct window *window, int64_t end_ns, const struct load_second *state, const struct load_plan *plan)
{
	struct load_second second = *state;
	second.start = (double)(window->second_begin_ns - window->begin_ns) * 1e-9;
	second.seconds = (double)(end_ns - window->second_begin_ns) * 1e-9;
	second.completed = window->second_completed;
	second.failed = window->second_failed;
	second.p50_ns = histogram_quantile(window->second, 500000);
	second.p99_ns = histogram_quantile(window->second, 990000);
	second.most_ns = window->second->most;
	histogram_clear(window->second);
	window->second_completed = window->second_failed = 0;
	window->second_begin_ns = end_ns;
	if (!second_append(window->result, &second))
		return false;
	if (plan->on_second)
		plan->on_second(plan->context, &second);
	return true;
}

bool
window_seconds(struct window *window, int64_t now_ns, const struct load_second *state, const struct load_plan *plan)
{
	/* After a stall over several seconds, all counts so far belong to the first of them. The others have none. */
	while (window->second_begin_ns < window->end_ns) {
		int64_t end_ns = window->second_begin_ns + SECOND_NS;
		if (end_ns > window->end_ns)
			end_ns = window->end_ns;
		if (end_ns > now_ns)
			return true;
		if (!second_close(window, end_ns, state, plan))
			return false;
	}
	return true;
}
