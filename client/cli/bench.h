/* bench: the command around the load generator (client/load): scenes, options, the search for the knee, reports. */
#ifndef COLLIDE_CLI_BENCH_H
#define COLLIDE_CLI_BENCH_H

#include "client/cli/arguments.h"
#include "client/cli/commands.h"
#include "client/load/condition.h"
#include "client/load/knee.h"
#include "client/load/load.h"

#include <stdio.h>

/* ---- Scenes (bench_scenes.c) ---- */

struct bench_scenes {
	size_t count;
	char *names[MIX_SCENES_MAX]; /* of the files, without weights */
	struct collide_scene scenes[MIX_SCENES_MAX];
	uint64_t weights[MIX_SCENES_MAX], circles[MIX_SCENES_MAX];
};

/* Splits "FILE:WEIGHT"; without a weight it is 1. *length is that of the file's name. false: the weight is out of range. */
bool scene_weight_parse(const char *operand, size_t *length, uint64_t *weight);
/* Reads them all; without any, the gas of the project's benchmarks. DONE, or an error that was told. To be finished in any
 * case. */
enum exit_status bench_scenes_load(const struct argument_texts *operands, struct bench_scenes *out);
void bench_scenes_finish(struct bench_scenes *scenes);

/* ---- A run, or the search for the knee (bench_run.c) ---- */

#define BENCH_STEPS_MAX (KNEE_STEPS_MAX + 1) /* and the probe */

struct bench_knee {
	bool sought;
	double knee, failed; /* requests per second: the highest that held; the lowest that did not. 0: none */
	uint64_t bound_ns;   /* of the p99 */
	double probe;        /* requests per second of the closed model that the search began from; 0: none was made */
	size_t step_count;
	struct knee_step steps[BENCH_STEPS_MAX];
};

struct bench_options {
	struct load_plan plan;
	bool find_knee;
	double knee_p99_ms;    /* 0: from the first step */
	unsigned progress;     /* enum bench_progress */
	const char *html_path; /* or NULL */
	struct conditions conditions;
};

enum bench_progress { BENCH_PROGRESS_AUTO, BENCH_PROGRESS_ALWAYS, BENCH_PROGRESS_NEVER };

#define BENCH_WARNINGS_MAX 4

struct bench_warnings {
	size_t count;
	char texts[BENCH_WARNINGS_MAX][240];
};

/* What was measured, with all that a report tells. */
struct bench_outcome {
	const struct bench_options *options;
	struct load_plan plan;      /* with the rate that the result is of */
	struct load_result *result; /* of the knee's search: that of the highest rate that held, or of the last step */
	struct bench_knee knee;
	struct bench_warnings warnings;
	size_t checked;
	struct condition_outcome conditions[CONDITIONS_MAX];
};

/* Runs it; what ended it early was told. outcome->result may be NULL only without memory. */
enum exit_status bench_run(const struct bench_options *options, struct bench_outcome *outcome);

/* Whether the generator itself may have been the bottleneck, in words (bench_warn.c). */
void bench_warn(const struct load_plan *plan, const struct load_result *result, struct bench_warnings *out);

/* ---- Reports ---- */

void bench_report_print(const struct bench_outcome *outcome, FILE *out);
/* One object on one line; docs/load.md has its shape. false: no memory. */
bool bench_json_print(const struct bench_outcome *outcome, FILE *out);
/* One page with its curves, complete in itself. */
void bench_html_print(const struct bench_outcome *outcome, FILE *out);

static inline double
milliseconds(uint64_t nanoseconds)
{
	return (double)nanoseconds * 1e-6;
}

#endif
