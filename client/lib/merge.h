/* merge: joins the parts of a frame into tables that grow and are reused.
 *
 * One thread at a time. Owns its tables. The frame that it gives points into them until the next merge_add. */
#ifndef COLLIDE_CLIENT_LIB_MERGE_H
#define COLLIDE_CLIENT_LIB_MERGE_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

struct merge;

enum merge_result {
	MERGE_WHOLE,     /* that was the last part: merge_frame has the frame */
	MERGE_MORE,      /* more parts follow */
	MERGE_MALFORMED, /* columns of unequal length, or a part of another tick */
	MERGE_TOO_LARGE, /* over bytes_max */
	MERGE_NO_MEMORY,
};

/* bytes_max: the most that the tables may hold. NULL without memory. */
struct merge *merge_create(size_t bytes_max);
void merge_destroy(struct merge *merge);
/* Adds a part. The first one after a whole frame starts a new frame. */
enum merge_result merge_add(struct merge *merge, const Collide__V1__Frame *part);
/* Whether the first part of a frame has been added, but not its last. */
bool merge_is_partial(const struct merge *merge);
const struct collide_frame *merge_frame(const struct merge *merge);

#endif
