/* A channel against a server that says what each test has it say: why connections end, and how seats do. */
#include "client/replies.h"

#include "client/lib/worlds/channel.h"
#include "proto/frame.h"

#include "support/assert_double.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENT_MAX = 1 << 14, HANDLE = 9 };

/* The server's end. */
struct script {
	struct replies replies; /* that the channel has not taken */
	size_t taken;
	uint8_t sent[SENT_MAX];
	size_t sent_count, sent_at;
	bool closes; /* the connection, behind the replies */
	int64_t now_ns;
	const char *end; /* the reason with which a seat is to end */
	bool releases;   /* the seat, when it has ended */
	/* What the program was told. */
	char lost[48];
	unsigned attached, detached, outcomes, steered, updates, ended;
	uint64_t number; /* of the last outcome */
	enum collide_code code;
};

static bool
script_open(void *context, struct collide_error *error)
{
	struct script *script = context;
	(void)error;
	script->sent_count = script->sent_at = 0;
	return true;
}

static enum transport_state
script_state(void *context, struct collide_error *error)
{
	(void)context;
	(void)error;
	return TRANSPORT_OPEN;
}

static ptrdiff_t
script_send(void *context, const void *bytes, size_t count, struct collide_error *error)
{
	struct script *script = context;
	(void)error;
	assert_true(count <= sizeof script->sent - script->sent_count);
	memcpy(script->sent + script->sent_count, bytes, count);
	script->sent_count += count;
	return (ptrdiff_t)count;
}

static ptrdiff_t
script_receive(void *context, void *bytes, size_t room, struct collide_error *error)
{
	struct script *script = context;
	size_t left = script->replies.count - script->taken, count = left < room ? left : room;
	if (count == 0 && script->closes) {
		*error = (struct collide_error){ .code = COLLIDE_UNAVAILABLE, .origin = COLLIDE_FROM_CONNECTION, .reason = "CLOSED" };
		return -1;
	}
	if (count > 0)
		memcpy(bytes, script->replies.bytes + script->taken, count);
	script->taken += count;
	return (ptrdiff_t)count;
}

static int
script_descriptor(void *context)
{
	(void)context;
	return -1;
}

static int64_t
script_now(void *context)
{
	const struct script *script = context;
	return script->now_ns;
}

static void
script_end(void *context)
{
	(void)context;
}

static void
on_lost(void *context, const struct collide_error *error)
{
	struct script *script = context;
	memcpy(script->lost, error->reason, sizeof script->lost);
}

static struct collide_channel *
script_channel(struct script *script)
{
	const struct channel_transport transport = { .open = script_open,
		                                         .state = script_state,
		                                         .send = script_send,
		                                         .receive = script_receive,
		                                         .close = script_end,
		                                         .descriptor = script_descriptor,
		                                         .now_ns = script_now,
		                                         .destroy = script_end,
		                                         .context = script };
	const struct collide_channel_options options = { .on_lost = on_lost, .context = script };
	memset(script, 0, sizeof *script);
	script->end = "DETACHED";
	struct collide_channel *channel = channel_over(&transport, &options, NULL);
	assert_non_null(channel);
	return channel;
}

/* The channel takes what it was told, a while later. */
static void
channel_go(struct script *script, struct collide_channel *channel)
{
	script->now_ns += INT64_C(100000000);
	assert_true(collide_channel_process(channel, NULL));
	assert_int_equal(script->taken, script->replies.count);
	replies_finish(&script->replies);
	script->taken = 0;
}

/* The id of the next request, which must be of this kind. */
static uint64_t
request_expect(struct script *script, Collide__V1__ClientMessage__RequestCase kind)
{
	size_t header_bytes;
	uint32_t body_bytes;
	const uint8_t *at = script->sent + script->sent_at;
	assert_int_equal(frame_header_read(at, script->sent_count - script->sent_at, SENT_MAX, &header_bytes, &body_bytes),
	                 FRAME_OK);
	Collide__V1__ClientMessage *message = collide__v1__client_message__unpack(NULL, body_bytes, at + header_bytes);
	assert_non_null(message);
	assert_int_equal(message->request_case, kind);
	if (kind == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETACH)
		assert_int_equal(message->detach->handle, HANDLE);
	uint64_t request_id = message->request_id;
	collide__v1__client_message__free_unpacked(message, NULL);
	script->sent_at += header_bytes + body_bytes;
	return request_id;
}

static void
channel_welcome(struct script *script, struct collide_channel *channel)
{
	channel_go(script, channel);
	replies_append_welcome(&script->replies, request_expect(script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO), 0);
	channel_go(script, channel);
	assert_non_null(collide_channel_core(channel));
}

/* A reason that the server gave is that of its own connection. */
static void
a_reason_is_that_of_its_connection(void **state)
{
	static struct script script;
	struct collide_channel *channel = script_channel(&script);
	(void)state;
	channel_welcome(&script, channel);
	replies_append_error(&script.replies, 0, COLLIDE__V1__CODE__CODE_RESOURCE_EXHAUSTED, "over its share");
	script.closes = true;
	channel_go(&script, channel);
	assert_string_equal(script.lost, "SOME_REASON");
	script.closes = false;
	channel_welcome(&script, channel);
	script.closes = true;
	channel_go(&script, channel);
	assert_string_equal(script.lost, "CLOSED");
	collide_channel_destroy(channel);
}

static void
on_attached(void *context, struct collide_seat *seat, const struct collide_attached *attached)
{
	struct script *script = context;
	(void)seat;
	(void)attached;
	script->attached++;
}

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	struct script *script = context;
	(void)seat;
	script->number = number;
	script->outcomes++;
	script->code = outcome->code;
}

static void
on_detached(void *context, struct collide_seat *seat, const struct collide_error *error)
{
	struct script *script = context;
	assert_string_equal(error->reason, script->end);
	script->detached++;
	if (script->releases)
		collide_seat_release(seat);
}

static struct collide_seat *
script_seat(struct script *script, struct collide_channel *channel)
{
	const struct collide_seat_handler handler = { on_attached, on_outcome, on_detached, script };
	const struct collide_attachment attachment = { .world = "w", .secret = "0123456789abcdef", .secret_bytes = 16 };
	struct collide_seat *seat = collide_seat_attach(channel, &attachment, &handler, NULL);
	assert_non_null(seat);
	return seat;
}

static void
say_attached(struct script *script, uint64_t request_id, uint64_t sequence)
{
	uint8_t token[16] = { 1 };
	Collide__V1__Attached attached = COLLIDE__V1__ATTACHED__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	attached.handle = HANDLE;
	attached.sequence = sequence;
	attached.token = (ProtobufCBinaryData){ sizeof token, token };
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED;
	message.attached = &attached;
	replies_append(&script->replies, &message);
}

/* Its seat is attached by what it is told next. */
static uint64_t
channel_attach(struct script *script, struct collide_channel *channel)
{
	channel_go(script, channel);
	uint64_t attach_id = request_expect(script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH);
	say_attached(script, attach_id, 0);
	return attach_id;
}

/* No seat has sent so many batches. Those that follow would have numbers of batches that are decided. */
static void
a_sequence_that_cannot_be_ends_the_seat(void **state)
{
	static struct script script;
	const struct collide_batch batch = { .tick = 5 };
	struct collide_channel *channel = script_channel(&script);
	(void)state;
	script.end = "SEQUENCE";
	channel_welcome(&script, channel);
	struct collide_seat *seat = script_seat(&script, channel);
	for (uint64_t number = 1; number <= 4; number++)
		assert_int_equal(collide_seat_send(seat, &batch, NULL), number);
	channel_go(&script, channel);
	say_attached(&script, request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH), UINT64_MAX - 1);
	channel_go(&script, channel);
	assert_true(script.attached == 0 && script.detached == 1 && script.outcomes == 4);
	assert_int_equal(script.code, COLLIDE_UNAVAILABLE);
	assert_int_equal(script.sent_at, script.sent_count);
	collide_channel_destroy(channel);
}

/* A batch that was not sent when the seat is to end is not sent, and its outcome says so. */
static void
what_was_not_sent_before_the_end_is_not_sent(void **state)
{
	static struct script script;
	const struct collide_batch batch = { .tick = 5 };
	struct collide_channel *channel = script_channel(&script);
	(void)state;
	channel_welcome(&script, channel);
	struct collide_seat *seat = script_seat(&script, channel);
	uint64_t attach_id = channel_attach(&script, channel);
	channel_go(&script, channel);
	assert_int_equal(script.attached, 1);
	assert_int_equal(collide_seat_send(seat, &batch, NULL), 1);
	collide_seat_detach(seat);
	channel_go(&script, channel);
	(void)request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETACH);
	assert_int_equal(script.sent_at, script.sent_count);
	replies_append_detached(&script.replies, attach_id, "DETACHED");
	channel_go(&script, channel);
	assert_int_equal(script.detached, 1);
	assert_int_equal(script.outcomes, 1);
	assert_int_equal(script.code, COLLIDE_UNAVAILABLE);
	collide_channel_destroy(channel);
}

/* One that is to end before the server has answered its Attach ends there, too, as soon as that has. */
static void
a_seat_that_is_not_attached_yet_ends_when_it_is(void **state)
{
	static struct script script;
	struct collide_channel *channel = script_channel(&script);
	(void)state;
	channel_welcome(&script, channel);
	struct collide_seat *seat = script_seat(&script, channel);
	channel_go(&script, channel);
	uint64_t attach_id = request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH);
	collide_seat_detach(seat);
	say_attached(&script, attach_id, 0);
	channel_go(&script, channel);
	(void)request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETACH);
	replies_append_detached(&script.replies, attach_id, "DETACHED");
	channel_go(&script, channel);
	assert_int_equal(script.attached, 0);
	assert_int_equal(script.detached, 1);
	collide_channel_destroy(channel);
}

/* A callback may release the seat: so one that has no connection to end over ends where callbacks are called. */
static void
a_seat_that_waits_ends_in_the_next_process(void **state)
{
	static struct script script;
	const struct collide_batch batch = { .tick = 5 };
	struct collide_channel *channel = script_channel(&script);
	(void)state;
	script.releases = true;
	struct collide_seat *seat = script_seat(&script, channel);
	assert_int_equal(collide_seat_send(seat, &batch, NULL), 1);
	collide_seat_detach(seat);
	assert_true(script.outcomes == 0 && script.detached == 0);
	assert_int_equal(collide_channel_wait_ms(channel), 0);
	channel_go(&script, channel);
	assert_true(script.outcomes == 1 && script.detached == 1);
	collide_channel_destroy(channel);
}

/* Decided through this one; with a reason that one is not as it was. */
static void
say_acks(struct script *script, uint64_t request_id, uint64_t through, const char *reason)
{
	char text[32];
	Collide__V1__Outcome outcome = COLLIDE__V1__OUTCOME__INIT, *at = &outcome;
	Collide__V1__Acks acks = COLLIDE__V1__ACKS__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	acks.through = outcome.sequence = through;
	if (reason) {
		(void)snprintf(text, sizeof text, "%s", reason);
		outcome.code = COLLIDE__V1__CODE__CODE_NOT_FOUND;
		outcome.reason = text;
		acks.outcomes = &at;
		acks.n_outcomes = 1;
	}
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_ACKS;
	message.acks = &acks;
	replies_append(&script->replies, &message);
}

/* A late batch of another seat may undo one that had taken effect. That is told by its number, which is not its sequence: one
 * before it was refused here. */
static void
a_batch_that_is_undone_is_told_again(void **state)
{
	enum { IDS = 400000 };
	static struct script script;
	static uint32_t ids[IDS];
	const struct collide_batch large = { .remove = { ids, IDS } }, batch = { .remove = { ids, 1 } };
	struct collide_channel *channel = script_channel(&script);
	(void)state;
	channel_welcome(&script, channel);
	struct collide_seat *seat = script_seat(&script, channel);
	uint64_t attach_id = channel_attach(&script, channel);
	assert_int_equal(collide_seat_send(seat, &large, NULL), 1);
	assert_int_equal(collide_seat_send(seat, &batch, NULL), 2);
	assert_int_equal(collide_seat_send(seat, &batch, NULL), 3);
	channel_go(&script, channel);
	assert_true(script.outcomes == 1 && script.number == 1 && script.code == COLLIDE_RESOURCE_EXHAUSTED);
	say_acks(&script, attach_id, 1, NULL);
	channel_go(&script, channel);
	assert_true(script.outcomes == 2 && script.number == 2 && script.code == COLLIDE_OK);
	say_acks(&script, attach_id, 1, "UNDONE");
	channel_go(&script, channel);
	assert_true(script.outcomes == 3 && script.number == 2 && script.code == COLLIDE_NOT_FOUND);
	/* What is told of a batch for another reason, after its outcome, is that once more. */
	say_acks(&script, attach_id, 1, "RATE");
	channel_go(&script, channel);
	assert_int_equal(script.outcomes, 3);
	/* One that is undone before its outcome has only that. */
	say_acks(&script, attach_id, 2, "UNDONE");
	channel_go(&script, channel);
	assert_true(script.outcomes == 4 && script.number == 3 && script.code == COLLIDE_NOT_FOUND);
	collide_channel_destroy(channel);
}

static void
on_steered(void *context, struct collide_subscription *subscription, const struct collide_steered *steered,
           const struct collide_error *error)
{
	struct script *script = context;
	(void)subscription;
	(void)steered;
	(void)error;
	script->steered++;
}

/* A world is restored while a Steer is on its way. The subscription that begins anew asks for the region itself; the answer
 * that the Steer gets is of no interest, and of no subscription that has ended. */
static void
a_steer_of_another_past_is_of_no_interest(void **state)
{
	static struct script script;
	const struct collide_region region = { .kind = COLLIDE_REGION_BOX, .x_max = 1, .y_max = 1 };
	const struct collide_interest interest = { .world = "w", .stream = COLLIDE_STREAM_PATHS };
	(void)state;
	for (int ends = 0; ends < 3; ends++) {
		struct collide_channel *channel = script_channel(&script);
		const struct collide_reader reader = { .on_steered = on_steered, .context = &script };
		channel_welcome(&script, channel);
		struct collide_subscription *subscription = collide_subscribe(channel, NULL, &interest, &reader, NULL);
		assert_non_null(subscription);
		channel_go(&script, channel);
		uint64_t subscribe_id = request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE);
		assert_true(collide_steer(subscription, &region, 0, NULL));
		replies_append_unsubscribed(&script.replies, subscribe_id, ends < 2 ? "RESTORED" : "WORLD_GONE");
		channel_go(&script, channel);
		uint64_t steer_id = request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEER);
		if (ends < 2)
			(void)request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE);
		if (ends == 1)
			collide_unsubscribe(subscription);
		replies_append_error(&script.replies, steer_id, COLLIDE__V1__CODE__CODE_NOT_FOUND, "no such subscription");
		channel_go(&script, channel);
		assert_int_equal(script.steered, 0);
		collide_channel_destroy(channel);
	}
}

static void
on_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct script *script = context;
	(void)subscription;
	(void)update;
	script->updates++;
}

static void
say_update(struct script *script, uint64_t request_id, uint64_t tick, bool has_key)
{
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__Key key = COLLIDE__V1__KEY__INIT;
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	key.optional_scene_case = COLLIDE__V1__KEY__OPTIONAL_SCENE_SCENE;
	key.scene = &scene;
	update.tick = tick;
	update.optional_key_case = has_key ? COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY : 0;
	update.key = &key;
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE;
	message.world_update = &update;
	replies_append(&script->replies, &message);
}

static void
on_end(void *context, struct collide_subscription *subscription, const struct collide_error *error)
{
	struct script *script = context;
	(void)subscription;
	assert_string_equal(error->reason, script->end);
	script->ended++;
}

/* The server had not ended it yet when the connection was lost. */
static void
a_subscription_outlives_its_seat_until_the_connection_ends(void **state)
{
	static struct script script;
	const struct collide_interest interest = { 0 };
	const struct collide_reader reader = { .on_end = on_end, .context = &script };
	struct collide_channel *channel = script_channel(&script);
	(void)state;
	channel_welcome(&script, channel);
	assert_non_null(collide_subscribe(channel, script_seat(&script, channel), &interest, &reader, NULL));
	uint64_t attach_id = channel_attach(&script, channel);
	channel_go(&script, channel);
	(void)request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE);
	replies_append_detached(&script.replies, attach_id, "DETACHED");
	channel_go(&script, channel);
	assert_true(script.detached == 1 && script.ended == 0);
	script.closes = true;
	channel_go(&script, channel);
	assert_int_equal(script.ended, 1);
	collide_channel_destroy(channel);
}

static bool
refuse(void *context, const void *update, size_t bytes, struct collide_error *error)
{
	(void)context;
	(void)update;
	(void)bytes;
	(void)error;
	return false;
}

/* A reader that needs a key is subscribed a second time. If the server ends that one when its key has come, the first one goes
 * on. */
static void
a_second_subscription_that_ends_leaves_the_first(void **state)
{
	static struct script script;
	const struct collide_interest interest = { .world = "w", .stream = COLLIDE_STREAM_PATHS };
	const struct collide_reader reader = { .on_update = on_update, .context = &script, .take = refuse };
	struct collide_channel *channel = script_channel(&script);
	(void)state;
	channel_welcome(&script, channel);
	assert_non_null(collide_subscribe(channel, NULL, &interest, &reader, NULL));
	channel_go(&script, channel);
	uint64_t first = request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE);
	say_update(&script, first, 5, false);
	channel_go(&script, channel);
	uint64_t second = request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE);
	say_update(&script, second, 9, true);
	replies_append_unsubscribed(&script.replies, second, "OVER_SHARE");
	say_update(&script, first, 9, false);
	say_update(&script, first, 10, false);
	channel_go(&script, channel);
	assert_int_equal(script.updates, 4);
	assert_int_equal(script.sent_at, script.sent_count); /* nothing is cancelled */
	collide_channel_destroy(channel);
}

/* The ids of a connection's requests mean others over the next one. A Steer that was on its way when one was lost takes no
 * request of the next from its owner: that here has the same id. */
static void
a_steer_that_is_lost_touches_no_other_request(void **state)
{
	static struct script script;
	const struct collide_region region = { .kind = COLLIDE_REGION_BOX, .x_max = 1, .y_max = 1 };
	const struct collide_interest interest = { .world = "w", .stream = COLLIDE_STREAM_PATHS };
	struct collide_channel *channel = script_channel(&script);
	const struct collide_reader reader = { .on_update = on_update, .context = &script };
	(void)state;
	channel_welcome(&script, channel);
	struct collide_subscription *subscription = collide_subscribe(channel, NULL, &interest, &reader, NULL);
	assert_non_null(subscription);
	channel_go(&script, channel);
	(void)request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE);
	assert_true(collide_steer(subscription, &region, 0, NULL));
	channel_go(&script, channel);
	uint64_t steer_id = request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEER);
	script.closes = true;
	channel_go(&script, channel);
	script.closes = false;
	for (int i = 0; i < 2; i++)
		assert_non_null(collide_subscribe(channel, NULL, &interest, &reader, NULL));
	channel_welcome(&script, channel);
	for (int i = 0; i < 3; i++) {
		uint64_t subscribe_id = request_expect(&script, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE);
		say_update(&script, subscribe_id, 1, true);
		script.steered += subscribe_id == steer_id;
	}
	assert_int_equal(script.steered, 1);
	channel_go(&script, channel);
	assert_int_equal(script.updates, 3);
	collide_channel_destroy(channel);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reason_is_that_of_its_connection),
		cmocka_unit_test(a_sequence_that_cannot_be_ends_the_seat),
		cmocka_unit_test(what_was_not_sent_before_the_end_is_not_sent),
		cmocka_unit_test(a_steer_of_another_past_is_of_no_interest),
		cmocka_unit_test(a_steer_that_is_lost_touches_no_other_request),
		cmocka_unit_test(a_second_subscription_that_ends_leaves_the_first),
		cmocka_unit_test(a_batch_that_is_undone_is_told_again),
		cmocka_unit_test(a_seat_that_is_not_attached_yet_ends_when_it_is),
		cmocka_unit_test(a_seat_that_waits_ends_in_the_next_process),
		cmocka_unit_test(a_subscription_outlives_its_seat_until_the_connection_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
