/* Ticks by the server's clock and by a client's, with a fake clock: when they are due, how a late world catches up, what it
 * loses. */
#include "worlds/stage.h"

#include "support/random.h"
#include "worlds/clock/tick_clock.h"

__extension__ typedef unsigned __int128 wide;

/* By the definition, in 128 bits. */
static uint64_t
due_exact(uint64_t n, uint32_t hz)
{
	wide due = (wide)n * NS_PER_S / hz;

	return due > UINT64_MAX ? UINT64_MAX : (uint64_t)due;
}

static void
test_due_times(void **state)
{
	static const uint32_t rates[] = { 1, 7, 30, 60, 144, 999, 1000, UINT32_MAX };
	static const uint64_t ticks[] = { 0, 1, 59, 60, UINT64_C(1) << 32, UINT64_C(1) << 53, UINT64_C(1) << 63, UINT64_MAX };
	uint64_t seed = 1;

	(void)state;
	for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
		for (size_t t = 0; t < sizeof ticks / sizeof ticks[0]; t++)
			assert_int_equal(world_due_ns(ticks[t], rates[r]), due_exact(ticks[t], rates[r]));
		for (int i = 0; i < 1000; i++) {
			uint64_t n = random_bits(&seed) >> random_below(&seed, 64);

			assert_int_equal(world_due_ns(n, rates[r]), due_exact(n, rates[r]));
		}
	}
}

/* Every tick is made when it is due, not a nanosecond before, and never twice. */
static void
test_on_time(void **state)
{
	static const uint32_t rates[] = { 1, 7, 60, 1000 };

	(void)state;
	for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++) {
		struct stage_scene scene;
		struct stage stage;

		stage_init(&stage);
		scene_gas(&scene, 2);
		stage.policy.clock = WORLD_CLOCK_SERVER;
		stage.policy.tick_hz = rates[r];
		stage_open(&stage, &scene);
		for (uint64_t n = 0; n < 50; n++) {
			uint64_t due_ns = stage.base_ns + due_exact(n, rates[r]);

			stage.now_ns = due_ns - 1;
			stage_turn(&stage);
			assert_int_equal(stage.turn.next, TURN_AT);
			assert_int_equal(stage.turn.due_ns, due_ns);
			assert_int_equal(stage.stats.tick, n);
			stage.now_ns = due_ns;
			stage_send(&stage, 1, n + 1, 0, &(Collide__V1__Commands)COLLIDE__V1__COMMANDS__INIT);
			stage_turn(&stage); /* has news for the batch */
			assert_int_equal(stage.stats.tick, n + 1);
			assert_int_equal(stage.margin_ns[1], 0);
		}
		assert_int_equal(stage.stats.overruns, 0);
		assert_int_equal(stage.stats.lost_ticks, 0);
		stage_finish(&stage);
	}
}

/* A clock from tick `first` on, stopped for so many nanoseconds: it makes catch_up_ticks late ones, and then goes on in time,
 * as many ticks later as were lost. */
static void
stall_check(uint64_t first, uint32_t hz, uint64_t stall_ns)
{
	struct world_policy policy = { .clock = WORLD_CLOCK_SERVER, .tick_hz = hz, .catch_up_ticks = 8 };
	struct tick_clock clock;
	uint64_t base_ns = 5 * NS_PER_S, now_ns = base_ns + stall_ns, tick = first, made = 0;

	tick_clock_init(&clock, &policy, first, base_ns);
	while (tick_clock_due_ns(&clock, tick) <= now_ns) {
		(void)tick_clock_begin(&clock, tick, now_ns);
		tick++;
		made++;
	}
	/* All due times up to now were either made or lost: those of 0 .. due. */
	uint64_t due = (uint64_t)((wide)(stall_ns + 1) * hz - 1) / NS_PER_S + 1;

	assert_int_equal(made + clock.lost, due);
	assert_int_equal(made, due > 9 ? 9 : due);
	assert_true(tick_clock_due_ns(&clock, tick) > now_ns);
	assert_int_equal(tick_clock_due_ns(&clock, tick), base_ns + due_exact(due, hz));
	assert_int_equal(clock.overruns, due > 9 ? 9 : due - 1);
}

static void
test_catch_up(void **state)
{
	static const uint64_t firsts[] = { 1,
		                               (UINT64_C(1) << 32) - 3,
		                               UINT64_C(1) << 32,
		                               (UINT64_C(1) << 53) - 3,
		                               UINT64_C(1) << 53,
		                               (UINT64_C(1) << 63) - 3,
		                               UINT64_C(1) << 63,
		                               UINT64_MAX - 400000 };
	static const uint32_t rates[] = { 1, 7, 60, 1000 };
	static const uint64_t stalls_ns[] = { 0, 1, 16666666, 33333333, 150000000, 5 * NS_PER_S, 300 * NS_PER_S };

	(void)state;
	for (size_t f = 0; f < sizeof firsts / sizeof firsts[0]; f++)
		for (size_t r = 0; r < sizeof rates / sizeof rates[0]; r++)
			for (size_t s = 0; s < sizeof stalls_ns / sizeof stalls_ns[0]; s++)
				stall_check(firsts[f], rates[r], stalls_ns[s]);
}

/* The same in a world: one tick a turn, the lost ones are told, and no tick number is skipped. */
static void
test_world_stops(void **state)
{
	struct stage_scene scene;
	struct stage stage;
	size_t turns = 0;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 2);
	stage.policy.clock = WORLD_CLOCK_SERVER;
	stage_open(&stage, &scene);
	stage_turn(&stage); /* tick 1 is due at once */
	stage.now_ns += 5 * NS_PER_S;
	do {
		stage_turn(&stage);
		turns++;
	} while (stage.turn.due_ns <= stage.now_ns);
	assert_int_equal(turns, 9);
	stage.now_ns += NS_PER_S / 5;
	stage_turn(&stage);
	assert_int_equal(stage.stats.tick, 11);
	assert_int_equal(stage.stats.lost_ticks, 300 - 9);
	assert_int_equal(stage.stats.overruns, 10);
	assert_true(stage.stats.late_ns_max >= 4 * NS_PER_S);
	stage.now_ns += 11 * NS_PER_S;
	stage_turn(&stage);
	stage_finish(&stage);
}

/* With pause_unseen there are ticks only while a seat or a subscription is there; nothing is caught up. */
static void
test_unseen(void **state)
{
	struct stage_scene scene;
	struct stage stage;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 2);
	stage.policy.clock = WORLD_CLOCK_SERVER;
	stage.policy.pause_unseen = true;
	stage_open(&stage, &scene);
	stage.now_ns += 100 * NS_PER_S;
	stage_turn(&stage);
	assert_int_equal(stage.turn.next, TURN_REST);

	struct post *post = post_create(POST_SEEN, 0);
	post->seen = true;
	live_world_post(stage.world, post);
	stage_turn(&stage);
	assert_int_equal(stage.turn.next, TURN_AT);
	assert_int_equal(stage.turn.due_ns, stage.now_ns + due_exact(1, 60));
	assert_int_equal(stage.stats.tick, 1);
	assert_int_equal(stage.stats.lost_ticks, 0);
	stage_finish(&stage);
}

/* Another rate and another clock, from the next tick on. */
static void
test_clock_changes(void **state)
{
	struct stage_scene scene;
	struct stage stage;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 2);
	stage_open(&stage, &scene);
	stage_step(&stage, 5);
	assert_int_equal(stage.turn.next, TURN_REST);

	struct post *post = post_create(POST_CLOCK, 0);
	post->clock.clock = WORLD_CLOCK_SERVER;
	post->clock.tick_hz = 10;
	post->clock.base_ns = stage.now_ns + 7;
	live_world_post(stage.world, post);
	stage_turn(&stage);
	assert_int_equal(stage.turn.next, TURN_AT);
	assert_int_equal(stage.turn.due_ns, stage.now_ns + 7);
	stage.now_ns += 7;
	stage_turn(&stage);
	assert_int_equal(stage.turn.due_ns, stage.now_ns + NS_PER_S / 10);

	/* A step is refused then. */
	post = post_create(POST_STEP, 0);
	post->step.ticks = 1;
	live_world_post(stage.world, post);
	stage_turn(&stage);
	assert_int_equal(stage.answer.problem.status, STATUS_FAILED_PRECONDITION);
	assert_string_equal(stage.answer.problem.reason, "CLOCK");

	/* A tick of which nothing was told: there is nothing to tell but that it was made. */
	uint64_t told = stage.stats.tick;
	stage.now_ns = stage.turn.due_ns;
	stage_turn(&stage);

	/* And with the clock paused a batch waits. At which tick the world stands is told. */
	post = post_create(POST_CLOCK, 0);
	post->ask = 77;
	post->clock.clock = WORLD_CLOCK_PAUSED;
	post->clock.tick_hz = 10;
	live_world_post(stage.world, post);
	stage_turn(&stage);
	assert_int_equal(stage.answer.ask, 77);
	assert_int_equal(stage.answer.tick, told + 1);
	assert_int_equal(stage.stats.tick, told + 1);
	stage_send(&stage, 1, 1, 0, &(Collide__V1__Commands)COLLIDE__V1__COMMANDS__INIT);
	stage.now_ns += NS_PER_S;
	stage_turn(&stage);
	assert_int_equal(stage.turn.next, TURN_REST);
	assert_int_equal(stage.decided[1], 0);
	stage_finish(&stage);
}

static void
step_ask(struct stage *stage, uint32_t seat, uint64_t expect, uint64_t ticks)
{
	struct post *post = post_create(POST_STEP, 0);

	post->step.seat = seat;
	post->step.has_expect = true;
	post->step.expect_tick = expect;
	post->step.ticks = ticks;
	live_world_post(stage->world, post);
	do
		stage_turn(stage);
	while (stage->turn.next == TURN_SOON);
}

/* A request that is sent again makes nothing, and has the same answer. */
static void
test_expect_tick(void **state)
{
	struct stage_scene scene;
	struct stage stage;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 4);
	stage_open(&stage, &scene);
	step_ask(&stage, 1, 0, 300); /* in several turns */
	assert_int_equal(stage.answer.problem.status, STATUS_OK);
	assert_int_equal(stage.answer.tick, 300);

	uint64_t hash = stage.answer.hash;

	step_ask(&stage, 1, 0, 300);
	assert_int_equal(stage.answer.problem.status, STATUS_OK);
	assert_int_equal(stage.answer.tick, 300);
	assert_int_equal(stage.answer.hash, hash);
	/* Neither another seat's, nor other ticks that end there. */
	step_ask(&stage, 2, 0, 300);
	assert_string_equal(stage.answer.problem.reason, "TICK");
	step_ask(&stage, 1, 1, 299);
	assert_string_equal(stage.answer.problem.reason, "TICK");
	step_ask(&stage, 1, 300, 0);
	assert_string_equal(stage.answer.problem.reason, "BAD_FIELD");
	assert_string_equal(stage.answer.problem.field, "step_world.ticks");
	step_ask(&stage, 1, 300, UINT64_MAX - 299);
	assert_string_equal(stage.answer.problem.reason, "BAD_FIELD");
	step_ask(&stage, 1, 300, 1);
	assert_int_equal(stage.answer.tick, 301);
	step_ask(&stage, 1, 0, 300);
	assert_string_equal(stage.answer.problem.reason, "TICK");
	stage_finish(&stage);
}

/* The live world's ticks have the counts and contacts of those of a plain world, the report of which this is. */
struct same_ticks {
	const struct tick_report *plain;
	uint64_t ticks, collisions;
};

static void
on_tick_made(void *context, struct world *world, const struct tick_report *report)
{
	struct same_ticks *same = context;
	const struct tick_report *plain = same->plain;

	(void)world;
	assert_int_equal(report->tick, plain->tick);
	assert_int_equal(report->events, plain->events);
	assert_int_equal(report->collisions, plain->collisions);
	assert_int_equal(report->clusters, plain->clusters);
	assert_int_equal(report->clips, plain->clips);
	assert_int_equal(report->asleep, plain->asleep);
	assert_int_equal(report->contact_count, plain->contact_count);
	assert_int_equal(report->shortfall_count, plain->shortfall_count);
	same->ticks++;
	same->collisions += report->collisions;
}

/* A heap of 60 that is stepped one tick at a time has the bits and counts of one run of the engine. */
static void
test_heap_by_steps(void **state)
{
	static struct stage_scene scene;
	static struct stage stage;
	struct tick_report report;
	struct same_ticks same = { .plain = &report };
	const struct tick_observer observer = { .made = on_tick_made, .context = &same };

	(void)state;
	stage_init(&stage);
	scene_heap(&scene, 60);
	struct world *plain = scene_world(&scene, &stage);

	assert_int_equal(workspace_create(&stage.workspace), STATUS_OK);
	stage_open(&stage, &scene);
	assert_true(live_world_observe(stage.world, &observer, 0));
	for (uint64_t tick = 1; tick <= 240; tick++) {
		assert_int_equal(world_step(plain, stage.policy.dt, &report), STATUS_OK);
		step_ask(&stage, 1, tick - 1, 1);
		assert_int_equal(stage.answer.tick, tick);
		assert_int_equal(stage.answer.hash, world_hash(plain));
		if (tick % 3 == 0) {
			step_ask(&stage, 1, tick - 1, 1);
			assert_int_equal(stage.answer.hash, world_hash(plain));
		}
	}
	assert_int_equal(same.ticks, 240); /* and none twice */
	assert_true(same.collisions > 100);
	world_destroy(plain);
	stage_finish(&stage);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_due_times),   cmocka_unit_test(test_on_time),       cmocka_unit_test(test_catch_up),
		cmocka_unit_test(test_world_stops), cmocka_unit_test(test_unseen),        cmocka_unit_test(test_clock_changes),
		cmocka_unit_test(test_expect_tick), cmocka_unit_test(test_heap_by_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
