/* push: whether the moves that undo overlap at time 0 cross no wall and deepen no overlap on their straight ways.
 *
 * One thread. */
#ifndef COLLIDED_CERTIFICATE_PUSH_H
#define COLLIDED_CERTIFICATE_PUSH_H

#include "certificate/broad_phase.h"
#include "certificate/path.h"

/* Replays the tick's pushes one after the other from start_p, the positions before them. Uses the sweep's stretches for its
 * own. False: no memory. */
bool cert_pushes_check(const struct cert_shapes *shapes, const struct cert_paths *paths, const struct cert_vec *start_p,
                       struct cert_sweep *sweep, struct certificate_report *report);

#endif
