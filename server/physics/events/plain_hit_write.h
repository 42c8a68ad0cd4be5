/* plain_hit_write: the outcome of a plain hit (contact/plain_hit.h), written to the world as resolve.c writes that of any
 * cluster. Internal to events. */
#ifndef COLLIDED_EVENTS_PLAIN_HIT_WRITE_H
#define COLLIDED_EVENTS_PLAIN_HIT_WRITE_H

#include "physics/contact/cluster.h"

/* Failure sets world->failed. */
void plain_hit_write(struct world *world, const struct cluster *cluster);

#endif
