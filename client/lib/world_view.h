/* world_view: what a server says of worlds and seats, as the structs of collide_worlds.h.
 *
 * One thread at a time. Texts and secrets are copied; a world_view owns its arrays, which are used anew for each message. */
#ifndef COLLIDE_CLIENT_LIB_WORLD_VIEW_H
#define COLLIDE_CLIENT_LIB_WORLD_VIEW_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

/* All 0 at the start. */
struct world_view {
	struct collide_map_info map;
	struct collide_world_info info;
	struct collide_worlds worlds;
	struct collide_world_info *infos; /* owned */
	size_t info_capacity;
	uint64_t *sent; /* owned: bounds, then counts */
	size_t sent_capacity;
	struct collide_attached attached;
	struct collide_acks acks;
	struct collide_outcome *outcomes; /* owned */
	size_t outcome_capacity;
	struct collide_detached detached;
	struct collide_commands_done commands_done;
	struct collide_stepped stepped;
	struct collide_steered steered;
	struct collide_recorded recorded;
	struct collide_map_segments map_segments; /* borrows its columns from the message */
};

void world_view_finish(struct world_view *view);

struct collide_world_limits world_limits_of(const Collide__V1__WorldLimits *limits);
void map_info_copy(struct collide_map_info *to, const Collide__V1__MapInfo *from);
/* false: its rows make no table. */
bool map_segments_view(const Collide__V1__MapSegments *from, struct collide_map_segments *to);
void recorded_copy(struct collide_recorded *to, const Collide__V1__Recorded *from);
void world_info_copy(struct collide_world_info *to, const Collide__V1__WorldInfo *from);
/* false: its token has another length than any may have. */
bool attached_copy(struct collide_attached *to, const Collide__V1__Attached *from);
void outcome_copy(struct collide_outcome *to, const Collide__V1__Outcome *from);
/* false: no memory. */
bool world_view_worlds(struct world_view *view, const Collide__V1__Worlds *from);
bool world_view_acks(struct world_view *view, const Collide__V1__Acks *from);

#endif
