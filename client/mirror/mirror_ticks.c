/* A mirror's world: its posts, its turns, and its end. */
#include "client/mirror/mirror.h"

#include "client/lib/failure.h"
#include "worlds/live/live_private.h"

#include <string.h>

#define TURN_NS UINT64_C(1000000000)

void
mirror_drop(struct collide_mirror *mirror)
{
	if (mirror->live)
		mirror->remade_before += mirror->live->late.remade;
	live_world_destroy(mirror->live);
	mirror->live = NULL;
	mirror->told.ready = false;
	mirror->hash.tick = 0;
}

bool
mirror_broken(struct collide_mirror *mirror, struct collide_error *error, const char *reason, const char *text)
{
	mirror_drop(mirror);
	return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, reason, "%s", text);
}

static bool
turns_take(struct collide_mirror *mirror)
{
	enum turn_next next = TURN_SOON;
	while (next == TURN_SOON && !mirror->live->failed) {
		struct live_turn turn = live_world_turn(mirror->live, mirror->now_ns, NULL, mirror->workers);
		mirror->now_ns += TURN_NS;
		news_free(turn.news);
		next = turn.next;
	}
	return !mirror->live->failed;
}

static bool
post_give(struct collide_mirror *mirror, struct post *post)
{
	if (post)
		live_world_post(mirror->live, post);
	return post != NULL;
}

bool
mirror_post(struct collide_mirror *mirror, uint32_t seat, uint64_t sequence, uint64_t tick, const void *bytes, size_t count)
{
	struct post *post = post_create(POST_BATCH, count);
	if (post) {
		post->batch.stays = true;
		/* It has had its rights: those of the server's seat are not known here. */
		post->batch.right = SEAT_STEP;
		post->batch.seat = seat;
		post->batch.seat_next = UINT32_MAX;
		post->batch.sequence = sequence;
		post->batch.tick = tick;
		if (count > 0)
			memcpy(post->bytes, bytes, count);
	}
	return post_give(mirror, post);
}

bool
mirror_post_undo(struct collide_mirror *mirror, uint32_t seat, uint64_t sequence, uint64_t tick)
{
	struct post *post = post_create(POST_UNDO, 0);
	if (post) {
		post->undo.seat = seat;
		post->undo.sequence = sequence;
		post->undo.tick = tick;
	}
	return post_give(mirror, post);
}

bool
mirror_settle(struct collide_mirror *mirror)
{
	return post_give(mirror, post_create(POST_REMAKE, 0)) && turns_take(mirror);
}

static bool
ticks_make(struct collide_mirror *mirror, uint64_t tick)
{
	struct post *post = post_create(POST_STEP, 0);
	if (post)
		post->step.ticks = tick - mirror->live->tick;
	return post_give(mirror, post) && turns_take(mirror) && mirror->live->tick == tick;
}

bool
mirror_ticks(struct collide_mirror *mirror, uint64_t tick)
{
	while (mirror->live->tick < tick) {
		/* Tick by tick, if someone looks. */
		if (!ticks_make(mirror, mirror->on_tick ? mirror->live->tick + 1 : tick))
			return false;
		mirror->told.tick = mirror->live->tick;
		bool is_new = mirror->told.tick > mirror->newest_tick;
		if (is_new)
			mirror->newest_tick = mirror->told.tick;
		if (is_new && mirror->on_tick)
			mirror->on_tick(mirror->context, mirror);
	}
	return true;
}
