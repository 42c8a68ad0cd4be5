/* load_result: what a load is asked for, and what it measured (load.h). Plain data; one thread at a time. */
#ifndef COLLIDE_LOAD_LOAD_RESULT_H
#define COLLIDE_LOAD_LOAD_RESULT_H

#include "client/lib/collide.h"
#include "client/load/faults.h"
#include "client/load/histogram.h"
#include "client/load/mix.h"

#include <stdbool.h>
#include <stdint.h>

struct load_scene {
	const char *name;
	uint64_t weight; /* 1..MIX_WEIGHT_MAX */
	const struct collide_scene *scene;
	uint64_t circles;
};

/* One second of the window; the last may be shorter. Latencies of the requests that ended in it. */
struct load_second {
	double start, seconds; /* since the window began */
	uint64_t completed, failed;
	uint64_t p50_ns, p99_ns, most_ns; /* of response times */
	uint64_t under_way, waiting;      /* at its end: sent; due but not sent, because connections are full */
};

struct load_plan {
	const char *address;
	uint64_t connections, pipeline;
	double rate; /* requests per second over all connections; 0: closed model */
	double warm_up_seconds, seconds, drain_seconds;
	struct load_scene scenes[MIX_SCENES_MAX];
	size_t scene_count;
	struct collide_simulation simulation; /* all but its scene */
	/* Called ten times a second; true ends the load early. May be NULL. */
	bool (*stop)(void *context);
	/* Called after each second of the window. May be NULL. */
	void (*on_second)(void *context, const struct load_second *second);
	void *context;
};

struct load_latency {
	struct histogram response, service;
};

/* The load generator's own figures. Shares of the window's time. */
struct load_generator {
	double busy;           /* not waiting for anything to happen */
	double cpu;            /* running */
	double no_core;        /* ready to run but waiting for a core; -1: unknown on this system */
	struct histogram late; /* open model: from the intended start to sending, over requests with room on their connection */
};

struct load_result {
	char server[64];
	double seconds; /* of the window; shorter than planned if it ended early */
	/* Of the requests with their intended start in the window: scheduled = completed + failed + unfinished. */
	uint64_t scheduled, completed, failed, unfinished;
	uint64_t oldest_unfinished_ns; /* since its intended start */
	struct faults faults;          /* their counts add up to `failed` */
	struct load_latency latency;   /* of those completed */
	struct load_latency scenes[MIX_SCENES_MAX];
	/* All that ended or came within the window. */
	uint64_t ended, ticks, circle_ticks, collisions, frames, bytes_received, bytes_sent;
	double engine_seconds, worker_seconds, waiting_seconds;
	struct load_latency ping; /* every 5 ms, on a separate connection and thread */
	/* The same pings: service times without the time that their thread waited for a core; empty: unknown on this system. */
	struct histogram ping_served;
	struct collide_error ping_error;
	bool ping_failed;
	struct load_generator generator;
	struct load_second *series;
	size_t series_count, series_room;
	bool stopped; /* early, because plan->stop returned true */
};

/* NULL without memory. */
struct load_result *load_result_create(void);
void load_result_destroy(struct load_result *result);
double load_rate(const struct load_result *result, uint64_t count); /* `count` per second of the window; 0 if it had no time */

#endif
