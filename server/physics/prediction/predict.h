/* predict: the coming events of a body on its present path. Reads bodies; writes only the queue and the grid.
 *
 * The room prediction/: which events lie ahead of a body: pairs, walls, ends of walls, changes of cells; what is due by the
 * schedule. It uses broadphase, world, tables. It is called by reports, contact, resting, events, phases, partition, tick,
 * state. */
#ifndef COLLIDED_PREDICTION_PREDICT_H
#define COLLIDED_PREDICTION_PREDICT_H

#include "physics/broadphase/look.h"
#include "physics/world/collision_filter.h"
#include "physics/world/substep.h"

#include <math.h>

struct neighbours;

/* The time of impact of a path (t0 taken as 0) with a segment between its ends, within `duration`. *side is +1 left of the
 * segment's direction, -1 right. Collision filters are not applied. */
double impact_face(const struct world *world, const struct body_info *info, const struct body *path, uint32_t segment,
                   double duration, int *side);
/* The same with a vertex. An impact counts only inside the vertex's cone over the segments that the body meets, and only if an
 * end of one of these is there. */
double impact_vertex(const struct world *world, const struct body_info *info, const struct body *path, uint32_t vertex,
                     double duration);
/* The lowest segment's end at a vertex that a circle on this path touches when its centre is there, if it is within touching
 * distance. NULL: none, the centre is over a segment. */
const struct spoke *vertex_touched(const struct world *world, const struct body_info *info, const struct body *path,
                                   uint32_t vertex, double x, double y);
/* The spoke of an event (its order and feature) at a vertex. */
const struct spoke *vertex_spoke(const struct world *world, uint32_t vertex, uint32_t segment, uint8_t feature);

/* Whether the bodies of an event still have the paths that it was predicted from. */
static inline bool
event_holds(const struct world *world, const struct event *event)
{
	return event->epoch_a == world->bodies.marks[event->a].epoch &&
	       (event->kind != EVENT_CIRCLES || event->epoch_b == world->bodies.marks[event->b].epoch);
}

/* All events of the tick from `time` on, each pair once. */
void predict_all(struct world *world, double time);
/* The same for the bodies in some rows of cells of the only level, without pairs with other rows. Fills the world's swept boxes
 * of these rows, for which there must be room. */
void predict_rows(struct world *world, uint32_t first, uint32_t end, double time);
/* The same for the pairs of a body with those in a cell. `clear`: handover_clear of the body. */
void predict_cell(struct world *world, uint32_t body, bool clear, uint32_t cell);
/* All events of one body from `time` on. */
void predict_from(struct world *world, uint32_t body, double time);
/* The same for a body that has just changed its path. */
void predict_body(struct world *world, uint32_t body);
/* A pair that waited for the time at which it may meet (CIRCLES_EARLY): when it does. Its event must hold. */
void predict_early(struct world *world, const struct event *event);
/* predict_event.c: the same for a free body when all bodies of its level that it may meet are known: those in one of the cells
 * `around` it. Leaves out the body that was hit with it. */
void predict_among(struct world *world, uint32_t body, const struct neighbours *neighbours, unsigned around);
/* The pair of two bodies that were hit together, a < b, after each was predicted with its neighbours. */
void predict_again(struct world *world, uint32_t a, uint32_t b);
/* A body's events with the circles of the cells around it. */
void predict_around(struct world *world, uint32_t body);
/* predict_pass.c: bodies that get new paths at a substep's start, all of one level: `active` and movable. Columns by body. Each
 * of them is to be predicted; then each pair is predicted once, by one of its sides. */
struct predict_pass {
	const uint8_t *active;
	const double *inverse_mass;
	bool free_look; /* pairs of a clear body (handover_clear) and one that is not in the pass are left to predict_free */
};

void predict_passed(struct world *world, const struct predict_pass *pass, uint32_t body);
/* For a body that is not in the pass: its pairs with clear ones that are. */
void predict_free(struct world *world, const struct predict_pass *pass, uint32_t body);
/* predict_event.c: moves a body to the cell of its place at `time` and predicts it against the bodies around that are new. */
void predict_transfer(struct world *world, uint32_t body, double time);

/* Whether one is crushed and the other immovable: the latter has passed over it already. */
static inline bool
crushed_between(const struct world *world, uint32_t a, uint32_t b)
{
	const struct body_info *i = &world->bodies.infos[a], *j = &world->bodies.infos[b];

	return (i->mode == MODE_CRUSHED && j->kind != BODY_DYNAMIC) || (j->mode == MODE_CRUSHED && i->kind != BODY_DYNAMIC);
}

#endif
