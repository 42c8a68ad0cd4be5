/* motion_source: where view and render have their motion from: a scene or snapshot, which is simulated, or a recording of
 * a run or of a world.
 *
 * One thread at a time. Reports on stderr as "collide COMMAND: ...". */
#ifndef COLLIDE_CLI_MOTION_SOURCE_H
#define COLLIDE_CLI_MOTION_SOURCE_H

#include "client/cli/connection/connection.h"
#include "client/cli/motion/motion.h"
#include "client/cli/worlds/world_at.h"
#include "jobs/pool.h"

/* Seconds per tick and ticks, unless they are given. */
#define MOTION_SOURCE_DT (1.0 / 60)
#define MOTION_SOURCE_TICKS 600

struct motion_source {
	const char *command, *path, *address;
	bool local;
	uint64_t threads; /* with `local`; 0: not given, so one */
	struct world_at at;
	uint64_t ticks; /* 0: not given */
	double dt;      /* 0: not given */
};

/* Fills *out, which the caller finishes in either case. A recording that is cut off, or a run that ends early, is told, and
 * gives what there is of it. */
enum exit_status motion_source_load(const struct motion_source *source, struct run_motion *out);

/* Their arguments, in the tables of view and render. */
#define MOTION_TICKS_ARGUMENT(source)                                                                                   \
	{                                                                                                                   \
		.name = "--ticks", .letter = 'n', .kind = ARGUMENT_COUNT, .out = &(source)->ticks, .minimum = 1,                \
		.maximum = UINT64_MAX, .value = "N", .help = "how many ticks of a scene (default 600); of a recording, at most" \
	}
#define MOTION_DT_ARGUMENT(source)                                                                   \
	{                                                                                                \
		.name = "--dt", .letter = 't', .kind = ARGUMENT_SECONDS, .out = &(source)->dt, .value = "S", \
		.help = "seconds per tick, also as a fraction (default 1/60; a recording\n"                  \
				"and a snapshot have their own)"                                                     \
	}
#define MOTION_LOCAL_ARGUMENT(source)                                                       \
	{                                                                                       \
		.name = "--local", .letter = 'l', .kind = ARGUMENT_SWITCH, .out = &(source)->local, \
		.help = "simulate in this process, without a daemon; a recording needs none"        \
	}
#define MOTION_THREADS_ARGUMENT(source)                                                                                    \
	{                                                                                                                      \
		.name = "--threads", .kind = ARGUMENT_COUNT, .out = &(source)->threads, .minimum = 1, .maximum = POOL_WORKERS_MAX, \
		.value = "N", .help = "with --local: ticks of large scenes on up to so many (1)"                                   \
	}

#endif
