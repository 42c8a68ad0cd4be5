/* walk: the paths of a pair within a tick, piece by piece, once they are known; and what is told of it. touch.c and sensor.c
 * walk. */
#ifndef COLLIDED_REPORTS_WALK_H
#define COLLIDED_REPORTS_WALK_H

#include "physics/reports/watch.h"

/* Rows of a tick, for each contact that it may make. */
#define ROWS_PER_CONTACT 4

/* A row on its way; the place in the order is (time, cause, rank, a, b). */
void watch_tell(struct world *world, const struct pair_event *event, uint32_t cause, uint32_t rank);

/* Stretches of time in which neither body of a pair changes its path, one after the other. */
struct walk {
	const struct world *world;
	struct tie tie;
	const struct body *a, *b; /* the paths; b is NULL for a segment */
	double end_a, end_b;
	uint32_t next_a, next_b;
	double time, until;       /* where the next stretch begins; where the last ends */
	double start, duration;   /* the stretch at hand */
	struct relative relative; /* at its start: a as seen from b, or from the segment's first point */
};

struct walk walk_begin(const struct world *world, struct tie tie, double from, double until);
bool walk_next(struct walk *walk);
/* The first time in the stretch at hand at which the distance passes R, as crossing.h; INFINITY. */
double walk_crossing(const struct walk *walk, double R, bool out);

/* Radii of both, and their skin on the walk's present paths. */
double tie_radii(const struct world *world, struct tie tie);
double walk_skin(const struct walk *walk);

/* From the nearest point of a segment to a point; enum contact_feature: where that is. */
uint8_t wall_offset(const struct segment *segment, const double point[2], double offset[2]);

/* An event of a pair with the geometry of that time, without a contact's numbers. */
struct pair_event tie_event(const struct world *world, struct tie tie, double time, enum pair_event_kind kind);

struct grid_box;
/* Holds the centre of a body all through the tick. */
struct grid_box watch_box(const struct world *world, uint32_t body);

#endif
