/* Seeds of the target `channel`: a schedule, and what the server says, a letter for each message. */
#include "fuzz/channel_acts.h"
#include "fuzz/fuzz_seeds.h"

#include "base/buffer.h"
#include "base/check.h"
#include "collide/v1/collide.pb-c.h"
#include "proto/frame.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ACT(what, how) (uint8_t)(ACT_##what | (how) << 4)

/* Until a seat is attached, with batches and a step, and a subscription of each kind, of which the newest is asked for first.
 */
#define BEGINNING                                                                                                        \
	ACT(ATTACH, 0), ACT(SUBSCRIBE, 1), ACT(SUBSCRIBE, 0), ACT(SUBSCRIBE, 3), ACT(SUBSCRIBE, 10), ACT(GO, 1), ACT(GO, 1), \
		ACT(SAY, 0), ACT(SEND, 12)
#define LOST ACT(MOOD, 1), ACT(GO, 1), ACT(WAIT, 5), ACT(GO, 1), ACT(GO, 1)

enum { ACTS_MAX = 40 };

static const struct {
	const char *name;
	uint8_t options, schedule[ACTS_MAX];
	const char *says; /* a letter of `message_append`, and an id of one digit; 1 unless it is there */
} channels[] = {
	{ "plain", 0, { BEGINNING, ACT(GO, 1), ACT(SAY, 9) }, "AW0W1W2W3w0w1w2w3Kk" },
	{ "limits", 2, { BEGINNING, ACT(GO, 1), ACT(LOOK, 0), ACT(SAY, 9) }, "AKkKeun" },
	{ "lost", 0, { BEGINNING, ACT(GO, 1), ACT(SAY, 2), LOST, ACT(SAY, 0), ACT(GO, 1), ACT(SAY, 5) }, "AKW0bkW0w0" },
	{ "restored", 0, { BEGINNING, ACT(GO, 1), ACT(SAY, 1), ACT(GO, 1), ACT(SAY, 0), ACT(SAY, 3) }, "ARrBK" },
	{ "handover", 0, { BEGINNING, ACT(GO, 1), ACT(SAY, 2), ACT(MOVE, 1), ACT(GO, 1), LOST, ACT(SAY, 3) }, "AHhbK" },
	{ "taken", 0, { BEGINNING, ACT(SUBSCRIBE, 4), ACT(GO, 1), ACT(SAY, 1), ACT(SAY, 1) }, "ATU0" },
	{ "share", 0, { BEGINNING, ACT(SUBSCRIBE, 5), ACT(GO, 1), ACT(SAY, 1), LOST }, "AOs" },
	{ "steps", 0, { BEGINNING, ACT(STEP, 1), ACT(STEP, 5), ACT(GO, 1), ACT(SAY, 1), ACT(GO, 1), LOST, ACT(SAY, 4) }, "ASKbCS" },
	{ "detach", 0, { BEGINNING, ACT(DETACH, 0), ACT(GO, 1), ACT(SAY, 1) }, "Adt" },
	{ "detach_lost", 0, { BEGINNING, ACT(SUBSCRIBE, 4), ACT(GO, 1), ACT(DETACH, 0), ACT(GO, 1), LOST }, "A" },
	{ "detach_early", 0, { ACT(ATTACH, 0), ACT(SEND, 4), ACT(STEP, 1), ACT(DETACH, 0), ACT(GO, 1), ACT(RELEASE, 0) }, "" },
	{ "steer", 0, { BEGINNING, ACT(STEER, 6), ACT(GO, 1), ACT(STEER, 1), ACT(GO, 1), ACT(SAY, 3) }, "AGGW0w0" },
	{ "steer_ended", 0, { BEGINNING, ACT(STEER, 6), ACT(GO, 1), ACT(SAY, 3) }, "AU0U0U0U0GG" },
	{ "refused", 0, { BEGINNING, ACT(WAIT, 3), ACT(SAY, 2), ACT(WAIT, 5), ACT(SAY, 5) }, "E0E1F2E3F0AF0" },
	{ "slow", 0, { BEGINNING, ACT(SUBSCRIBE, 4), ACT(GO, 1), ACT(SAY, 5) }, "AlmU0c" },
	{ "again", 0, { BEGINNING, ACT(GO, 1), ACT(SAY, 9), ACT(WAIT, 8), ACT(SAY, 9) }, "AW1w1w1w1w1w1w1w1w1w1W4w1w1c" },
	{ "silent", 4, { BEGINNING, ACT(WAIT, 10), ACT(WAIT, 10), ACT(MOOD, 4), ACT(WAIT, 12), ACT(WAIT, 12), ACT(GO, 1) }, "AP" },
	{ "asks", 8, { BEGINNING, ACT(ASK, 0), ACT(ASK, 1), ACT(GO, 1), ACT(SAY, 5) }, "APLZY" },
	{ "own_welcome", 1, { ACT(ATTACH, 1), ACT(SEND, 4), ACT(GO, 1), ACT(SAY, 0), ACT(GO, 1), ACT(SAY, 3) }, "VBkA" },
	{ "released_in_outcome", 0, { BEGINNING, ACT(GO, 1), ACT(ARM, 0), ACT(RELEASE, 0), ACT(SAY, 3) }, "AKk" },
	{ "ended_in_callbacks",
	  0,
	  { BEGINNING, ACT(SUBSCRIBE, 4), ACT(GO, 1), ACT(ARM, 0), ACT(UNSUBSCRIBE, 0), ACT(ARM, 0), ACT(DETACH, 0), ACT(ARM, 0),
	    ACT(ATTACH, 0), ACT(ARM, 0), ACT(SUBSCRIBE, 5), ACT(SAY, 7) },
	  "AW0KtD" },
};

static void
message_write(struct buffer *stream, uint64_t id, Collide__V1__ServerMessage__ReplyCase reply, void *body)
{
	uint8_t header[FRAME_HEADER_BYTES_MAX], bytes[512];
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	message.request_id = id;
	message.reply_case = reply;
	message.frame = body; /* of a union of pointers */
	size_t count = collide__v1__server_message__get_packed_size(&message);
	CHECK(count <= sizeof bytes);
	collide__v1__server_message__pack(&message, bytes);
	buffer_append(stream, header, frame_header_write(header, (uint32_t)count));
	buffer_append(stream, bytes, count);
}

static void
error_append(struct buffer *stream, uint64_t id, const char *why, uint32_t retry_after_ms)
{
	char reason[32], text[] = "so it is";
	Collide__V1__Error error = COLLIDE__V1__ERROR__INIT;
	(void)snprintf(reason, sizeof reason, "%s", why);
	error.code = COLLIDE__V1__CODE__CODE_NOT_FOUND;
	error.reason = reason;
	error.text = text;
	error.retry_after_ms = retry_after_ms;
	message_write(stream, id, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR, &error);
}

static void
acks_append(struct buffer *stream, uint64_t through, uint64_t sequence, const char *why)
{
	char reason[32] = "";
	Collide__V1__Outcome outcome = COLLIDE__V1__OUTCOME__INIT, *at = &outcome;
	Collide__V1__Acks acks = COLLIDE__V1__ACKS__INIT;
	acks.through = through;
	acks.tick = 7;
	acks.margin_min_ns = -1000;
	if (why) {
		(void)snprintf(reason, sizeof reason, "%s", why);
		outcome.sequence = sequence;
		outcome.code = COLLIDE__V1__CODE__CODE_NOT_FOUND;
		outcome.reason = reason;
		outcome.not_received = strcmp(why, "OUTCOMES_WAIT") == 0;
		acks.outcomes = &at;
		acks.n_outcomes = 1;
	}
	message_write(stream, 1, COLLIDE__V1__SERVER_MESSAGE__REPLY_ACKS, &acks);
}

static void
attached_append(struct buffer *stream, uint64_t sequence, uint64_t epoch)
{
	uint8_t token[16] = { 1 };
	Collide__V1__WorldPolicy policy = COLLIDE__V1__WORLD_POLICY__INIT;
	Collide__V1__WorldInfo info = COLLIDE__V1__WORLD_INFO__INIT;
	Collide__V1__Attached attached = COLLIDE__V1__ATTACHED__INIT;
	attached.handle = 9;
	attached.seat = 1;
	attached.token = (ProtobufCBinaryData){ sizeof token, token };
	attached.epoch = epoch;
	attached.tick = 5;
	attached.next_due_ns = 1000000;
	attached.sequence = sequence;
	policy.tick_hz = 60;
	policy.dt = 1.0 / 60;
	info.optional_policy_case = COLLIDE__V1__WORLD_INFO__OPTIONAL_POLICY_POLICY;
	info.policy = &policy;
	attached.info = &info;
	attached.optional_info_case = COLLIDE__V1__ATTACHED__OPTIONAL_INFO_INFO;
	message_write(stream, 1, COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED, &attached);
}

static void
end_append(struct buffer *stream, uint64_t id, bool of_a_seat, const char *why)
{
	char reason[32];
	Collide__V1__Detached detached = COLLIDE__V1__DETACHED__INIT;
	Collide__V1__Unsubscribed unsubscribed = COLLIDE__V1__UNSUBSCRIBED__INIT;
	(void)snprintf(reason, sizeof reason, "%s", why);
	detached.reason = unsubscribed.reason = reason;
	if (of_a_seat)
		message_write(stream, id, COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACHED, &detached);
	else
		message_write(stream, id, COLLIDE__V1__SERVER_MESSAGE__REPLY_UNSUBSCRIBED, &unsubscribed);
}

static void
update_append(struct buffer *stream, uint64_t id, bool has_key)
{
	static uint64_t tick = 5;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__Key key = COLLIDE__V1__KEY__INIT;
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	key.optional_scene_case = COLLIDE__V1__KEY__OPTIONAL_SCENE_SCENE;
	key.scene = &scene;
	key.dt = 1.0 / 60;
	update.tick = tick++;
	update.ticks = 1;
	if (has_key) {
		update.encoding = 3;
		update.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
		update.key = &key;
	}
	message_write(stream, id, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE, &update);
}

static void
small_append(struct buffer *stream, uint64_t id, char letter)
{
	char name[] = "x";
	Collide__V1__Welcome welcome = COLLIDE__V1__WELCOME__INIT;
	Collide__V1__Steered steered = COLLIDE__V1__STEERED__INIT;
	Collide__V1__Stepped stepped = COLLIDE__V1__STEPPED__INIT;
	Collide__V1__Pong pong = COLLIDE__V1__PONG__INIT;
	Collide__V1__DetachDone detached = COLLIDE__V1__DETACH_DONE__INIT;
	Collide__V1__CancelDone cancelled = COLLIDE__V1__CANCEL_DONE__INIT;
	Collide__V1__Worlds worlds = COLLIDE__V1__WORLDS__INIT;
	Collide__V1__Draining draining = COLLIDE__V1__DRAINING__INIT;
	welcome.version = 1;
	welcome.server = name;
	steered.every = 2;
	stepped.tick = 9;
	switch (letter) {
	case 'V': message_write(stream, id, COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME, &welcome); return;
	case 'G': message_write(stream, id, COLLIDE__V1__SERVER_MESSAGE__REPLY_STEERED, &steered); return;
	case 'S': message_write(stream, id, COLLIDE__V1__SERVER_MESSAGE__REPLY_STEPPED, &stepped); return;
	case 'P': message_write(stream, id, COLLIDE__V1__SERVER_MESSAGE__REPLY_PONG, &pong); return;
	case 'd': message_write(stream, id, COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACH_DONE, &detached); return;
	case 'c': message_write(stream, id, COLLIDE__V1__SERVER_MESSAGE__REPLY_CANCEL_DONE, &cancelled); return;
	case 'L': message_write(stream, id, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLDS, &worlds); return;
	default: message_write(stream, 0, COLLIDE__V1__SERVER_MESSAGE__REPLY_DRAINING, &draining); return;
	}
}

static void
message_append(struct buffer *stream, uint64_t id, char letter)
{
	switch (letter) {
	case 'A': attached_append(stream, 0, 1); return;
	case 'b': attached_append(stream, 1, 1); return;
	case 'B': attached_append(stream, 1, 2); return;
	case 'K': acks_append(stream, 1, 0, NULL); return;
	case 'k': acks_append(stream, 3, 2, "RATE"); return;
	case 'e': acks_append(stream, 4, 4, "TOO_EARLY"); return;
	case 'u': acks_append(stream, 4, 1, "UNDONE"); return;
	case 'n': acks_append(stream, 4, 5, "OUTCOMES_WAIT"); return;
	case 'D': end_append(stream, id, true, "DETACHED"); return;
	case 't': end_append(stream, id, true, "WORLD_GONE"); return;
	case 'R': end_append(stream, id, true, "RESTORED"); return;
	case 'H': end_append(stream, id, true, "HANDOVER"); return;
	case 'T': end_append(stream, id, true, "SEAT_TAKEN"); return;
	case 'O': end_append(stream, id, true, "OVER_SHARE"); return;
	case 'U': end_append(stream, id, false, "WORLD_GONE"); return;
	case 'r': end_append(stream, id, false, "RESTORED"); return;
	case 'h': end_append(stream, id, false, "HANDOVER"); return;
	case 's': end_append(stream, id, false, "OVER_SHARE"); return;
	case 'l': end_append(stream, id, false, "SLOW_READER"); return;
	case 'm': end_append(stream, id, false, "MEMORY"); return;
	case 'W': update_append(stream, id, true); return;
	case 'w': update_append(stream, id, false); return;
	case 'E': error_append(stream, id, "RATE", 30); return;
	case 'F': error_append(stream, id, "NAME", 0); return;
	case 'C': error_append(stream, id, "CLOCK", 0); return;
	case 'Z': error_append(stream, 0, "DRAINING", 0); return;
	default: small_append(stream, id, letter);
	}
}

static void
channel_write(const char *name, uint8_t options, const uint8_t *schedule, const void *stream, size_t count)
{
	struct buffer seed;
	uint8_t acts = ACTS_MAX;
	while (acts > 0 && schedule[acts - 1] == 0)
		acts--;
	buffer_init(&seed);
	buffer_append(&seed, &options, 1);
	buffer_append(&seed, &acts, 1);
	buffer_append(&seed, schedule, acts);
	buffer_append(&seed, stream, count);
	seed_write("channel", name, seed.bytes, seed.count);
	buffer_finish(&seed);
}

void
seed_of_channel(const char *name, const void *stream, size_t count)
{
	static const uint8_t schedule[ACTS_MAX] = { BEGINNING, ACT(STEP, 4), ACT(GO, 1) };
	channel_write(name, 0, schedule, stream, count);
}

void
seeds_of_channel(void)
{
	for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++) {
		struct buffer stream;
		buffer_init(&stream);
		for (const char *at = channels[i].says; *at != '\0'; at++) {
			uint64_t id = at[1] >= '0' && at[1] <= '9' ? (uint64_t)(at[1] - '0') : 1;
			message_append(&stream, id == 0 ? 60 : id, *at); /* 0 is of no request; 60 is the first of 1 to 6 */
			at += at[1] >= '0' && at[1] <= '9';
		}
		channel_write(channels[i].name, channels[i].options, channels[i].schedule, stream.bytes, stream.count);
		buffer_finish(&stream);
	}
}
