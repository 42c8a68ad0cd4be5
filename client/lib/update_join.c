#include "client/lib/update_join.h"

#include "client/lib/failure.h"
#include "client/lib/scene_view.h"

#include <stdlib.h>

struct update_join {
	struct merge *merge;
	Collide__V1__ServerMessage *first; /* of an update in parts: its first one */
	bool partial;
	struct collide_world_update update;
	struct collide_key key;
	struct collide_bounds bounds;             /* of the key's scene, as the next one */
	struct collide_group_relation *relations; /* owned */
	struct collide_world_change changes;
};

struct update_join *
update_join_create(size_t bytes_max)
{
	struct update_join *join = calloc(1, sizeof *join);
	if (!join)
		return NULL;
	join->merge = merge_create(bytes_max);
	if (join->merge)
		return join;
	free(join);
	return NULL;
}

static void
first_release(struct update_join *join)
{
	if (join->first)
		collide__v1__server_message__free_unpacked(join->first, NULL);
	join->first = NULL;
}

void
update_join_destroy(struct update_join *join)
{
	if (!join)
		return;
	first_release(join);
	merge_destroy(join->merge);
	free(join->relations);
	free(join);
}

static enum merge_result
key_set(struct update_join *join, const Collide__V1__Key *key)
{
	join->key = (struct collide_key){ .epoch = key->epoch,
		                              .map_hash = key->map_hash,
		                              .dt = key->dt,
		                              .clock = (enum collide_clock)key->clock,
		                              .tick_hz = key->tick_hz };
	failure_copy_text(join->key.map, sizeof join->key.map, key->map);
	join->update.key = &join->key;
	if (key->optional_scene_case != COLLIDE__V1__KEY__OPTIONAL_SCENE_SCENE)
		return key->snapshot.len > 0 ? MERGE_MORE : MERGE_MALFORMED; /* of STREAM_COMMANDS */
	free(join->relations);
	join->relations = NULL;
	switch (scene_view(key->scene, &join->key.scene, &join->bounds, &join->relations)) {
	case SCENE_VIEWED: return MERGE_MORE;
	case SCENE_MALFORMED: return MERGE_MALFORMED;
	case SCENE_NO_MEMORY: break;
	}
	return MERGE_NO_MEMORY;
}

static enum merge_result
changes_set(struct update_join *join, const Collide__V1__WorldChange *changes)
{
	join->changes = (struct collide_world_change){
		.removed_circles = { changes->removed_circles, changes->n_removed_circles },
		.removed_segments = { changes->removed_segments, changes->n_removed_segments },
		.clock = (enum collide_clock)changes->clock,
		.tick_hz = changes->tick_hz,
		.has_gravity = changes->optional_gravity_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_GRAVITY_GRAVITY,
	};
	join->update.changes = &join->changes;
	bool good = true;
	if (join->changes.has_gravity) {
		join->changes.gravity_x = changes->gravity->x;
		join->changes.gravity_y = changes->gravity->y;
	}
	if (changes->optional_circles_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES_CIRCLES)
		good = circles_told(changes->circles, &join->changes.circles);
	if (changes->optional_segments_case == COLLIDE__V1__WORLD_CHANGE__OPTIONAL_SEGMENTS_SEGMENTS)
		good = segments_told(changes->segments, &join->changes.segments) && good;
	return good ? MERGE_MORE : MERGE_MALFORMED;
}

/* All but the frame, from the first part. */
static enum merge_result
update_begin(struct update_join *join, const Collide__V1__WorldUpdate *part)
{
	enum merge_result result = MERGE_MORE;
	first_release(join);
	join->update = (struct collide_world_update){
		.tick = part->tick,
		.ticks = part->ticks,
		.missed_ticks = part->missed_ticks,
		.hash = part->hash,
		.hash_tick = part->hash_tick,
		.lost_ticks = part->lost_ticks,
		.late_ns = part->late_ns,
		.steered = part->steered,
		.encoding = part->encoding,
		.final_tick = part->final_tick,
		.provisional = part->provisional,
	};
	if (part->optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY)
		result = key_set(join, part->key);
	if (result == MERGE_MORE && part->optional_changes_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_CHANGES_CHANGES)
		result = changes_set(join, part->changes);
	return result;
}

/* What only the last part may tell: as with frames, the later part counts. */
static void
scalars_take(struct collide_world_update *update, const Collide__V1__WorldUpdate *part)
{
	update->ticks = part->ticks != 0 ? part->ticks : update->ticks;
	update->missed_ticks = part->missed_ticks != 0 ? part->missed_ticks : update->missed_ticks;
	update->lost_ticks = part->lost_ticks != 0 ? part->lost_ticks : update->lost_ticks;
	update->final_tick = part->final_tick != 0 ? part->final_tick : update->final_tick;
	update->provisional = update->provisional || part->provisional;
	update->late_ns = part->late_ns != 0 ? part->late_ns : update->late_ns;
	if (part->hash_tick != 0 || part->hash != 0) {
		update->hash = part->hash;
		update->hash_tick = part->hash_tick;
	}
}

enum merge_result
update_join_add(struct update_join *join, Collide__V1__ServerMessage **message)
{
	const Collide__V1__WorldUpdate *part = (*message)->world_update;
	enum merge_result result = join->partial ? MERGE_MORE : update_begin(join, part);
	if (result != MERGE_MORE)
		return result;
	if (part->tick != join->update.tick)
		return MERGE_MALFORMED;
	if (join->partial)
		scalars_take(&join->update, part);
	if (part->optional_frame_case != COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME)
		return join->partial ? MERGE_MALFORMED : MERGE_WHOLE;
	result = merge_add(join->merge, part->frame);
	if (result == MERGE_WHOLE)
		join->update.frame = merge_frame(join->merge);
	if (result == MERGE_MORE && !join->partial) {
		join->first = *message;
		*message = NULL;
	}
	join->partial = result == MERGE_MORE;
	return result;
}

bool
update_join_is_partial(const struct update_join *join)
{
	return join->partial;
}

const struct collide_world_update *
update_join_update(const struct update_join *join)
{
	return &join->update;
}
