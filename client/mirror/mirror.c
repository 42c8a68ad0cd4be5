#include "client/mirror/mirror.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "client/lib/failure.h"
#include "worlds/live/live_private.h"
#include "worlds/live/world_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TURN_NS UINT64_C(1000000000)

struct mirror {
	struct worlds_limits limits;
	struct scene_limits scene_limits;
	const struct workers *workers;
	struct live_world *live; /* NULL: there was no key */
	struct buffer key;       /* parts of one */
	double key_dt;
	uint64_t now_ns; /* no clock: a second passes with each turn, so that it may go back as often as the server did */
	uint64_t key_epoch;
	struct mirrored told;
	void (*on_tick)(void *context, struct mirror *mirror);
	void *context;
};

/* Its turns are not measured. */
static uint64_t
no_clock(void)
{
	return 0;
}

struct mirror *
mirror_create(void)
{
	struct mirror *mirror = memory_zeroed(1, sizeof *mirror);
	if (!mirror)
		return NULL;
	mirror->scene_limits = scene_limits_default();
	/* What the server has let pass is not refused here. */
	mirror->limits = (struct worlds_limits){ .batch_rows_max = UINT32_MAX,
		                                     .batch_bytes_max = UINT32_MAX,
		                                     .history_ticks_max = WORLDS_HISTORY_TICKS_MAX,
		                                     .world_bytes_max = UINT64_MAX / 2,
		                                     .journal_bytes_max = UINT64_C(1) << 28,
		                                     .resimulated_ticks_max = UINT32_MAX };
	return mirror;
}

static void
live_drop(struct mirror *mirror)
{
	live_world_destroy(mirror->live);
	mirror->live = NULL;
	mirror->told.ready = false;
}

void
mirror_destroy(struct mirror *mirror)
{
	if (!mirror)
		return;
	live_drop(mirror);
	buffer_finish(&mirror->key);
	memory_free(mirror);
}

void
mirror_workers_set(struct mirror *mirror, const struct workers *workers)
{
	mirror->workers = workers;
}

void
mirror_on_tick(struct mirror *mirror, void (*on_tick)(void *context, struct mirror *mirror), void *context)
{
	mirror->on_tick = on_tick;
	mirror->context = context;
}

struct mirrored
mirror_state(const struct mirror *mirror)
{
	return mirror->told;
}

const struct world *
mirror_world(const struct mirror *mirror)
{
	return mirror->live ? mirror->live->world : NULL;
}

void *
mirror_snapshot(struct mirror *mirror, size_t *bytes)
{
	struct buffer out = { .count = 0 };
	uint8_t *taken = NULL;
	*bytes = 0;
	if (mirror->live && world_state_append(mirror->live, true, &out))
		buffer_take(&out, &taken, bytes);
	buffer_finish(&out);
	return taken;
}

/* ---- keys */

static bool
broken(struct mirror *mirror, struct collide_error *error, const char *reason, const char *text)
{
	live_drop(mirror);
	return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, reason, "%s", text);
}

static bool
key_open(struct mirror *mirror, uint64_t tick, struct collide_error *error)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct world_start *start = NULL;
	struct arena arena;
	arena_init(&arena, SIZE_MAX / 2);
	enum status status = world_start_bytes(&arena, mirror->key.bytes, mirror->key.count, &mirror->scene_limits, NULL, "key",
	                                       &start, &problem);
	arena_finish(&arena);
	mirror->key.count = 0;
	live_drop(mirror);
	if (status != STATUS_OK)
		return failure_set(error, COLLIDE_FROM_LIBRARY, (enum collide_code)status, "BAD_KEY", "%s: %s", problem.field,
		                   problem.text);
	struct live_world_options options = {
		.limits = &mirror->limits,
		.scene_limits = &mirror->scene_limits,
		.policy = { .clock = WORLD_CLOCK_CLIENT,
		            .dt = mirror->key_dt,
		            .tick_hz = 1,
		            .late = WORLD_LATE_RESIMULATE,
		            .history_ticks = WORLDS_HISTORY_TICKS_MAX,
		            .hash_every = UINT32_MAX },
		.epoch = mirror->key_epoch,
		.map_name = "",
		.owner = mirror,
		.cpu_ns = no_clock,
	};
	mirror->live = live_world_create(&options, start);
	if (!mirror->live) {
		world_start_destroy(start);
		return failure_memory(error);
	}
	if (mirror->live->tick > tick)
		return broken(mirror, error, "BAD_KEY", "the key's snapshot is of a later tick than its update");
	mirror->told = (struct mirrored){
		.ready = true, .epoch = mirror->key_epoch, .tick = mirror->live->tick, .dt = mirror->key_dt
	};
	return true;
}

/* ---- updates */

static bool
post_give(struct mirror *mirror, struct post *post, struct collide_error *error)
{
	if (!post)
		return failure_memory(error);
	live_world_post(mirror->live, post);
	return true;
}

static bool
applied_post(struct mirror *mirror, const Collide__V1__AppliedBatch *applied, struct collide_error *error)
{
	bool ended = applied->commands.len == 0;
	struct post *post = post_create(ended ? POST_SEAT_ENDED : POST_BATCH, ended ? 0 : applied->commands.len);
	if (post && ended) {
		post->seat_ended = applied->seat;
	} else if (post) {
		/* It has had its rights: those of the server's seat are not known here. */
		post->batch.right = SEAT_STEP;
		post->batch.seat = applied->seat;
		post->batch.seat_next = UINT32_MAX;
		post->batch.sequence = applied->sequence;
		post->batch.tick = applied->tick;
		memcpy(post->bytes, applied->commands.data, applied->commands.len);
		mirror->told.batches++;
	}
	return post_give(mirror, post, error);
}

static bool
undone_post(struct mirror *mirror, const Collide__V1__AppliedBatch *undone, struct collide_error *error)
{
	struct post *post = post_create(POST_UNDO, 0);
	if (post) {
		post->undo.tick = undone->tick;
		post->undo.seat = undone->seat;
		post->undo.sequence = undone->sequence;
		mirror->told.undone++;
	}
	return post_give(mirror, post, error);
}

/* One that the server has let take effect must do so here. */
static bool
outcomes_are_good(const struct news *news)
{
	for (const struct decided *decided = news->decided; decided; decided = decided->next)
		if (decided->effective_count < decided->count)
			return false;
	return true;
}

/* Makes ticks up to that one; false: it cannot. *good: batches took effect as they should. */
static bool
ticks_make(struct mirror *mirror, uint64_t tick, bool *good)
{
	struct post *post = post_create(POST_STEP, 0);
	enum turn_next next = TURN_SOON;
	if (!post)
		return false;
	post->step.ticks = tick - mirror->live->tick;
	live_world_post(mirror->live, post);
	while (next == TURN_SOON && !mirror->live->failed) {
		struct live_turn turn = live_world_turn(mirror->live, mirror->now_ns, NULL, mirror->workers);
		mirror->now_ns += TURN_NS;
		*good = *good && (!turn.news || outcomes_are_good(turn.news));
		news_free(turn.news);
		next = turn.next;
	}
	mirror->told.remade = mirror->live->late.remade;
	return !mirror->live->failed && mirror->live->tick == tick;
}

/* The same tick by tick, if someone looks. */
static bool
ticks_go(struct mirror *mirror, uint64_t tick, bool *good)
{
	while (mirror->on_tick && mirror->live->tick + 1 < tick) {
		if (!ticks_make(mirror, mirror->live->tick + 1, good))
			return false;
		mirror->told.tick = mirror->live->tick;
		mirror->on_tick(mirror->context, mirror);
	}
	if (mirror->live->tick < tick && !ticks_make(mirror, tick, good))
		return false;
	if (mirror->on_tick && mirror->told.tick < tick) {
		mirror->told.tick = tick;
		mirror->on_tick(mirror->context, mirror);
	}
	mirror->told.tick = tick;
	return true;
}

static bool
hash_check(struct mirror *mirror, const Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	uint64_t hash = world_hash(mirror->live->world);
	if (hash == update->hash) {
		mirror->told.hashes++;
		mirror->told.hash_tick = update->hash_tick;
		mirror->told.hash = hash;
		return true;
	}
	live_drop(mirror);
	return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_FAILED_PRECONDITION, "HASH",
	                   "after tick %" PRIu64 " the state's hash is %016" PRIx64 ", and the server's %016" PRIx64,
	                   update->hash_tick, hash, update->hash);
}

/* Whether the same batch is in the list. */
static bool
batch_find(Collide__V1__AppliedBatch *const *list, size_t count, const Collide__V1__AppliedBatch *batch)
{
	size_t i = 0;
	while (i < count && (list[i]->seat != batch->seat || list[i]->sequence != batch->sequence || batch->sequence == 0))
		i++;
	return i < count;
}

static bool
batches_post(struct mirror *mirror, const Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	for (size_t i = 0; i < update->n_undone; i++)
		if (!batch_find(update->applied, update->n_applied, update->undone[i]) &&
		    !undone_post(mirror, update->undone[i], error))
			return false;
	/* Of those that were undone meanwhile the mirror has not heard. */
	for (size_t i = 0; i < update->n_applied; i++)
		if (!batch_find(update->undone, update->n_undone, update->applied[i]) &&
		    !applied_post(mirror, update->applied[i], error))
			return false;
	return true;
}

/* Up to the update's tick. */
static bool
batches_follow(struct mirror *mirror, const Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	bool good = true, hashed = update->hash_tick > mirror->live->tick && update->hash_tick <= update->tick;
	if (!batches_post(mirror, update, error)) {
		live_drop(mirror);
		return false;
	}
	if ((hashed && !ticks_go(mirror, update->hash_tick, &good)) || (hashed && !hash_check(mirror, update, error)))
		return mirror->live ? broken(mirror, error, "ENGINE", "a tick could not be made") : false;
	if (!ticks_go(mirror, update->tick, &good))
		return broken(mirror, error, "ENGINE", "a tick could not be made");
	return good || broken(mirror, error, "ENGINE", "a batch did not take effect as it did on the server");
}

/* A part of a key, or all of it. */
static bool
key_take(struct mirror *mirror, const Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	const Collide__V1__Key *key = update->key;
	bool more = update->optional_frame_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME && update->frame->more;
	if (key->dt > 0) {
		mirror->key.count = 0;
		mirror->key_dt = key->dt;
		mirror->key_epoch = key->epoch;
	}
	buffer_append(&mirror->key, key->snapshot.data, key->snapshot.len);
	if (mirror->key.failed) {
		buffer_finish(&mirror->key);
		return failure_memory(error);
	}
	/* That may be before the update's tick: the ticks since are made. */
	return more || (key_open(mirror, update->tick, error) && batches_follow(mirror, update, error));
}

static bool
update_take(struct mirror *mirror, const Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	if (update->tick < mirror->live->tick || update->tick - mirror->live->tick != update->ticks)
		return broken(mirror, error, "NOT_NEXT", "the update is not the next one");
	return batches_follow(mirror, update, error);
}

bool
mirror_update(struct mirror *mirror, const void *update, size_t bytes, struct collide_error *error)
{
	Collide__V1__WorldUpdate *message = collide__v1__world_update__unpack(NULL, bytes, update);
	bool taken;
	if (!message)
		return broken(mirror, error, "MALFORMED", "no WorldUpdate");
	if (message->optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY)
		taken = key_take(mirror, message, error);
	else if (!mirror->live)
		taken = failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_FAILED_PRECONDITION, "NO_KEY", "a key must come first");
	else
		taken = update_take(mirror, message, error);
	collide__v1__world_update__free_unpacked(message, NULL);
	return taken;
}
