/* rooms: a load of worlds that live on the daemon: rooms of circles in one map, players that send inputs, a reader each.
 *
 * It makes the map and the rooms, attaches the players, subscribes, and measures for some time what the readers are told and
 * when it comes. Beside it a thread only waits for as many due times (bare_wait.h): what no scheduler on this machine could be
 * better than.
 *
 * rooms_run takes the calling thread and has that one more. Prints nothing. */
#ifndef COLLIDE_LOAD_ROOMS_H
#define COLLIDE_LOAD_ROOMS_H

#include "client/lib/collide.h"
#include "client/load/bare_wait.h"
#include "client/load/histogram.h"
#include "client/load/process_cpu.h"

#include <stdbool.h>
#include <stdint.h>

#define ROOMS_MAX 8192
#define ROOMS_PLAYERS_MAX 64   /* of one room */
#define ROOMS_CIRCLES_MAX 4096 /* of one room */
#define ROOMS_WALLS_MAX 16384  /* of the map */
#define ROOMS_LATE_TICKS_MAX 8
#define ROOMS_HISTORY_TICKS 16 /* late ones, and updates that the players have not seen */

/* Servers with a room each, instead of a daemon that has all of them. Functions return false if they cannot. */
struct rooms_site {
	/* Once the map has been made at rooms_plan.address: makes servers of so many rooms, which have it. */
	bool (*open)(void *context, uint64_t rooms, struct collide_error *error);
	const char *(*address)(void *context, uint64_t room); /* of an open one; valid until the next call */
	/* Of all its processes. */
	bool (*cpu_seconds)(void *context, double *seconds);
	bool (*memory_bytes)(void *context, uint64_t *bytes);
	void *context;
};

struct rooms_plan {
	const char *address;
	uint64_t rooms, circles, walls, tick_hz;
	uint64_t players;       /* of each room; each moves a circle of its own */
	double inputs_hz;       /* of each player */
	uint64_t late_percent;  /* of inputs name a tick 1 to 8 back: worlds make their ticks again */
	uint64_t every;         /* ticks between updates */
	bool paths;             /* readers are sent paths; else states */
	uint64_t history_ticks; /* that rooms keep; at least ROOMS_HISTORY_TICKS with late_percent */
	uint64_t connections;   /* 1 .. rooms. Of a site one for each room */
	double warm_up_seconds, seconds;
	bool realtime;       /* the bare wait takes a real-time priority, if it may: as the daemon's workers with --realtime */
	uint64_t server_pid; /* of a daemon on this machine; 0: its CPU time and memory are not measured */
	const struct rooms_site *site; /* NULL: the daemon at `address` has the rooms */
	/* Called ten times a second; true ends it early. May be NULL. */
	bool (*stop)(void *context);
	void *context;
};

struct rooms_result {
	double seconds; /* of the window; 0: it did not come to one */
	bool stopped;
	uint64_t rooms;
	/* Of ticks that updates told of. */
	struct histogram late;     /* from the due time to the tick's begin, as the daemon says */
	struct histogram received; /* from the due time to the update's arrival; but for the shortest way, which is not known */
	/* From the due time until the update had been given to the server's system, as the server says: a sixteenth too high at
	 * most.
	 */
	struct histogram given;
	struct histogram margin; /* from an input's arrival to its tick's begin; late ones count as 0 */
	uint64_t updates;
	uint64_t updates_missed; /* that were due to a reader and did not come, or as a key only */
	uint64_t lost_ticks;     /* by which clocks were set back */
	uint64_t overruns;       /* ticks that began more than one tick late */
	uint64_t failed_worlds;
	uint64_t inputs, inputs_decided, inputs_refused;
	uint64_t resimulated_ticks; /* that worlds made again */
	/* Ticks that the daemon made again to check itself, that it left out, and that came to other bits. */
	uint64_t self_checks, self_checks_skipped, self_checks_differing;
	uint64_t bytes_sent, bytes_received;
	double client_cpu, server_cpu; /* cores busy on average; server_cpu -1: not measured */
	bool has_threads;
	double server_threads[THREAD_KINDS]; /* of the daemon's cores: by what its threads do */
	/* Of the server, at the window's end, and by how much more than before the rooms were made. 0: not measured. */
	uint64_t server_bytes, rooms_bytes;
	struct bare_wait_result bare;
};

/* Runs the plan. *result is large, and has what was measured also if it fails. false: *error says what ended it. */
bool rooms_run(const struct rooms_plan *plan, struct rooms_result *result, struct collide_error *error);

/* Seconds between two updates of a room. */
double rooms_update_seconds(const struct rooms_plan *plan);
/* How long a step of a search for the most rooms lasts: plan->seconds, or longer, as knee.h says of requests. */
double rooms_step_seconds(const struct rooms_plan *plan, uint64_t rooms);

/* Whether a step was served well: no update missed, no tick lost, and the p99 of lateness within the bound. */
bool rooms_hold(const struct rooms_result *result, uint64_t late_p99_bound_ns);

#endif
