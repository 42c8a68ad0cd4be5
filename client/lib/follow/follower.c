/* Happy path: a key, then one update after the other. What can go wrong: an update that is not the next one, bytes that are no
 * update, numbers that do not fit together, memory. */
#include "client/lib/follow/follower.h"

#include "client/lib/failure.h"

#include <stdlib.h>

struct collide_follower *
collide_follower_create(uint32_t history)
{
	struct collide_follower *follower = calloc(1, sizeof *follower);
	if (!follower)
		return NULL;
	follower->history = history == 0 ? FOLLOWER_HISTORY : history;
	follower->past = calloc(follower->history, sizeof *follower->past);
	if (follower->past)
		return follower;
	free(follower);
	return NULL;
}

void
collide_follower_destroy(struct collide_follower *follower)
{
	if (!follower)
		return;
	follow_past_finish(follower);
	free(follower->past);
	free(follower->circles);
	free(follower->segments);
	free(follower);
}

void
collide_follower_on_tick(struct collide_follower *follower,
                         void (*on_tick)(void *context, const struct collide_follower *follower), void *context)
{
	follower->on_tick = on_tick;
	follower->context = context;
}

static bool
update_take(struct collide_follower *follower, const Collide__V1__WorldUpdate *update, bool *memory)
{
	struct collide_followed *world = &follower->world;
	if (update->hash_tick != 0) {
		world->hash = update->hash;
		world->hash_tick = update->hash_tick;
	}
	if (update->optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY ||
	    update->optional_frame_case != COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME) {
		world->stale_error = update->stale_error;
		world->waiting_circles = update->waiting_circles;
	}
	if (update->optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY)
		return follow_key(follower, update, memory);
	/* Contacts, events and ends are not needed to go on. */
	if (update->optional_frame_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME)
		return true;
	if (!world->ready || update->tick < world->tick || update->tick - world->tick != update->ticks ||
	    update->ticks > FOLLOW_TICKS_MAX)
		return false;
	return follower->quantized.tolerance > 0.0 ? follow_quantized(follower, update, memory)
	                                           : follow_paths(follower, update, memory);
}

bool
follower_take(struct collide_follower *follower, const Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	bool memory = true;
	if (update_take(follower, update, &memory))
		return true;
	follower->world.ready = false;
	if (!memory)
		return failure_memory(error);
	return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, "MALFORMED",
	                   "the update of tick %llu does not go on from tick %llu", (unsigned long long)update->tick,
	                   (unsigned long long)follower->world.tick);
}

bool
collide_follower_update(struct collide_follower *follower, const void *bytes, size_t count, struct collide_error *error)
{
	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, count, bytes);
	if (!update) {
		follower->world.ready = false;
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, "MALFORMED",
		                   "these bytes are no WorldUpdate");
	}
	bool good = follower_take(follower, update, error);
	collide__v1__world_update__free_unpacked(update, NULL);
	return good;
}

struct collide_followed
collide_follower_world(const struct collide_follower *follower)
{
	struct collide_followed world = follower->world;
	world.circle_count = follower->circle_count;
	world.segment_count = follower->segment_count;
	return world;
}

struct collide_followed_circle
collide_follower_circle(const struct collide_follower *follower, size_t index)
{
	return follower->circles[index].seen;
}

struct collide_followed_segment
collide_follower_segment(const struct collide_follower *follower, size_t index)
{
	return follower->segments[index].seen;
}

bool
collide_follower_find(const struct collide_follower *follower, uint32_t id, size_t *index)
{
	size_t place = follow_circle_place(follower, id);
	if (place == follower->circle_count || follower->circles[place].seen.id != id)
		return false;
	*index = place;
	return true;
}
