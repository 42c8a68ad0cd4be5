/* contact_check: whether each contact is where its two shapes meet, as it says.
 *
 * One thread. */
#ifndef COLLIDED_CERTIFICATE_CONTACT_CHECK_H
#define COLLIDED_CERTIFICATE_CONTACT_CHECK_H

#include "certificate/path.h"
#include "certificate/shapes.h"

/* Checks every contact of the tick against the rebuilt paths, and the order of both streams; counts jumps. */
void cert_touches_check(const struct cert_shapes *shapes, const struct cert_paths *paths, const struct certificate_tick *tick,
                        struct certificate_report *report);

#endif
