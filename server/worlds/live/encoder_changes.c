/* What commands have made of definitions since an encoder's last update. */
#include "scene/definition/scene_tell.h"
#include "worlds/commands/ids.h"
#include "worlds/live/encoder.h"
#include "worlds/live/live_private.h"

/* Ids of a kind in the log, each once, ascending. NULL: the arena is used up. */
static uint32_t *
logged_ids(const struct encoder *encoder, struct live_world *world, enum change_kind kind, size_t *count)
{
	const struct change_log *log = &world->changes;
	size_t from = (size_t)(encoder->changes_told - log->first), found = 0, unique = 0;
	uint32_t *ids = arena_room(&world->arena, log->count - from, sizeof *ids);

	*count = 0;
	if (!ids)
		return NULL;
	for (size_t i = from; i < log->count; i++)
		if (log->entries[i].kind == (uint32_t)kind)
			ids[found++] = log->entries[i].id;
	ids_sort(ids, found);
	for (size_t i = 0; i < found; i++)
		if (unique == 0 || ids[i] != ids[unique - 1])
			ids[unique++] = ids[i];
	*count = unique;
	return ids;
}

/* Leaves those that are gone. */
static size_t
gone_keep(const struct live_world *world, bool segments, uint32_t *ids, size_t count)
{
	size_t kept = 0, index;

	for (size_t i = 0; i < count; i++)
		if (segments ? !world_segment_find(world->world, ids[i], &index) : !world_body_find(world->world, ids[i], &index))
			ids[kept++] = ids[i];
	return kept;
}

static bool
circles_tell(const struct encoder *encoder, struct live_world *world, Collide__V1__WorldChange *out)
{
	size_t count = 0, kept = 0, index;
	uint32_t *ids = logged_ids(encoder, world, CHANGE_CIRCLE, &count);
	struct circle_def *circles = arena_room(&world->arena, count, sizeof *circles);

	out->circles = arena_room(&world->arena, 1, sizeof *out->circles);
	if (!ids || !circles || !out->circles)
		return false;
	for (size_t i = 0; i < count; i++)
		if (world_body_find(world->world, ids[i], &index))
			circles[kept++] = world_circle(world->world, index);
	if (kept > 0)
		out->optional_circles_case = COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES_CIRCLES;
	return scene_tell_circles(&world->arena, circles, kept, out->circles);
}

static bool
segments_tell(const struct encoder *encoder, struct live_world *world, Collide__V1__WorldChange *out)
{
	size_t count = 0, kept = 0, index;
	uint32_t *ids = logged_ids(encoder, world, CHANGE_SEGMENT, &count);
	struct segment_def *segments = arena_room(&world->arena, count, sizeof *segments);

	out->segments = arena_room(&world->arena, 1, sizeof *out->segments);
	if (!ids || !segments || !out->segments)
		return false;
	for (size_t i = 0; i < count; i++)
		if (world_segment_find(world->world, ids[i], &index))
			segments[kept++] = world_segment(world->world, index);
	if (kept > 0)
		out->optional_segments_case = COLLIDE__V1__WORLD_CHANGE__OPTIONAL_SEGMENTS_SEGMENTS;
	return scene_tell_segments(&world->arena, segments, kept, out->segments);
}

static bool
removals_tell(const struct encoder *encoder, struct live_world *world, Collide__V1__WorldChange *out)
{
	out->removed_circles = logged_ids(encoder, world, CHANGE_CIRCLE_REMOVED, &out->n_removed_circles);
	out->removed_segments = logged_ids(encoder, world, CHANGE_SEGMENT_REMOVED, &out->n_removed_segments);
	if (!out->removed_circles || !out->removed_segments)
		return false;
	out->n_removed_circles = gone_keep(world, false, out->removed_circles, out->n_removed_circles);
	out->n_removed_segments = gone_keep(world, true, out->removed_segments, out->n_removed_segments);
	return true;
}

bool
encoder_changes(const struct encoder *encoder, struct live_world *world, Collide__V1__WorldChange *out, bool *any)
{
	bool clock = encoder->clock_told != world->clock_changes, logged = encoder->changes_told != change_log_end(&world->changes);

	*any = false;
	if (!clock && !logged)
		return true;
	collide__v1__world_change__init(out);
	arena_reset(&world->arena);
	world->arena.budget_bytes = SIZE_MAX; /* the ledger bounds it */
	if (logged &&
	    (!removals_tell(encoder, world, out) || !circles_tell(encoder, world, out) || !segments_tell(encoder, world, out)))
		return false;
	if (clock) {
		out->clock = (Collide__V1__Clock)world->clock.kind;
		out->tick_hz = world->clock.hz;
	}
	*any = clock || out->n_removed_circles + out->n_removed_segments > 0 ||
	       out->optional_circles_case != COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES__NOT_SET ||
	       out->optional_segments_case != COLLIDE__V1__WORLD_CHANGE__OPTIONAL_SEGMENTS__NOT_SET;
	return true;
}
