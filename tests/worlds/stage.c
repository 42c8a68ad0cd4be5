#include "worlds/stage.h"

#include "scene/definition/define.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t stage_look_ns = 10000, stage_long_count;
static uint64_t cpu_fake_ns;

static uint64_t
cpu_ns(void)
{
	return cpu_fake_ns += stage_look_ns;
}

static void
long_ahead(void)
{
	stage_long_count++;
}

static void
walls_set(struct stage_scene *scene, size_t count)
{
	scene->segments.n_id = count, scene->segments.id = scene->wall_id;
	scene->segments.n_x1 = count, scene->segments.x1 = scene->x1;
	scene->segments.n_y1 = count, scene->segments.y1 = scene->y1;
	scene->segments.n_x2 = count, scene->segments.x2 = scene->x2;
	scene->segments.n_y2 = count, scene->segments.y2 = scene->y2;
	scene->segments.n_friction = 1, scene->segments.friction = &scene->wall_friction;
}

static void
scene_box(struct stage_scene *scene, size_t count, double size)
{
	const double at[5][2] = { { 0, 0 }, { size, 0 }, { size, size }, { 0, size }, { 0, 0 } };

	memset(scene, 0, sizeof *scene);
	collide__v1__scene__init(&scene->message);
	collide__v1__circle_columns__init(&scene->circles);
	collide__v1__segment_columns__init(&scene->segments);
	scene->message.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene->message.circle_columns = &scene->circles;
	scene->message.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
	scene->message.segment_columns = &scene->segments;
	scene->count = count;
	scene->circles.n_id = count, scene->circles.id = scene->id;
	scene->circles.n_x = count, scene->circles.x = scene->x;
	scene->circles.n_y = count, scene->circles.y = scene->y;
	scene->circles.n_vx = count, scene->circles.vx = scene->vx;
	scene->circles.n_vy = count, scene->circles.vy = scene->vy;
	scene->circles.n_radius = 1, scene->circles.radius = &scene->radius;
	scene->circles.n_restitution = 1, scene->circles.restitution = &scene->restitution;
	scene->circles.n_friction = 1, scene->circles.friction = &scene->friction;
	for (size_t i = 0; i < 4; i++) {
		scene->wall_id[i] = (uint32_t)i;
		scene->x1[i] = at[i][0], scene->y1[i] = at[i][1];
		scene->x2[i] = at[i + 1][0], scene->y2[i] = at[i + 1][1];
	}
	walls_set(scene, 4);
	for (size_t i = 0; i < count; i++) {
		scene->id[i] = 10 + (uint32_t)i;
		scene->x[i] = 2.0 + 3.0 * (double)(i % 8);
		scene->y[i] = 2.0 + 3.0 * (double)(i / 8);
		scene->vx[i] = (double)((i * 7) % 11) - 5.0;
		scene->vy[i] = (double)((i * 5) % 13) - 6.0;
	}
	scene->radius = 0.5;
	scene->restitution = 1.0;
}

void
scene_gas(struct stage_scene *scene, size_t count)
{
	scene_box(scene, count, 3.0 * (double)(count / 8 > 8 ? count / 8 : 8) + 4.0);
}

void
scene_heap(struct stage_scene *scene, size_t count)
{
	scene_box(scene, count, 3.0 * (double)(count / 8 > 8 ? count / 8 : 8) + 4.0);
	for (size_t i = 0; i < count; i++)
		scene->x[i] = 2.0 + 1.1 * (double)(i % 8), scene->vx[i] = scene->vy[i] = 0.0;
	scene->message.gravity_y = -10.0;
	scene->message.sleep_after = 0.5;
	scene->restitution = 0.2;
	scene->friction = scene->wall_friction = 0.6;
}

static uint32_t groups[STAGE_CIRCLES_MAX];
static uint64_t removes[STAGE_CIRCLES_MAX], stops[STAGE_CIRCLES_MAX];
static protobuf_c_boolean sensors[STAGE_CIRCLES_MAX];
static double wall_vx[8], wall_vy[8], spins[STAGE_CIRCLES_MAX], damping = 0.3;

void
scene_rich(struct stage_scene *scene, size_t count)
{
	scene_gas(scene, count);
	memset(wall_vx, 0, sizeof wall_vx);
	memset(wall_vy, 0, sizeof wall_vy);
	for (size_t i = 0; i < count; i++) {
		groups[i] = i % 5 == 0;
		removes[i] = i % 9 == 4 ? 2 : 0;
		stops[i] = i % 7 == 3 ? 2 : 0;
		sensors[i] = i % 11 == 7;
		spins[i] = (double)i - 7.0;
	}
	for (size_t i = 4; i < 6; i++) {
		scene->wall_id[i] = (uint32_t)i;
		scene->x1[i] = 8 + (double)i, scene->y1[i] = 3, scene->x2[i] = 8 + (double)i, scene->y2[i] = 9;
		wall_vy[i] = i == 4 ? 2.0 : 0.0, wall_vx[i] = i == 5 ? 1.5 : 0.0;
	}
	scene->friction = scene->wall_friction = 0.3;
	scene->circles.n_group = scene->circles.n_remove_groups = scene->circles.n_stop_groups = scene->circles.n_sensor = count;
	scene->circles.group = groups, scene->circles.remove_groups = removes, scene->circles.stop_groups = stops;
	scene->circles.sensor = sensors;
	scene->circles.n_angular_velocity = count, scene->circles.angular_velocity = spins;
	scene->circles.n_linear_damping = 1, scene->circles.linear_damping = &damping;
	scene->segments.n_id = scene->segments.n_x1 = scene->segments.n_y1 = scene->segments.n_x2 = scene->segments.n_y2 = 6;
	scene->segments.n_vx = scene->segments.n_vy = 6;
	scene->segments.vx = wall_vx, scene->segments.vy = wall_vy;
}

void
stage_init(struct stage *stage)
{
	memset(stage, 0, sizeof *stage);
	stage->limits = (struct worlds_limits){
		.seats_per_world_max = WORLDS_SEATS_MAX,
		.tick_hz_max = WORLDS_TICK_HZ_MAX,
		.batches_waiting_max = WORLDS_BATCHES_WAITING_MAX,
		.batch_rows_max = WORLDS_BATCH_ROWS_MAX,
		.batch_bytes_max = WORLDS_BATCH_BYTES_MAX,
		.ahead_ticks_max = WORLDS_AHEAD_TICKS_MAX,
		.history_ticks_max = WORLDS_HISTORY_TICKS_MAX,
		.world_bytes_max = WORLDS_WORLD_BYTES_MAX,
		.journal_bytes_max = WORLDS_JOURNAL_BYTES_MAX,
		.owed_bytes_max = WORLDS_OWED_BYTES_MAX,
		.outcomes_max = WORLDS_OUTCOMES_MAX,
		.resimulated_ticks_max = WORLDS_RESIMULATED_TICKS_MAX,
	};
	stage->scene_limits = scene_limits_default();
	stage->policy = (struct world_policy){ .clock = WORLD_CLOCK_CLIENT,
		                                   .dt = 1.0 / 60.0,
		                                   .tick_hz = 60,
		                                   .late = WORLD_LATE_NEXT_TICK,
		                                   .catch_up_ticks = WORLDS_CATCH_UP_TICKS,
		                                   .hash_every = WORLDS_HASH_EVERY };
	stage->now_ns = stage->base_ns = NS_PER_S;
}

static void
stage_begin(struct stage *stage, struct world_start *start)
{
	struct live_world_options options = { .limits = &stage->limits,
		                                  .scene_limits = &stage->scene_limits,
		                                  .policy = stage->policy,
		                                  .epoch = 7,
		                                  .map_name = stage->map_name,
		                                  .name = "stage",
		                                  .check_share = &stage->check_share,
		                                  .owner = stage,
		                                  .base_ns = stage->base_ns,
		                                  .cpu_ns = cpu_ns,
		                                  .long_ahead = long_ahead };

	stage->world = live_world_create(&options, start);
	assert_non_null(stage->world);
}

void
stage_open(struct stage *stage, const struct stage_scene *scene)
{
	struct world_start *start = NULL;
	struct wire_problem problem = { .status = STATUS_OK };
	struct arena arena;

	arena_init(&arena, (size_t)64 << 20);
	enum status status = world_start_scene(&arena, &scene->message, &stage->scene_limits, stage->map, "scene", &start,
	                                       &problem);
	if (status != STATUS_OK)
		fail_msg("%s: %s", problem.field, problem.text);
	arena_finish(&arena);
	stage_begin(stage, start);
}

void
stage_open_bytes(struct stage *stage, const uint8_t *bytes, size_t count)
{
	struct world_start *start = NULL;
	struct wire_problem problem = { .status = STATUS_OK };
	struct arena arena;

	arena_init(&arena, (size_t)64 << 20);
	enum status status = world_start_bytes(&arena, bytes, count, &stage->scene_limits, stage->map, "snapshot", &start,
	                                       &problem);
	if (status != STATUS_OK)
		fail_msg("%s: %s", problem.field, problem.text);
	arena_finish(&arena);
	stage_begin(stage, start);
}

static void
answer_drop(struct stage *stage)
{
	shared_bytes_release(stage->answer.snapshot);
	shared_bytes_release(stage->answer.waiting);
	shared_space_release(stage->answer.space);
	stage->answer = (struct answer){ .ask = 0 };
}

void
stage_finish(struct stage *stage)
{
	answer_drop(stage);
	live_world_destroy(stage->world);
	workspace_destroy(stage->workspace);
}

struct post *
stage_batch(const struct stage *stage, uint32_t seat, enum seat_right right, uint64_t sequence, uint64_t tick,
            const Collide__V1__Commands *commands)
{
	struct post *post = post_create(POST_BATCH, collide__v1__commands__get_packed_size(commands));

	assert_non_null(post);
	(void)collide__v1__commands__pack(commands, post->bytes);
	post->arrived_ns = stage->now_ns;
	post->batch.seat = seat;
	post->batch.seat_next = UINT32_MAX;
	post->batch.right = right;
	post->batch.sequence = sequence;
	post->batch.tick = tick;
	post->batch.wants_outcome = true;
	return post;
}

void
stage_send(struct stage *stage, uint32_t seat, uint64_t sequence, uint64_t tick, const Collide__V1__Commands *commands)
{
	live_world_post(stage->world, stage_batch(stage, seat, SEAT_ALL, sequence, tick, commands));
}

static void
outcome_note(struct stage *stage, uint32_t seat, const struct outcome *outcome)
{
	Collide__V1__Outcome *message = collide__v1__outcome__unpack(NULL, outcome->count, outcome->bytes);
	struct told *told = &stage->told[stage->told_count++];

	assert_non_null(message);
	assert_in_range(stage->told_count, 1, STAGE_OUTCOMES_MAX);
	assert_int_equal(message->sequence, outcome->sequence);
	assert_int_equal(message->tick, outcome->tick);
	*told = (struct told){ .seat = seat,
		                   .sequence = message->sequence,
		                   .tick = message->tick,
		                   .code = (int)message->code,
		                   .missing = message->missing,
		                   .exceptional = outcome->exceptional };
	(void)snprintf(told->reason, sizeof told->reason, "%s", message->reason);
	(void)snprintf(told->field, sizeof told->field, "%s", message->field);
	(void)snprintf(told->text, sizeof told->text, "%s", message->text);
	collide__v1__outcome__free_unpacked(message, NULL);
}

static void
decided_note(struct stage *stage, const struct decided *decided)
{
	uint64_t last = 0;

	assert_in_range(decided->seat, 0, 63);
	/* Each batch once, in order. */
	if (decided->count > 0) {
		assert_true(decided->through > stage->through[decided->seat]);
		assert_true(stage->has_gaps || decided->through - stage->through[decided->seat] == decided->count);
		stage->through[decided->seat] = decided->through;
	}
	stage->decided[decided->seat] += decided->count;
	stage->decided_bytes[decided->seat] += decided->bytes;
	stage->effective[decided->seat] += decided->effective_count;
	if (decided->has_margin)
		stage->margin_ns[decided->seat] = decided->margin_min_ns;
	for (const struct outcome *outcome = decided->outcomes; outcome; outcome = outcome->next) {
		/* One that is undone was decided before. */
		assert_true(outcome->sequence <= stage->through[decided->seat] && (outcome->undone || outcome->sequence > last));
		last = outcome->undone ? last : outcome->sequence;
		outcome_note(stage, decided->seat, outcome);
	}
}

void
stage_turn(struct stage *stage)
{
	stage->turn = live_world_turn(stage->world, stage->now_ns, stage->workspace, NULL);
	struct news *news = stage->turn.news;

	stage->has_news = news != NULL;
	if (!news)
		return;
	assert_ptr_equal(news->owner, stage);
	assert_ptr_equal(news->world, stage->world);
	stage->stats = news->stats;
	for (const struct decided *decided = news->decided; decided; decided = decided->next)
		decided_note(stage, decided);
	for (const struct update *update = news->updates; update; update = update->next)
		if (stage->on_update)
			stage->on_update(stage, update);
	for (struct answer *answer = news->answers; answer; answer = answer->next) {
		answer_drop(stage);
		stage->answer = *answer;
		stage->answers++;
		answer->snapshot = answer->waiting = NULL;
		answer->space = NULL;
	}
	news_free(news);
	stage->turn.news = NULL;
}

void
stage_step(struct stage *stage, uint64_t ticks)
{
	struct post *post = post_create(POST_STEP, 0);
	size_t before = stage->answers;

	post->ask = ++stage->asks;
	post->step.ticks = ticks;
	live_world_post(stage->world, post);
	do
		stage_turn(stage);
	while (stage->turn.next == TURN_SOON);
	assert_int_equal(stage->answers, before + 1);
	assert_int_equal(stage->answer.ask, stage->asks);
}

const struct shared_bytes *
stage_snapshot(struct stage *stage)
{
	struct post *post = post_create(POST_SNAPSHOT, 0);

	post->ask = ++stage->asks;
	live_world_post(stage->world, post);
	stage_turn(stage);
	assert_int_equal(stage->answer.ask, stage->asks);
	assert_int_equal(stage->answer.problem.status, STATUS_OK);
	return stage->answer.snapshot;
}

const struct told *
stage_told(const struct stage *stage, uint32_t seat, uint64_t sequence)
{
	for (size_t i = stage->told_count; i-- > 0;)
		if (stage->told[i].seat == seat && stage->told[i].sequence == sequence)
			return &stage->told[i];
	return NULL;
}

struct world *
scene_world(const struct stage_scene *scene, const struct stage *stage)
{
	struct wire_problem problem;
	struct diagnostics first = { .problem = &problem };
	struct def_problem found;
	struct world *world = NULL;
	struct world_def def;
	struct arena arena;

	arena_init(&arena, (size_t)64 << 20);
	assert_int_equal(scene_define(&arena, &scene->message, &stage->scene_limits, "scene", &def, &first), STATUS_OK);
	def.map = stage->map;
	def.events = stage->policy.events;
	assert_int_equal(world_create(&def, &found, &world), STATUS_OK);
	arena_finish(&arena);
	return world;
}
