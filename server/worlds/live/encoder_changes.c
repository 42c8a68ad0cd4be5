/* What commands have made of definitions since an encoder's last update. */
#include "physics/describe.h"
#include "scene/definition/scene_tell.h"
#include "worlds/commands/ids.h"
#include "worlds/live/encoder.h"
#include "worlds/live/live_private.h"

/* Ids of a kind in the log, each once, ascending. NULL: the arena is used up. */
static uint32_t *
logged_ids(struct live_world *world, uint64_t first, enum change_kind kind, size_t *count)
{
	const struct change_log *log = &world->changes;
	size_t from = (size_t)(first - log->first), found = 0, unique = 0;
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
circles_tell(struct live_world *world, uint64_t from, Collide__V1__WorldChange *out)
{
	size_t count = 0, kept = 0, index;
	uint32_t *ids = logged_ids(world, from, CHANGE_CIRCLE, &count);
	struct circle_def *circles = arena_room(&world->arena, count, sizeof *circles);

	if (!ids || !circles)
		return false;
	for (size_t i = 0; i < count; i++)
		if (world_body_find(world->world, ids[i], &index))
			circles[kept++] = world_circle(world->world, index);
	return encoder_circles_tell(world, circles, kept, out);
}

static bool
segments_tell(struct live_world *world, uint64_t from, Collide__V1__WorldChange *out)
{
	size_t count = 0, kept = 0, index;
	uint32_t *ids = logged_ids(world, from, CHANGE_SEGMENT, &count);
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
removals_tell(struct live_world *world, uint64_t from, Collide__V1__WorldChange *out)
{
	out->removed_circles = logged_ids(world, from, CHANGE_CIRCLE_REMOVED, &out->n_removed_circles);
	out->removed_segments = logged_ids(world, from, CHANGE_SEGMENT_REMOVED, &out->n_removed_segments);
	if (!out->removed_circles || !out->removed_segments)
		return false;
	out->n_removed_circles = gone_keep(world, false, out->removed_circles, out->n_removed_circles);
	out->n_removed_segments = gone_keep(world, true, out->removed_segments, out->n_removed_segments);
	return true;
}

static bool
gravity_tell(struct live_world *world, uint64_t from, Collide__V1__WorldChange *out)
{
	const struct change_log *log = &world->changes;
	size_t i = (size_t)(from - log->first);
	struct world_def def;

	while (i < log->count && log->entries[i].kind != CHANGE_GRAVITY)
		i++;
	if (i == log->count)
		return true;
	out->gravity = arena_room(&world->arena, 1, sizeof *out->gravity);
	if (!out->gravity)
		return false;
	world_describe_settings(world->world, &def);
	collide__v1__vector__init(out->gravity);
	out->gravity->x = def.gravity_x;
	out->gravity->y = def.gravity_y;
	out->optional_gravity_case = COLLIDE__V1__WORLD_CHANGE__OPTIONAL_GRAVITY_GRAVITY;
	return true;
}

bool
encoder_circles_tell(struct live_world *world, const struct circle_def *circles, size_t count, Collide__V1__WorldChange *out)
{
	out->circles = arena_room(&world->arena, 1, sizeof *out->circles);
	if (!out->circles)
		return false;
	out->optional_circles_case = count == 0 ? COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES__NOT_SET
	                                        : COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES_CIRCLES;
	return scene_tell_circles(&world->arena, circles, count, out->circles);
}

bool
encoder_log_tell(struct live_world *world, uint64_t from, Collide__V1__WorldChange *out, bool *any)
{
	collide__v1__world_change__init(out);
	arena_reset(&world->arena);
	world->arena.budget_bytes = SIZE_MAX; /* the ledger bounds it */
	*any = false;
	if (from == change_log_end(&world->changes))
		return true;
	if (!removals_tell(world, from, out) || !circles_tell(world, from, out) || !segments_tell(world, from, out) ||
	    !gravity_tell(world, from, out))
		return false;
	*any = out->n_removed_circles + out->n_removed_segments > 0 ||
	       out->optional_circles_case != COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES__NOT_SET ||
	       out->optional_gravity_case != COLLIDE__V1__WORLD_CHANGE__OPTIONAL_GRAVITY__NOT_SET ||
	       out->optional_segments_case != COLLIDE__V1__WORLD_CHANGE__OPTIONAL_SEGMENTS__NOT_SET;
	return true;
}

Collide__V1__SegmentMotions *
encoder_motions_tell(struct live_world *world)
{
	size_t count = world_moving_count(world->world);
	Collide__V1__SegmentMotions *out = arena_room(&world->arena, 1, sizeof *out);

	if (!out)
		return NULL;
	collide__v1__segment_motions__init(out);

	double *columns = arena_room(&world->arena, 6 * count, sizeof *columns);

	out->id = arena_room(&world->arena, count, sizeof *out->id);
	if (!columns || !out->id)
		return NULL;
	out->x1 = columns, out->y1 = columns + count;
	out->x2 = columns + 2 * count, out->y2 = columns + 3 * count;
	out->moved_x = columns + 4 * count, out->moved_y = columns + 5 * count;
	out->n_id = out->n_x1 = out->n_y1 = out->n_x2 = out->n_y2 = out->n_moved_x = out->n_moved_y = count;
	for (size_t i = 0; i < count; i++) {
		struct segment_motion motion = world_segment_motion(world->world, i);

		out->id[i] = motion.id;
		out->x1[i] = motion.x1, out->y1[i] = motion.y1;
		out->x2[i] = motion.x2, out->y2[i] = motion.y2;
		out->moved_x[i] = motion.moved_x, out->moved_y[i] = motion.moved_y;
	}
	return out;
}

bool
encoder_changes(const struct encoder *encoder, struct live_world *world, Collide__V1__WorldChange *out, bool *any)
{
	bool clock = encoder->clock_told != world->clock_changes;

	/* Those of paths are told with their ticks, and readers of commands know them. */
	if (!encoder_log_tell(world,
	                      encoder->options.paths || encoder->options.commands ? change_log_end(&world->changes)
	                                                                          : encoder->changes_told,
	                      out, any))
		return false;
	if (clock) {
		out->clock = (Collide__V1__Clock)world->clock.kind;
		out->tick_hz = world->clock.hz;
	}
	*any = *any || clock;
	return true;
}
