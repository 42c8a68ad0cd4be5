/* rules: what contact rules, lifetimes and bounds say of a tick: which bodies stop or end, when and why; and that no others
 * do.
 *
 * One thread. Owns nothing. cert_rules_settle changes bodies: what is left of lifetimes, and what has parted. */
#ifndef COLLIDED_CERTIFICATE_RULES_H
#define COLLIDED_CERTIFICATE_RULES_H

#include "certificate/path.h"

/* After the paths are built. */
void cert_rules_check(const struct cert_shapes *shapes, const struct cert_paths *paths, const struct certificate_tick *tick,
                      struct certificate_report *report);
/* At the tick's end; `places` of all bodies. */
void cert_rules_settle(struct cert_shapes *shapes, const struct cert_vec *places, double dt);

#endif
