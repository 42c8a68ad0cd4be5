/* predict: which events lie ahead of a body on its present path. Reads bodies, writes only the queue and the grid. */
#ifndef COLLIDED_PREDICTION_PREDICT_H
#define COLLIDED_PREDICTION_PREDICT_H

#include "physics/broadphase/look.h"
#include "physics/world/collision_filter.h"
#include "physics/world/substep.h"

#include <math.h>

struct neighbours;

/* The impact of a path (t0 taken as 0) with a segment between its ends, within `duration`; *side is +1 left of the segment's
 * direction, -1 right. Masks are not looked at. */
double impact_face(const struct world *world, const struct body_info *info, const struct body *path, uint32_t segment,
                   double duration, int *side);
/* The same with a vertex, from within its cone over the segments that the body meets, and if it is of one of these. */
double impact_vertex(const struct world *world, const struct body_info *info, const struct body *path, uint32_t vertex,
                     double duration);
/* The lowest segment's end at a vertex that a circle on this path touches when its centre is there, if it is as near as that;
 * NULL: none, it is over a segment. */
const struct spoke *vertex_touched(const struct world *world, const struct body_info *info, const struct body *path,
                                   uint32_t vertex, double x, double y);
/* The spoke of an event (its order and feature) at a vertex. */
const struct spoke *vertex_spoke(const struct world *world, uint32_t vertex, uint32_t segment, uint8_t feature);

/* Whether the paths that an event was predicted from are still those of its bodies. */
static inline bool
event_holds(const struct world *world, const struct event *event)
{
	return event->epoch_a == world->bodies.marks[event->a].epoch &&
	       (event->kind != EVENT_CIRCLES || event->epoch_b == world->bodies.marks[event->b].epoch);
}

/* All events of the tick from `time` on, each pair once. */
void predict_all(struct world *world, double time);
/* The same of the bodies in some rows of the cells of the only level, but for pairs with other rows; fills the world's rims for
 * these rows, for which there must be room. */
void predict_rows(struct world *world, uint32_t first, uint32_t end, double time);
/* The same of the pairs of a body with those in a cell; `clear`: handover_clear of it. */
void predict_cell(struct world *world, uint32_t body, bool clear, uint32_t cell);
/* All events of one body from `time` on. */
void predict_from(struct world *world, uint32_t body, double time);
/* The same of one whose path has just changed. */
void predict_body(struct world *world, uint32_t body);
/* predict_event.c: the same of a free body, where all of its level whom it may meet are known, but for who was hit with it: who
 * is in one of the cells `around` it. */
void predict_among(struct world *world, uint32_t body, const struct neighbours *neighbours, unsigned around);
/* Two that were hit together, a < b, once each was predicted among the others. */
void predict_again(struct world *world, uint32_t a, uint32_t b);
/* A body's events with the circles of the cells around it. */
void predict_around(struct world *world, uint32_t body);
/* predict_event.c: moves a body to the cell it is in at `time` and predicts against what is new there. */
void predict_transfer(struct world *world, uint32_t body, double time);

/* Whether one is crushed and the other does not yield: it has passed over it already. */
static inline bool
crushed_between(const struct world *world, uint32_t a, uint32_t b)
{
	const struct body_info *i = &world->bodies.infos[a], *j = &world->bodies.infos[b];

	return (i->mode == MODE_CRUSHED && j->kind != BODY_DYNAMIC) || (j->mode == MODE_CRUSHED && i->kind != BODY_DYNAMIC);
}

#endif
