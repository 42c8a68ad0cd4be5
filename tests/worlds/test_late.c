/* Late batches of a world with LATE_RESIMULATE. The same inputs on time, in another world, must come to the same bits: in
 * random schedules over scenes with what the engine has. And one by one: what is undone, what is beyond the history or the
 * budget, and when contacts are told. */
#include "physics/describe.h"
#include "worlds/live/live_private.h"
#include "worlds/one_command.h"
#include "worlds/random_batch.h"

#include "support/effort.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

#define SEATS 4
#define TICKS 60
#define LATE_MAX 10
#define HISTORY 12
#define BATCHES_MAX 512

/* A batch of a schedule. */
struct scheduled {
	uint32_t seat;
	uint64_t sequence, tick; /* that it names */
	uint64_t arrives;        /* after this tick was made */
	struct columns columns;
};

static struct {
	struct stage late, on_time;
	struct stage_scene scene;
	struct scheduled batches[BATCHES_MAX];
	size_t count;
	uint64_t begun;                        /* ticks before the schedule */
	uint64_t hashes[TICKS + LATE_MAX + 1]; /* of snapshots on time, by tick after that */
} run;

static uint64_t seed_now;

/* ---- scenes */

static void
scene_of_kind(uint64_t kind)
{
	if (kind == 0)
		scene_gas(&run.scene, 24);
	else if (kind == 1)
		scene_heap(&run.scene, 24);
	else
		scene_rich(&run.scene, 24);
}

/* ---- schedules */

/* Batches of each seat in the order of their ticks, each some ticks late; the delay of a seat makes those after it wait. */
static void
schedule_make(struct batch_maker *maker)
{
	uint64_t sequence[SEATS + 1] = { 0 }, named[SEATS + 1] = { 0 }, arrived[SEATS + 1] = { 0 };

	run.count = 0;
	for (uint64_t tick = 1; tick <= TICKS && run.count + 3 < BATCHES_MAX; tick++) {
		for (uint64_t k = random_below(&maker->seed, 3); k > 0; k--) {
			struct scheduled *batch = &run.batches[run.count++];
			uint32_t seat = 1 + (uint32_t)random_below(&maker->seed, SEATS);
			struct spec spec = { .seat = seat };

			memset(batch, 0, sizeof *batch);
			batch_make_random(maker, &spec, &batch->columns);
			batch->columns.message.skip_missing = true;
			batch->seat = seat;
			batch->sequence = ++sequence[seat];
			named[seat] = tick < named[seat] ? named[seat] : tick;
			batch->tick = run.begun + named[seat];
			batch->arrives = tick - 1 + (random_below(&maker->seed, 3) == 0 ? 0 : random_below(&maker->seed, LATE_MAX + 1));
			if (batch->arrives < arrived[seat])
				batch->arrives = arrived[seat];
			arrived[seat] = batch->arrives;
		}
	}
}

static void
stages_open(uint64_t seed)
{
	stage_init(&run.late);
	run.late.policy.late = WORLD_LATE_RESIMULATE;
	run.late.policy.history_ticks = HISTORY;
	run.late.policy.hash_every = 1 + (uint32_t)(seed % 7);
	run.late.policy.events = seed % 2 == 0 ? WORLD_EVENTS_TOUCH : 0;
	run.late.limits.resimulated_ticks_max = UINT32_MAX;
	if (seed % 3 == 0)
		assert_int_equal(workspace_create(&run.late.workspace), STATUS_OK);
	stage_open(&run.late, &run.scene);
	stage_init(&run.on_time);
	run.on_time.policy.events = run.late.policy.events;
	stage_open(&run.on_time, &run.scene);
}

static uint64_t
bytes_hash(const struct shared_bytes *bytes)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a */

	for (size_t i = 0; i < bytes->count; i++)
		hash = (hash ^ bytes->bytes[i]) * 1099511628211u;
	return hash;
}

/* All batches as they arrive, and one more tick. */
static void
late_play(void)
{
	for (uint64_t made = 0; made <= TICKS + LATE_MAX; made++) {
		for (size_t i = 0; i < run.count; i++)
			if (run.batches[i].arrives == made)
				stage_send(&run.late, run.batches[i].seat, run.batches[i].sequence, run.batches[i].tick,
				           &run.batches[i].columns.message);
		stage_step(&run.late, 1);
	}
}

/* Those that have taken effect, each before its tick is made. *lost: how many have not. */
static void
on_time_play(size_t *lost)
{
	uint64_t sequence[SEATS + 1] = { 0 };

	for (uint64_t tick = 1; tick <= TICKS + LATE_MAX + 1; tick++) {
		for (size_t i = 0; i < run.count; i++) {
			const struct told *told = stage_told(&run.late, run.batches[i].seat, run.batches[i].sequence);

			assert_non_null(told);
			*lost += tick == 1 && told->code != 0;
			if (told->code == 0 && told->tick == run.begun + tick)
				stage_send(&run.on_time, run.batches[i].seat, ++sequence[run.batches[i].seat], told->tick,
				           &run.batches[i].columns.message);
		}
		stage_step(&run.on_time, 1);
		run.hashes[tick - 1] = bytes_hash(stage_snapshot(&run.on_time));
	}
	for (size_t i = 0; i < run.on_time.told_count; i++)
		assert_int_equal(run.on_time.told[i].code, 0);
}

/* Every tick that may be asked for is as it was on time. */
static void
history_check(void)
{
	for (uint64_t back = 0; back < HISTORY; back++) {
		struct post *post = post_create(POST_SNAPSHOT, 0);

		post->ask = ++run.late.asks;
		post->snapshot.has_tick = true;
		post->snapshot.at_tick = run.late.stats.tick - back;
		live_world_post(run.late.world, post);
		stage_turn(&run.late);
		assert_int_equal(run.late.answer.problem.status, STATUS_OK);
		assert_int_equal(bytes_hash(run.late.answer.snapshot), run.hashes[run.late.stats.tick - run.begun - back - 1]);
	}
}

static uint64_t remade, batches_in_all, lost_in_all, sleepers;

static size_t
sleeping(const struct stage *stage)
{
	struct body_motion motions[STAGE_CIRCLES_MAX];
	size_t count = world_body_count(stage->world->world), asleep = 0;

	world_copy_motions(stage->world->world, 0, count, motions);
	for (size_t i = 0; i < count; i++)
		asleep += motions[i].asleep;
	return asleep;
}

static void
schedule_check(uint64_t seed)
{
	struct batch_maker maker = { .seed = seed, .next_id = 1000 };
	uint64_t kind = random_below(&maker.seed, 3);
	size_t lost = 0;

	/* A heap of its own weight: falling, or long asleep. */
	run.begun = kind == 1 && seed % 3 != 0 ? 400 : 1;
	scene_of_kind(kind);
	stages_open(seed);
	maker.world = scene_world(&run.scene, &run.late); /* only for its ids */
	schedule_make(&maker);
	stage_step(&run.late, run.begun);
	stage_step(&run.on_time, run.begun);
	sleepers += sleeping(&run.late);
	late_play();
	on_time_play(&lost);
	assert_int_equal(run.late.stats.tick, run.on_time.stats.tick);
	assert_int_equal(run.late.answer.hash, run.late.stats.hash);
	assert_int_equal(run.late.stats.hash, run.on_time.stats.hash);
	history_check();
	remade += run.late.stats.resimulated_ticks;
	lost_in_all += lost;
	batches_in_all += run.count;
	world_destroy(maker.world);
	stage_finish(&run.late);
	stage_finish(&run.on_time);
}

static void
test_late_inputs_are_as_on_time(void **state)
{
	(void)state;
	for (seed_now = 1; seed_now <= effort(40, 1000); seed_now++)
		schedule_check(seed_now);
	/* Ticks were made again, of heaps asleep too. Few batches were in each other's way: spawned the same wall, say. */
	assert_in_range(remade, 20 * seed_now, UINT64_MAX);
	assert_in_range(sleepers, seed_now, UINT64_MAX);
	assert_in_range(lost_in_all, 0, batches_in_all / 4);
}

/* ---- one by one */

static void
world_open(uint32_t history)
{
	memset(&run, 0, sizeof run);
	scene_gas(&run.scene, 4);
	stage_init(&run.late);
	run.late.policy.late = WORLD_LATE_RESIMULATE;
	run.late.policy.history_ticks = history;
	stage_open(&run.late, &run.scene);
}

/* Adds to the velocity of a circle. */
static void
push_send(uint32_t seat, uint64_t sequence, uint64_t tick, uint32_t circle)
{
	one_begin(circle);
	one_add_velocities();
	stage_send(&run.late, seat, sequence, tick, &one.message);
}

static void
removal_send(uint32_t seat, uint64_t sequence, uint64_t tick, uint32_t circle)
{
	one_begin(circle);
	one_removal();
	stage_send(&run.late, seat, sequence, tick, &one.message);
}

static void
test_a_late_batch_undoes_what_it_makes_impossible(void **state)
{
	(void)state;
	world_open(10);
	push_send(1, 1, 3, 11);
	push_send(2, 1, 3, 12);
	stage_step(&run.late, 5);
	assert_int_equal(stage_told(&run.late, 1, 1)->tick, 3);
	removal_send(3, 1, 2, 11);
	stage_step(&run.late, 1);
	assert_int_equal(stage_told(&run.late, 3, 1)->tick, 2);
	assert_int_equal(stage_told(&run.late, 3, 1)->code, 0);

	const struct told *undone = stage_told(&run.late, 1, 1);

	assert_string_equal(undone->reason, "UNDONE");
	assert_string_equal(undone->field, "commands.add_velocities.id[0]");
	assert_int_equal(undone->tick, 0);
	assert_true(undone->exceptional);
	assert_int_equal(stage_told(&run.late, 2, 1)->code, 0);
	assert_int_equal(run.late.stats.batches, 2);
	assert_int_equal(run.late.stats.circles, 3);
	assert_int_equal(run.late.stats.resimulated_ticks, 4 + 0);
	stage_finish(&run.late);
}

static void
test_beyond_the_history_is_the_next_tick(void **state)
{
	(void)state;
	world_open(4);
	stage_step(&run.late, 20);
	push_send(1, 1, 16, 11); /* up to 16 all is final */
	push_send(2, 1, 17, 11);
	stage_step(&run.late, 1);
	assert_int_equal(stage_told(&run.late, 1, 1)->tick, 21);
	assert_int_equal(stage_told(&run.late, 2, 1)->tick, 17);
	stage_finish(&run.late);
}

static void
test_never_before_an_earlier_one_of_its_seat(void **state)
{
	(void)state;
	world_open(10);
	stage_step(&run.late, 10);
	push_send(1, 1, 0, 11);
	stage_step(&run.late, 1);
	assert_int_equal(stage_told(&run.late, 1, 1)->tick, 11);
	push_send(1, 2, 7, 11);
	stage_step(&run.late, 1);
	assert_int_equal(stage_told(&run.late, 1, 2)->tick, 11);
	assert_true(stage_told(&run.late, 1, 2)->exceptional);
	stage_finish(&run.late);
}

static void
test_the_budget_is_kept(void **state)
{
	(void)state;
	world_open(10);
	stage_finish(&run.late);
	run.late.limits.resimulated_ticks_max = 12;
	run.late.world = NULL;
	run.late.told_count = 0;
	stage_open(&run.late, &run.scene);
	run.late.now_ns += NS_PER_S;
	stage_step(&run.late, 20);
	push_send(1, 1, 15, 11); /* 6 ticks */
	push_send(2, 1, 14, 11); /* one more */
	push_send(3, 1, 15, 11); /* none */
	stage_step(&run.late, 1);
	assert_int_equal(stage_told(&run.late, 1, 1)->tick, 15);
	assert_int_equal(stage_told(&run.late, 2, 1)->tick, 14);
	assert_int_equal(stage_told(&run.late, 3, 1)->tick, 15);
	push_send(1, 2, 16, 11); /* 6 ticks; 5 are left */
	push_send(2, 2, 17, 11); /* these can be */
	stage_step(&run.late, 1);
	assert_int_equal(stage_told(&run.late, 1, 2)->tick, 22);
	assert_int_equal(stage_told(&run.late, 2, 2)->tick, 17);
	run.late.now_ns += NS_PER_S / 2; /* six more */
	push_send(1, 3, 22, 11);
	stage_step(&run.late, 1);
	assert_int_equal(stage_told(&run.late, 1, 3)->tick, 22);
	push_send(2, 3, 18, 11); /* 6 ticks; 5 are left */
	stage_step(&run.late, 1);
	assert_int_equal(stage_told(&run.late, 2, 3)->tick, 24);
	stage_finish(&run.late);
}

/* Until all is made that was asked for, or the world has failed. */
static void
fail_step(struct stage *stage, uint64_t ticks)
{
	struct post *post = post_create(POST_STEP, 0);

	post->ask = ++stage->asks;
	post->step.ticks = ticks;
	live_world_post(stage->world, post);
	do
		stage_turn(stage);
	while (stage->turn.next == TURN_SOON);
}

/* A circle that is so fast that it, and those that it sends on, make more contacts in a tick than there may be. */
static void
fast_send(struct stage *stage, uint64_t tick)
{
	one_begin(10);
	one_velocities();
	one.x[0] = 1000, one.y[0] = 0;
	stage_send(stage, 1, 1, tick, &one.message);
}

/* A tick that cannot be made with the late batch fails the world, as it does with the batch in time. What waits is refused. */
static void
test_a_tick_that_fails_again_fails_the_world(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct stage *stage = &run.late;

		memset(&run, 0, sizeof run);
		scene_gas(&run.scene, 4);
		for (size_t i = 0; i < 4; i++)
			run.scene.vx[i] = run.scene.vy[i] = 0;
		stage_init(stage);
		stage->policy.late = WORLD_LATE_RESIMULATE;
		stage->policy.history_ticks = 10;
		stage->scene_limits.contacts_per_tick_max = 1;
		stage_open(stage, &run.scene);
		stage_step(stage, late ? 5 : 2);
		fast_send(stage, 3);
		push_send(2, 1, 9, 11);
		fail_step(stage, 1);
		assert_string_equal(stage->stats.failed, "LIMIT");
		assert_int_equal(stage->stats.tick, late ? 5 : 2);
		assert_int_equal(stage_told(stage, 1, 1)->tick, 3);
		assert_string_equal(stage_told(stage, 2, 1)->reason, "WORLD_FAILED");
		stage_finish(stage);
	}
}

/* ---- contacts */

/* Ticks of contacts that were told, each with the tick after which it was. */
static struct {
	uint64_t tick[64], at[64];
	size_t count;
	bool provisional;
	uint64_t final_tick;
} seen;

static void
on_update(struct stage *stage, const struct update *update)
{
	(void)stage;
	for (uint32_t i = 0; i < update->row_count + update->state_count; i++) {
		Collide__V1__WorldUpdate *message = collide__v1__world_update__unpack(NULL, update->blocks[i]->count,
		                                                                      update->blocks[i]->bytes);

		assert_non_null(message);
		seen.final_tick = message->final_tick;
		const Collide__V1__ContactColumns *contacts = message->frame ? message->frame->contacts : NULL;
		for (size_t k = 0; contacts && k < contacts->n_tick; k++) {
			assert_true(seen.count < 64);
			seen.tick[seen.count] = contacts->tick[k];
			seen.at[seen.count++] = message->tick;
			seen.provisional = message->provisional;
		}
		collide__v1__world_update__free_unpacked(message, NULL);
	}
}

/* One circle that flies to a wall, which it meets in its 13th tick. */
static void
flight_open(bool provisional)
{
	memset(&seen, 0, sizeof seen);
	memset(&run, 0, sizeof run);
	scene_gas(&run.scene, 1);
	run.scene.vx[0] = -7.0, run.scene.vy[0] = 0.0; /* from x = 2, radius 0.5 */
	stage_init(&run.late);
	run.late.policy.late = WORLD_LATE_RESIMULATE;
	run.late.policy.history_ticks = 6;
	run.late.on_update = on_update;
	stage_open(&run.late, &run.scene);
	struct post *post = post_create(POST_ENCODER, 0);
	post->encoder.encoder = 1;
	post->encoder.wanted = true;
	post->encoder.options = (struct encoder_options){ .every = 1, .contacts = true, .provisional = provisional };
	live_world_post(run.late.world, post);
	stage_turn(&run.late);
}

static void
test_contacts_are_told_when_final(void **state)
{
	(void)state;
	flight_open(false);
	stage_step(&run.late, 13);
	assert_int_equal(seen.count, 0);
	assert_int_equal(seen.final_tick, 7);
	/* Late: it turns before it gets there, and meets nothing. */
	one_begin(10);
	one_velocities();
	one.x[0] = 1.0;
	stage_send(&run.late, 1, 1, 11, &one.message);
	stage_step(&run.late, 12);
	assert_int_equal(stage_told(&run.late, 1, 1)->tick, 11);
	assert_int_equal(seen.count, 0);
	stage_finish(&run.late);

	/* Not late: told six ticks after. */
	flight_open(false);
	stage_step(&run.late, 20);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.tick[0], 13);
	assert_int_equal(seen.at[0], 19);
	assert_false(seen.provisional);
	stage_finish(&run.late);
}

static void
test_contacts_are_told_at_once_and_marked(void **state)
{
	(void)state;
	flight_open(true);
	stage_step(&run.late, 20);
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.tick[0], 13);
	assert_int_equal(seen.at[0], 13);
	assert_true(seen.provisional);
	stage_finish(&run.late);
}

/* One that will take more than 500 us, by what ticks took, is no part of a due tick. */
static void
test_a_long_rollback_says_so(void **state)
{
	(void)state;
	world_open(HISTORY);
	stage_look_ns = 100000; /* a tick by itself */
	stage_step(&run.late, 20);
	stage_long_count = 0;
	push_send(1, 1, 18, 1); /* 3 ticks */
	stage_step(&run.late, 1);
	assert_int_equal(run.late.stats.resimulated_ticks, 3);
	assert_int_equal(stage_long_count, 0);
	stage_finish(&run.late);

	world_open(HISTORY);
	stage_step(&run.late, 20);
	push_send(1, 1, 13, 1); /* 8 ticks */
	stage_step(&run.late, 1);
	assert_int_equal(run.late.stats.resimulated_ticks, 8);
	assert_int_equal(stage_long_count, 1);
	/* They took 100 us together: the next are known to be short. */
	push_send(1, 2, 13, 1);
	stage_step(&run.late, 1);
	assert_int_equal(run.late.stats.resimulated_ticks, 17);
	assert_int_equal(stage_long_count, 1);
	stage_finish(&run.late);
	stage_look_ns = 10000;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_inputs_are_as_on_time),
		cmocka_unit_test(test_a_late_batch_undoes_what_it_makes_impossible),
		cmocka_unit_test(test_beyond_the_history_is_the_next_tick),
		cmocka_unit_test(test_never_before_an_earlier_one_of_its_seat),
		cmocka_unit_test(test_the_budget_is_kept),
		cmocka_unit_test(test_a_long_rollback_says_so),
		cmocka_unit_test(test_a_tick_that_fails_again_fails_the_world),
		cmocka_unit_test(test_contacts_are_told_when_final),
		cmocka_unit_test(test_contacts_are_told_at_once_and_marked),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (failed != 0)
		print_message("seed %llu\n", (unsigned long long)seed_now);
	return failed;
}
