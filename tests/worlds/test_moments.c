/* Moments of a world, for queries. Circles are where a reader of paths has them at that time, to the bit. The reader is the
 * library's follower. It is told what the live world's encoder tells, and shares no code with what makes the moment. Circles
 * that the rest solver drives are near to that. The present is as it was, whatever is asked. */
#include "worlds/one_command.h"
#include "worlds/random_batch.h"

#include "client/lib/collide.h"
#include "physics/queries/space_private.h"
#include "support/effort.h"
#include "support/random.h"
#include "worlds/live/live_private.h"

#include <math.h>
#include <string.h>

#define HISTORY 40
#define LATER 12 /* ticks until a moment is asked for, at most */
#define WAITING_MAX 512

/* Where a follower had a circle at a time. */
struct seen {
	uint32_t id;
	bool there;
	double x, y;
};

struct moment {
	uint64_t tick, ask_at;
	double time;
	size_t count;
	struct seen seen[STAGE_CIRCLES_MAX], before[STAGE_CIRCLES_MAX]; /* before: at the tick's start */
};

static struct {
	struct stage stage;
	struct stage_scene scene;
	struct collide_follower *follower;
	bool ready;
	struct moment waiting[WAITING_MAX];
	size_t count;
	uint64_t seed;
	size_t compared, driven, ended;
	double driven_most; /* distance of one that is driven, in radii */
} run;

/* ---- the follower */

static void
block_feed(const struct shared_bytes *block)
{
	struct collide_error error;

	if (!collide_follower_update(run.follower, block->bytes, block->count, &error))
		fail_msg("%s", error.text);
}

static void
on_update(struct stage *stage, const struct update *update)
{
	uint32_t states = update->row_count + update->state_count;

	(void)stage;
	for (uint32_t i = run.ready ? update->row_count : states; i < (run.ready ? states : states + update->key_count); i++)
		block_feed(update->blocks[i]);
	run.ready = run.ready || update->key_count > 0;
}

/* Where everything is at some time of the tick that was made last. */
static void
moment_note(void *context, const struct collide_follower *follower)
{
	struct collide_followed world = collide_follower_world(follower);
	double start = (double)(world.tick - 1) * world.dt;
	double time = start + random_between(&run.seed, 0, 1) * world.dt, within = time - start;
	struct moment *moment = &run.waiting[run.count];

	(void)context;
	if (run.count == WAITING_MAX || !(within > 0 && within < world.dt))
		return;
	run.count++;
	moment->tick = world.tick - 1;
	moment->time = within;
	moment->ask_at = world.tick + random_below(&run.seed, LATER);
	moment->count = 0;
	/* Ids of one play are few. */
	for (uint32_t id = 1; id <= 1000000; id = id == 60 ? 1000 : id == 1300 ? 1000000 : id + 1) {
		struct collide_place place;
		struct seen seen = { .id = id, .there = collide_follower_place(follower, id, time, &place) };

		if (!seen.there)
			continue;
		seen.x = place.x, seen.y = place.y;
		struct seen before = seen;
		if (collide_follower_place(follower, id, start, &place))
			before.x = place.x, before.y = place.y;
		moment->before[moment->count] = before;
		moment->seen[moment->count++] = seen;
	}
}

/* ---- moments */

/* What there was, of what it was asked; empty where that cannot be. */
static const struct sorted_shapes nothing;

static const struct sorted_shapes *
moment_ask(uint64_t tick, double time)
{
	struct post *post = post_create(POST_MOMENT, 0);

	post->ask = ++run.stage.asks;
	post->moment.has_tick = true;
	post->moment.tick = tick;
	post->moment.time = time;
	live_world_post(run.stage.world, post);
	stage_turn(&run.stage);
	assert_int_equal(run.stage.answer.ask, run.stage.asks);
	return run.stage.answer.space ? &run.stage.answer.space->space->shapes : &nothing;
}

static size_t
place_of(const struct sorted_shapes *shapes, uint32_t id)
{
	size_t i = 0;

	while (i < shapes->circle_count && shapes->circles[i].id != id)
		i++;
	return i;
}

/* Whether the rest solver drives it in some part of the tick that was looked at. */
static bool
is_driven(uint32_t id)
{
	const struct tick_report *report = run.stage.world->past.report;

	for (size_t i = 0; i < report->path_count; i++)
		if (report->paths[i].body == id && report->paths[i].kind == PIECE_DRIVEN)
			return true;
	return false;
}

/* How far its path goes in that tick, from where it was before; that a command puts it elsewhere counts. */
static double
way_of(uint32_t id, const struct seen *before)
{
	const struct tick_report *report = run.stage.world->past.report;
	double way = 0, dt = run.stage.policy.dt, x = before->x, y = before->y;

	for (size_t i = 0; i < report->path_count; i++) {
		const struct path_piece *piece = &report->paths[i];
		bool last = i + 1 == report->path_count || report->paths[i + 1].body != id;
		double s = (last ? dt : report->paths[i + 1].time) - piece->time;

		if (piece->body != id)
			continue;
		way += hypot(piece->position[0] - x, piece->position[1] - y);
		x = piece->position[0] + s * (piece->velocity[0] + 0.5 * s * piece->acceleration[0]);
		y = piece->position[1] + s * (piece->velocity[1] + 0.5 * s * piece->acceleration[1]);
		way += s * (hypot(piece->velocity[0], piece->velocity[1]) + s * hypot(piece->acceleration[0], piece->acceleration[1]));
	}
	return way;
}

static void
moment_check(const struct moment *moment)
{
	const struct sorted_shapes *shapes = moment_ask(moment->tick, moment->time);

	assert_int_equal(run.stage.answer.problem.status, STATUS_OK);
	assert_ptr_not_equal(shapes, &nothing);
	assert_int_equal(shapes->circle_count, moment->count);
	assert_int_equal(run.stage.world->past.stepped, moment->tick + 1);
	for (size_t i = 0; i < moment->count; i++) {
		const struct seen *seen = &moment->seen[i];
		size_t at = place_of(shapes, seen->id);

		assert_true(at < shapes->circle_count);
		double x = shapes->discs[at].x, y = shapes->discs[at].y;
		if (is_driven(seen->id)) {
			double off = hypot(x - seen->x, y - seen->y);

			/* Both begin and end where it does, and neither goes farther than it. */
			assert_true(off <= way_of(seen->id, &moment->before[i]) * (1 + 1e-9) + 1e-12);
			run.driven_most = fmax(run.driven_most, off / shapes->discs[at].radius);
			run.driven++;
			continue;
		}
		if (memcmp(&x, &seen->x, sizeof x) != 0 || memcmp(&y, &seen->y, sizeof y) != 0)
			fail_msg("tick %llu + %.17g: circle %u is at %.17g %.17g, not %.17g %.17g", (unsigned long long)moment->tick,
			         moment->time, seen->id, x, y, seen->x, seen->y);
		run.compared++;
	}
}

static void
moments_ask(void)
{
	uint64_t tick = run.stage.stats.tick;
	size_t kept = 0;

	for (size_t i = 0; i < run.count; i++)
		if (run.waiting[i].ask_at > tick)
			run.waiting[kept++] = run.waiting[i];
		else
			moment_check(&run.waiting[i]);
	run.count = kept;
}

/* ---- plays */

static void
play_open(uint64_t seed)
{
	struct post *post = post_create(POST_ENCODER, 0), *key = post_create(POST_KEY, 0);

	run.seed = seed;
	run.count = 0;
	run.ready = false;
	switch (seed % 3) {
	case 0: scene_gas(&run.scene, 24); break;
	case 1: scene_heap(&run.scene, 24); break;
	default: scene_rich(&run.scene, 24);
	}
	stage_init(&run.stage);
	run.stage.policy.history_ticks = HISTORY;
	run.stage.on_update = on_update;
	stage_open(&run.stage, &run.scene);
	run.follower = collide_follower_create(4);
	assert_non_null(run.follower);
	post->encoder.encoder = key->key_of = 1;
	post->encoder.wanted = true;
	post->encoder.options = (struct encoder_options){ .every = 1, .paths = true };
	live_world_post(run.stage.world, post);
	live_world_post(run.stage.world, key);
	stage_turn(&run.stage);
	assert_true(run.ready);
	collide_follower_on_tick(run.follower, moment_note, NULL);
}

static void
play_finish(void)
{
	collide_follower_destroy(run.follower);
	stage_finish(&run.stage);
}

/* A twin gets the same batches and no questions. */
static void
moments_play(uint64_t seed, uint64_t ticks)
{
	static struct stage twin;
	struct batch_maker maker = { .seed = seed * 31, .next_id = 1000 };
	uint64_t sequence = 0;

	play_open(seed);
	stage_init(&twin);
	stage_open(&twin, &run.scene);
	maker.world = scene_world(&run.scene, &run.stage); /* only for its ids */
	for (uint64_t tick = 1; tick <= ticks; tick++) {
		if (random_below(&maker.seed, 4) == 0 && maker.next_id < 1290) {
			static struct columns columns;
			struct spec spec = { .seat = 1 };

			memset(&columns, 0, sizeof columns);
			batch_make_random(&maker, &spec, &columns);
			columns.message.skip_missing = true;
			sequence++;
			stage_send(&run.stage, 1, sequence, 0, &columns.message);
			stage_send(&twin, 1, sequence, 0, &columns.message);
		}
		stage_step(&run.stage, 1);
		stage_step(&twin, 1);
		assert_int_equal(run.stage.stats.hash, twin.stats.hash);
		run.stage.told_count = twin.told_count = 0;
		moments_ask();
	}
	world_destroy(maker.world);
	stage_finish(&twin);
	play_finish();
}

static void
test_circles_are_where_readers_have_them(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort(12, 400); seed++)
		moments_play(seed, 300);
	print_message("%zu places compared, %zu of driven circles, these off by at most %.3g radii\n", run.compared, run.driven,
	              run.driven_most);
	assert_true(run.compared > effort(20000, 1000000) && run.driven > 100);
}

/* The same moment, asked for again, is the same space; at the end of a tick it is that of the state after it. */
static void
test_moments_share_what_is_made(void **state)
{
	(void)state;
	play_open(3);
	stage_step(&run.stage, 20);
	const struct sorted_shapes *first = moment_ask(10, 0.004);
	double x = first->discs[0].x;
	assert_ptr_equal(moment_ask(10, 0.004), first);
	(void)moment_ask(12, 0.001);
	assert_ptr_equal(moment_ask(10, 0.004), first);
	assert_true(first->discs[0].x == x);
	assert_ptr_equal(moment_ask(10, run.stage.policy.dt), moment_ask(11, 0));
	/* As many as are kept, and one more. */
	for (size_t i = 0; i < PAST_SPACES; i++)
		(void)moment_ask(13, 0.001 * (double)(i + 1));
	assert_ptr_not_equal(moment_ask(10, 0.004), &nothing);
	play_finish();
}

static void
problem_check(uint64_t tick, double time, enum status status, const char *reason, const char *field)
{
	assert_ptr_equal(moment_ask(tick, time), &nothing);
	assert_int_equal(run.stage.answer.problem.status, status);
	assert_string_equal(run.stage.answer.problem.reason, reason);
	assert_string_equal(run.stage.answer.problem.field, field);
}

static void
test_moments_that_cannot_be(void **state)
{
	(void)state;
	play_open(3);
	stage_step(&run.stage, 60);
	problem_check(60, 0.001, STATUS_OUT_OF_RANGE, "TOO_EARLY", "query.world.time");
	problem_check(61, 0, STATUS_OUT_OF_RANGE, "TOO_EARLY", "query.world.tick");
	problem_check(19, 0, STATUS_OUT_OF_RANGE, "TICK_GONE", "query.world.tick");
	problem_check(30, 1, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "query.world.time");
	problem_check(30, -1e-9, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "query.world.time");
	problem_check(30, -INFINITY, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "query.world.time");
	problem_check(30, NAN, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "query.world.time");
	assert_ptr_not_equal(&nothing, moment_ask(60, 0));
	assert_ptr_not_equal(&nothing, moment_ask(20, 0.001));
	assert_ptr_not_equal(&nothing, moment_ask(59, run.stage.policy.dt));
	play_finish();
}

/* A late batch changes what was: moments after it are made again, others are as they were. */
static void
test_a_past_that_is_made_again(void **state)
{
	(void)state;
	play_open(3);
	play_finish();
	run.stage.policy.late = WORLD_LATE_RESIMULATE;
	run.stage.on_update = NULL;
	stage_open(&run.stage, &run.scene);
	run.follower = NULL;
	stage_step(&run.stage, 60 - run.stage.stats.tick);
	const struct sorted_shapes *before = moment_ask(45, 0.002), *after = moment_ask(55, 0.002);
	double x = after->discs[0].x;
	struct shared_space *held = shared_space_hold(run.stage.answer.space);
	one_begin(after->circles[0].id);
	one_places();
	one.x[0] = 26, one.y[0] = 26;
	stage_send(&run.stage, 1, 1, 50, &one.message);
	stage_step(&run.stage, 1);
	assert_int_equal(stage_told(&run.stage, 1, 1)->tick, 50);
	assert_ptr_equal(moment_ask(45, 0.002), before);
	assert_ptr_not_equal(moment_ask(55, 0.002), after);
	assert_true(moment_ask(55, 0.002)->discs[0].x != x);
	/* Before the batch took effect, and just after. */
	assert_true(moment_ask(49, 0)->discs[0].x != 26);
	assert_true(fabs(moment_ask(49, 1e-6)->discs[0].x - 26) < 0.001);
	assert_true(held->space->shapes.discs[0].x == x); /* a query that goes on with it */
	shared_space_release(held);
	stage_finish(&run.stage);
}

/* Very many at a time do not hold up a tick that is due: some are answered in the turn of each. */
static void
test_many_moments_wait_for_ticks(void **state)
{
	enum { MANY = 500 };
	(void)state;
	memset(&run, 0, sizeof run);
	scene_gas(&run.scene, 8);
	stage_init(&run.stage);
	run.stage.policy.history_ticks = HISTORY;
	run.stage.policy.clock = WORLD_CLOCK_SERVER;
	stage_open(&run.stage, &run.scene);
	for (size_t i = 0; i < 50; i++) {
		run.stage.now_ns += NS_PER_S / 60 + 1;
		stage_turn(&run.stage);
	}
	for (size_t i = 0; i < MANY; i++) {
		struct post *post = post_create(POST_MOMENT, 0);

		post->ask = ++run.stage.asks;
		post->moment.has_tick = true;
		post->moment.tick = run.stage.stats.tick - 1 - i % 20;
		post->moment.time = 0.001 + 0.00001 * (double)i;
		live_world_post(run.stage.world, post);
	}
	stage_turn(&run.stage);
	assert_in_range(run.stage.answers, 1, MANY - 1);
	assert_int_equal(run.stage.turn.next, TURN_AT);
	for (size_t i = 0; i < 50 && run.stage.answers < MANY; i++) {
		uint64_t tick = run.stage.stats.tick;

		run.stage.now_ns += NS_PER_S / 60 + 1;
		stage_turn(&run.stage);
		assert_int_equal(run.stage.stats.tick, tick + 1);
	}
	assert_int_equal(run.stage.answers, MANY);
	assert_int_equal(run.stage.answer.ask, run.stage.asks);
	assert_int_equal(run.stage.answer.problem.status, STATUS_OK);
	stage_finish(&run.stage);
}

static void
world_open(enum world_clock clock)
{
	memset(&run, 0, sizeof run);
	scene_gas(&run.scene, 8);
	stage_init(&run.stage);
	run.stage.policy.history_ticks = HISTORY;
	run.stage.policy.clock = clock;
	stage_open(&run.stage, &run.scene);
}

static void
moment_post(uint64_t asker, uint64_t tick, double time)
{
	struct post *post = post_create(POST_MOMENT, 0);

	post->ask = ++run.stage.asks;
	post->moment.asker = asker;
	post->moment.has_tick = true;
	post->moment.tick = tick;
	post->moment.time = time;
	live_world_post(run.stage.world, post);
}

/* One that is far from what is kept takes as many turns as it needs. None makes more ticks again than its time is for, and all
 * make their own tick first. What comes of it is what comes of it in one turn. */
static void
test_a_far_moment_takes_several_turns(void **state)
{
	const uint64_t look_ns = stage_look_ns;
	(void)state;
	world_open(WORLD_CLOCK_CLIENT);
	stage_step(&run.stage, 60);
	const struct sorted_shapes *shapes = moment_ask(59, 0.004);
	const size_t at = place_of(shapes, 12);
	const double x = shapes->discs[at].x, y = shapes->discs[at].y;
	stage_finish(&run.stage);

	world_open(WORLD_CLOCK_SERVER);
	while (run.stage.world->tick < 60) {
		run.stage.now_ns += NS_PER_S / 60 + 1;
		stage_turn(&run.stage);
	}
	stage_look_ns = LIVE_WORLD_TURN_NS / 2;
	moment_post(1, 59, 0.004);
	stage_turn(&run.stage); /* without a tick */
	size_t turns = 1;
	uint64_t there = run.stage.world->past.moment.tick;
	assert_int_equal(run.stage.answers, 0);
	for (; run.stage.answers == 0; turns++) {
		const uint64_t tick = run.stage.world->tick;
		run.stage.now_ns += NS_PER_S / 60 + 1;
		stage_turn(&run.stage);
		assert_int_equal(run.stage.world->tick, tick + 1);
		assert_in_range(run.stage.world->past.moment.tick, there + 1, there + 2);
		there = run.stage.world->past.moment.tick;
	}
	assert_true(turns > 3);
	stage_look_ns = look_ns;
	assert_int_equal(run.stage.answer.problem.status, STATUS_OK);
	shapes = &run.stage.answer.space->space->shapes;
	assert_true(shapes->discs[place_of(shapes, 12)].x == x && shapes->discs[place_of(shapes, 12)].y == y);
	stage_finish(&run.stage);
}

/* Each account has one question answered before another has two more. */
static void
test_askers_take_turns(void **state)
{
	(void)state;
	world_open(WORLD_CLOCK_SERVER);
	while (run.stage.world->tick < 60) {
		run.stage.now_ns += NS_PER_S / 60 + 1;
		stage_turn(&run.stage);
	}
	for (size_t i = 0; i < 400; i++)
		moment_post(1, 58 - i % 30, 0.001 + 0.00001 * (double)i);
	stage_turn(&run.stage);
	moment_post(2, 58, 0.007);
	/* From here on one look at the clock is a turn's time: one question each. */
	const uint64_t look_ns = stage_look_ns, asked = run.stage.asks;
	size_t turns = 0;
	for (stage_look_ns = LIVE_WORLD_TURN_NS; turns < 400 && run.stage.answer.ask != asked; turns++) {
		run.stage.now_ns += NS_PER_S / 60 + 1;
		stage_turn(&run.stage);
	}
	stage_look_ns = look_ns;
	/* After that which is on its way. Each may take ticks of some turns. */
	assert_int_equal(run.stage.answer.ask, asked);
	assert_in_range(turns, 1, 2 * HISTORY);
	assert_true(run.stage.answers < 400);
	stage_finish(&run.stage);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_circles_are_where_readers_have_them),
		cmocka_unit_test(test_moments_share_what_is_made),
		cmocka_unit_test(test_moments_that_cannot_be),
		cmocka_unit_test(test_a_past_that_is_made_again),
		cmocka_unit_test(test_many_moments_wait_for_ticks),
		cmocka_unit_test(test_a_far_moment_takes_several_turns),
		cmocka_unit_test(test_askers_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
