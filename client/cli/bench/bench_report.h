/* bench_report: what a bench measured, as text, JSON and a page of HTML. One thread at a time. */
#ifndef COLLIDE_CLI_BENCH_REPORT_H
#define COLLIDE_CLI_BENCH_REPORT_H

#include "client/cli/bench/bench_outcome.h"

#include <stdio.h>

void bench_report_print(const struct bench_outcome *outcome, FILE *out);
/* One object on one line; docs/load.md has its shape. false: no memory. */
bool bench_json_print(const struct bench_outcome *outcome, FILE *out);
/* One page with its curves, complete in itself. */
void bench_html_print(const struct bench_outcome *outcome, FILE *out);

#endif
