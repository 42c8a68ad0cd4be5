/* libFuzzer over bytes that reach a world on the server. The first one says what the others are. Commands go to a world of 16
 * circles that then makes two ticks, in time or late. From a world's snapshot one goes on. Readers of paths and of commands are
 * told, and a question about a moment is answered. */
#include "fuzz/fuzz_target.h"
#include "fuzz/message_mutator.h"
#include "support/random.h"

#include "base/check.h"
#include "worlds/live/live_world.h"

#include <string.h>

#define CIRCLES 16
/* One of so many mutations takes the bytes for something else, too. */
enum { OTHER_KIND_OF = 16 };

static uint64_t
cpu_ns(void)
{
	return 0;
}

static struct world_start *
scene_start(const struct scene_limits *limits)
{
	static uint32_t ids[CIRCLES];
	static double x[CIRCLES], vx[CIRCLES], radius = 0.4;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__CircleColumns columns = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	struct world_start *start = NULL;
	struct wire_problem problem;
	struct arena arena;

	for (uint32_t i = 0; i < CIRCLES; i++)
		ids[i] = i, x[i] = i, vx[i] = i % 2 == 0 ? 1.0 : -1.0;
	columns.n_id = columns.n_x = columns.n_vx = CIRCLES, columns.id = ids, columns.x = x, columns.vx = vx;
	columns.n_radius = 1, columns.radius = &radius;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = &columns;
	arena_init(&arena, 1 << 20);
	CHECK(world_start_scene(&arena, &scene, limits, NULL, "scene", &start, &problem) == STATUS_OK);
	arena_finish(&arena);
	return start;
}

/* A reader, which begins with a key. */
static void
reader_post(struct live_world *world, uint32_t number, bool commands, bool coded)
{
	struct post *encoder = post_create(POST_ENCODER, 0), *key = post_create(POST_KEY, 0);

	CHECK(encoder && key);
	encoder->encoder.encoder = key->key_of = number;
	encoder->encoder.wanted = true;
	encoder->encoder.options = (struct encoder_options){
		.every = 1, .contacts = !commands, .pair_events = !commands, .paths = !commands, .commands = commands, .coded = coded
	};
	live_world_post(world, encoder);
	live_world_post(world, key);
}

static void
step_post(struct live_world *world, uint64_t ticks)
{
	struct post *step = post_create(POST_STEP, 0);

	CHECK(step);
	step->step.ticks = ticks;
	live_world_post(world, step);
}

/* A world that a client steps, with three readers. */
static struct live_world *
world_make(const struct scene_limits *scene_limits, bool late, struct world_start *start)
{
	static const struct worlds_limits limits = { .batch_rows_max = 4096,
		                                         .world_bytes_max = 64 << 20,
		                                         .journal_bytes_max = 1 << 20,
		                                         .history_ticks_max = 8,
		                                         .resimulated_ticks_max = 64 };
	const struct live_world_options options = {
		.limits = &limits,
		.scene_limits = scene_limits,
		.policy = { .clock = WORLD_CLOCK_CLIENT,
		            .dt = 0.02,
		            .tick_hz = 50,
		            .late = late ? WORLD_LATE_RESIMULATE : WORLD_LATE_REFUSE,
		            .history_ticks = 8,
		            .hash_every = 1 },
		.map_name = "",
		.cpu_ns = cpu_ns,
	};
	struct live_world *world = live_world_create(&options, start);

	CHECK(world);
	reader_post(world, 1, false, false);
	reader_post(world, 2, true, false);
	reader_post(world, 3, true, true);
	return world;
}

/* `late`: for the second of four ticks that are made. */
static void
commands_run(const struct scene_limits *scene_limits, bool late, const uint8_t *bytes, size_t count)
{
	struct live_world *world = world_make(scene_limits, late, scene_start(scene_limits));
	struct post *batch = post_create(POST_BATCH, count), *moment = post_create(POST_MOMENT, 0);

	CHECK(batch && moment);
	if (late) {
		step_post(world, 4);
		news_free(live_world_turn(world, 0, NULL, NULL).news);
	}
	if (count > 0)
		memcpy(batch->bytes, bytes, count);
	batch->batch.seat = batch->batch.right = SEAT_ALL;
	batch->batch.sequence = 1;
	batch->batch.tick = late ? 2 : 0;
	live_world_post(world, batch);
	step_post(world, 2);
	moment->moment.has_tick = true;
	moment->moment.tick = 1;
	moment->moment.time = 0.01;
	live_world_post(world, moment);

	struct live_turn turn = live_world_turn(world, 0, NULL, NULL);

	/* It is decided, whatever it was. */
	CHECK(turn.news && turn.news->decided && turn.news->decided->through == 1 && turn.news->decided->count == 1);
	news_free(turn.news);
	live_world_destroy(world);
}

/* Of one that is read, two ticks, with its forces. */
static void
state_run(const struct scene_limits *limits, const uint8_t *bytes, size_t count)
{
	struct world_start *start = NULL;
	struct start_bytes head;
	struct wire_problem problem = { .status = STATUS_OK };
	struct arena arena;

	arena_init(&arena, 16 << 20);
	if (start_bytes_read(&arena, bytes, count, "snapshot", &head, &problem) != STATUS_OK ||
	    world_start_bytes(&arena, bytes, count, limits, NULL, "snapshot", &start, &problem) != STATUS_OK) {
		CHECK(!start && strncmp(problem.field, "snapshot", 8) == 0 && problem.text[0] != '\0');
	} else {
		struct live_world *world = world_make(limits, false, start);

		step_post(world, 2);
		news_free(live_world_turn(world, 0, NULL, NULL).news);
		live_world_destroy(world);
	}
	arena_finish(&arena);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct scene_limits limits = scene_limits_default();

	limits.memory_bytes_max = 64 << 20;
	limits.circles_max = limits.segments_max = 4096;
	limits.work_per_tick_max = limits.work_per_body_max = 100000;
	if (count == 0)
		return 0;
	if (bytes[0] % 2 == 0)
		commands_run(&limits, bytes[0] % 4 == 0, bytes + 1, count - 1);
	else
		state_run(&limits, bytes + 1, count - 1);
	return 0;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned mutation)
{
	uint64_t seed = mutation;
	if (count < 1 || count_max < 2)
		return LLVMFuzzerMutate(bytes, count, count_max);
	if (random_below(&seed, OTHER_KIND_OF) == 0)
		bytes[0] = (uint8_t)random_bits(&seed);
	return 1 + message_mutate(bytes[0] % 2 == 0 ? &collide__v1__commands__descriptor : &collide__v1__world_state__descriptor,
	                          bytes + 1, count - 1, count_max - 1, &seed);
}
