/* load: puts a load of simulations on a daemon and measures what becomes of each.
 *
 * Closed model (rate 0): each connection has `pipeline` requests under way and asks for the next when one is done. Open model:
 * requests start by a schedule, whatever the daemon does; one whose connection is full waits, and its wait counts.
 *   response time: from the intended start to the final reply. What somebody outside would have waited.
 *   service time:  from the moment it was really sent.
 * Latencies are those of the requests whose intended start lies in the window, between warm-up and end, also if they end in the
 * drain after it. Rates are of what ended within the window, whenever it started.
 *
 * load_run takes the calling thread and has one more for pings. Prints nothing. */
#ifndef COLLIDE_LOAD_H
#define COLLIDE_LOAD_H

#include "client/lib/collide.h"
#include "client/load/faults.h"
#include "client/load/histogram.h"
#include "client/load/mix.h"

#include <stdbool.h>
#include <stdint.h>

#define LOAD_CONNECTIONS_MAX 1000 /* descriptors are limited to 1,024 by default */
#define LOAD_PIPELINE_MAX 65536   /* the most that a daemon can be told to take of one connection */

struct load_scene {
	const char *name;
	uint64_t weight; /* 1..MIX_WEIGHT_MAX */
	const struct collide_scene *scene;
	uint64_t circles;
};

/* What happened in one second of the window; the last may be shorter. Latencies of what ended in it. */
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
	/* Asked ten times a second; true ends the load early. May be NULL. */
	bool (*stop)(void *context);
	/* Called after each second of the window. May be NULL. */
	void (*on_second)(void *context, const struct load_second *second);
	void *context;
};

struct load_latency {
	struct histogram response, service;
};

/* How the load generator itself fared in the window. Shares of the window's time. */
struct load_generator {
	double busy;           /* not waiting for anything to happen */
	double cpu;            /* running */
	double no_core;        /* ready to run without a core to run on; -1: this system does not tell */
	struct histogram late; /* open model: from the intended start to sending, of requests whose connection had room */
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
	/* Of all that ended or came within the window. */
	uint64_t ended, ticks, circle_ticks, collisions, frames, bytes_received, bytes_sent;
	double engine_seconds, worker_seconds, waiting_seconds;
	struct load_latency ping; /* every 5 ms, on a connection and a thread of their own */
	/* Of the same pings, service times without what their thread itself waited for a core; empty: this system does not tell. */
	struct histogram ping_served;
	struct collide_error ping_error;
	bool ping_failed;
	struct load_generator generator;
	struct load_second *series;
	size_t series_count, series_room;
	bool stopped; /* early, because plan->stop said so */
};

/* NULL without memory. */
struct load_result *load_result_create(void);
void load_result_destroy(struct load_result *result);

/* Runs the plan. false: *error says what ended it; *result has what was measured until then. */
bool load_run(const struct load_plan *plan, struct load_result *result, struct collide_error *error);

/* Seconds after which work on a loaded machine may be over; what there is no better reason to choose otherwise. */
#define LOAD_DRAIN_SECONDS 5.0

double load_rate(const struct load_result *result, uint64_t count); /* count per second of the window; 0 for no time */

#endif
