/* one_sided_search: when a circle hits the end of a one-sided wall (world/one_sided.h). Reads the world; used by
 * predict_walls.c and cluster_build.c. */
#ifndef COLLIDED_PREDICTION_ONE_SIDED_SEARCH_H
#define COLLIDED_PREDICTION_ONE_SIDED_SEARCH_H

#include "physics/geometry/toi.h"
#include "physics/world/one_sided.h"

/* As impact_vertex, for a vertex at which some segment is one-sided; R is the distance of contact. *owner: the spoke that is
 * hit. */
double one_sided_vertex_toi(const struct world *world, const struct body_info *info, const struct body *path,
                            const struct vertex *vertex, double R, double duration, const struct spoke **owner);
/* The lowest spoke with an end exposed to a circle with its centre there, or NULL. */
const struct spoke *one_sided_vertex_at(const struct world *world, const struct body_info *info, const struct body *path,
                                        const struct vertex *vertex, double x, double y);
/* When a path leaves the left half of a spoke's cap by more than rounding; INFINITY: not within `duration`. */
double one_sided_end_leave(const struct body *path, const struct vertex *vertex, const struct spoke *spoke, double duration);

#endif
