/* stretches: makes each of the long requests, and prints the longest CPU time between two checkpoints of a worker, and how
 * long it went on after it was cancelled. `stretches [--trace US] [NAME]...`: requests with such names (parts of them are
 * enough) only; with where a stretch of so many microseconds began and ended. One thread. */
#include "session/conversation.h"
#include "session/long_requests.h"

#include "base/clock.h"

#include <execinfo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRAMES 24
/* CPU time that a request gets before it is cancelled, unless it is done. */
#define CANCEL_AFTER_NS UINT64_C(4000000000)

static struct {
	uint64_t last_ns, longest_ns, cancel_ns, trace_ns;
	uint64_t count;
	void *frames[FRAMES], *from[FRAMES], *to[FRAMES];
	int frame_count, from_count, to_count;
} seen;

static void
look(void)
{
	uint64_t now_ns = clock_thread_ns(), stretch_ns = now_ns - seen.last_ns;
	void *frames[FRAMES];
	int count = seen.trace_ns > 0 ? backtrace(frames, FRAMES) : 0;
	seen.count++;
	if (stretch_ns > seen.longest_ns) {
		seen.longest_ns = stretch_ns;
		memcpy(seen.from, seen.frames, sizeof seen.frames);
		memcpy(seen.to, frames, sizeof frames);
		seen.from_count = seen.frame_count;
		seen.to_count = count;
	}
	memcpy(seen.frames, frames, sizeof frames);
	seen.frame_count = count;
	seen.last_ns = clock_thread_ns();
}

static bool
cancels(void)
{
	return clock_thread_ns() > seen.cancel_ns;
}

static void
request_measure(const struct long_request *request)
{
	struct session_limits limits = session_limits_default();
	struct conversation conversation;
	struct buffer message;
	buffer_init(&message);
	limits.memory_total_bytes_max = UINT64_C(8) << 30;
	conversation_open(&conversation, &limits);
	conversation.service.checkpoint = look;
	conversation.service.cancels_all = cancels;
	long_request_pack(&message, request, 1, request->large, 0);
	say(&conversation, &message);
	seen.longest_ns = seen.count = 0;
	uint64_t begun_ns = clock_thread_ns();
	seen.cancel_ns = begun_ns + CANCEL_AFTER_NS;
	for (bool more = true; more;) {
		struct job *jobs[QUEUE_CAPACITY];
		size_t count = take_queue(&conversation, jobs);
		seen.last_ns = clock_thread_ns();
		seen.frame_count = 0;
		for (size_t i = 0; i < count; i++)
			jobs[i]->run(jobs[i]);
		if (count > 0)
			look();
		take_back(&conversation, jobs, count);
		conversation.arrived.count = conversation.arrived_read = 0;
		more = count > 0;
	}
	uint64_t spent_ns = clock_thread_ns() - begun_ns;
	printf("%-32s %8u %8.0f ms %7llu checkpoints, longest stretch %7.0f us", request->name, request->large,
	       (double)spent_ns / 1e6, (unsigned long long)seen.count, (double)seen.longest_ns / 1e3);
	if (spent_ns > CANCEL_AFTER_NS)
		printf(", cancelled after %.1f ms", (double)(spent_ns - CANCEL_AFTER_NS) / 1e6);
	printf("\n");
	fflush(stdout);
	if (seen.trace_ns > 0 && seen.longest_ns > seen.trace_ns) {
		printf("  from\n");
		fflush(stdout);
		backtrace_symbols_fd(seen.from, seen.from_count, 1);
		printf("  to\n");
		fflush(stdout);
		backtrace_symbols_fd(seen.to, seen.to_count, 1);
	}
	buffer_finish(&message);
	conversation_finish(&conversation);
}

static bool
wanted(const struct long_request *request, int count, char **names)
{
	for (int i = 0; i < count; i++)
		if (strstr(request->name, names[i]))
			return true;
	return count == 0;
}

int
main(int argc, char **argv)
{
	int first = 1;
	if (argc > 2 && strcmp(argv[1], "--trace") == 0) {
		seen.trace_ns = strtoull(argv[2], NULL, 10) * 1000;
		first = 3;
	}
	for (const struct long_request *request = long_requests; request->name; request++)
		if (wanted(request, argc - first, argv + first))
			request_measure(request);
	return 0;
}
