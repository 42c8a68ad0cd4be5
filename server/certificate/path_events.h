/* path_events: what happens to each body in a tick, from the two streams of contacts and path changes. Of path.c alone. */
#ifndef COLLIDED_CERTIFICATE_PATH_EVENTS_H
#define COLLIDED_CERTIFICATE_PATH_EVENTS_H

#include "certificate/path.h"

enum event_what { EVENT_CONTACT_A, EVENT_CONTACT_B, EVENT_CHANGE };

/* Fills the events of paths, grouped by body and in order of time; its pushes, when bodies stop, and what the contacts of one
 * time add up to. The arrays have room. */
void cert_path_events_fill(struct cert_paths *paths, const struct cert_shapes *shapes, const struct certificate_tick *tick);

#endif
