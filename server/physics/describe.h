/* describe: what a world contains, for code that has only the world, or only a snapshot of it: to draw it, check it, or
 * estimate its cost.
 *
 * One thread at a time, at a tick's boundary. Owns nothing. */
#ifndef COLLIDED_PHYSICS_DESCRIBE_H
#define COLLIDED_PHYSICS_DESCRIBE_H

#include "physics/physics.h"

/* What a snapshot says about its size, before anything in it has been checked; all 0 if it is too short even for that.
 * Restoring takes memory for no more than that: a snapshot is refused unless these numbers add up to its bytes. */
struct snapshot_outline {
	uint64_t circles, segments;
	uint64_t tick;
	double dt; /* of the last tick; 0: there was none */
};

struct snapshot_outline snapshot_outline(const void *snapshot, size_t size);
/* Whether the bytes begin like a snapshot. */
bool snapshot_is_one(const void *bytes, size_t size);

/* A definition of the world's present state, ascending by id. `circles` and `segments` are the caller's, world_body_count and
 * world_segment_count of them; relations are the world's own, valid while it lives. A world made from it has the same state and
 * moves the same way at first. It differs in four points: it lacks the rest solver's state, no body sleeps, it is at tick 0,
 * and moments of inertia are off by rounding. To continue a world, restore a snapshot. */
void world_describe(const struct world *world, struct circle_def *circles, struct segment_def *segments, struct world_def *def);
/* The same without circles and segments: *def has none. */
void world_describe_settings(const struct world *world, struct world_def *def);
/* A pair with a begin or enter reported, and no end or exit so far (struct pair_event); index < world_open_pair_count. */
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
/* Changes contacts_per_tick_max of the definition: the owner of a restored world may have a limit of its own. */
void world_contacts_max_set(struct world *world, size_t contacts_per_tick_max);

#endif
