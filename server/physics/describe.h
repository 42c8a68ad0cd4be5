/* describe: what a world is made of, for those who have not its definition but the world, or only a snapshot: somebody who
 * draws it, checks it, or says what it may cost.
 *
 * One thread at a time, at a tick's boundary. Owns nothing. */
#ifndef COLLIDED_PHYSICS_DESCRIBE_H
#define COLLIDED_PHYSICS_DESCRIBE_H

#include "physics/physics.h"

/* What a snapshot says of its size, before anything in it has been checked; 0 each if it is too short even for that. Restoring
 * it takes memory for no more than that: it is refused unless these make up its bytes. */
struct snapshot_outline {
	uint64_t circles, segments;
	uint64_t tick;
};

struct snapshot_outline snapshot_outline(const void *snapshot, size_t size);
/* Whether the bytes begin as a snapshot does. */
bool snapshot_is_one(const void *bytes, size_t size);

/* A definition of the world as it is now, ascending by id; `circles` and `segments` are of the caller's, world_body_count and
 * world_segment_count of them; relations are the world's own, valid while it lives. A world made of it stands and moves the
 * same at first, but has not what the resting solver keeps, nobody in it sleeps, it is at tick 0, and moments of inertia are
 * off by rounding: to go on, restore a snapshot. */
void world_describe(const struct world *world, struct circle_def *circles, struct segment_def *segments, struct world_def *def);
/* What has been told to begin, or enter, and not to end, or exit (struct pair_event); index < world_open_pair_count. */
struct open_pair {
	uint32_t a, b; /* ids, as in struct pair_event */
	enum contact_other other;
	bool inside; /* b is a sensor; else they touch */
};

size_t world_open_pair_count(const struct world *world);
struct open_pair world_open_pair(const struct world *world, size_t index);

uint32_t world_events_per_body_max(const struct world *world);
uint64_t world_work_per_tick_max(const struct world *world);
uint64_t world_work_per_body_max(const struct world *world);
/* Changes contacts_per_tick_max of the definition: who runs a restored world has a limit of his own. */
void world_contacts_max_set(struct world *world, size_t contacts_per_tick_max);

#endif
