/* How a reader of paths goes over from one encoder to another: what leaves its list of circles, and what enters it. */
#include "base/pause.h"
#include "physics/describe.h"
#include "worlds/live/live_private.h"

/* Whether the encoder's readers have this circle of the world. */
static bool
has_circle(const struct encoder *encoder, uint32_t id)
{
	return !encoder_has_region(encoder) || region_members_have(&encoder->members, id);
}

/* Circles that the readers of `of` have and those of `but` do not: their indices in the world. NULL: the arena is used up. */
static size_t *
difference(struct live_world *world, const struct encoder *of, const struct encoder *but, size_t *count)
{
	size_t all = encoder_circle_count(of, world);
	size_t *indices = arena_room(&world->arena, all, sizeof *indices);

	*count = 0;
	for (size_t i = 0; indices && i < all && !pause_after(1); i++) {
		size_t index = encoder_circle_index(of, world, i);

		if (!has_circle(but, world_body(world->world, index).id))
			indices[(*count)++] = index;
	}
	return indices;
}

static bool
enter_tell(struct live_world *world, const size_t *indices, size_t count, Collide__V1__WorldChange *change)
{
	struct circle_def *defs = arena_room(&world->arena, count, sizeof *defs);

	if (!defs || !encoder_motion_rooms(&world->arena, count, change))
		return false;
	for (size_t i = 0; i < count && !pause_after(4); i++) {
		defs[i] = world_circle(world->world, indices[i]);
		encoder_motion_tell(&world->paths.circles[indices[i]], (uint32_t)i, change);
	}
	return encoder_circles_tell(world, defs, count, change);
}

static bool
leave_tell(struct live_world *world, const size_t *indices, size_t count, Collide__V1__WorldChange *change)
{
	change->removed_circles = arena_room(&world->arena, count, sizeof *change->removed_circles);
	for (size_t i = 0; change->removed_circles && i < count; i++)
		change->removed_circles[i] = world_body(world->world, indices[i]).id;
	change->n_removed_circles = change->removed_circles ? count : 0;
	return change->removed_circles != NULL;
}

static bool
block_add(const struct live_world *world, Collide__V1__WorldChange *change, struct encoder_blocks *out)
{
	Collide__V1__WorldUpdate update;
	Collide__V1__Paths paths;
	struct buffer bytes = { .count = 0 };

	collide__v1__world_update__init(&update);
	collide__v1__paths__init(&paths);
	update.tick = world->tick;
	update.lost_ticks = world->clock.lost;
	if (change->n_removed_circles > 0 ||
	    change->optional_circles_case != COLLIDE__V1__WORLD_CHANGE__OPTIONAL_CIRCLES__NOT_SET) {
		paths.changes = &change;
		paths.n_changes = 1;
		update.optional_paths_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_PATHS_PATHS;
		update.paths = &paths;
	}

	uint8_t *at = buffer_extend(&bytes, collide__v1__world_update__get_packed_size(&update));

	if (at)
		(void)collide__v1__world_update__pack(&update, at);
	return encoder_blocks_add(out, &bytes);
}

bool
encoder_bridge(const struct encoder *from, const struct encoder *to, struct live_world *world, struct encoder_blocks *out,
               bool *bridged)
{
	Collide__V1__WorldChange change;
	size_t enter_count, leave_count;

	arena_reset(&world->arena);
	world->arena.budget_bytes = SIZE_MAX; /* the ledger bounds it */
	collide__v1__world_change__init(&change);
	change.tick = world->tick;

	const size_t *enter = difference(world, to, from, &enter_count), *leave = difference(world, from, to, &leave_count);

	if (!enter || !leave)
		return false;
	*bridged = enter_count <= ENCODER_KEY_ROWS_MAX;
	return !*bridged || (leave_tell(world, leave, leave_count, &change) && enter_tell(world, enter, enter_count, &change) &&
	                     block_add(world, &change, out));
}
