/* part: a part of a Detected or Responded as the columns of collide.h.
 *
 * One thread at a time; points into the message. */
#ifndef COLLIDE_CLIENT_LIB_PART_H
#define COLLIDE_CLIENT_LIB_PART_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

struct part_view {
	struct collide_detected detected;
	struct collide_detect_counts detect_counts;
	struct collide_responded responded;
	struct collide_respond_counts respond_counts;
};

/* false: columns of unequal length, or some are missing. */
bool part_view_detected(struct part_view *view, const Collide__V1__Detected *message);
bool part_view_responded(struct part_view *view, const Collide__V1__Responded *message);

#endif
