/* run_table: what a run prints of its ticks: a line for each, or the state of every circle, or nothing; and the state at its
 * end.
 *
 * One thread at a time; prints on stdout. */
#ifndef COLLIDE_CLI_RUN_TABLE_H
#define COLLIDE_CLI_RUN_TABLE_H

#include "client/cli/run/tally.h"
#include "client/lib/collide.h"

enum run_table_kind { RUN_TABLE_BODIES, RUN_TABLE_TICKS, RUN_TABLE_NONE, RUN_TABLE_AUTO };

/* With AUTO: more frames than these are summed up, unless --every has chosen them. */
#define RUN_TABLE_LINES_MAX 20
/* The state at the end is printed if there are no more circles than these. */
#define RUN_TABLE_CIRCLES_MAX 16

struct run_table_row {
	uint32_t id;
	double x, y, vx, vy, angle, spin;
};

struct run_table {
	enum run_table_kind kind; /* AUTO has become TICKS or NONE */
	bool last_state;          /* it is printed at the end */
	uint64_t printed;         /* frames */
	/* The latest state, of few circles. */
	struct run_table_row rows[RUN_TABLE_CIRCLES_MAX];
	size_t row_count;
	uint64_t tick;
	bool turns;
};

/* `frames`: how many the run will show; `chosen`: by --every. */
void run_table_init(struct run_table *table, enum run_table_kind kind, uint64_t frames, bool chosen);
/* To be called for every frame, shown or not. */
void run_table_keep(struct run_table *table, const struct collide_frame *frame);
/* A frame that is shown, with the sums since the one before it. */
void run_table_print(struct run_table *table, const struct collide_frame *frame, const struct frame_sums *sums);
/* The state at the end, if there is one to print. */
void run_table_end(const struct run_table *table);

#endif
