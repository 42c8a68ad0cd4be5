/* supports: the lists of what supports each body's path (world.h), as a cluster leaves them. Internal. */
#ifndef COLLIDED_EVENTS_SUPPORTS_H
#define COLLIDED_EVENTS_SUPPORTS_H

#include "physics/contact/cluster.h"
#include "physics/reports/touch.h"

/* The key of a pair of a cluster for the reports. */
static inline struct tie
pair_tie(const struct cluster *cluster, const struct pair *pair)
{
	return (struct tie){ cluster->members[pair->i].body,
		                 pair->j == NONE ? pair->segment | PARTNER_SEGMENT : cluster->members[pair->j].body };
}

/* Notes which members get other supports. A prediction depends on the supports, and must depend on nothing that changes without
 * the path's epoch: cells decide when it is made again. So a path with other supports is a new one, even if it goes on as it
 * did. */
void supports_compare(const struct world *world, struct cluster *cluster);
/* Gives the cluster's members the supports of its resting pairs, and no others. world->failed without memory. */
void supports_write(struct world *world, const struct cluster *cluster);

#endif
