/* part: a part of a Detected, Responded or Queried as the columns of collide.h.
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
	struct collide_queried queried;
	struct collide_query_counts query_counts;
};

/* false: columns of unequal length, or some are missing. */
bool part_view_detected(struct part_view *view, const Collide__V1__Detected *message);
bool part_view_responded(struct part_view *view, const Collide__V1__Responded *message);
bool part_view_queried(struct part_view *view, const Collide__V1__Queried *message);

/* Whether every column is as long as the first. Those from the field number `optional_from` on may all be missing. */
bool part_columns_fit(const ProtobufCMessage *message, size_t rows, unsigned optional_from);

#endif
