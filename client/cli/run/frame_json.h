/* frame_json: frames as JSON, one a line: collide.v1.Frame in protobuf's JSON form, as a server would have sent it in one part.
 *
 * Rows (contacts, path changes and so on) are collected until a frame is printed, so that it holds those of all ticks since the
 * frame before. One thread at a time. Owns the rows collected. */
#ifndef COLLIDE_CLI_FRAME_JSON_H
#define COLLIDE_CLI_FRAME_JSON_H

#include "client/cli/run/row_table.h"
#include "client/cli/run/tally.h"
#include "client/lib/collide.h"

#include <stdbool.h>
#include <stdio.h>

/* Tables of a frame: contacts, path changes, shortfalls, pair events, paths, ends; bodies and moving segments. */
enum { FRAME_TABLES = 8 };

struct frame_json {
	struct row_table tables[FRAME_TABLES];
	bool failed; /* no memory for some row */
};

void frame_json_finish(struct frame_json *json);
/* Collects a frame's rows. */
void frame_json_collect(struct frame_json *json, const struct collide_frame *frame);
/* Prints the frame, with `sums` over the ticks since the last one printed, and discards the rows. false: no memory for some
 * row, so the line was not printed. */
bool frame_json_print(struct frame_json *json, const struct collide_frame *frame, const struct frame_sums *sums, FILE *out);

#endif
