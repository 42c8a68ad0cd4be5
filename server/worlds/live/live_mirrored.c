/* Batches of a mirror's world. They are decided elsewhere: by the server, or not yet, and then they are a prediction. So each
 * has its effect in exactly its tick, asks for no right, and has no outcome. One that is impossible stays in the journal all
 * the same. When its tick is made again, in another state, it is tried again.
 *
 * What can go wrong: its tick is before what can be made again; memory. Then the world fails, or nothing has happened. */
#include "base/memory.h"
#include "worlds/live/live_private.h"

bool
live_mirrored_add(struct live_world *world, const struct post *post)
{
	bool late = post->batch.tick <= world->tick;
	struct batch *batch = batch_create(post);

	if (!batch)
		return false;
	batch->stays = true;
	batch->seat_ended = post->count == 0;
	batch_tick_set(batch, post->batch.tick);
	if (late && !live_late_takes(world, batch->tick))
		live_fail(world, "LIMIT"); /* the history does not reach back so far */
	else if (waiting_add(late ? &world->late.waiting : &world->waiting, batch))
		return true;
	batch_destroy(batch);
	return world->failed != NULL;
}

static bool
undo_means(const struct post *post, const struct batch *batch)
{
	return batch->tick == post->undo.tick && batch->seat == post->undo.seat && batch->sequence == post->undo.sequence &&
	       !batch->undone;
}

void
live_undo(struct live_world *world, const struct post *post)
{
	struct batch *batch = world->journal.first;

	while (batch && !undo_means(post, batch))
		batch = batch->next;
	if (batch) {
		/* One without effect needs no tick again. */
		if (batch->idle || live_late_takes(world, batch->tick))
			batch->undone = true;
		return;
	}
	for (size_t i = 0; i < world->waiting.count; i++)
		if (undo_means(post, world->waiting.heap[i]))
			world->waiting.heap[i]->undone = true;
}

void
live_forget(struct live_world *world, uint64_t tick)
{
	journal_forget(&world->journal, tick);
	recent_states_forget(&world->recent, tick);
}

bool
live_mirrored_at(struct live_world *world, uint64_t tick, struct world_moment *out)
{
	const struct batch *batch = NULL;
	const struct journal_state *state = journal_find(&world->journal, world->tick, tick, &batch);

	if (!state || !live_moment_restore(world, state, out))
		return false;
	live_moment_swap(world, out);

	bool made = live_ticks_again(world, &batch, tick);

	live_moment_swap(world, out);
	if (!made)
		world_moment_finish(out);
	return made;
}

/* By a state in memory. False: there is none, and nothing has changed; or the world has failed. */
static bool
recent_hash(struct live_world *world, uint64_t tick, uint64_t *hash)
{
	const struct recent_state *then = recent_states_find(&world->recent, tick),
							  *now = recent_states_find(&world->recent, world->tick);

	if (!then || then->tick != tick || now->tick != world->tick || world_return(world->world, then->kept) != STATUS_OK)
		return false;
	*hash = world_hash(world->world);
	if (world_return(world->world, now->kept) == STATUS_OK)
		return true;
	live_fail(world, "LIMIT");
	return false;
}

bool
live_mirrored_hash(struct live_world *world, uint64_t tick, uint64_t *hash)
{
	struct world_moment moment;

	if (tick == world->tick) {
		*hash = world_hash(world->world);
		return true;
	}
	if (tick > world->tick || world->failed)
		return false;
	if (recent_hash(world, tick, hash))
		return true;
	if (world->failed || !live_mirrored_at(world, tick, &moment))
		return false;
	*hash = world_hash(moment.world);
	world_moment_finish(&moment);
	return true;
}
