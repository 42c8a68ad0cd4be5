/* resolve: the outcome of an event: which bodies touch, their new velocities, and what rests on what.
 *
 * Writes the bodies that the event changes, reports contacts and path changes, and predicts the changed bodies anew.
 *
 * The room events/: writes the outcome of an event: paths, contacts, what is predicted anew. It uses contact, resting,
 * reports, prediction. It is called by partition, tick. */
#ifndef COLLIDED_EVENTS_RESOLVE_H
#define COLLIDED_EVENTS_RESOLVE_H

#include "physics/tables/event_queue.h"
#include "physics/world/world.h"

struct cluster;
struct resolver;

/* Scratch of the resolution; NULL without memory. */
struct resolver *resolver_create(void);
void resolver_destroy(struct resolver *resolver);
size_t resolver_memory_bytes(const struct resolver *resolver);

/* Resolves an event that is valid. Failure sets world->failed. */
void resolve_event(struct world *world, const struct event *event);

/* The same in two steps, for an event of moving bodies that are not solver-driven, in a world without sleeping bodies. The
 * first computes the outcome and writes nothing but the cluster; the second writes it. */
struct cluster *resolve_prepare(struct world *world, const struct event *event);
void resolve_write(struct world *world, struct cluster *cluster);

#endif
