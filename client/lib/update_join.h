/* update_join: the parts of a WorldUpdate in one, with its key and changes as the structs of collide.h.
 *
 * One thread at a time. Keeps the first part of an update, in which key and changes are, until the next update begins. */
#ifndef COLLIDE_CLIENT_LIB_UPDATE_JOIN_H
#define COLLIDE_CLIENT_LIB_UPDATE_JOIN_H

#include "client/lib/collide.h"
#include "client/lib/merge.h"
#include "collide/v1/collide.pb-c.h"

struct update_join;

/* bytes_max: of the frame's tables. NULL without memory. */
struct update_join *update_join_create(size_t bytes_max);
void update_join_destroy(struct update_join *join);
/* Adds a part. *message is taken, and NULL then, if it is to be kept. MERGE_WHOLE: update_join_update has the update. */
enum merge_result update_join_add(struct update_join *join, Collide__V1__ServerMessage **message);
bool update_join_is_partial(const struct update_join *join);
/* Valid until the next part, as long as the last part's message is. */
const struct collide_world_update *update_join_update(const struct update_join *join);

#endif
