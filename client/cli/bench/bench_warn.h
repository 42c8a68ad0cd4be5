/* bench_warn: whether the load generator itself may have been the bottleneck. Any thread. */
#ifndef COLLIDE_CLI_BENCH_WARN_H
#define COLLIDE_CLI_BENCH_WARN_H

#include "client/cli/bench/bench_outcome.h"

/* Writes a text for each sign of it. */
void bench_warn(const struct load_plan *plan, const struct load_result *result, struct bench_warnings *out);

#endif
