/* mover_private: the mover's queries of the space. */
#ifndef COLLIDED_QUERIES_MOVER_PRIVATE_H
#define COLLIDED_QUERIES_MOVER_PRIVATE_H

#include "physics/mover.h"
#include "physics/queries/slide.h"
#include "physics/queries/space_private.h"

struct mover_near {
	bool segment;
	uint32_t index;
	struct shape_distance distance;
};

struct mover_run {
	const struct space *space;
	const struct mover *mover;
	const struct space_filter *filter;
	struct mover_path *path;
	double skin;
	bool failed; /* no memory */
};

/* Fills path->near with the shapes within `reach` of the circle's place, circles before segments, by id. False without
 * memory. */
bool mover_near_list(struct mover_run *run, double reach);

/* The first shape on the way by v that comes nearer than `margin`. Pressed shapes are left out: the circle slides along
 * them. */
struct mover_hit {
	bool any;
	bool segment;
	uint32_t index;
	double time; /* fraction of v; 1 if there is none */
};
struct mover_hit mover_cast(const struct mover_run *run, const double v[2], double margin);

/* Whether the straight way from the circle's place to (x, y) is free. That is, no gap to a shape falls below 0 or, for shapes
 * that it overlaps now, below the present gap. */
bool mover_leg_free(const struct mover_run *run, double x, double y);

#endif
