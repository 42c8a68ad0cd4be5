/* contact_rows: what a contact of a resolved cluster leaves: a row of the tick's report, and what its sides remember of it for
 * the rest of the tick. Internal to events. */
#ifndef COLLIDED_EVENTS_CONTACT_ROWS_H
#define COLLIDED_EVENTS_CONTACT_ROWS_H

#include "physics/contact/cluster.h"

/* Reports it. Failure sets world->failed. */
void contact_report(struct world *world, const struct cluster *cluster, const struct pair *pair);
/* Notes at both sides when and what they met, and what restitution left. */
void hits_remember(struct world *world, const struct cluster *cluster, const struct pair *pair);

#endif
