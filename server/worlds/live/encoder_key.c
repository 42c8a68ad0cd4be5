/* Keys: all that a reader needs to begin. */
#include "base/check.h"
#include "physics/describe.h"
#include "physics/wall_map.h"
#include "scene/definition/scene_tell.h"
#include "worlds/live/encoder.h"
#include "worlds/live/live_private.h"

#include <stdio.h>

/* Definitions of segments from *next on: of a world in a map those that are switched otherwise than there. */
static size_t
segments_take(const struct live_world *world, struct segment_def *to, size_t *next)
{
	const struct wall_map *map = world_map(world->world);
	size_t count = world_segment_count(world->world), taken = 0;

	for (; *next < count && taken < ENCODER_KEY_ROWS_MAX; ++*next) {
		struct segment_def segment = world_segment(world->world, *next);

		if (!map || wall_map_segment(map, *next).disabled != segment.disabled)
			to[taken++] = segment;
	}
	if (*next >= count)
		*next = SIZE_MAX;
	return taken;
}

size_t
encoder_circle_count(const struct encoder *encoder, const struct live_world *world)
{
	if (encoder_is_quantized(encoder))
		return encoder->states->count;
	return encoder_has_region(encoder) ? encoder->members.count : world_body_count(world->world);
}

size_t
encoder_circle_index(const struct encoder *encoder, const struct live_world *world, size_t place)
{
	size_t index = place;

	if (encoder_is_quantized(encoder))
		CHECK(world_body_find(world->world, encoder->states->circles[place].id, &index));
	else if (encoder_has_region(encoder))
		CHECK(world_body_find(world->world, encoder->members.ids[place], &index));
	return index;
}

/* The scene of a part of a key: circles first .. first + count and segments from *segment on. */
static bool
key_scene(const struct encoder *encoder, const struct live_world *world, struct arena *arena, size_t first, size_t count,
          size_t *segment, Collide__V1__Scene *scene)
{
	size_t segments = world_segment_count(world->world),
		   room = segments < ENCODER_KEY_ROWS_MAX ? segments : ENCODER_KEY_ROWS_MAX;
	struct circle_def *circles = arena_room(arena, count, sizeof *circles);
	struct segment_def *walls = *segment == SIZE_MAX ? NULL : arena_room(arena, room, sizeof *walls);

	scene->circle_columns = arena_room(arena, 1, sizeof *scene->circle_columns);
	scene->segment_columns = arena_room(arena, 1, sizeof *scene->segment_columns);
	if (!circles || (!walls && *segment != SIZE_MAX) || !scene->circle_columns || !scene->segment_columns)
		return false;
	for (size_t i = 0; i < count; i++) {
		circles[i] = world_circle(world->world, encoder_circle_index(encoder, world, first + i));
		if (encoder_is_quantized(encoder))
			encoder_quantized_circle(encoder, first + i, &circles[i]);
	}

	size_t wall_count = *segment == SIZE_MAX ? 0 : segments_take(world, walls, segment);

	if (!scene_tell_circles(arena, circles, count, scene->circle_columns) ||
	    !scene_tell_segments(arena, walls, wall_count, scene->segment_columns))
		return false;
	if (count > 0)
		scene->optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	if (wall_count > 0)
		scene->optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
	return true;
}

/* What the first part of a key says besides shapes. The name must live as long as the key. */
static bool
key_begin(const struct live_world *world, struct arena *arena, char *map_name, size_t map_name_bytes, Collide__V1__Key *key,
          Collide__V1__Scene *scene)
{
	struct world_def def;

	key->dt = world->policy.dt;
	key->clock = (Collide__V1__Clock)world->clock.kind;
	key->tick_hz = world->clock.hz;
	key->epoch = world->epoch;
	if (world_map(world->world)) {
		(void)snprintf(map_name, map_name_bytes, "%s", world->map_name);
		key->map = map_name;
		key->map_hash = wall_map_hash(world_map(world->world));
	}
	world_describe_settings(world->world, &def);
	return scene_tell_settings(arena, &def, scene);
}

/* How the part's circles move, for readers of paths: first .. first + count. */
static bool
key_paths(const struct encoder *encoder, const struct live_world *world, struct arena *arena, size_t first, size_t count,
          Collide__V1__Key *key)
{
	key->driven = arena_room(arena, count, sizeof *key->driven);
	key->asleep = arena_room(arena, count, sizeof *key->asleep);
	key->held = arena_room(arena, count, sizeof *key->held);
	key->held_ax = arena_room(arena, count, sizeof *key->held_ax);
	key->held_ay = arena_room(arena, count, sizeof *key->held_ay);
	if (!key->driven || !key->asleep || !key->held || !key->held_ax || !key->held_ay)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct reader_circle *circle = &world->paths.circles[encoder_circle_index(encoder, world, first + i)];

		if (circle->driven)
			key->driven[key->n_driven++] = (uint32_t)i;
		if (circle->asleep)
			key->asleep[key->n_asleep++] = (uint32_t)i;
		if (!circle->held)
			continue;
		key->held_ax[key->n_held_ax++] = circle->ax;
		key->held_ay[key->n_held_ay++] = circle->ay;
		key->held[key->n_held++] = (uint32_t)i;
	}
	return true;
}

static bool
key_moving(struct live_world *world, Collide__V1__Key *key)
{
	if (world_moving_count(world->world) == 0)
		return true;
	key->moving = encoder_motions_tell(world);
	key->optional_moving_case = COLLIDE__V1__KEY__OPTIONAL_MOVING_MOVING;
	return key->moving != NULL;
}

bool
encoder_key_blocks(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out)
{
	size_t count = encoder_circle_count(encoder, world), segment = 0, taken;
	char map_name[sizeof world->map_name];
	bool paths = encoder->options.paths, quantized = encoder_is_quantized(encoder), follows = paths || quantized;

	for (size_t first = 0;; first += taken) {
		Collide__V1__WorldUpdate head;
		Collide__V1__Key key;
		Collide__V1__Scene scene;
		struct wire_frame frame = { .more = false };
		bool leads = first == 0 && segment == 0;

		taken = count - first < ENCODER_KEY_ROWS_MAX ? count - first : ENCODER_KEY_ROWS_MAX;
		arena_reset(&world->arena);
		world->arena.budget_bytes = SIZE_MAX; /* the ledger bounds it */
		collide__v1__key__init(&key);
		collide__v1__scene__init(&scene);
		encoder_head(&head, encoder, world);
		if ((leads && !key_begin(world, &world->arena, map_name, sizeof map_name, &key, &scene)) ||
		    !key_scene(encoder, world, &world->arena, first, taken, &segment, &scene) ||
		    (paths && !key_paths(encoder, world, &world->arena, first, taken, &key)) ||
		    (quantized && !encoder_quantized_key(encoder, &world->arena, first, taken, leads, &key)) ||
		    (follows && leads && !key_moving(world, &key)))
			return false;
		key.optional_scene_case = COLLIDE__V1__KEY__OPTIONAL_SCENE_SCENE;
		key.scene = &scene;
		head.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
		head.key = &key;
		if (quantized)
			encoder_quantized_head(encoder, &head);
		frame.more = first + taken < count || segment != SIZE_MAX;
		if (!frame.more && !follows)
			encoder_frame_close(&frame, encoder, world);
		/* The scene has the states, too. */
		if (!encoder_bodies_block(world, &head, &frame, first, follows ? 0 : taken, out))
			return false;
		if (!frame.more)
			return true;
	}
}
