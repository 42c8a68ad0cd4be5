/* passage: circles and one-sided walls.
 *
 * One thread. A one-sided wall stops circles with a centre that comes from the left of its direction; others pass it. Each is
 * followed along its path. A circle that comes into the wall (the segment with its radius around it) from its left half has
 * broken through. One that comes in from the right half passes, until it is apart from the wall again, whatever it does
 * meanwhile. Walls that share an end are one thing in this: a circle in the next link already passes this one too. */
#ifndef COLLIDED_CERTIFICATE_PASSAGE_H
#define COLLIDED_CERTIFICATE_PASSAGE_H

#include "certificate/motion.h"

enum cert_passage_state { CERT_APART, CERT_PASSING, CERT_BROKEN };

struct cert_passage {
	enum cert_passage_state state;
	double worst; /* depth while it is where it may not be */
	bool crossed; /* and its centre went from left to right */
	double crossed_at;
};

/* Goes on along a motion of length h that begins at `time`. `slop`: how far rounding may have moved it. */
void cert_passage_follow(struct cert_passage *passage, const struct cert_shapes *shapes, const struct cert_body *body,
                         const struct cert_wall *wall, const struct cert_motion *motion, double h, double time, double slop);

#endif
