/* Mirrors that go ahead of a live world, over ways that delay: one seed makes a world, players, delays and leads. Beside each
 * of them is a mirror that only follows. After each update:
 *
 * - what is confirmed has the world's hash;
 * - what is displayed has the hash of a world that is made of the follower's snapshot, is given what is still on its way, and
 *   makes the ticks once;
 * - a circle is elsewhere only if the update has a cause for it, by the test's own books. */
#include "client/mirror/mirror.h"
#include "mirror/net.h"
#include "support/effort.h"
#include "support/random.h"
#include "worlds/live/live_private.h"
#include "worlds/one_command.h"
#include "worlds/random_batch.h"

#include <stdlib.h>
#include <string.h>

#define PLAYERS 3
#define TICKS 150
#define SENT_MAX 1024
#define CONTESTED 5000

enum letter_kind { LETTER_UPDATE, LETTER_KEY, LETTER_OUTCOME, LETTER_BATCH };

struct player {
	uint32_t seat;
	struct way up, down;
	struct collide_mirror *mirror, *follower;
	bool acts, wants_key, skips; /* skips: updates up to the key are lost */
	uint64_t lead, sequence;
	uint64_t predicted[SENT_MAX];        /* tick of each sequence, 0: not predicted */
	bool told[SENT_MAX], late[SENT_MAX]; /* late: an update did not tell it that should have */
	uint64_t told_sequence;
};

static struct {
	struct stage stage;
	struct stage_scene scene;
	struct batch_maker maker;
	struct player players[PLAYERS];
	uint64_t seed, now;
	bool resimulates, alone;
	uint64_t hash[TICKS * 2 + 1]; /* of the world after each tick, when its update was made */
} run;

static struct {
	uint64_t updates, ahead, caused, corrections, corrected, remade, confirmed, moved, dropped, predicted, hashes, hashes_left,
		undone, keys, straight;
} sums;

/* ---- the world's side */

static void
on_update(struct stage *stage, const struct update *update)
{
	uint32_t states = update->row_count + update->state_count;

	run.hash[update->tick] = world_hash(stage->world->world);
	for (size_t i = 0; i < PLAYERS; i++) {
		struct player *player = &run.players[i];
		bool key = player->wants_key && update->key_count > 0;
		const struct letter head = { .kind = key ? LETTER_KEY : LETTER_UPDATE, .tick = update->tick };

		for (uint32_t k = key ? states : 0; k < (key ? states + update->key_count : states); k++)
			if (key || !player->skips)
				way_send(&player->down, run.now, &head, update->blocks[k]->bytes, update->blocks[k]->count);
		if (key)
			player->wants_key = player->skips = false;
	}
}

static void
key_ask(void)
{
	struct post *post = post_create(POST_KEY, 0);

	post->key_of = 1;
	live_world_post(run.stage.world, post);
}

static void
outcomes_send(void)
{
	for (size_t i = 0; i < run.stage.told_count; i++) {
		const struct told *told = &run.stage.told[i];
		const struct letter head = { .kind = LETTER_OUTCOME, .number = told->sequence, .tick = (uint64_t)told->code };

		if (told->seat <= PLAYERS)
			way_send(&run.players[told->seat - 1].down, run.now, &head, NULL, 0);
	}
	run.stage.told_count = 0;
}

static void
tick_go(void)
{
	for (size_t i = 0; i < PLAYERS; i++) {
		struct letter *letter;

		while ((letter = way_take(&run.players[i].up, run.now))) {
			Collide__V1__Commands *commands = collide__v1__commands__unpack(NULL, letter->count, letter->bytes);

			assert_non_null(commands);
			stage_send(&run.stage, run.players[i].seat, letter->number, letter->tick, commands);
			collide__v1__commands__free_unpacked(commands, NULL);
			free(letter);
		}
	}
	if (!run.alone && random_below(&run.seed, 60) == 0) {
		struct post *post = post_create(POST_SEAT_ENDED, 0);

		post->seat_ended = PLAYERS; /* it goes on as another of the same number would */
		live_world_post(run.stage.world, post);
	}
	stage_step(&run.stage, 1);
	outcomes_send();
}

/* ---- a player's side */

/* Whether the update may put circles elsewhere: batches of others in ticks that were made, or its own otherwise than predicted;
 * and notes what it tells. */
static bool
has_cause(struct player *player, const Collide__V1__WorldUpdate *update)
{
	uint64_t made = collide_mirror_state(player->mirror).tick;
	bool cause = update->n_undone > 0;

	for (size_t i = 0; i < update->n_applied; i++) {
		const Collide__V1__AppliedBatch *applied = update->applied[i];
		bool own = applied->seat == player->seat && applied->commands.len > 0;

		if (own) {
			player->told[applied->sequence] = true;
			if (applied->sequence > player->told_sequence)
				player->told_sequence = applied->sequence;
			cause = cause || player->predicted[applied->sequence] != applied->tick || player->late[applied->sequence];
		} else {
			cause = cause || (applied->tick <= made && applied->commands.len > 0);
		}
	}
	/* Those that should have been told. */
	for (uint64_t k = 1; k <= player->sequence; k++)
		if (!player->told[k] && player->predicted[k] != 0 &&
		    (player->predicted[k] <= update->tick || k < player->told_sequence)) {
			cause = player->late[k] = true;
			if (player->predicted[k] <= update->tick)
				player->predicted[k] = update->tick + 1;
			if (k < player->told_sequence)
				player->predicted[k] = 0;
		}
	return cause;
}

/* What the displayed tick must be: from the follower's state on, with what is on its way. */
static void
straight_check(const struct player *player)
{
	static struct stage straight;
	struct collide_mirrored ahead = collide_mirror_state(player->mirror);
	uint64_t sequence = 0;
	size_t bytes;
	void *snapshot = collide_mirror_snapshot(player->follower, &bytes);

	assert_non_null(snapshot);
	stage_init(&straight);
	stage_open_bytes(&straight, snapshot, bytes);
	free(snapshot);
	for (const struct prediction *each = player->mirror->predictions.first; each; each = each->next) {
		struct post *post = post_create(POST_BATCH, each->count);

		memcpy(post->bytes, each->bytes, each->count);
		post->batch.seat = each->seat;
		post->batch.right = SEAT_STEP;
		post->batch.seat_next = UINT32_MAX;
		post->batch.sequence = ++sequence; /* all of one seat, in order */
		post->batch.tick = each->tick;
		live_world_post(straight.world, post);
	}
	if (ahead.tick > ahead.told_tick)
		stage_step(&straight, ahead.tick - ahead.told_tick);
	if (world_hash(straight.world->world) != world_hash(mirror_world(player->mirror)))
		fail_msg("tick %llu, ahead of %llu: not what comes of it", (unsigned long long)ahead.tick,
		         (unsigned long long)ahead.told_tick);
	stage_finish(&straight);
	sums.straight++;
}

static void
confirmed_check(struct player *player, uint64_t tick)
{
	uint64_t hash = 0;

	assert_int_equal(collide_mirror_state(player->follower).tick, tick);
	assert_int_equal(world_hash(mirror_world(player->follower)), run.hash[tick]);
	assert_int_equal(collide_mirror_state(player->mirror).told_tick, tick);
	if (predictions_tick(&player->mirror->predictions) <= tick)
		return; /* of a world that goes back: they may still have been in time */
	assert_true(live_mirrored_hash(player->mirror->live, tick, &hash));
	assert_int_equal(hash, run.hash[tick]);
	if (random_below(&run.seed, 4) == 0)
		straight_check(player);
}

static void
update_take(struct player *player, const struct letter *letter)
{
	struct collide_error error;
	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, letter->count, letter->bytes);
	bool key = letter->kind == LETTER_KEY, ready = collide_mirror_state(player->mirror).ready;
	uint64_t remade = collide_mirror_state(player->mirror).remade;

	assert_non_null(update);
	/* Whether they are in the key the mirror cannot know. */
	for (uint64_t k = 1; key && k <= player->sequence; k++)
		player->predicted[k] = player->predicted[k] <= update->tick ? 0 : player->predicted[k];
	bool cause = has_cause(player, update) || key;
	if (!ready && !key) {
		collide__v1__world_update__free_unpacked(update, NULL);
		return;
	}
	if (!collide_mirror_update(player->mirror, letter->bytes, letter->count, &error) ||
	    !collide_mirror_update(player->follower, letter->bytes, letter->count, &error))
		fail_msg("%s: %s", error.reason, error.text);

	struct collide_mirror_corrections corrections = collide_mirror_corrections(player->mirror);
	struct collide_mirrored now = collide_mirror_state(player->mirror);

	sums.updates++;
	sums.ahead += now.tick > now.told_tick;
	sums.caused += cause;
	sums.keys += key;
	if (corrections.count > 0 && !cause)
		fail_msg("%zu circles are elsewhere for no reason", corrections.count);
	if (!cause && now.remade != remade && update->n_applied == 0)
		fail_msg("ticks were made again for no reason");
	assert_true(corrections.count == 0 || key || corrections.others + corrections.own > 0);
	confirmed_check(player, update->tick);
	collide__v1__world_update__free_unpacked(update, NULL);
}

static void
letters_take(struct player *player)
{
	struct letter *letter;

	while ((letter = way_take(&player->down, run.now))) {
		if (letter->kind == LETTER_OUTCOME) {
			const struct collide_outcome outcome = { .sequence = letter->number, .code = (enum collide_code)letter->tick };

			collide_mirror_outcome(player->mirror, player->seat, &outcome);
			if (outcome.code != COLLIDE_OK)
				player->predicted[letter->number] = 0;
		} else {
			update_take(player, letter);
		}
		free(letter);
	}
}

/* About one of few circles that come and go: whether it can be depends on what was first. */
static size_t
contested_pack(uint8_t *bytes)
{
	one_begin(CONTESTED + (uint32_t)random_below(&run.seed, 3));
	switch (random_below(&run.seed, 4)) {
	case 0: one_spawn(); break;
	case 1: one_removal(); break;
	default: one_velocities();
	}
	one.x[0] = one.message.spawn ? 300 + 5 * (double)(one.id[0] - CONTESTED) : random_between(&run.seed, -3, 3);
	return collide__v1__commands__pack(&one.message, bytes);
}

static size_t
random_pack(uint8_t *bytes, uint32_t seat)
{
	static struct columns columns;
	struct spec spec = { .seat = seat };

	memset(&columns, 0, sizeof columns);
	batch_make_random(&run.maker, &spec, &columns);
	columns.message.skip_missing = random_below(&run.seed, 2) == 0;
	return collide__v1__commands__pack(&columns.message, bytes);
}

static void
act(struct player *player, uint64_t tick)
{
	static uint8_t bytes[65536];
	struct collide_error error;
	bool contested = random_below(&run.seed, 2) == 0;
	size_t count = contested ? contested_pack(bytes) : random_pack(bytes, player->seat);
	const struct collide_batch batch = { .tick = tick, .message = bytes, .message_bytes = count };
	const struct letter head = { .kind = LETTER_BATCH, .number = ++player->sequence, .tick = tick };

	assert_true(player->sequence < SENT_MAX);
	/* Some are sent and not predicted. */
	if (run.alone || random_below(&run.seed, 20) > 0) {
		uint64_t least = collide_mirror_state(player->mirror).final_tick + 1;

		if (!collide_mirror_predict(player->mirror, player->seat, player->sequence, &batch, &error))
			fail_msg("%s: %s", error.reason, error.text);
		tick = tick < least ? collide_mirror_state(player->mirror).told_tick + 1 : tick;
		/* Never before one that is still on its way. */
		for (uint64_t k = 1; k < player->sequence; k++)
			if (!player->told[k] && player->predicted[k] > tick)
				tick = player->predicted[k];
		player->predicted[player->sequence] = tick;
	}
	way_send(&player->up, run.now, &head, bytes, count);
}

static void
player_tick(struct player *player)
{
	letters_take(player);
	if (!collide_mirror_state(player->mirror).ready)
		return;

	uint64_t shown = run.now + player->lead;

	if (player->acts && run.now < TICKS - 40)
		for (uint64_t k = random_below(&run.seed, 4) / 2; k > 0; k--)
			act(player, shown + 1 + random_below(&run.seed, 2));
	(void)collide_mirror_advance(player->mirror, shown + 1);
	if (!run.alone && random_below(&run.seed, 150) == 0 && !player->wants_key) {
		player->wants_key = true;
		player->skips = random_below(&run.seed, 2) == 0;
		key_ask();
	}
}

/* ---- a run */

static void
player_open(struct player *player, uint32_t seat, bool acts, bool in_time)
{
	*player = (struct player){ .seat = seat, .acts = acts, .wants_key = true };
	for (int k = 0; k < 2; k++) {
		struct way *way = k == 0 ? &player->up : &player->down;

		way->seed = &run.seed;
		way->delay = random_below(&run.seed, 7);
		way->jitter = random_below(&run.seed, 5);
	}
	player->lead = in_time ? player->up.delay + player->up.jitter + 2 : random_below(&run.seed, 10);
	player->mirror = collide_mirror_create();
	player->follower = collide_mirror_create();
	assert_non_null(player->mirror);
	assert_non_null(player->follower);
}

static void
run_open(uint64_t seed, bool alone, bool in_time)
{
	struct post *post = post_create(POST_ENCODER, 0);

	memset(&run, 0, sizeof run);
	run.seed = seed;
	run.alone = alone;
	run.resimulates = random_below(&run.seed, 2) == 0;
	switch (random_below(&run.seed, 3)) {
	case 0: scene_gas(&run.scene, 24); break;
	case 1: scene_heap(&run.scene, 24); break;
	default: scene_rich(&run.scene, 24);
	}
	stage_init(&run.stage);
	if (run.resimulates) {
		run.stage.policy.late = WORLD_LATE_RESIMULATE;
		run.stage.policy.history_ticks = 12;
		run.stage.limits.resimulated_ticks_max = UINT32_MAX;
	}
	run.stage.policy.hash_every = 7;
	run.stage.on_update = on_update;
	stage_open(&run.stage, &run.scene);
	run.maker = (struct batch_maker){ .seed = seed, .next_id = 1000, .world = scene_world(&run.scene, &run.stage) };
	for (uint32_t i = 0; i < PLAYERS; i++)
		player_open(&run.players[i], i + 1, i == 0 || !alone, in_time);
	post->encoder.encoder = 1;
	post->encoder.wanted = true;
	post->encoder.options = (struct encoder_options){ .every = 1 + (uint32_t)random_below(&run.seed, 6), .commands = true };
	live_world_post(run.stage.world, post);
	key_ask();
}

static void
run_close(void)
{
	for (size_t i = 0; i < PLAYERS; i++) {
		struct collide_mirrored told = collide_mirror_state(run.players[i].mirror);

		sums.corrections += told.corrections;
		sums.corrected += told.corrected;
		sums.remade += told.remade;
		sums.predicted += told.predicted;
		sums.confirmed += told.confirmed;
		sums.moved += told.moved;
		sums.dropped += told.dropped;
		sums.hashes += told.hashes;
		sums.hashes_left += told.hashes_left;
		sums.undone += told.undone;
		assert_null(run.players[i].mirror->predictions.first); /* all is known in the end */
		collide_mirror_destroy(run.players[i].mirror);
		collide_mirror_destroy(run.players[i].follower);
		way_finish(&run.players[i].up);
		way_finish(&run.players[i].down);
	}
	world_destroy(run.maker.world);
	stage_finish(&run.stage);
}

static void
ticks_play(void)
{
	for (run.now = 1; run.now <= TICKS; run.now++) {
		tick_go();
		for (size_t i = 0; i < PLAYERS; i++)
			player_tick(&run.players[i]);
	}
}

static void
play(uint64_t seed, bool in_time)
{
	run_open(seed, false, in_time);
	ticks_play();
	run_close();
}

static void
sums_print(uint64_t seeds)
{
	print_message("%llu seeds, %llu updates (%llu of them behind what is displayed, %llu with a cause, %llu keys), "
	              "%llu displayed states made once more\n",
	              (unsigned long long)seeds, (unsigned long long)sums.updates, (unsigned long long)sums.ahead,
	              (unsigned long long)sums.caused, (unsigned long long)sums.keys, (unsigned long long)sums.straight);
	print_message("%llu batches predicted: %llu confirmed, %llu moved, %llu dropped; %llu undone; %llu corrections of %llu "
	              "circles, %llu ticks made again; %llu hashes, %llu left\n",
	              (unsigned long long)sums.predicted, (unsigned long long)sums.confirmed, (unsigned long long)sums.moved,
	              (unsigned long long)sums.dropped, (unsigned long long)sums.undone, (unsigned long long)sums.corrections,
	              (unsigned long long)sums.corrected, (unsigned long long)sums.remade, (unsigned long long)sums.hashes,
	              (unsigned long long)sums.hashes_left);
}

static void
test_what_is_ahead_is_what_comes_of_it(void **state)
{
	uint64_t seeds = effort_most(10, 80, 600);

	(void)state;
	memset(&sums, 0, sizeof sums);
	for (uint64_t seed = 1; seed <= seeds; seed++)
		play(seed, seed % 3 == 0);
	sums_print(seeds);
	assert_true(sums.ahead > 50 * seeds && sums.corrections > 10 * seeds && sums.confirmed > 20 * seeds);
	assert_true(sums.undone > seeds / 10 && sums.moved > seeds && sums.dropped > seeds && sums.straight > 10 * seeds &&
	            sums.hashes > 10 * seeds);
}

/* The first player alone acts, and its batches are there in time: it is told nothing but what it knows. */
static void
test_own_batches_in_time_cost_nothing(void **state)
{
	uint64_t seeds = effort_most(5, 40, 400);

	(void)state;
	memset(&sums, 0, sizeof sums);
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		run_open(seed, true, true);
		ticks_play();

		struct collide_mirrored told = collide_mirror_state(run.players[0].mirror);

		assert_int_equal(told.corrections + told.moved + told.undone, 0);
		assert_int_equal(told.confirmed + told.dropped, told.predicted); /* refused ones were so here, too */
		assert_int_equal(told.remade, 0);
		run_close();
	}
	sums_print(seeds);
	assert_true(sums.confirmed > 10 * seeds && sums.hashes > 10 * seeds && sums.ahead > 50 * seeds);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_ahead_is_what_comes_of_it),
		cmocka_unit_test(test_own_batches_in_time_cost_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
