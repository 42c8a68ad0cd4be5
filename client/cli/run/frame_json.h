/* frame_json: frames as JSON, one object a line, for jq.
 *
 * Names of fields and values are those of protobuf's JSON form of collide.v1.Frame. Some parts differ, to be easier to use.
 * Contacts, path changes and shortfalls are rows, one object each. A contact's flags are a list of names. 64-bit counts are
 * numbers; tags are strings, as in protobuf's form.
 *
 * Rows (contacts, path changes, shortfalls) are collected until a frame is printed, so that it holds those of all ticks since
 * the frame before. One thread at a time. Owns the rows collected. Doubles are written so that reading gives the same bits;
 * what is not finite is the string "NaN", "Infinity" or "-Infinity". 64-bit hashes are strings of 16 hexadecimal digits,
 * because JSON's numbers are doubles. */
#ifndef COLLIDE_CLI_FRAME_JSON_H
#define COLLIDE_CLI_FRAME_JSON_H

#include "client/cli/run/tally.h"
#include "client/cli/terminal/text.h"
#include "client/lib/collide.h"

#include <stdbool.h>
#include <stdio.h>

struct frame_json {
	struct text contacts, path_changes, shortfalls, pair_events, paths, ends;
};

void frame_json_finish(struct frame_json *json);
/* Collects a frame's rows. */
void frame_json_collect(struct frame_json *json, const struct collide_frame *frame);
/* Prints the frame, with `sums` over the ticks since the last one printed, and discards the rows. false: no memory for some
 * row, so the line was not printed. */
bool frame_json_print(struct frame_json *json, const struct collide_frame *frame, const struct frame_sums *sums, FILE *out);

#endif
