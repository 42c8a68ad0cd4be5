#include "client/load/pinger.h"

#include "client/lib/failure.h"
#include "client/load/load_clock.h"
#include "client/load/run_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct pinger {
	/* Immutable once the thread runs. */
	pthread_t thread;
	struct collide_client *client;
	/* Shared. */
	atomic_bool counts, over;
	/* The thread's, until it has ended. */
	struct load_latency latency;
	struct histogram served;
	struct collide_error error;
	bool failed;
};

static void
sleep_until(int64_t moment_ns)
{
	const struct timespec moment = { .tv_sec = (time_t)(moment_ns / 1000000000), .tv_nsec = (long)(moment_ns % 1000000000) };
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) != 0)
		continue;
}

static void
ping_count(struct pinger *pinger, int64_t intended_ns, int64_t sent_ns, int64_t now_ns, int64_t no_core)
{
	int64_t served = now_ns - sent_ns - no_core;
	histogram_add(&pinger->latency.response, (uint64_t)(now_ns - intended_ns));
	histogram_add(&pinger->latency.service, (uint64_t)(now_ns - sent_ns));
	if (no_core >= 0)
		histogram_add(&pinger->served, served > 0 ? (uint64_t)served : 0);
}

static void *
pinger_main(void *context)
{
	struct pinger *pinger = context;
	int schedule = run_queue_open();
	int64_t intended_ns = clock_ns();
	while (!atomic_load(&pinger->over)) {
		bool counts = atomic_load(&pinger->counts);
		int64_t no_core_before = run_queue_wait_ns(schedule), sent_ns = clock_ns();
		if (!collide_ping(pinger->client, NULL, &pinger->error)) {
			pinger->failed = true;
			break;
		}
		int64_t now_ns = clock_ns();
		/* A ping in flight at the window's begin or end does not count. */
		if (counts && atomic_load(&pinger->counts)) {
			int64_t no_core_after = run_queue_wait_ns(schedule);
			ping_count(pinger, intended_ns, sent_ns, now_ns, no_core_after < 0 ? -1 : no_core_after - no_core_before);
		}
		intended_ns += PINGER_INTERVAL_NS;
		sleep_until(intended_ns);
	}
	if (schedule >= 0)
		close(schedule);
	return NULL;
}

struct pinger *
pinger_create(const char *address, struct collide_error *error)
{
	struct pinger *pinger = calloc(1, sizeof *pinger);
	if (!pinger) {
		failure_memory(error);
		return NULL;
	}
	pinger->client = collide_connect(address, NULL, error);
	if (pinger->client && pthread_create(&pinger->thread, NULL, pinger_main, pinger) == 0)
		return pinger;
	if (pinger->client)
		failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_RESOURCE_EXHAUSTED, "NO_THREAD", "no thread can be started");
	collide_close(pinger->client);
	free(pinger);
	return NULL;
}

void
pinger_measure(struct pinger *pinger, bool counts)
{
	atomic_store(&pinger->counts, counts);
}

void
pinger_destroy(struct pinger *pinger, struct load_result *result)
{
	if (!pinger)
		return;
	atomic_store(&pinger->over, true);
	pthread_join(pinger->thread, NULL);
	histogram_merge(&result->ping.response, &pinger->latency.response);
	histogram_merge(&result->ping.service, &pinger->latency.service);
	histogram_merge(&result->ping_served, &pinger->served);
	result->ping_failed = pinger->failed;
	result->ping_error = pinger->error;
	collide_close(pinger->client);
	free(pinger);
}
