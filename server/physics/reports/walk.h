/* walk: the paths of a pair within a tick, piece by piece, once they are known; and the reports about it. Used by touch.c and
 * sensor.c. */
#ifndef COLLIDED_REPORTS_WALK_H
#define COLLIDED_REPORTS_WALK_H

#include "physics/reports/watch.h"

/* Rows of a tick, per contact that it may have. */
#define ROWS_PER_CONTACT 4
/* Units (base/pause.h) of a pair that is followed, beside its intervals. */
#define FOLLOW_UNITS 32u

/* Adds a row to the reports; the rows are ordered by (time, cause, rank, a, b). */
void watch_report(struct world *world, const struct pair_event *event, uint32_t cause, uint32_t rank);

/* The consecutive time intervals in which neither body of a pair changes its path. */
struct walk {
	const struct world *world;
	struct tie tie;
	const struct body *a, *b; /* the paths; b is NULL for a segment */
	double end_a, end_b;
	uint32_t next_a, next_b;
	double time, until;       /* start of the next interval; end of the last */
	double start, duration;   /* the current interval */
	struct relative relative; /* at its start: a relative to b, or to the segment's first point */
};

struct walk walk_begin(const struct world *world, struct tie tie, double from, double until);
/* False: that was the last one, or the tick is not wanted any more. */
bool walk_next(struct walk *walk);
/* The first time in the current interval at which the distance passes R, as crossing.h; INFINITY: none. */
double walk_crossing(const struct walk *walk, double R, bool out);

/* Whether a side of the pair has ended in the tick, and when; else the tick's end. */
bool tie_is_over(const struct world *world, struct tie tie);
double tie_end(const struct world *world, struct tie tie);

/* The sum of both radii; the other: the skin on the walk's present paths. */
double tie_radii(const struct world *world, struct tie tie);
double walk_skin(const struct walk *walk);

/* The offset of a point from the nearest point of a segment; returns where that is (enum contact_feature). */
uint8_t wall_offset(const struct segment *segment, const double point[2], double offset[2]);

/* An event of a pair with the geometry of that time, without the numbers of a contact. */
struct pair_event tie_event(const struct world *world, struct tie tie, double time, enum pair_event_kind kind);

struct grid_box;
/* A box that holds the centre of a body throughout the tick. */
struct grid_box watch_box(const struct world *world, uint32_t body);

#endif
