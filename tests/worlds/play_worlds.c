/* The worlds of a play: made, and given their turns. */
#include "worlds/live/live_check.h"
#include "worlds/play.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- beginning */

/* Of the definitions of a model, as a client sends them. */
static void
scene_of(const struct world_def *def, Collide__V1__Scene *scene, Collide__V1__Circle *circles,
         Collide__V1__Circle **circle_list, Collide__V1__Segment *segments, Collide__V1__Segment **segment_list)
{
	collide__v1__scene__init(scene);
	for (size_t i = 0; i < def->circle_count; i++) {
		collide__v1__circle__init(&circles[i]);
		circles[i].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID;
		circles[i].id = def->circles[i].id;
		circles[i].x = def->circles[i].x;
		circles[i].y = def->circles[i].y;
		circles[i].vx = def->circles[i].vx;
		circles[i].vy = def->circles[i].vy;
		circles[i].radius = def->circles[i].radius;
		circle_list[i] = &circles[i];
	}
	for (size_t i = 0; i < def->segment_count; i++) {
		collide__v1__segment__init(&segments[i]);
		segments[i].optional_id_case = COLLIDE__V1__SEGMENT__OPTIONAL_ID_ID;
		segments[i].id = def->segments[i].id;
		segments[i].x1 = def->segments[i].x1;
		segments[i].y1 = def->segments[i].y1;
		segments[i].x2 = def->segments[i].x2;
		segments[i].y2 = def->segments[i].y2;
		segment_list[i] = &segments[i];
	}
	scene->circles = circle_list;
	scene->n_circles = def->circle_count;
	scene->segments = segment_list;
	scene->n_segments = def->segment_count;
}

void
play_world_make(struct play *play, size_t index)
{
	struct play_world *world = &play->world[index];
	struct circle_def circle_rows[16];
	struct segment_def segment_rows[4];
	Collide__V1__Circle circles[16], *circle_list[16];
	Collide__V1__Segment segments[4], *segment_list[4];
	Collide__V1__Scene scene;
	Collide__V1__WorldPolicy policy = COLLIDE__V1__WORLD_POLICY__INIT;
	Collide__V1__CreateWorld create = COLLIDE__V1__CREATE_WORLD__INIT;
	struct world_wish *wish = NULL;
	struct wire_problem problem = { .status = STATUS_OK };
	struct arena arena;
	struct buffer out;
	size_t count = 2 + random_below(&play->random, 6);
	uint64_t seed = random_bits(&play->random);
	world->by_server = random_below(&play->random, 2) == 0;
	policy.dt = 1.0 / 64;
	policy.clock = world->by_server ? COLLIDE__V1__CLOCK__CLOCK_SERVER : COLLIDE__V1__CLOCK__CLOCK_CLIENT;
	policy.tick_hz = 20 + (uint32_t)random_below(&play->random, 100);
	policy.late = play->late ? COLLIDE__V1__LATE__LATE_RESIMULATE : (Collide__V1__Late)(1 + random_below(&play->random, 3));
	policy.seat_ttl_ms = UINT32_MAX;
	policy.idle_ttl_ms = UINT32_MAX;
	policy.join_ids_max = IDS;
	policy.join_circles_max = (uint32_t)count + (uint32_t)random_below(&play->join_random, 4);
	policy.catch_up_ticks = 1 + (uint32_t)random_below(&play->random, 8);
	policy.history_ticks = random_below(&play->random, 2) == 0 ? 0 : MODEL_HISTORY_MAX;
	if (policy.late == COLLIDE__V1__LATE__LATE_RESIMULATE)
		policy.history_ticks = 1 + (uint32_t)random_below(&play->random, MODEL_HISTORY_MAX);
	struct world_def def = model_def(seed, count, circle_rows, segment_rows);
	scene_of(&def, &scene, circles, circle_list, segments, segment_list);
	create.optional_begin_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SCENE;
	create.scene = &scene;
	create.optional_policy_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_POLICY_POLICY;
	create.policy = &policy;
	arena_init(&arena, SIZE_MAX / 2);
	buffer_init(&out);
	assert_int_equal(world_wish_create(play->worlds, &create, &arena, &wish, &problem), STATUS_OK);
	assert_int_equal(worlds_add(play->worlds, &play->tenant, wish, 1, &out, &problem), STATUS_OK);
	world_wish_destroy(wish);
	size_t head = out.bytes[0] < 0x80 ? 1 : 2; /* a length under 16,384 */
	Collide__V1__ServerMessage *reply = collide__v1__server_message__unpack(NULL, out.count - head, out.bytes + head);
	assert_non_null(reply);
	(void)snprintf(world->name, sizeof world->name, "%s", reply->world_info->name);
	memcpy(world->owner_secret, reply->world_info->owner_secret.data, WORLDS_SECRET_BYTES);
	memcpy(world->join_secret, reply->world_info->join_secret.data, WORLDS_SECRET_BYTES);
	world->join_circles_max = policy.join_circles_max;
	collide__v1__server_message__free_unpacked(reply, NULL);
	buffer_finish(&out);
	arena_finish(&arena);
	model_init(&world->model, policy.dt, seed, count);
	world->model.refuses_late = policy.late == COLLIDE__V1__LATE__LATE_REFUSE;
	if (policy.late == COLLIDE__V1__LATE__LATE_RESIMULATE)
		world->model.history = policy.history_ticks;
	play_past_note(world);
}

/* ---- turns */

static void
check_state(const struct play_world *world)
{
	assert_int_equal(world_hash(world->task.live->world), world_hash(world->model.world));
}

/* ---- workers */

static unsigned
helpers_count(void *context)
{
	struct play *play = context;
	return 1 + (unsigned)random_below(&play->move_random, 4);
}

/* From the last one on, as if others had been faster. */
static void
helpers_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	(void)context;
	while (count > 0)
		piece(argument, --count);
}

void
play_move(struct play *play)
{
	if (random_below(&play->move_random, 8) != 0)
		return;
	struct play_world *world = &play->world[random_below(&play->move_random, WORLDS)];
	size_t worker = random_below(&play->move_random, WORKERS);
	play->moves += worker != world->worker;
	world->worker = worker;
}

/* The last worker has others to share out ticks to, however small a world is. */
static struct live_turn
worker_turn(struct play *play, struct play_world *world)
{
	const struct workers helpers = { helpers_count, helpers_run, play, 1, 0 };
	bool shares = world->worker == WORKERS - 1;
	return live_world_turn(world->task.live, play->now_ns, play->workspace[world->worker], shares ? &helpers : NULL);
}

void
play_turn(struct play *play, struct play_world *world)
{
	struct play_task *task = &world->task;
	uint64_t before = task->live->tick;
	if (world->snapshot_asked != 0 && !world->snapshot_taken) {
		model_keep(&world->model, &world->kept);
		world->snapshot_taken = true;
	}
	task->wanted = false;
	task->due_ns = 0;
	/* What late batches come to without memory to go back, the model does not know. */
	bool may_fail = world->model.history == 0 && !world->restoring;
	if (may_fail)
		server_enter();
	struct live_turn turn = worker_turn(play, world);
	server_leave();
	world->restoring = false;
	play_memory_turn(world, &turn);
	while (!world->blind && world->model.tick < task->live->tick) {
		model_tick(&world->model);
		play_past_note(world);
	}
	play_memory_follow(world);
	if (!task->live->failed)
		play_past_note(world);
	if (task->live->tick != before && !task->live->failed)
		check_state(world);
	if (turn.news) {
		*play->news_end = turn.news;
		turn.news->next = NULL;
		play->news_end = &turn.news->next;
	}
	if (turn.next == TURN_AT)
		task->due_ns = turn.due_ns > 0 ? turn.due_ns : 1;
	else if (turn.next == TURN_SOON)
		task->wanted = true;
	else if (turn.next == TURN_ENDED) {
		live_world_destroy(task->live);
		*task = (struct play_task){ .ended = true };
		world->gone = true;
	}
}

void
play_check(struct play *play)
{
	const struct play_world *world = &play->world[random_below(&play->check_random, WORLDS)];
	struct live_check *check = world->task.live ? live_world_check(world->task.live) : NULL;
	struct live_check_difference difference;
	if (random_below(&play->check_random, 64) == 0)
		play->check_share.permille = random_below(&play->check_random, 2) == 0 ? 1000 : 500;
	if (!check || random_below(&play->check_random, 4) != 0)
		return;
	uint64_t made = live_check_counts(check).made;
	enum live_check_result result = live_check_run(check, &difference);
	if (result == LIVE_CHECK_DIFFERS)
		fail_msg("self-check of tick %llu: circle %u, %s", (unsigned long long)difference.tick, difference.body,
		         difference.difference.text);
	assert_true(result != LIVE_CHECK_SKIPPED || play->short_of_memory);
	play->checked += live_check_counts(check).made - made;
}

bool
play_turn_is_due(const struct play *play, const struct play_world *world)
{
	const struct play_task *task = &world->task;
	return task->live && (task->wanted || (task->due_ns != 0 && task->due_ns <= play->now_ns));
}

void
play_news_deliver(struct play *play)
{
	struct news *news = play->news;
	play->news = NULL;
	play->news_end = &play->news;
	server_enter();
	worlds_on_news(play->worlds, news);
	worlds_on_sent(play->worlds);
	server_leave();
}

void
play_snapshot(struct play *play, struct play_world *world)
{
	Collide__V1__SnapshotWorld snapshot = COLLIDE__V1__SNAPSHOT_WORLD__INIT;
	struct wire_problem problem = { .status = STATUS_OK };
	if (world->gone || world->snapshot_asked != 0)
		return;
	free(world->bytes);
	world->bytes = NULL;
	world->snapshot_taken = false;
	world->snapshot_asked = ++play->requests_next;
	snapshot.name = world->name;
	snapshot.secret = (ProtobufCBinaryData){ WORLDS_SECRET_BYTES, world->owner_secret };
	struct play_connection *connection = play_connection_any(play);
	server_enter();
	enum status status = worlds_snapshot(&connection->client, world->snapshot_asked, &snapshot, &problem);
	server_leave();
	if (!play_allows(play, status, &problem))
		world->snapshot_asked = 0;
	world->snapshot_connection = connection;
}

void
play_restore(struct play *play, struct play_world *world)
{
	Collide__V1__RestoreWorld restore = COLLIDE__V1__RESTORE_WORLD__INIT;
	struct wire_problem problem = { .status = STATUS_OK };
	struct restore_wish *wish = NULL;
	struct arena arena;
	if (world->gone || !world->bytes)
		return;
	arena_init(&arena, SIZE_MAX / 2);
	restore.name = world->name;
	restore.secret = (ProtobufCBinaryData){ WORLDS_SECRET_BYTES, world->owner_secret };
	restore.snapshot = (ProtobufCBinaryData){ world->byte_count, world->bytes };
	assert_int_equal(restore_wish_create(play->worlds, &restore, &arena, &wish, &problem), STATUS_OK);
	struct play_connection *connection = play_connection_any(play);
	server_enter();
	enum status status = worlds_restore(&connection->client, wish, ++play->requests_next, &problem);
	server_leave();
	restore_wish_destroy(wish);
	arena_finish(&arena);
	if (!play_allows(play, status, &problem))
		return;
	world->restoring = true;
	play->restored_worlds += world->model.failed;
	model_return(&world->model, &world->kept);
	world->steps_tick = 0;
}
