/* bench: a closed-loop load: each connection has one simulation under way and asks for the next when it is done. */
#ifndef COLLIDE_CLI_BENCH_H
#define COLLIDE_CLI_BENCH_H

#include "client/cli/commands.h"
#include "client/cli/histogram.h"
#include "client/lib/collide.h"

#include <stdbool.h>
#include <stdint.h>

/* Connections of one bench: descriptors are limited to 1,024 by default. */
#define BENCH_CONNECTIONS_MAX 1000

struct bench_plan {
	const char *address; /* as given; may be NULL */
	uint64_t connections, seconds;
	struct collide_simulation simulation;
};

struct bench_result {
	double seconds;
	uint64_t requests, refused, ticks, frames, circle_ticks, collisions, bytes_received, bytes_sent;
	double engine_seconds;
	struct histogram latency; /* of whole requests */
	struct histogram pings;   /* on a connection and a process of their own, meanwhile; empty if that failed */
};

/* Puts the load on, for plan->seconds, or until something goes wrong or an interrupt comes. Results are added to *result in any
 * case. */
enum exit_status bench_load_run(const struct bench_plan *plan, struct bench_result *result);

/* Pings from a process of their own, so that the work of decoding frames does not show in their times. */
struct bench_ping {
	int descriptor; /* of a pipe: the histogram comes through it */
	int process;
};

/* How the pings went. */
struct bench_ping_report {
	struct histogram histogram; /* of those that were answered */
	bool failed;
	struct collide_error error; /* why, if so */
};

/* Starts it for so many seconds. false: it could not be started. */
bool bench_ping_start(struct bench_ping *ping, const char *address, uint64_t seconds);
/* Waits for its end, which comes soon if it is not `wanted` any more. */
void bench_ping_finish(struct bench_ping *ping, bool wanted, struct bench_ping_report *report);

enum bench_format { BENCH_TABLE, BENCH_JSON };
void bench_report_print(const struct bench_plan *plan, const struct bench_result *result, enum bench_format format);

#endif
