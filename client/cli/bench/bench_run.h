/* bench_run: one load, or the search for the knee. One thread at a time; the load generator (client/load) has threads of its
 * own.
 *
 * The folder bench/ is what `collide bench` adds to the load generator: scenes, the search for the knee, reports. It may use
 * connection/, gen/, scene/, terminal/ and client/load. The command bench calls it. */
#ifndef COLLIDE_CLI_BENCH_RUN_H
#define COLLIDE_CLI_BENCH_RUN_H

#include "client/cli/bench/bench_outcome.h"
#include "client/cli/terminal/exit_status.h"

/* Runs the plan. What ended it early has been reported. outcome->result is NULL only without memory. */
enum exit_status bench_run(const struct bench_options *options, struct bench_outcome *outcome);

#endif
