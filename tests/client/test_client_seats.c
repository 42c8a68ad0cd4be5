/* Seats over connections that are cut at random moments, in the midst of messages. Every batch is decided exactly once and has
 * one outcome, in order. The server's log has just those that took effect, once each and in order. Each case is played from one
 * seed. */
#include "client/fake_worlds.h"

#include "client/lib/worlds/batch_queue.h"

#include "support/assert_double.h"
#include "support/effort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEATS = 4, CHANNELS = 2, BATCHES_MAX = 100 };

/* What a program knows of one of its seats. */
struct holder {
	struct play *play;
	struct collide_seat *seat;
	uint32_t ids[BATCHES_MAX + 1]; /* of each batch, by number */
	uint64_t sent, told;           /* numbers */
	enum collide_code codes[BATCHES_MAX + 1];
	char reasons[BATCHES_MAX + 1][48];
	uint64_t attached, epoch;
	bool detached;
	char end[48];
	uint64_t steps_wanted, stepped, ticks_wanted;
	uint64_t step_failed;
};

struct play {
	struct fake_worlds server;
	struct collide_channel *channels[CHANNELS];
	struct holder holders[SEATS];
	uint64_t updates, keys, connected;
	bool fresh; /* no update has come over this connection */
};

static void
on_attached(void *context, struct collide_seat *seat, const struct collide_attached *attached)
{
	struct holder *holder = context;
	assert_ptr_equal(seat, holder->seat);
	assert_true(attached->epoch >= holder->epoch && attached->epoch <= holder->play->server.epoch);
	holder->attached++;
	holder->epoch = attached->epoch;
}

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	struct holder *holder = context;
	(void)seat;
	assert_int_equal(number, holder->told + 1); /* each once, in order */
	assert_true(number <= holder->sent);
	assert_false(outcome->not_received);
	holder->told = number;
	holder->codes[number] = outcome->code;
	(void)snprintf(holder->reasons[number], sizeof holder->reasons[number], "%s", outcome->reason);
}

static void
on_detached(void *context, struct collide_seat *seat, const struct collide_error *error)
{
	struct holder *holder = context;
	assert_int_equal(holder->told, holder->sent);
	assert_int_equal(collide_seat_undecided(seat), 0);
	holder->detached = true;
	(void)snprintf(holder->end, sizeof holder->end, "%s", error->reason);
}

static void
on_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct play *play = context;
	(void)subscription;
	assert_int_equal(update->key != NULL, play->fresh);
	assert_non_null(update->frame);
	assert_int_equal(update->frame->tick, update->tick);
	play->fresh = false;
	play->updates++;
	play->keys += update->key != NULL;
}

static void
on_connected(void *context, const struct collide_welcome *welcome)
{
	struct play *play = context;
	assert_int_equal(welcome->version, 1);
	play->connected++;
}

static void
on_first_connected(void *context, const struct collide_welcome *welcome)
{
	struct play *play = context;
	on_connected(context, welcome);
	play->fresh = true;
}

static void
play_begin(struct play *play, uint64_t seed, size_t seats)
{
	memset(play, 0, sizeof *play);
	fake_worlds_init(&play->server, seed);
	for (size_t i = 0; i < CHANNELS; i++) {
		const struct channel_transport transport = fake_link_transport(&play->server, i);
		const struct collide_channel_options options = { .retry_max_ms = 200,
			                                             .on_connected = i == 0 ? on_first_connected : on_connected,
			                                             .context = play };
		play->channels[i] = channel_over(&transport, &options, NULL);
		assert_non_null(play->channels[i]);
	}
	for (size_t i = 0; i < seats; i++) {
		struct holder *holder = &play->holders[i];
		const struct collide_seat_handler handler = { on_attached, on_outcome, on_detached, holder };
		const struct collide_attachment attachment = { .world = "w", .secret = "0123456789abcdef", .secret_bytes = 16 };
		holder->play = play;
		holder->seat = collide_seat_attach(play->channels[i % CHANNELS], &attachment, &handler, NULL);
		assert_non_null(holder->seat);
	}
}

static void
play_end(struct play *play)
{
	for (size_t i = 0; i < CHANNELS; i++)
		collide_channel_destroy(play->channels[i]);
	fake_worlds_finish(&play->server);
}

static void
holder_send(struct holder *holder)
{
	struct fake_worlds *server = &holder->play->server;
	uint32_t id = (uint32_t)(holder->sent + 1) + (fake_random(server, 6) == 0 ? FAKE_ID_MISSING : 0);
	const struct collide_batch batch = { .tick = fake_random(server, 2) ? 0 : server->tick + fake_random(server, 4),
		                                 .remove = { &id, 1 } };
	uint64_t number = collide_seat_send(holder->seat, &batch, NULL);
	assert_int_equal(number, holder->sent + 1);
	holder->ids[number] = id;
	holder->sent = number;
}

static void
channel_go(struct play *play, size_t channel)
{
	assert_true(collide_channel_process(play->channels[channel], NULL));
}

/* One thing of all that may happen. */
static void
play_turn(struct play *play, size_t seats, uint64_t batches, unsigned cut_one_in, bool by_clock)
{
	struct fake_worlds *server = &play->server;
	size_t channel = fake_random(server, CHANNELS);
	struct holder *holder = &play->holders[fake_random(server, seats)];
	server->now_ns += (int64_t)fake_random(server, 20000000);
	switch (fake_random(server, 6)) {
	case 0:
		if (holder->sent < batches && !holder->detached)
			holder_send(holder);
		break;
	case 1:
		if (by_clock)
			fake_worlds_tick(server);
		else
			fake_worlds_step_on(server);
		break;
	case 2: fake_link_move(&server->links[channel], false); break;
	case 3:
		if (cut_one_in > 0 && fake_random(server, cut_one_in) == 0)
			fake_link_cut(&server->links[channel]);
		break;
	default: channel_go(play, channel); break;
	}
}

static bool
all_is_told(const struct play *play, size_t seats, uint64_t batches)
{
	bool done = true;
	for (size_t i = 0; i < seats; i++)
		done = done && play->holders[i].sent == batches && play->holders[i].told == batches;
	return done;
}

/* The server's seat of a holder, by its number. */
static const struct fake_seat *
seat_of(const struct play *play, const struct holder *holder)
{
	const struct collide_attached *attached = collide_seat_attached(holder->seat);
	assert_non_null(attached);
	for (size_t i = 0; i < FAKE_SEATS_MAX; i++)
		if (play->server.seats[i].number == attached->seat)
			return &play->server.seats[i];
	fail_msg("the server has no such seat");
	return NULL;
}

/* The log has what took effect, once each and in order; and nothing that was refused. */
static void
holder_check(const struct play *play, const struct holder *holder)
{
	const struct fake_seat *seat = seat_of(play, holder);
	size_t at = 0;
	for (uint64_t number = 1; number <= holder->sent; number++) {
		if (holder->codes[number] == COLLIDE_OK) {
			assert_true(at < seat->log_count);
			assert_int_equal(seat->log[at++], holder->ids[number]);
		} else if (strcmp(holder->reasons[number], "NO_SUCH_ID") == 0) {
			assert_true(holder->ids[number] >= FAKE_ID_MISSING);
		} else {
			assert_true(strcmp(holder->reasons[number], "RATE") == 0 || strcmp(holder->reasons[number], "RESTORED") == 0);
		}
	}
	assert_int_equal(at, seat->log_count);
}

static void
every_batch_is_decided_once(void **state)
{
	uint64_t cuts = 0, keys = 0, seeds = effort_most(15, 150, 400);
	static struct play play;
	(void)state;
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		uint64_t batches = 60, turns = 0;
		const struct collide_interest interest = { .world = "w", .secret = "0123456789abcdef", .secret_bytes = 16, .every = 1 };
		const struct collide_reader reader = { .on_update = on_update, .context = &play };
		play_begin(&play, seed, SEATS);
		assert_non_null(collide_subscribe(play.channels[0], NULL, &interest, &reader, NULL));
		while (!all_is_told(&play, SEATS, batches)) {
			play_turn(&play, SEATS, batches, 40, true);
			assert_true(++turns < 200000);
		}
		for (size_t i = 0; i < SEATS; i++)
			holder_check(&play, &play.holders[i]);
		cuts += play.server.cuts;
		keys += play.keys;
		play_end(&play);
	}
	/* Else this test shows little. */
	assert_true(cuts > seeds * 10);
	assert_true(keys > seeds);
}

static void
a_restored_world_refuses_what_was_meant_for_another_past(void **state)
{
	uint64_t restored = 0, seeds = effort_most(15, 150, 400);
	static struct play play;
	(void)state;
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		uint64_t batches = 60, turns = 0;
		play_begin(&play, seed + 5000, SEATS);
		while (!all_is_told(&play, SEATS, batches)) {
			play_turn(&play, SEATS, batches, 25, true);
			if (fake_random(&play.server, 300) == 0)
				fake_worlds_restore(&play.server, play.server.tick > 10 ? play.server.tick - 10 : 0);
			assert_true(++turns < 200000);
		}
		for (size_t i = 0; i < SEATS; i++) {
			holder_check(&play, &play.holders[i]);
			for (uint64_t number = 1; number <= batches; number++)
				restored += strcmp(play.holders[i].reasons[number], "RESTORED") == 0;
		}
		play_end(&play);
	}
	assert_true(restored > seeds);
}

static void
on_stepped(void *context, struct collide_seat *seat, const struct collide_stepped *stepped, const struct collide_error *error)
{
	struct holder *holder = context;
	(void)seat;
	if (!stepped) {
		fail_msg("a step failed: %s", error->reason);
		return;
	}
	holder->stepped++;
	holder->ticks_wanted += 3;
	assert_int_equal(stepped->tick, holder->ticks_wanted);
	assert_int_equal(stepped->hash, stepped->tick * 31);
}

static void
a_step_is_made_once(void **state)
{
	uint64_t cuts = 0, seeds = effort_most(15, 150, 400);
	static struct play play;
	(void)state;
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		uint64_t steps = 30, turns = 0;
		struct holder *holder = &play.holders[0];
		play_begin(&play, seed + 9000, 1);
		while (holder->stepped < steps) {
			if (holder->steps_wanted < steps && fake_random(&play.server, 8) == 0) {
				const struct collide_step step = { .ticks = 3 };
				holder_send(holder);
				assert_true(collide_seat_step(holder->seat, &step, on_stepped, holder, NULL));
				holder->steps_wanted++;
			}
			play_turn(&play, 1, 0, 40, false);
			assert_true(++turns < 200000);
		}
		assert_int_equal(play.server.tick, 3 * steps);
		cuts += play.server.cuts;
		play_end(&play);
	}
	assert_true(cuts > seeds * 5);
}

static void
a_seat_that_is_gone_answers_all(void **state)
{
	static struct play play;
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uint64_t turns = 0;
		play_begin(&play, seed + 700, SEATS);
		while (turns++ < 600)
			play_turn(&play, SEATS, 30, 30, true);
		play.server.forgets_seats = true;
		while (!play.holders[0].detached || !play.holders[1].detached || !play.holders[2].detached ||
		       !play.holders[3].detached) {
			play_turn(&play, SEATS, 0, 10, true);
			assert_true(++turns < 200000);
		}
		for (size_t i = 0; i < SEATS; i++) {
			const struct holder *holder = &play.holders[i];
			const struct collide_batch batch = { 0 };
			struct collide_error error;
			assert_string_equal(holder->end, "TOKEN");
			assert_int_equal(holder->told, holder->sent);
			assert_int_equal(collide_seat_send(holder->seat, &batch, &error), 0);
			assert_string_equal(error.reason, "DETACHED");
		}
		play_end(&play);
	}
}

/* As if it had so many bytes, which are looked at when it is sent. */
static uint64_t
large_push(struct batch_queue *queue, size_t bytes, struct collide_error *error)
{
	struct batch_bytes *batch = calloc(1, sizeof *batch);
	assert_non_null(batch);
	batch->count = bytes;
	return batch_queue_push(queue, batch, error);
}

/* What is kept of a batch besides its bytes counts, too: the last one that fits leaves room for none. */
static void
a_queue_keeps_no_more_than_it_may(void **state)
{
	struct batch_queue queue = { 0 };
	struct collide_error error = { .reason = "" };
	(void)state;
	assert_int_equal(large_push(&queue, BATCH_QUEUE_BYTES_MAX - 3000, &error), 1);
	for (size_t bytes = 2000; bytes > 0; bytes--) {
		(void)large_push(&queue, bytes, &error);
		assert_true(queue.bytes <= BATCH_QUEUE_BYTES_MAX);
	}
	assert_true(queue.count > 1);
	assert_int_equal(large_push(&queue, 1 << 20, &error), 0);
	assert_string_equal(error.reason, "BATCHES_WAIT");
	batch_queue_finish(&queue);
}

/* ---- coded batches */

enum { LOST_TICKS = 700 };

static struct {
	uint64_t parts, updates, lost;
	char text[256]; /* why it was lost last */
} coded;

static bool
part_take(void *context, const void *bytes, size_t count, struct collide_error *error)
{
	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, count, bytes);
	(void)context;
	(void)error;
	assert_non_null(update);
	assert_int_equal(update->coded.len, 0); /* they are read */
	assert_int_equal(update->ticks, 1);     /* told with the key only */
	assert_int_equal(update->lost_ticks, LOST_TICKS);
	collide__v1__world_update__free_unpacked(update, NULL);
	coded.parts++;
	return true;
}

static void
on_coded_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	(void)context;
	(void)subscription;
	assert_int_equal(update->ticks, 1);
	assert_int_equal(update->lost_ticks, LOST_TICKS);
	coded.updates++;
}

static void
on_lost(void *context, const struct collide_error *error)
{
	(void)context;
	coded.lost++;
	(void)snprintf(coded.text, sizeof coded.text, "%s", error->text);
}

/* Until there are so many parts. */
static void
coded_go(struct fake_worlds *server, struct collide_channel *channel, uint64_t parts, uint64_t lost)
{
	for (uint64_t turns = 0; coded.parts < parts || coded.lost < lost; turns++) {
		assert_true(turns < 10000);
		server->now_ns += 10000000;
		fake_worlds_tick(server);
		fake_link_move(&server->links[0], true);
		assert_true(collide_channel_process(channel, NULL));
	}
}

/* A reader that takes commands asks for them in few bytes, and goes on from what it has. What cannot be read ends the
 * conversation, and the next one begins with a key. */
static void
coded_batches_are_read_or_end_the_conversation(void **state)
{
	static struct fake_worlds server;
	const struct collide_interest interest = {
		.world = "w", .secret = "0123456789abcdef", .secret_bytes = 16, .every = 1, .stream = COLLIDE_STREAM_COMMANDS
	};
	const struct collide_reader reader = { .take = part_take, .on_update = on_coded_update };
	const struct collide_channel_options options = { .retry_max_ms = 100, .on_lost = on_lost };
	(void)state;
	memset(&coded, 0, sizeof coded);
	fake_worlds_init(&server, 1);
	const struct channel_transport transport = fake_link_transport(&server, 0);
	struct collide_channel *channel = channel_over(&transport, &options, NULL);
	assert_non_null(channel);
	assert_non_null(collide_subscribe(channel, NULL, &interest, &reader, NULL));
	server.lost_ticks = LOST_TICKS;
	server.coded[0] = 0x80; /* anew, and no batch */
	server.coded_count = 1;
	coded_go(&server, channel, 5, 0);
	assert_true(server.links[0].coded);
	assert_int_equal(server.links[0].after_encoding, 0);
	fake_link_cut(&server.links[0]);
	coded_go(&server, channel, coded.parts + 5, 1);
	assert_int_equal(server.links[0].after_encoding, FAKE_ENCODING);
	server.coded[0] = 0xc0; /* a batch of a seat that is not there */
	coded_go(&server, channel, coded.parts, 2);
	if (strncmp(coded.text, "world_update.coded: ", 20) != 0)
		fail_msg("%s", coded.text);
	server.coded[0] = 0x80;
	coded_go(&server, channel, coded.parts + 5, 2);
	assert_int_equal(server.links[0].after_encoding, 0);
	assert_int_equal(coded.lost, 2);
	assert_true(coded.updates > 10);
	collide_channel_destroy(channel);
	fake_worlds_finish(&server);
}

/* ---- states within a tolerance */

static void
on_near_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	uint64_t *told = context;
	(void)subscription;
	*told = update->tick;
	coded.updates++;
}

static void
near_go(struct fake_worlds *server, struct collide_channel *channel, uint64_t updates)
{
	for (uint64_t turns = 0; coded.updates < updates; turns++) {
		assert_true(turns < 10000);
		server->now_ns += 10000000;
		fake_worlds_tick(server);
		fake_link_move(&server->links[0], true);
		assert_true(collide_channel_process(channel, NULL));
	}
}

/* Their updates have no frame. They use credit, which is replaced, and a reader that comes back goes on from the last one. */
static void
states_within_a_tolerance_give_credit_and_go_on(void **state)
{
	static struct fake_worlds server;
	const struct collide_interest interest = {
		.world = "w", .secret = "0123456789abcdef", .secret_bytes = 16, .every = 1, .tolerance = 0.01, .credit = 4
	};
	uint64_t told = 0;
	const struct collide_reader reader = { .on_update = on_near_update, .context = &told };
	const struct collide_channel_options options = { .retry_max_ms = 100 };
	(void)state;
	memset(&coded, 0, sizeof coded);
	fake_worlds_init(&server, 1);
	const struct channel_transport transport = fake_link_transport(&server, 0);
	struct collide_channel *channel = channel_over(&transport, &options, NULL);
	assert_non_null(channel);
	assert_non_null(collide_subscribe(channel, NULL, &interest, &reader, NULL));
	near_go(&server, channel, 20);
	fake_link_cut(&server.links[0]);
	while (server.links[0].to_client.count > 0 || server.links[0].subscription == 0) {
		server.now_ns += 10000000;
		fake_link_move(&server.links[0], true);
		assert_true(collide_channel_process(channel, NULL));
	}
	assert_int_equal(server.links[0].after_encoding, FAKE_ENCODING);
	assert_int_equal(server.links[0].after_tick, told);
	near_go(&server, channel, 40);
	collide_channel_destroy(channel);
	fake_worlds_finish(&server);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_batch_is_decided_once),
		cmocka_unit_test(a_restored_world_refuses_what_was_meant_for_another_past),
		cmocka_unit_test(a_step_is_made_once),
		cmocka_unit_test(a_seat_that_is_gone_answers_all),
		cmocka_unit_test(a_queue_keeps_no_more_than_it_may),
		cmocka_unit_test(coded_batches_are_read_or_end_the_conversation),
		cmocka_unit_test(states_within_a_tolerance_give_credit_and_go_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
