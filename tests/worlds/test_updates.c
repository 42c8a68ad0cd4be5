/* What readers are told, read by code of its own and held against a plain world of the engine that makes the same ticks. States
 * are the same to the bit, every row is told once, definitions are as they are, and so are keys. */
#include "worlds/one_command.h"

#include "physics/describe.h"
#include "physics/wall_map.h"
#include "scene/definition/define.h"

#include <stdio.h>
#include <string.h>

#define ROWS_MAX 20000
#define READERS 3

/* A reader of one encoder. */
struct reader_of {
	struct encoder_options options;
	uint64_t tick; /* of its last update */
	size_t updates, keys, row_blocks;
	/* Rows told so far. */
	size_t contacts, path_changes, pair_events, ends;
	/* Definitions that it has. */
	size_t circles;
	struct circle_def defs[STAGE_CIRCLES_MAX];
};

struct scene_play {
	struct stage stage;
	struct stage_scene scene;
	struct world *plain;
	struct reader_of readers[READERS];
	/* What the plain world has reported in all. */
	size_t contacts, path_changes, pair_events, ends;
	struct contact contact[ROWS_MAX];
	uint64_t contact_tick[ROWS_MAX];
	struct pair_event pair_event[ROWS_MAX];
	struct body_end end[ROWS_MAX];
	uint64_t collisions[1024]; /* up to a tick */
};

static struct scene_play play;

static void
report_note(const struct tick_report *report)
{
	uint64_t tick = report->tick;

	for (size_t i = 0; i < report->contact_count; i++) {
		play.contact_tick[play.contacts] = tick;
		play.contact[play.contacts++] = report->contacts[i];
	}
	for (size_t i = 0; i < report->pair_event_count; i++)
		play.pair_event[play.pair_events++] = report->pair_events[i];
	for (size_t i = 0; i < report->end_count; i++)
		play.end[play.ends++] = report->ends[i];
	play.path_changes += report->path_change_count;
	play.collisions[tick] = play.collisions[tick - 1] + report->collisions;
	assert_true(play.contacts < ROWS_MAX - 1000);
}

static Collide__V1__WorldUpdate *
block_read(const struct shared_bytes *block)
{
	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, block->count, block->bytes);

	assert_non_null(update);
	return update;
}

/* ---- rows */

static void
contacts_read(struct reader_of *reader, const Collide__V1__ContactColumns *rows)
{
	for (size_t i = 0; i < rows->n_tick; i++) {
		const struct contact *contact = &play.contact[reader->contacts];

		assert_true(reader->contacts < play.contacts);
		assert_int_equal(rows->tick[i], play.contact_tick[reader->contacts]);
		assert_int_equal(rows->a[i], contact->a);
		assert_int_equal(rows->b[i], contact->b);
		assert_memory_equal(&rows->time[i], &contact->time, sizeof contact->time);
		assert_memory_equal(&rows->impulse[i], &contact->impulse, sizeof contact->impulse);
		assert_memory_equal(&rows->a_vx_after[i], &contact->a_after[0], sizeof(double));
		reader->contacts++;
	}
}

static void
rows_read(struct reader_of *reader, const Collide__V1__Frame *frame)
{
	if (frame->contacts)
		contacts_read(reader, frame->contacts);
	if (frame->path_changes)
		reader->path_changes += frame->path_changes->n_tick;
	for (size_t i = 0; frame->pair_events && i < frame->pair_events->n_tick; i++) {
		const struct pair_event *event = &play.pair_event[reader->pair_events++];

		assert_int_equal(frame->pair_events->a[i], event->a);
		assert_int_equal(frame->pair_events->b[i], event->b);
		assert_memory_equal(&frame->pair_events->time[i], &event->time, sizeof event->time);
	}
	for (size_t i = 0; frame->ends && i < frame->ends->n_tick; i++) {
		const struct body_end *end = &play.end[reader->ends++];

		assert_int_equal(frame->ends->body[i], end->body);
		assert_memory_equal(&frame->ends->time[i], &end->time, sizeof end->time);
		for (size_t k = 0; k < reader->circles; k++)
			if (reader->defs[k].id == end->body)
				reader->defs[k] = reader->defs[--reader->circles];
	}
}

/* ---- states and definitions */

static void
bodies_check(const Collide__V1__Frame *frame)
{
	size_t count = world_body_count(play.plain);

	assert_int_equal(frame->bodies ? frame->bodies->n_id : 0, count);
	for (size_t i = 0; i < count; i++) {
		struct body_state body = world_body(play.plain, i);

		assert_int_equal(frame->bodies->id[i], body.id);
		assert_memory_equal(&frame->bodies->x[i], &body.x, sizeof(double));
		assert_memory_equal(&frame->bodies->y[i], &body.y, sizeof(double));
		assert_memory_equal(&frame->bodies->vx[i], &body.vx, sizeof(double));
		assert_memory_equal(&frame->bodies->vy[i], &body.vy, sizeof(double));
	}
}

/* The circles of columns, as the reader of scenes has them. */
static size_t
circles_read(const Collide__V1__CircleColumns *columns, struct circle_def *out)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct diagnostics first = { .problem = &problem };
	struct scene_limits limits = scene_limits_default();
	Collide__V1__Scene scene;
	struct world_def def;
	struct arena arena;

	collide__v1__scene__init(&scene);
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = (Collide__V1__CircleColumns *)(uintptr_t)columns;
	arena_init(&arena, 1 << 24);
	if (scene_define(&arena, &scene, &limits, "scene", &def, &first) != STATUS_OK)
		fail_msg("%s: %s", problem.field, problem.text);
	size_t count = def.circle_count;
	memcpy(out, def.circles, count * sizeof *out);
	arena_finish(&arena);
	return count;
}

static void
def_set(struct reader_of *reader, const struct circle_def *def)
{
	for (size_t i = 0; i < reader->circles; i++) {
		if (reader->defs[i].id == def->id) {
			reader->defs[i] = *def;
			return;
		}
	}
	reader->defs[reader->circles++] = *def;
}

static void
changes_read(struct reader_of *reader, const Collide__V1__WorldChange *changes)
{
	struct circle_def defs[STAGE_CIRCLES_MAX];
	size_t count = changes->circles ? circles_read(changes->circles, defs) : 0;

	for (size_t i = 0; i < changes->n_removed_circles; i++)
		for (size_t k = 0; k < reader->circles; k++)
			if (reader->defs[k].id == changes->removed_circles[i])
				reader->defs[k] = reader->defs[--reader->circles];
	for (size_t i = 0; i < count; i++)
		def_set(reader, &defs[i]);
}

/* What it has of definitions is what there is. */
static void
defs_check(const struct reader_of *reader)
{
	assert_int_equal(reader->circles, world_body_count(play.plain));
	for (size_t i = 0; i < reader->circles; i++) {
		size_t index;

		assert_true(world_body_find(play.plain, reader->defs[i].id, &index));
		struct circle_def def = world_circle(play.plain, index);

		assert_memory_equal(&reader->defs[i].radius, &def.radius, sizeof(double));
		assert_memory_equal(&reader->defs[i].restitution, &def.restitution, sizeof(double));
		assert_int_equal(reader->defs[i].mask, def.mask);
	}
}

static void
key_read(struct reader_of *reader, const struct update *update)
{
	for (uint32_t i = 0; i < update->key_count; i++) {
		Collide__V1__WorldUpdate *message = block_read(update->blocks[update->row_count + update->state_count + i]);
		Collide__V1__Key *key = message->key;

		assert_int_equal(message->tick, update->tick);
		assert_int_equal(key->epoch, 7);
		assert_true(key->dt == play.stage.policy.dt);
		assert_string_equal(key->map, play.stage.map ? "arena" : "");
		assert_int_equal(key->scene->segment_columns ? key->scene->segment_columns->n_id : 0,
		                 !play.stage.map                         ? 4
		                 : world_segment(play.plain, 1).disabled ? 0
		                                                         : 1);
		assert_false(message->frame->more);
		reader->circles = circles_read(key->scene->circle_columns, reader->defs);
		for (size_t k = 0; k < reader->circles; k++) {
			struct circle_def def = world_circle(play.plain, k);

			assert_memory_equal(&reader->defs[k].x, &def.x, sizeof(double));
			assert_memory_equal(&reader->defs[k].vx, &def.vx, sizeof(double));
			assert_int_equal(reader->defs[k].lifetime_ticks, def.lifetime_ticks);
		}
		bodies_check(message->frame);
		collide__v1__world_update__free_unpacked(message, NULL);
	}
	reader->keys += update->key_count > 0;
}

static void
on_update(struct stage *stage, const struct update *update)
{
	struct reader_of *reader = &play.readers[update->encoder];
	uint64_t tick = world_tick(play.plain);

	(void)stage;
	assert_int_equal(update->tick, tick);
	for (uint32_t i = 0; i < update->row_count; i++) {
		Collide__V1__WorldUpdate *message = block_read(update->blocks[i]);

		assert_int_equal(message->ticks, tick - reader->tick);
		assert_int_equal(message->frame->more, i + 1 < update->row_count);
		assert_null(message->frame->bodies);
		rows_read(reader, message->frame);
		reader->row_blocks++;
		collide__v1__world_update__free_unpacked(message, NULL);
	}
	if (update->state_count == 0) { /* the world stands, and this is for others */
		assert_int_equal(tick, reader->tick);
		key_read(reader, update);
		reader->updates++;
		return;
	}
	assert_int_equal(update->state_count, 1);

	Collide__V1__WorldUpdate *message = block_read(update->blocks[update->row_count]);

	assert_int_equal(message->tick, tick);
	assert_int_equal(message->ticks, tick - reader->tick);
	if (message->hash_tick != 0) {
		assert_int_equal(message->hash_tick % stage->policy.hash_every, 0);
		assert_true(message->hash_tick > reader->tick || reader->updates == 0);
		if (message->hash_tick == tick)
			assert_int_equal(message->hash, world_hash(play.plain));
	} else {
		assert_int_equal(tick / stage->policy.hash_every, reader->tick / stage->policy.hash_every);
	}
	if (message->changes)
		changes_read(reader, message->changes);
	bodies_check(message->frame);
	assert_int_equal(message->frame->collisions, play.collisions[tick] - play.collisions[reader->tick]);
	if (reader->keys > 0)
		defs_check(reader);
	key_read(reader, update);
	reader->tick = tick;
	reader->updates++;
	collide__v1__world_update__free_unpacked(message, NULL);
}

static void
encoder_post(uint32_t number, bool wanted)
{
	struct post *post = post_create(POST_ENCODER, 0);

	post->encoder.encoder = number;
	post->encoder.wanted = wanted;
	post->encoder.options = play.readers[number].options;
	live_world_post(play.stage.world, post);
}

static void
key_post(uint32_t number)
{
	struct post *post = post_create(POST_KEY, 0);

	post->key_of = number;
	live_world_post(play.stage.world, post);
}

/* One tick of both; the reader is called within the live one's. */
static void
tick(const struct edit *edits, size_t count)
{
	struct tick_report report;
	struct def_problem problem;

	assert_int_equal(world_edit(play.plain, edits, count, &problem), STATUS_OK);
	assert_int_equal(world_step(play.plain, play.stage.policy.dt, &report), STATUS_OK);
	report_note(&report);
	stage_step(&play.stage, 1);
	assert_int_equal(play.stage.answer.hash, world_hash(play.plain));
}

/* What changes definitions, at some ticks. Returns how many edits. */
static size_t
script(uint64_t at, uint64_t *sequence, struct edit *edit)
{
	struct circle_def def = circle_def_default();
	struct segment_def wall = segment_def_default();

	one_begin(11);
	switch (at) {
	case 7: /* one that ends before the readers of every third tick see it, and one that stays */
	case 8:
		one_begin(at == 7 ? 600 : 601);
		one_spawn();
		def.id = one.id[0], def.x = def.y = one.x[0] = one.y[0] = at == 7 ? 25 : 20, def.radius = 0.3;
		def.lifetime_ticks = one.ticks[0] = at == 7 ? 2 : 30;
		one.circles.n_lifetime_ticks = 1, one.circles.lifetime_ticks = one.ticks;
		*edit = edit_circle_spawn(&def);
		break;
	case 13:
		one_removal();
		*edit = edit_circle_remove(11);
		break;
	case 17:
		one_begin(12);
		one_changes();
		def.id = 12, def.radius = one.z[0];
		*edit = edit_circle_change(&def, edit_field(DEF_CIRCLE_RADIUS));
		break;
	case 21:
		one_disable_segments();
		wall.id = 1, wall.disabled = true;
		*edit = edit_segment_change(&wall, edit_field(DEF_SEGMENT_DISABLED));
		break;
	default: return 0;
	}
	stage_send(&play.stage, 1, ++*sequence, 0, &one.message);
	return 1;
}

static void
readers_begin(void)
{
	static const struct encoder_options options[READERS] = { { .every = 1, .contacts = true, .pair_events = true },
		                                                     { .every = 3 },
		                                                     { .every = 5, .contacts = true } };

	for (uint32_t i = 0; i < READERS; i++) {
		play.readers[i].options = options[i];
		encoder_post(i, true);
		key_post(i);
	}
}

static void
updates_check(bool in_map)
{
	uint64_t sequence = 0;

	memset(&play, 0, sizeof play);
	stage_init(&play.stage);
	scene_gas(&play.scene, 24);
	play.scene.message.gravity_y = -1;
	play.stage.policy.events = WORLD_EVENTS_TOUCH;
	play.stage.policy.hash_every = 10;
	play.stage.on_update = on_update;
	if (in_map) {
		struct segment_def walls[4];
		struct def_problem problem;

		for (size_t i = 0; i < 4; i++) {
			walls[i] = segment_def_default();
			walls[i].id = play.scene.wall_id[i];
			walls[i].x1 = play.scene.x1[i], walls[i].y1 = play.scene.y1[i];
			walls[i].x2 = play.scene.x2[i], walls[i].y2 = play.scene.y2[i];
			walls[i].disabled = i == 1;
		}
		assert_int_equal(wall_map_create(walls, 4, &problem, &play.stage.map), STATUS_OK);
		(void)snprintf(play.stage.map_name, sizeof play.stage.map_name, "arena");
		play.scene.message.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS__NOT_SET;
		play.scene.message.segment_columns = NULL;
	}
	play.plain = scene_world(&play.scene, &play.stage);
	stage_open(&play.stage, &play.scene);
	if (in_map) { /* switched otherwise than in the map: told in keys */
		struct segment_def wall = { .id = 1, .disabled = false };
		struct edit edit = edit_segment_change(&wall, edit_field(DEF_SEGMENT_DISABLED));
		one_begin(0);
		one_enable_segments();
		stage_send(&play.stage, 1, ++sequence, 0, &one.message);
		tick(&edit, 1);
	}
	play.readers[0].tick = play.readers[1].tick = play.readers[2].tick = world_tick(play.plain);
	readers_begin();
	stage_turn(&play.stage); /* by a client's clock a key comes at once */
	for (size_t i = 0; i < READERS; i++) {
		assert_int_equal(play.readers[i].keys, 1);
		play.readers[i].contacts = play.contacts, play.readers[i].pair_events = play.pair_events;
		play.readers[i].path_changes = play.path_changes, play.readers[i].ends = play.ends;
	}
	for (uint64_t at = 2; at <= 60; at++) {
		struct edit edit;
		size_t edits = script(at, &sequence, &edit);

		if (at == 30) {
			key_post(1); /* together with an update that is due */
			assert_int_equal(play.stage.stats.tick % 3, in_map ? 2 : 1);
		}
		tick(&edit, edits);
	}
	/* All rows were told, each once. */
	assert_int_equal(play.readers[0].contacts, play.contacts);
	assert_int_equal(play.readers[0].pair_events, play.pair_events);
	assert_int_equal(play.readers[0].path_changes, play.path_changes);
	assert_int_equal(play.readers[0].ends, play.ends);
	assert_int_equal(play.readers[1].contacts, 0);
	assert_int_equal(play.readers[1].keys, 2);
	assert_true(play.contacts > 20 && play.pair_events > 20 && play.ends == 2);
	/* One that is wanted no more tells nothing. */
	size_t updates = play.readers[0].updates;

	encoder_post(0, false);
	tick(NULL, 0);
	assert_int_equal(play.readers[0].updates, updates);
	world_destroy(play.plain);
	stage_finish(&play.stage);
	wall_map_release(play.stage.map);
}

static void
test_updates(void **state)
{
	(void)state;
	updates_check(false);
}

static void
test_updates_in_map(void **state)
{
	(void)state;
	updates_check(true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_updates), cmocka_unit_test(test_updates_in_map) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
