/* resolve: what happens at an event: who touches, who gets which velocity, what rests on what.
 *
 * Writes the bodies that the event changes, reports contacts and path changes, and predicts the changed bodies anew. */
#ifndef COLLIDED_PHYSICS_RESOLVE_H
#define COLLIDED_PHYSICS_RESOLVE_H

#include "physics/event_queue.h"

struct world;
struct resolver;

/* Scratch of the resolution; NULL without memory. */
struct resolver *resolver_create(void);
void resolver_destroy(struct resolver *resolver);

/* Resolves an event that has been found valid. Failure sets world->failed. */
void resolve_event(struct world *world, const struct event *event);

#endif
