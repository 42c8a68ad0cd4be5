/* bench_scenes: the scenes of a bench, from files with weights. One thread at a time. */
#ifndef COLLIDE_CLI_BENCH_SCENES_H
#define COLLIDE_CLI_BENCH_SCENES_H

#include "client/cli/terminal/arguments.h"
#include "client/cli/terminal/exit_status.h"
#include "client/lib/collide.h"
#include "client/load/mix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_scenes {
	size_t count;
	char *names[MIX_SCENES_MAX]; /* of the files, without weights */
	struct collide_scene scenes[MIX_SCENES_MAX];
	uint64_t weights[MIX_SCENES_MAX], circles[MIX_SCENES_MAX];
};

/* Splits "FILE:WEIGHT"; the default weight is 1. *length is that of the file's name. false: the weight is out of range. */
bool scene_weight_parse(const char *operand, size_t *length, uint64_t *weight);
/* Reads all of them, or makes the gas of the project's benchmarks if there is none. DONE, or an error that has been reported.
 * *out is to be finished in any case. */
enum exit_status bench_scenes_load(const struct argument_texts *operands, struct bench_scenes *out);
void bench_scenes_finish(struct bench_scenes *scenes);

#endif
