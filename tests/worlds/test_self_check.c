/* The self-check of live worlds: ticks made again in a twin come to the same bits, over scenes with what the engine has, while
 * the world goes on in between. Of a state or a batch with one bit spoiled the tick, the circle and the field are named. Every
 * tick is either made again or skipped. */
#include "base/memory.h"
#include "base/pause.h"
#include "physics/describe.h"
#include "worlds/kept_spoil.h"
#include "worlds/live/live_check_private.h"
#include "worlds/one_command.h"
#include "worlds/random_batch.h"
#include "worlds/stage.h"

#include "support/effort.h"
#include "support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEATS 4
#define TICKS 80

static struct {
	struct stage stage;
	struct stage_scene scene;
	struct batch_maker maker;
	uint64_t sequence[SEATS + 1], begun;
	uint64_t ticks; /* that were made in the midst of a check */
} run;

static uint64_t made, between, batches, remade;

static void
world_open(uint64_t kind, uint64_t seed)
{
	memset(&run, 0, sizeof run);
	if (kind == 0)
		scene_gas(&run.scene, 24);
	else if (kind == 1)
		scene_heap(&run.scene, 24);
	else
		scene_rich(&run.scene, 24);
	stage_init(&run.stage);
	run.stage.check_share.permille = 1000;
	run.stage.limits.resimulated_ticks_max = UINT32_MAX;
	run.stage.policy.events = seed % 2 == 0 ? WORLD_EVENTS_TOUCH : 0;
	run.stage.policy.history_ticks = seed % 5 == 0 ? 0 : 12;
	if (seed % 3 == 0) {
		run.stage.policy.history_ticks = 12;
		run.stage.policy.late = WORLD_LATE_RESIMULATE;
	}
	stage_open(&run.stage, &run.scene);
}

static struct live_check *
check_of_stage(void)
{
	struct live_check *check = run.stage.world->check;

	assert_non_null(check);
	return check;
}

/* Every tick is made again, skipped, or waits. `under_way`: one is being made. */
static void
counts_check(uint64_t under_way)
{
	struct live_check_counts counts = live_check_counts(check_of_stage());
	uint64_t waits = live_check_waits(check_of_stage()) ? 1 : 0;

	assert_int_equal(counts.made + counts.skipped + waits + under_way, run.stage.world->tick - run.begun);
	assert_int_equal(counts.differing, 0);
	assert_int_equal(run.stage.check_share.made, counts.made);
	assert_int_equal(run.stage.check_share.skipped, counts.skipped);
}

static void
batch_send(void)
{
	static struct columns columns;
	uint32_t seat = 1 + (uint32_t)random_below(&run.maker.seed, SEATS);
	struct spec spec = { .seat = seat };
	uint64_t tick = run.stage.world->tick + 1, back = random_below(&run.maker.seed, 10);

	memset(&columns, 0, sizeof columns);
	batch_make_random(&run.maker, &spec, &columns);
	columns.message.skip_missing = true;
	stage_send(&run.stage, seat, ++run.sequence[seat], tick > back && back % 2 == 0 ? tick - back : 0, &columns.message);
	batches++;
}

static void
live_tick_step(void)
{
	for (uint64_t k = random_below(&run.maker.seed, 3); k > 0; k--)
		batch_send();
	if (random_below(&run.maker.seed, 40) == 0) {
		struct post *post = post_create(POST_SEAT_ENDED, 0);

		post->seat_ended = 1 + (uint32_t)random_below(&run.maker.seed, SEATS);
		live_world_post(run.stage.world, post);
	}
	stage_step(&run.stage, 1);
}

/* The world goes on in the midst of a check, as it does on another thread. */
static bool
on_question(void *context)
{
	const struct live_check *check = context;
	struct ledger *own = memory_enter(NULL);
	struct pause before;

	if (run.ticks < WORLDS_CHECK_BEHIND_MAX / 2 && random_below(&run.maker.seed, 60) == 0) {
		run.ticks++;
		pause_begin(&before, NULL, NULL);
		live_tick_step();
		pause_end(&before);
		between++;
		counts_check(1);
	}
	(void)memory_enter(own);
	return live_check_is_obsolete(check);
}

static enum live_check_result
check_run(struct live_check_difference *difference)
{
	struct live_check *check = check_of_stage();
	struct pause before;

	run.ticks = 0;
	pause_begin(&before, on_question, check);
	enum live_check_result result = live_check_run(check, difference);

	pause_end(&before);
	return result;
}

static void
schedule_check(uint64_t seed)
{
	struct live_check_difference difference;
	uint64_t random = seed, kind = random_below(&random, 3), used = memory_used();

	world_open(kind, seed);
	run.maker = (struct batch_maker){ .seed = seed, .next_id = 1000 };
	run.maker.world = scene_world(&run.scene, &run.stage); /* only for its ids */
	for (uint64_t i = 0; i < TICKS; i++) {
		live_tick_step();
		counts_check(0);
		if (random_below(&random, 4) == 0)
			continue;
		enum live_check_result result = check_run(&difference);

		if (result == LIVE_CHECK_DIFFERS)
			fail_msg("seed %llu: tick %llu, circle %u: %s", (unsigned long long)seed, (unsigned long long)difference.tick,
			         difference.body, difference.difference.text);
		if (result == LIVE_CHECK_SKIPPED)
			fail_msg("seed %llu: skipped", (unsigned long long)seed);
		assert_true(result == LIVE_CHECK_SAME || result == LIVE_CHECK_NONE);
		counts_check(0);
	}
	made += live_check_counts(check_of_stage()).made;
	remade += run.stage.world->late.remade;
	world_destroy(run.maker.world);
	stage_finish(&run.stage);
	assert_int_equal(memory_used(), used);
}

static void
test_ticks_come_to_the_same_bits(void **state)
{
	(void)state;
	pause_units_set(64);
	const uint64_t seeds = effort_most(60, 500, 1500);
	for (uint64_t seed = 1; seed <= seeds; seed++)
		schedule_check(seed);
	pause_units_set(PAUSE_UNITS);
	print_message("%llu ticks checked, %llu made meanwhile, %llu batches, %llu ticks made again for late ones\n",
	              (unsigned long long)made, (unsigned long long)between, (unsigned long long)batches,
	              (unsigned long long)remade);
	assert_true(made > 20 * seeds && between > seeds && batches > made / 2 && remade > made / 20);
}

/* ---- what is spoiled is named */

static const struct checked_span *
span_waiting(void)
{
	const struct checked_span *span = atomic_load(&check_of_stage()->waiting);

	assert_non_null(span);
	return span;
}

static void
spoiled_check(enum kept_field field, const char *name)
{
	struct live_check_difference difference;
	char text[40];

	for (size_t body = 1; body < 20; body += 6) {
		world_open(0, 1);
		stage_step(&run.stage, 14);
		kept_spoil(span_waiting()->ticks[0]->kept, body, field);
		assert_int_equal(live_check_run(check_of_stage(), &difference), LIVE_CHECK_DIFFERS);
		assert_string_equal(difference.world, "stage");
		assert_int_equal(difference.epoch, 7);
		assert_int_equal(difference.from, 6);
		assert_int_equal(difference.tick, 7);
		assert_true(difference.has_body);
		assert_int_equal(difference.body, run.scene.id[body]);
		(void)snprintf(text, sizeof text, "%s[%zu] is ", name, body);
		assert_memory_equal(difference.difference.text, text, strlen(text));
		/* The world itself goes on, and the twin is good for the next. */
		stage_step(&run.stage, WORLDS_CHECK_TICKS + 1);
		assert_int_equal(live_check_run(check_of_stage(), &difference), LIVE_CHECK_SAME);
		assert_int_equal(live_check_counts(check_of_stage()).differing, 1);
		run.stage.now_ns += NS_PER_S;
		stage_step(&run.stage, 1);
		assert_int_equal(run.stage.stats.self_checks_differing, 1);
		assert_int_equal(run.stage.stats.self_checks, 2);
		assert_null(run.stage.world->failed);
		stage_finish(&run.stage);
	}
}

static void
test_one_bit_is_named(void **state)
{
	(void)state;
	spoiled_check(KEPT_X, "bodies.x");
	spoiled_check(KEPT_VY, "bodies.vy");
}

/* Where a batch is another, its tick differs, and none before. */
static void
test_a_batch_is_named_by_its_tick(void **state)
{
	struct live_check_difference difference;

	(void)state;
	world_open(0, 1);
	stage_step(&run.stage, 8);
	one_begin(11);
	one_add_velocities();
	one.x[0] = 0.5;
	stage_send(&run.stage, 1, 1, 12, &one.message);
	stage_step(&run.stage, 6);
	struct batch *batch = span_waiting()->ticks[6]->batches;

	assert_non_null(batch);
	assert_int_equal(batch->tick, 12);
	batch->tick = 99;
	assert_int_equal(live_check_run(check_of_stage(), &difference), LIVE_CHECK_DIFFERS);
	assert_int_equal(difference.tick, 12);
	assert_int_equal(difference.body, 11);
	stage_finish(&run.stage);
}

/* ---- what is skipped */

static void
test_ticks_that_are_not_taken_are_skipped(void **state)
{
	struct live_check_difference difference;

	(void)state;
	world_open(0, 1);
	stage_step(&run.stage, 100);
	assert_int_equal(live_check_counts(check_of_stage()).skipped, 99);
	/* No more are noted after some that were not taken, */
	assert_int_equal(span_waiting()->ticks[WORLDS_CHECK_TICKS]->tick, 2 * WORLDS_CHECK_TICKS);
	assert_int_equal(run.stage.world->checked.count, 0);
	assert_int_equal(live_check_run(check_of_stage(), &difference), LIVE_CHECK_SAME);
	assert_int_equal(live_check_run(check_of_stage(), &difference), LIVE_CHECK_NONE);
	counts_check(0);
	/* up to the next that is. */
	stage_step(&run.stage, WORLDS_CHECK_TICKS + 1);
	assert_int_equal(span_waiting()->ticks[WORLDS_CHECK_TICKS]->tick, 100 + WORLDS_CHECK_TICKS + 1);
	assert_int_equal(live_check_run(check_of_stage(), &difference), LIVE_CHECK_SAME);
	counts_check(0);
	stage_finish(&run.stage);
}

static bool
on_question_far(void *context)
{
	struct ledger *own = memory_enter(NULL);
	struct pause before;

	pause_begin(&before, NULL, NULL);
	if (run.ticks == 0)
		stage_step(&run.stage, run.ticks = WORLDS_CHECK_BEHIND_MAX + 1);
	pause_end(&before);
	(void)memory_enter(own);
	return live_check_is_obsolete(context);
}

static void
test_what_is_too_far_behind_is_given_up(void **state)
{
	struct live_check_difference difference;
	struct pause before;

	(void)state;
	world_open(1, 1);
	stage_step(&run.stage, 30);
	pause_units_set(1);
	pause_begin(&before, on_question_far, check_of_stage());
	assert_int_equal(live_check_run(check_of_stage(), &difference), LIVE_CHECK_SKIPPED);
	pause_end(&before);
	pause_units_set(PAUSE_UNITS);
	counts_check(0);
	assert_int_equal(live_check_run(check_of_stage(), &difference), LIVE_CHECK_SAME);
	stage_finish(&run.stage);
}

static void
test_the_world_may_end_first(void **state)
{
	struct live_check_difference difference;
	uint64_t used = memory_used();

	(void)state;
	world_open(2, 1);
	stage_step(&run.stage, 30);
	struct live_check *check = live_check_hold(check_of_stage());

	assert_int_equal(live_check_run(check, &difference), LIVE_CHECK_SAME);
	stage_step(&run.stage, WORLDS_CHECK_TICKS + 1);
	stage_finish(&run.stage);
	assert_true(live_check_waits(check));
	assert_int_equal(live_check_run(check, &difference), LIVE_CHECK_SKIPPED);
	live_check_release(check);
	assert_int_equal(memory_used(), used);
}

/* ---- which worlds */

static void
test_a_share_is_chosen(void **state)
{
	unsigned chosen[3] = { 0 };
	static const uint32_t permille[3] = { 0, 250, 1000 };

	(void)state;
	for (uint64_t i = 0; i < 10000; i++) {
		char name[32];
		bool before = false;

		(void)snprintf(name, sizeof name, "room-%llu", (unsigned long long)i / 2);
		for (size_t k = 0; k < 3; k++) {
			bool now = live_check_chooses(name, i, permille[k]);

			assert_true(now || !before);
			assert_int_equal(now, live_check_chooses(name, i, permille[k]));
			chosen[k] += now;
			before = now;
		}
	}
	assert_int_equal(chosen[0], 0);
	assert_in_range(chosen[1], 2300, 2700);
	assert_int_equal(chosen[2], 10000);
}

static void
test_the_share_may_change(void **state)
{
	struct live_check_difference difference;

	(void)state;
	world_open(0, 1);
	stage_step(&run.stage, 20);
	run.stage.check_share.permille = 0;
	stage_step(&run.stage, 20);
	struct live_check_counts counts = live_check_counts(check_of_stage());

	assert_int_equal(counts.made, 0);
	assert_int_equal(counts.skipped, 20);
	assert_int_equal(live_check_run(check_of_stage(), &difference), LIVE_CHECK_NONE);
	run.stage.check_share.permille = 1000;
	stage_step(&run.stage, 20);
	assert_int_equal(live_check_run(check_of_stage(), &difference), LIVE_CHECK_SAME);
	counts = live_check_counts(check_of_stage());
	assert_int_equal(counts.made, 1);
	assert_int_equal(counts.skipped, 39);
	stage_finish(&run.stage);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_bit_is_named),
		cmocka_unit_test(test_a_batch_is_named_by_its_tick),
		cmocka_unit_test(test_ticks_that_are_not_taken_are_skipped),
		cmocka_unit_test(test_what_is_too_far_behind_is_given_up),
		cmocka_unit_test(test_the_world_may_end_first),
		cmocka_unit_test(test_a_share_is_chosen),
		cmocka_unit_test(test_the_share_may_change),
		cmocka_unit_test(test_ticks_come_to_the_same_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
