/* plain_hit: the event that most are where things fly: two free circles hit each other, or one hits a wall that stands, and
 * nothing else touches either. Its outcome is one reflection, and then friction. So it needs no search for a cluster, and
 * nothing that only a cluster may have. The bits are those of cluster_gather, cluster_collide and cluster_rest;
 * test_physics_plain_hits holds both ways to them.
 *
 * Scratch of a cluster: of its members and its pair only those fields are valid that are written here. One thread. */
#ifndef COLLIDED_CONTACT_PLAIN_HIT_H
#define COLLIDED_CONTACT_PLAIN_HIT_H

#include "physics/contact/cluster.h"

/* Resolves the event if it is such a hit, and pays for it. False: it is not, or may not be; then nothing was changed but the
 * scratch. */
bool plain_hit_resolve(struct world *world, struct cluster *cluster, const struct event *event);

#endif
