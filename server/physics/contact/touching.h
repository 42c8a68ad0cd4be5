/* touching: whether a circle is within touching distance of a member of a cluster. Shared by cluster_build.c and
 * single_pair.c. */
#ifndef COLLIDED_CONTACT_TOUCHING_H
#define COLLIDED_CONTACT_TOUCHING_H

#include "physics/contact/cluster.h"
#include "physics/prediction/predict.h"

/* The member that is tested. */
struct toucher {
	uint32_t body;
	two centre;
	double radius, rounding;
};

static inline struct toucher
toucher_of(const struct cluster *cluster, uint32_t i)
{
	const struct member *member = &cluster->members[i];
	const struct body *path = &cluster->world->bodies.paths[member->body];

	return (struct toucher){
		.body = member->body,
		.centre = two_load(&member->x),
		.radius = path->radius,
		.rounding = body_rounding(path),
	};
}

static inline bool
touches(const struct toucher *who, const struct body *that, two position)
{
	two d = who->centre - position, square = d * d;
	/* as circles_skin */
	double skin = larger(larger(who->rounding, body_rounding(that)), lesser(who->radius, that->radius) * SKIN_PER_RADIUS);
	double near = (who->radius + that->radius) + 2.0 * skin;

	return square[0] + square[1] <= near * near;
}

#endif
