/* stretches: makes each of the long requests, and prints the longest CPU time between two checkpoints of a worker, and how
 * long it went on after it was cancelled.
 *
 *     stretches [--trace US] [--runs N] [--cancels N] [--warm MIB] [NAME]...
 *     stretches [--trace US] [--runs N] [--cancels N] [--warm MIB] --scene FILE DT TICKS
 *
 * NAME: only requests with such names; parts of them are enough. --scene: a scene file in place of these. --runs: it is made so
 * many times. Its checkpoints are the same each time, so each stretch counts with the least that it took: what the machine did
 * meanwhile for others is not the request's. --cancels: it is also cancelled at so many random moments of its CPU time. The
 * longest time that it went on is printed; for each moment, the least of the runs. --warm: so much memory is written before
 * each run. --trace: where the stretches of so many microseconds or more began and ended. One thread. */
#include "session/conversation.h"
#include "session/long_requests.h"

#include "base/clock.h"
#include "base/memory.h"
#include "client/cli/scene/scene_json.h"
#include "support/random.h"

#include <execinfo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRAMES 24
/* Stretches of a run that are kept one by one. */
#define STRETCHES_MAX (1u << 20)
/* Places of long stretches that are kept. */
#define PLACES 32
/* CPU time that a request gets before it is cancelled, unless it is done. */
#define CANCEL_AFTER_NS UINT64_C(4000000000)
#define MEMORY_BYTES (UINT64_C(8) << 30)

/* Where a checkpoint is. */
struct trace {
	void *frames[FRAMES];
	int count;
};

/* A stretch, the longest of those with the same ends. */
struct place {
	struct trace from, to;
	uint64_t longest_ns, count;
};

static struct {
	uint64_t last_ns, cancel_ns, count;
	uint64_t *least_ns; /* of each stretch, over the runs so far */
	bool first, last;   /* run */
	uint64_t trace_ns;
	size_t warm_bytes;
	struct trace at;
	struct place places[PLACES];
	size_t place_count;
} seen;

/* The frames of callers count, not where in a loop they are. */
static bool
traces_equal(const struct trace *a, const struct trace *b)
{
	return a->count == b->count && memcmp(a->frames, b->frames, (size_t)a->count * sizeof *a->frames) == 0;
}

static void
place_note(const struct trace *to, uint64_t stretch_ns)
{
	size_t k = 0;
	while (k < seen.place_count && !(traces_equal(&seen.places[k].to, to) && traces_equal(&seen.places[k].from, &seen.at)))
		k++;
	if (k == PLACES)
		return;
	if (k == seen.place_count)
		seen.places[seen.place_count++] = (struct place){ .from = seen.at, .to = *to };
	seen.places[k].count++;
	if (stretch_ns > seen.places[k].longest_ns)
		seen.places[k].longest_ns = stretch_ns;
}

static void
look(void)
{
	uint64_t stretch_ns = clock_thread_ns() - seen.last_ns;
	struct trace to = { .count = 0 };
	if (seen.count < STRETCHES_MAX) {
		uint64_t *least_ns = &seen.least_ns[seen.count++];
		*least_ns = seen.first || stretch_ns < *least_ns ? stretch_ns : *least_ns;
		stretch_ns = *least_ns;
	}
	if (seen.trace_ns > 0)
		to.count = backtrace(to.frames, FRAMES);
	if (seen.last && seen.trace_ns > 0 && stretch_ns >= seen.trace_ns)
		place_note(&to, stretch_ns);
	seen.at = to;
	seen.last_ns = clock_thread_ns();
}

static bool
cancels(void)
{
	return clock_thread_ns() > seen.cancel_ns;
}

static int
longer_first(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	return a->longest_ns > b->longest_ns ? -1 : a->longest_ns < b->longest_ns;
}

static void
places_tell(void)
{
	qsort(seen.places, seen.place_count, sizeof *seen.places, longer_first);
	for (size_t k = 0; k < seen.place_count; k++) {
		const struct place *place = &seen.places[k];
		printf("  %.0f us, %llu times, from\n", (double)place->longest_ns / 1e3, (unsigned long long)place->count);
		fflush(stdout);
		backtrace_symbols_fd(place->from.frames, place->from.count, 1);
		printf("  to\n");
		fflush(stdout);
		backtrace_symbols_fd(place->to.frames, place->to.count, 1);
	}
	seen.place_count = 0;
}

/* Of a run. */
struct measured {
	uint64_t spent_ns, count;
};

/* Writes so much memory, and gives it back to the system. The host of a virtual machine takes some milliseconds to give it each
 * 2 MB that are written for the first time in seconds, wherever that happens. */
static void
memory_warm(void)
{
	void *memory = seen.warm_bytes > 0 ? memory_alloc(seen.warm_bytes) : NULL;
	if (memory)
		memset(memory, 1, seen.warm_bytes);
	memory_free(memory);
}

/* Makes the request, which is cancelled after so much CPU time. */
static struct measured
request_run(const struct buffer *message, uint64_t cancel_ns)
{
	struct session_limits limits = session_limits_default();
	struct conversation conversation;
	struct buffer copy;
	memory_warm();
	limits.memory_total_bytes_max = MEMORY_BYTES;
	conversation_open(&conversation, &limits);
	conversation.service.checkpoint = look;
	conversation.service.cancels_all = cancels;
	buffer_init(&copy);
	buffer_append(&copy, message->bytes, message->count);
	say(&conversation, &copy);
	seen.count = 0;
	const uint64_t begun_ns = clock_thread_ns();
	seen.cancel_ns = begun_ns + cancel_ns;
	for (bool more = true; more;) {
		struct job *jobs[QUEUE_CAPACITY];
		const size_t count = take_queue(&conversation, jobs);
		seen.last_ns = clock_thread_ns();
		seen.at.count = 0;
		for (size_t i = 0; i < count; i++)
			jobs[i]->run(jobs[i]);
		if (count > 0)
			look();
		take_back(&conversation, jobs, count);
		conversation.arrived.count = conversation.arrived_read = 0;
		more = count > 0;
	}
	const struct measured out = { clock_thread_ns() - begun_ns, seen.count };
	buffer_finish(&copy);
	conversation_finish(&conversation);
	return out;
}

/* Cancels it at random moments; the longest time that it went on. */
static uint64_t
request_cancel(const struct buffer *message, uint64_t whole_ns, unsigned cancel_count, unsigned run_count)
{
	uint64_t random = 21, longest_ns = 0;
	for (unsigned k = 0; k < cancel_count; k++) {
		const uint64_t at_ns = random_below(&random, whole_ns < CANCEL_AFTER_NS ? whole_ns : CANCEL_AFTER_NS);
		uint64_t least_ns = UINT64_MAX;
		for (unsigned run = 0; run < run_count; run++) {
			const struct measured found = request_run(message, at_ns);
			const uint64_t on_ns = found.spent_ns > at_ns ? found.spent_ns - at_ns : 0;
			least_ns = on_ns < least_ns ? on_ns : least_ns;
		}
		longest_ns = least_ns > longest_ns ? least_ns : longest_ns;
	}
	return longest_ns;
}

static void
request_measure(const char *name, uint32_t size, const struct buffer *message, unsigned run_count, unsigned cancel_count)
{
	struct measured least = { .spent_ns = UINT64_MAX, .count = UINT64_MAX };
	uint64_t longest_ns = 0;
	for (unsigned run = 0; run < run_count; run++) {
		seen.first = run == 0;
		seen.last = run + 1 == run_count;
		const struct measured found = request_run(message, CANCEL_AFTER_NS);
		least.spent_ns = found.spent_ns < least.spent_ns ? found.spent_ns : least.spent_ns;
		least.count = found.count < least.count ? found.count : least.count;
	}
	/* Later ones only some of the runs have, which were cancelled later. */
	for (uint64_t k = 0; k < least.count; k++)
		longest_ns = seen.least_ns[k] > longest_ns ? seen.least_ns[k] : longest_ns;
	seen.last = false;
	printf("%-32s %8u %8.0f ms %7llu checkpoints, longest stretch %7.0f us", name, size, (double)least.spent_ns / 1e6,
	       (unsigned long long)least.count, (double)longest_ns / 1e3);
	if (least.spent_ns > CANCEL_AFTER_NS)
		printf(", cancelled after %.1f ms", (double)(least.spent_ns - CANCEL_AFTER_NS) / 1e6);
	if (cancel_count > 0)
		printf(", ends %.1f ms after any of %u cancels",
		       (double)request_cancel(message, least.spent_ns, cancel_count, run_count) / 1e6, cancel_count);
	printf("\n");
	fflush(stdout);
	places_tell();
}

static bool
wanted(const struct long_request *request, int count, char **names)
{
	for (int i = 0; i < count; i++)
		if (strstr(request->name, names[i]))
			return true;
	return count == 0;
}

/* "1/60" and "0.5". */
static double
number_read(const char *text)
{
	char *end;
	const double number = strtod(text, &end);
	return *end == '/' ? number / strtod(end + 1, NULL) : number;
}

static bool
scene_measure(char **argv, unsigned run_count, unsigned cancel_count)
{
	Collide__V1__Simulate simulate = COLLIDE__V1__SIMULATE__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	Collide__V1__Scene *scene;
	char error[512];
	struct buffer bytes;
	if (!scene_json_load(argv[0], &scene, error, sizeof error)) {
		fprintf(stderr, "%s\n", error);
		return false;
	}
	simulate.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE;
	simulate.scene = scene;
	simulate.dt = number_read(argv[1]);
	simulate.ticks = strtoull(argv[2], NULL, 10);
	simulate.every = 1;
	simulate.events = COLLIDE__V1__EVENTS__EVENTS_PERSIST;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE;
	message.simulate = &simulate;
	message.request_id = 1;
	buffer_init(&bytes);
	pack_message(&bytes, &message);
	const char *slash = strrchr(argv[0], '/');
	request_measure(slash ? slash + 1 : argv[0], (uint32_t)scene->n_circles, &bytes, run_count, cancel_count);
	buffer_finish(&bytes);
	scene_json_free(scene);
	return true;
}

int
main(int argc, char **argv)
{
	unsigned run_count = 1, cancel_count = 0;
	int first = 1;
	seen.least_ns = calloc(STRETCHES_MAX, sizeof *seen.least_ns);
	assert_non_null(seen.least_ns);
	memory_bound_set(MEMORY_BYTES); /* as a daemon has it: the system gets large blocks back at once */
	for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0 && strcmp(argv[first], "--scene") != 0; first += 2) {
		const unsigned long number = strtoul(argv[first + 1], NULL, 10);
		if (strcmp(argv[first], "--trace") == 0)
			seen.trace_ns = number * 1000;
		else if (strcmp(argv[first], "--runs") == 0 && number > 0)
			run_count = (unsigned)number;
		else if (strcmp(argv[first], "--warm") == 0)
			seen.warm_bytes = (size_t)number << 20;
		else if (strcmp(argv[first], "--cancels") == 0)
			cancel_count = (unsigned)number;
	}
	if (first + 3 < argc && strcmp(argv[first], "--scene") == 0) {
		const bool good = scene_measure(argv + first + 1, run_count, cancel_count);
		free(seen.least_ns);
		return good ? 0 : 1;
	}
	for (const struct long_request *request = long_requests; request->name; request++) {
		struct buffer message;
		if (!wanted(request, argc - first, argv + first))
			continue;
		buffer_init(&message);
		long_request_pack(&message, request, 1, request->large, 0);
		request_measure(request->name, request->large, &message, run_count, cancel_count);
		buffer_finish(&message);
	}
	free(seen.least_ns);
	return 0;
}
