#include "client/mirror/mirror.h"

#include "base/memory.h"
#include "client/lib/batch.h"
#include "client/lib/failure.h"
#include "worlds/live/live_private.h"
#include "worlds/live/world_state.h"

#include <stdlib.h>
#include <string.h>

struct collide_mirror *
collide_mirror_create(void)
{
	struct collide_mirror *mirror = memory_zeroed(1, sizeof *mirror);
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

void
collide_mirror_destroy(struct collide_mirror *mirror)
{
	if (!mirror)
		return;
	mirror_drop(mirror);
	mirror_key_finish(mirror);
	predictions_finish(&mirror->predictions);
	places_finish(&mirror->before);
	memory_free(mirror);
}

void
mirror_workers_set(struct collide_mirror *mirror, const struct workers *workers)
{
	mirror->workers = workers;
}

bool
mirror_observe(struct collide_mirror *mirror, const struct tick_observer *observer, unsigned events)
{
	return mirror->live && live_world_observe(mirror->live, observer, events);
}

void
collide_mirror_on_tick(struct collide_mirror *mirror, void (*on_tick)(void *context, struct collide_mirror *mirror),
                       void *context)
{
	mirror->on_tick = on_tick;
	mirror->context = context;
}

struct collide_mirrored
collide_mirror_state(const struct collide_mirror *mirror)
{
	struct collide_mirrored told = mirror->told;
	told.remade = mirror->remade_before + (mirror->live ? mirror->live->late.remade : 0);
	told.circle_count = mirror->live ? world_body_count(mirror->live->world) : 0;
	return told;
}

const struct world *
mirror_world(const struct collide_mirror *mirror)
{
	return mirror->live ? mirror->live->world : NULL;
}

struct collide_followed_circle
collide_mirror_circle(const struct collide_mirror *mirror, size_t index)
{
	const struct body_state body = world_body(mirror->live->world, index);
	return (struct collide_followed_circle){ .id = body.id,
		                                     .kind = (enum collide_kind)(body.kind + 1),
		                                     .x = body.x,
		                                     .y = body.y,
		                                     .vx = body.vx,
		                                     .vy = body.vy,
		                                     .angle = body.angle,
		                                     .spin = body.angular_velocity,
		                                     .radius = body.radius,
		                                     .mass = body.mass,
		                                     .tag = body.tag,
		                                     .asleep = body.asleep };
}

bool
collide_mirror_find(const struct collide_mirror *mirror, uint32_t id, size_t *index)
{
	size_t low = 0, high = mirror->live ? world_body_count(mirror->live->world) : 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint32_t found = world_body(mirror->live->world, middle).id;
		if (found == id) {
			*index = middle;
			return true;
		}
		if (found < id)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

struct collide_mirror_corrections
collide_mirror_corrections(const struct collide_mirror *mirror)
{
	return mirror->corrections;
}

bool
collide_mirror_difference(const struct collide_mirror *mirror, struct collide_mirror_difference *difference)
{
	if (mirror->differed)
		*difference = mirror->difference;
	return mirror->differed;
}

void *
collide_mirror_snapshot(struct collide_mirror *mirror, size_t *bytes)
{
	struct buffer out = { .count = 0 };
	uint8_t *taken = NULL;
	*bytes = 0;
	if (mirror->live && world_state_append(mirror->live, true, &out))
		buffer_take(&out, &taken, bytes);
	buffer_finish(&out);
	return taken;
}

/* ---- updates */

/* It follows on what was told, or on a key that waits. */
static bool
update_take(struct collide_mirror *mirror, const Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	if (mirror->key.whole && update->tick - update->ticks == mirror->key.tick && mirror->told.told_tick != mirror->key.tick &&
	    !mirror_key_open(mirror, error))
		return false;
	if (!mirror->live)
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_FAILED_PRECONDITION, "NO_KEY", "a key must come first");
	if (update->tick < mirror->told.told_tick || update->tick - mirror->told.told_tick != update->ticks)
		return mirror_broken(mirror, error, "NOT_NEXT", "the update is not the next one");
	if (update->ticks > WORLDS_UPDATE_EVERY_MAX)
		return mirror_broken(mirror, error, "TOO_FAR", "the update tells more ticks than any may");
	if (update->coded.len > 0)
		return mirror_broken(mirror, error, "CODED", "batches are coded, which a subscription would have read");
	if (update->hash_tick > update->tick || update->final_tick > update->tick)
		return mirror_broken(mirror, error, "MALFORMED", "the update has a hash, or calls final, what it does not tell");
	return mirror_follow(mirror, update, error);
}

bool
collide_mirror_update(struct collide_mirror *mirror, const void *update, size_t bytes, struct collide_error *error)
{
	Collide__V1__WorldUpdate *message = collide__v1__world_update__unpack(NULL, bytes, update);
	bool taken;
	mirror->corrections = (struct collide_mirror_corrections){ .tick = mirror->told.tick };
	if (!message)
		return mirror_broken(mirror, error, "MALFORMED", "no WorldUpdate");
	if (message->optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY)
		taken = mirror_key_part(mirror, message, error);
	else
		taken = update_take(mirror, message, error);
	collide__v1__world_update__free_unpacked(message, NULL);
	/* With a world of no use, or one that has come as far as the key, the key is the world. */
	if (mirror_key_ready(mirror, mirror->told.told_tick))
		return mirror_key_open(mirror, error);
	return taken;
}

bool
collide_mirror_take(void *mirror, const void *update, size_t bytes, struct collide_error *error)
{
	return collide_mirror_update(mirror, update, bytes, error);
}

/* ---- ahead of them */

static bool
predict(struct collide_mirror *mirror, uint32_t seat, uint64_t sequence, uint64_t tick, const void *bytes, size_t count)
{
	struct prediction *prediction = prediction_add(&mirror->predictions, seat, sequence, tick, bytes, count);
	if (!prediction)
		return false;
	if (!mirror_post(mirror, seat, sequence, tick, bytes, count)) {
		prediction_remove(&mirror->predictions, prediction);
		return false;
	}
	mirror->told.predicted++;
	return tick > mirror->live->tick || mirror_settle(mirror);
}

/* The tick in which a batch that names `wanted` is taken to have effect. */
static uint64_t
prediction_tick(const struct collide_mirror *mirror, uint32_t seat, uint64_t wanted)
{
	uint64_t least = mirror->told.final_tick + 1, tick = wanted != 0 ? wanted : mirror->live->tick + 1;
	uint64_t before = predictions_seat_tick(&mirror->predictions, seat);
	tick = tick < least ? mirror->told.told_tick + 1 : tick;
	return tick < before ? before : tick;
}

bool
collide_mirror_predict(struct collide_mirror *mirror, uint32_t seat, uint64_t sequence, const struct collide_batch *batch,
                       struct collide_error *error)
{
	/* A batch of nothing, as the server tells it: a field of no effect. */
	static const uint8_t nothing[] = { 1 << 3, 1 };
	if (!mirror->live)
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_FAILED_PRECONDITION, "NO_KEY", "a key must come first");
	if (sequence == 0)
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, "BAD_ARGUMENT",
		                   "a batch that was not sent has no sequence");
	struct batch_bytes *packed = batch_pack(batch, error);
	if (!packed)
		return false;
	size_t front = batch_tick_bytes(packed); /* the server tells batches without it */
	uint64_t tick = prediction_tick(mirror, seat, packed->tick != 0 ? packed->tick : batch->tick);
	bool good = packed->count > front ? predict(mirror, seat, sequence, tick, packed->bytes + front, packed->count - front)
	                                  : predict(mirror, seat, sequence, tick, nothing, sizeof nothing);
	free(packed);
	return good || failure_memory(error);
}

bool
collide_mirror_predict_commands(struct collide_mirror *mirror, uint32_t seat, uint64_t sequence, const void *commands,
                                size_t bytes, struct collide_error *error)
{
	const struct collide_batch batch = { .message = bytes > 0 ? commands : "", .message_bytes = bytes };
	return collide_mirror_predict(mirror, seat, sequence, &batch, error);
}

void
collide_mirror_outcome(struct collide_mirror *mirror, uint32_t seat, const struct collide_outcome *outcome)
{
	struct prediction *prediction = prediction_find(&mirror->predictions, seat, outcome->sequence);
	mirror->corrections = (struct collide_mirror_corrections){ .tick = mirror->told.tick };
	if (!prediction || outcome->code == COLLIDE_OK)
		return;
	if (!mirror->live) {
		/* There is nothing to take it back from, but the next key must not bring it again. */
		mirror->told.dropped++;
		prediction_remove(&mirror->predictions, prediction);
	} else if (!mirror_refused(mirror, prediction)) {
		mirror_drop(mirror);
	}
}

uint64_t
collide_mirror_advance(struct collide_mirror *mirror, uint64_t tick)
{
	uint64_t most = mirror->told.told_tick + COLLIDE_MIRROR_AHEAD_MAX;
	if (!mirror->live)
		return 0;
	if (!mirror_ticks(mirror, tick < most ? tick : most))
		mirror_drop(mirror);
	return mirror->live ? mirror->live->tick : 0;
}
