/* rooms_report: what a load of rooms measured, as text and JSON. One thread at a time. */
#ifndef COLLIDE_CLI_ROOMS_REPORT_H
#define COLLIDE_CLI_ROOMS_REPORT_H

#include "client/load/rooms/rooms.h"

#include <stddef.h>
#include <stdio.h>

/* A step of the search for the most rooms that are served well. */
struct rooms_step {
	uint64_t rooms, late_p99_ns, lost_ticks, updates_missed;
	bool held;
	char refused[48]; /* the daemon would not have so many: its reason; empty: it had them */
};

struct rooms_search {
	bool sought;
	uint64_t bound_ns;     /* of the p99 of lateness */
	uint64_t held, failed; /* the most rooms that held; the fewest that did not. 0: none */
	size_t step_count;
	struct rooms_step steps[64];
};

/* One of what had the rooms: the daemon first, then what it is compared with. */
struct rooms_report {
	const char *name;
	const struct rooms_result *result;
	const struct rooms_search *search;
};

/* What the plan was for it: of a floor, or a knee of few rooms, there are other numbers of connections. */
struct rooms_plan rooms_plan_told(const struct rooms_plan *plan, const struct rooms_report *report, bool floor);
/* `plan` as rooms_plan_told gives it. */
void rooms_report_print(const struct rooms_plan *plan, const struct rooms_report *report, bool titled, FILE *out);
/* The knee of the daemon, in knees of the others. */
void rooms_knees_print(const struct rooms_report *reports, size_t count, FILE *out);
/* One object on one line; docs/load.md has its shape. false: no memory. */
bool rooms_json_print(const struct rooms_plan *plan, const struct rooms_report *reports, size_t count, FILE *out);

#endif
