/* bench_outcome: what a bench was asked for and what it measured. Plain data, made by bench_run and read by the reports. */
#ifndef COLLIDE_CLI_BENCH_OUTCOME_H
#define COLLIDE_CLI_BENCH_OUTCOME_H

#include "client/load/condition.h"
#include "client/load/knee.h"
#include "client/load/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_STEPS_MAX (KNEE_STEPS_MAX + 1) /* and the probe */

struct bench_knee {
	bool sought;
	double knee, failed; /* requests per second: the highest that held; the lowest that did not. 0: none */
	uint64_t bound_ns;   /* of the p99 */
	double probe;        /* requests per second of the closed model, from which the search began; 0: there was no probe */
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

/* What was measured, with all that a report needs. */
struct bench_outcome {
	const struct bench_options *options;
	struct load_plan plan;      /* with the rate that the result belongs to */
	struct load_result *result; /* of a search for the knee: at the highest rate that held, or of the last step */
	struct bench_knee knee;
	struct bench_warnings warnings;
	size_t checked;
	struct condition_outcome conditions[CONDITIONS_MAX];
};

static inline double
milliseconds(uint64_t nanoseconds)
{
	return (double)nanoseconds * 1e-6;
}

#endif
