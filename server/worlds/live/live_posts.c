/* What the loop asks of a live world, in the order in which it asks. */
#include "base/pause.h"
#include "worlds/live/live_private.h"

/* What a post costs at least. There may be very many. */
#define POST_UNITS 16

/* Whether ticks may be asked for now; else the problem says why not. */
static bool
step_allows(const struct live_world *world, struct wire_problem *problem)
{
	if (world->failed)
		(void)wire_problem_set(problem, STATUS_FAILED_PRECONDITION, "WORLD_FAILED", "", "%s", live_failed_text);
	else if (world->clock.kind != WORLD_CLOCK_CLIENT)
		(void)wire_problem_set(problem, STATUS_FAILED_PRECONDITION, "CLOCK", "", "the world does not go by a client's clock");
	return problem->status == STATUS_OK;
}

static bool
post_step(struct live_world *world, const struct post *post)
{
	struct answer *answer = draft_answer_create(post->ask);
	bool refused = false;

	if (!answer)
		return false;
	answer->tick = world->tick;
	if (!step_allows(world, &answer->problem)) {
		refused = true;
	} else if (!step_queue_add(&world->steps, post, world->tick, answer, &refused)) {
		refused = true;
		(void)wire_problem_set(&answer->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "", "no memory for it in its world");
	}
	if (refused)
		draft_answer(&world->draft, answer);
	return true;
}

/* Ticks that clients have asked for are not made by another clock. */
static void
steps_drop(struct live_world *world)
{
	struct answer *answer;

	while ((answer = step_queue_drop(&world->steps))) {
		(void)wire_problem_set(&answer->problem, STATUS_FAILED_PRECONDITION, "CLOCK", "",
		                       "the world goes by another clock now");
		answer->tick = world->tick;
		draft_answer(&world->draft, answer);
	}
}

/* False: no memory; nothing has happened. */
static bool
post_clock(struct live_world *world, const struct post *post)
{
	struct answer *answer = post->ask != 0 ? draft_answer_create(post->ask) : NULL;

	if (post->ask != 0 && !answer)
		return false;
	if (post->clock.clock != WORLD_CLOCK_CLIENT)
		steps_drop(world);
	world->policy.clock = post->clock.clock;
	world->policy.tick_hz = post->clock.tick_hz;
	world->clock_changes++;
	tick_clock_set(&world->clock, post->clock.clock, post->clock.tick_hz, world->tick + 1, post->clock.base_ns);
	if (answer) {
		answer->tick = world->tick;
		draft_answer(&world->draft, answer);
	}
	return true;
}

static bool
post_end(struct live_world *world)
{
	struct answer *answer;

	while ((answer = step_queue_drop(&world->steps))) {
		(void)wire_problem_set(&answer->problem, STATUS_CANCELLED, "WORLD_GONE", "", "the world was destroyed");
		answer->tick = world->tick;
		draft_answer(&world->draft, answer);
	}
	if (!draft_reserve(&world->draft) ||
	    !live_batches_refuse(world, STATUS_CANCELLED, "WORLD_GONE", "the world was destroyed") || !live_batches_lose(world))
		return false;
	live_moments_refuse(world, STATUS_CANCELLED, "WORLD_GONE", "the world was destroyed");
	/* Those that leave it are told. */
	if (!world->failed)
		(void)live_hash(world);
	world->ended = true;
	return true;
}

/* False: no memory; nothing has happened. *given NULL: it is kept. */
static bool
post_take(struct live_world *world, struct post **given)
{
	struct post *post = *given;

	switch (post->kind) {
	case POST_BATCH: return post->batch.stays ? live_mirrored_add(world, post) : live_batch_add(world, given);
	case POST_STEP: return post_step(world, post);
	case POST_CLOCK: return post_clock(world, post);
	case POST_SEEN: tick_clock_seen(&world->clock, post->seen, world->tick + 1, world->now_ns); return true;
	case POST_SEAT_ENDED: live_seat_end(world, post->seat_ended); return true;
	case POST_END: return post_end(world);
	case POST_ENCODER: return live_encoder_set(world, post);
	case POST_KEY: live_key_ask(world, post->key_of); return true;
	case POST_STEER: return live_steer_add(world, post);
	case POST_SNAPSHOT: return live_snapshot(world, post);
	case POST_RESTORE: return live_restore(world, post);
	case POST_UNDO: live_undo(world, post); return true;
	case POST_REMAKE: (void)live_rollback(world); return true;
	case POST_MOMENT: return live_moment_ask(world, post);
	}
	return true;
}

bool
live_posts_take(struct live_world *world)
{
	struct post **end = &world->posts;

	while (*end)
		end = &(*end)->next;
	*end = inbox_take(&world->inbox);
	while (world->posts && !world->ended) {
		struct post *post = world->posts, *next = post->next;

		pause_give_way(POST_UNITS);
		if (!post_take(world, &post))
			return false;
		world->posts = next;
		post_free(post);
	}
	return true;
}
