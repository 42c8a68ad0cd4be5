/* test_worlds_play [SEED [COUNT]]: plays (play.h) of so many seeds, of which every fifth is short of memory. Beside each world
 * a model (play_model.h) says what must become of every batch, and what state each tick must have. At the end nothing is left
 * that was not there at the beginning. */
#include "worlds/play.h"

#include "base/memory.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t first_seed = 1, seed_count = 20000, failing_seed, moments, forks, recorded, records, records_slow, mirrored,
				coded, within, stale, followed, gaps, went_on, bridged, remade, undone, bounded, checked, moves, detaches,
				leaves, failures, refused_memory, failed_connections, failed_worlds, restored_worlds, blind_turns, lost_readers;

/* ---- a play */

static void
act(struct play *play)
{
	struct player *player = &play->player[random_below(&play->random, PLAYERS)];
	struct play_world *world = &play->world[random_below(&play->random, WORLDS)];
	const struct reader *reader = &play->reader[random_below(&play->random, READERS)];
	switch (random_below(&play->random, 20)) {
	case 0:
	case 1: play->now_ns += random_below(&play->random, 30 * NS_PER_MS); break;
	case 2:
	case 3:
		if (play_turn_is_due(play, world))
			play_turn(play, world);
		break;
	case 4: play_news_deliver(play); break;
	case 5: player_attach(play, player); break;
	case 6:
	case 7: player_make_batch(play, player); break;
	case 8:
	case 9: player_deliver(player); break;
	case 10:
		player_step(play, player);
		if (random_below(&play->random, 2) == 0)
			player->acked = player->through;
		break;
	case 11:
		if (random_below(&play->random, 4) == 0 &&
		    play->connection[player - play->player < CONNECTIONS ? player - play->player : 0].open)
			play_connection_cut(&play->connection[player - play->player < CONNECTIONS ? player - play->player : 0]);
		server_enter();
		worlds_on_time(play->worlds);
		server_leave();
		break;
	case 12:
		if (world->model.failed && world->bytes)
			play_restore(play, world);
		else if (random_below(&play->random, 2) == 0)
			play_snapshot(play, world);
		else if (random_below(&play->random, 4) == 0)
			play_restore(play, world);
		break;
	case 13: reader_subscribe(play, &play->reader[random_below(&play->random, READERS)]); break;
	case 15:
		if (reader->deaf && reader->connection)
			play_connection_cut(reader->connection);
		break;
	case 16: moment_ask(play, world); break;
	case 17: fork_ask(play, world); break;
	case 18:
		if (random_below(&play->random, 2) == 0)
			record_ask(play, world);
		records_turn(play, true);
		break;
	case 19:
		if (random_below(&play->random, 4) == 0)
			player_detach(play, player);
		break;
	case 14: reader_steer(play, &play->reader[random_below(&play->random, READERS)]); break;
	default: break;
	}
}

static bool
all_decided(const struct play *play)
{
	for (size_t i = 0; i < PLAYERS; i++)
		if (play->player[i].through != play->player[i].made)
			return false;
	return true;
}

/* All players are connected again and send the rest, and time goes on until all is decided. */
static void
settle(struct play *play)
{
	for (int round = 0; round < 400 && !all_decided(play); round++) {
		play->now_ns += 10 * NS_PER_MS;
		for (size_t i = 0; i < PLAYERS; i++) {
			player_attach(play, &play->player[i]);
			while (play->player[i].delivered < play->player[i].made && !play->player[i].attaching)
				player_deliver(&play->player[i]);
			player_step(play, &play->player[i]);
		}
		for (size_t i = 0; i < WORLDS; i++)
			while (play_turn_is_due(play, &play->world[i]))
				play_turn(play, &play->world[i]);
		play_news_deliver(play);
	}
	assert_true(all_decided(play));
}

static void
play_begin(struct play *play, uint64_t seed)
{
	memset(play, 0, sizeof *play);
	play_here = play;
	play->random = seed;
	play->check_random = seed * 31 + 7;
	play->move_random = seed * 37 + 5;
	play->join_random = seed * 41 + 3;
	/* The first worker has none to lend. */
	for (size_t i = 1; i < WORKERS; i++)
		assert_int_equal(workspace_create(&play->workspace[i]), STATUS_OK);
	play->late = seed % 4 == 0;
	play->short_of_memory = seed % 5 == 2;
	play->memory_random = seed * 41 + 3;
	play->now_ns = UINT64_C(1000000000);
	play->check_share.permille = seed % 3 == 0 ? 0 : 1000;
	play->news_end = &play->news;
	struct map_store_options maps = { .maps_max = 4,
		                              .account_hold = play_upward.account_hold,
		                              .account_release = play_upward.account_release,
		                              .account_charge = play_upward.account_charge,
		                              .account_check = play_upward.account_check,
		                              .now_ns = play_host(play).now_ns };
	play->maps = map_store_create(&maps);
	static struct scene_limits scene_limits;
	scene_limits = scene_limits_default();
	struct worlds_options options = {
		.limits = worlds_limits_default(),
		.scene_limits = &scene_limits,
		.host = play_host(play),
		.upward = &play_upward,
		.files = play_files(play),
		.maps = play->maps,
		.check_share = &play->check_share,
		.epoch_first = seed >> 8,
	};
	options.limits.batches_per_second_max = UINT32_MAX;
	options.limits.joins_per_second_max = 1000000; /* time stands still for many of them */
	options.limits.record_waiting_bytes_max = 100 + 200 * (seed % 3);
	options.limits.resimulated_ticks_max = UINT32_MAX;
	if (seed % 4 < 2)
		options.limits.kept_bytes_max = 150 * (seed % 4);
	play->worlds = worlds_create(&options);
	assert_true(play->worlds && play->maps);
	for (size_t i = 0; i < WORLDS; i++)
		play_world_make(play, i);
	for (size_t i = 0; i < PLAYERS; i++) {
		play->player[i].world = random_below(&play->random, WORLDS);
		play->player[i].right = i < 2 ? SEAT_STEP : 1 + (uint32_t)random_below(&play->random, 4);
		play->player[i].joins = play->player[i].right <= SEAT_OWN && random_below(&play->join_random, 2) == 0;
		if (i < WORLDS)
			play->player[i].world = i;
	}
}

static void
play_end(struct play *play)
{
	for (size_t i = 0; i < CONNECTIONS; i++)
		if (play->connection[i].open)
			play_connection_cut(&play->connection[i]);
	readers_end(play);
	worlds_end_all(play->worlds);
	for (int round = 0; round < 8; round++) {
		for (size_t i = 0; i < WORLDS; i++)
			while (play_turn_is_due(play, &play->world[i]))
				play_turn(play, &play->world[i]);
		play_news_deliver(play);
	}
	while (!records_are_over(play))
		records_turn(play, false);
	assert_int_equal(worlds_count(play->worlds), 0);
	assert_int_equal(play->accounts_held, 0);
	assert_int_equal(play->charged, 0);
	for (size_t i = 0; i < WORLDS; i++) {
		assert_true(play->world[i].gone);
		remade += play->world[i].model.remade;
		undone += play->world[i].model.undone;
		bounded += play->world[i].model.bounded;
		model_finish(&play->world[i].model);
		model_state_free(&play->world[i].kept);
		play_past_free(&play->world[i]);
		free(play->world[i].bytes);
	}
	for (size_t i = 0; i < PLAYERS; i++)
		for (size_t j = 0; j < SENT; j++)
			if (play->player[i].told[j])
				collide__v1__outcome__free_unpacked(play->player[i].told[j], NULL);
	worlds_destroy(play->worlds);
	map_store_destroy(play->maps);
	for (size_t i = 1; i < WORKERS; i++)
		workspace_destroy(play->workspace[i]);
}

static void
play_seed(uint64_t seed)
{
	static struct play play;
	uint64_t used = memory_used();
	play_begin(&play, seed);
	for (int i = 0; i < (play.late ? 2 * STEPS : STEPS); i++) {
		play_memory_short(&play);
		act(&play);
		play_memory_enough(&play);
		play_check(&play);
		play_move(&play);
	}
	settle(&play);
	for (size_t i = 0; i < PLAYERS; i++)
		player_check(&play.player[i], play.player[i].made);
	followed += play.followed;
	mirrored += play.mirrored;
	coded += play.coded;
	within += play.within;
	stale += play.stale;
	moments += play.moments;
	forks += play.forks;
	recorded += play.recorded;
	gaps += play.gaps;
	went_on += play.went_on;
	checked += play.checked;
	bridged += play.bridged;
	moves += play.moves;
	failures += play.failures;
	refused_memory += play.refused_memory;
	failed_connections += play.failed_connections;
	failed_worlds += play.failed_worlds;
	restored_worlds += play.restored_worlds;
	blind_turns += play.blind_turns;
	lost_readers += play.lost_readers;
	detaches += play.detaches;
	leaves += play.leaves;
	play_end(&play);
	records += play.records_ended;
	records_slow += play.records_slow;
	assert_int_equal(memory_used(), used);
}

static void
test_plays(void **state)
{
	(void)state;
	for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
		failing_seed = seed;
		play_seed(seed);
	}
	printf(
		"%llu plays: %llu states followed, %llu within a tolerance (%llu circles left out) and %llu mirrored (%llu updates with coded batches), %llu gaps, %llu went on, %llu steered; %llu ticks made again, "
		"%llu batches undone, %llu self-checks\n",
		(unsigned long long)seed_count, (unsigned long long)followed, (unsigned long long)within, (unsigned long long)stale,
		(unsigned long long)mirrored, (unsigned long long)coded, (unsigned long long)gaps, (unsigned long long)went_on,
		(unsigned long long)bridged, (unsigned long long)remade, (unsigned long long)undone, (unsigned long long)checked);
	/* Readers did follow, were behind at times, came back, and went to other regions. */
	assert_true(seed_count < 100 ||
	            (followed > 8 * seed_count && mirrored > seed_count && coded > seed_count / 10 && within > seed_count &&
	             stale > seed_count / 50 && moments > seed_count / 2 && forks > seed_count / 4 && gaps > seed_count / 100 &&
	             went_on > seed_count / 100 && bridged > seed_count / 10));
	printf("%llu recordings of %llu updates, %llu too slow\n", (unsigned long long)records, (unsigned long long)recorded,
	       (unsigned long long)records_slow);
	printf("%llu moves to other workers, %llu seats ended and %llu left by request\n", (unsigned long long)moves,
	       (unsigned long long)detaches, (unsigned long long)leaves);
	printf(
		"%llu times memory failed: %llu batches refused, %llu connections ended, %llu readers ended, %llu worlds failed and %llu restored, %llu turns unseen\n",
		(unsigned long long)failures, (unsigned long long)refused_memory, (unsigned long long)failed_connections,
		(unsigned long long)lost_readers, (unsigned long long)failed_worlds, (unsigned long long)restored_worlds,
		(unsigned long long)blind_turns);
	assert_true(seed_count < 1000 ||
	            (failures > seed_count / 2 && refused_memory > seed_count / 500 && failed_connections > seed_count / 50 &&
	             failed_worlds > seed_count / 50 && restored_worlds > seed_count / 500));
	assert_true(seed_count < 100 || (moves > seed_count && detaches > seed_count / 10 && leaves > seed_count / 10));
	assert_true(seed_count < 100 || (records > seed_count && recorded > seed_count && records_slow > seed_count / 100));
	assert_true(seed_count < 100 || (remade > seed_count && checked > seed_count / 4));
	printf("%llu spawns by the join secret refused, of worlds with as many circles as may be\n", (unsigned long long)bounded);
	assert_true(seed_count < 100 || bounded > seed_count / 20);
	assert_true(seed_count < 1000 || undone >= seed_count / 500); /* 4 to 12 of a thousand plays */
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		first_seed = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		seed_count = strtoull(argv[2], NULL, 10);
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_plays) };
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (failed != 0)
		(void)fprintf(stderr, "seed %llu\n", (unsigned long long)failing_seed);
	return failed;
}
