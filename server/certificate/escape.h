/* escape: centres that cross walls.
 *
 * One thread. */
#ifndef COLLIDED_CERTIFICATE_ESCAPE_H
#define COLLIDED_CERTIFICATE_ESCAPE_H

#include "certificate/path.h"
#include "certificate/shapes.h"

/* Counts each time that the body's centre gets from one side of the wall to the other between its ends, in this tick.
 * `side` is where it was last seen in the ticks before, 0 if not known; returns where it was last seen now. */
int cert_escapes_count(const struct cert_paths *paths, size_t index, const struct cert_body *body, const struct cert_wall *wall,
                       int side, struct certificate_report *report);
/* Whether the straight move does so; of a wall that is one-sided for the body, from its left. */
bool cert_wall_crossed(const struct cert_wall *wall, bool one_sided, struct cert_vec from, struct cert_vec to);

#endif
