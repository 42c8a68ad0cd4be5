/* A program with a channel, and a hostile server (channel_server.h): connections, seats, batches, steps, subscriptions. An
 * input is a byte of options, a schedule (its length in the next byte), and the server's stream. The schedule says what the
 * program does, and within which callbacks, when time passes, how much the server says, and what becomes of connections.
 *
 * Callbacks come from collide_channel_process alone. Every batch has one outcome, in order, before its seat ends, and every
 * step one answer; only UNDONE is told of a batch again. Nothing is told of what has ended or was given up. A subscription ends
 * with its seat, at the latest when the connection does. However the server's bytes are cut up, the callbacks are the same. */
#include "fuzz/channel_acts.h"
#include "fuzz/channel_server.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/stream_mutator.h"

#include "base/check.h"
#include "collide/v1/collide.pb-c.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

enum { SEATS_MAX = 6, READERS_MAX = 8, ARMED_MAX = 8, ROUNDS_MAX = 400, FRONT = 2, REFUSED_OF = 5 };

/* The byte of options. */
enum { OPTION_NO_WELCOME = 1, OPTION_LIMITS = 2, OPTION_GIVES_UP = 4, OPTION_RELEASES = 8 };

struct program;

struct seat_record {
	struct program *program;
	struct collide_seat *seat;
	uint64_t sent, decided, earlier; /* numbers of batches; a sequence */
	unsigned steps, stepped;
	bool released, ended;
};

struct reader_record {
	struct program *program;
	struct collide_subscription *subscription;
	struct seat_record *seat; /* NULL: by a secret */
	struct collide_follower *follower;
	unsigned taken;
	bool released, ended;
};

struct program {
	struct channel_server server;
	struct collide_channel *channel;
	struct seat_record seats[SEATS_MAX];
	size_t seat_count;
	struct reader_record readers[READERS_MAX];
	size_t reader_count;
	uint8_t armed[ARMED_MAX]; /* what is done in the next callbacks */
	size_t armed_count, armed_done;
	bool processing;
	uint64_t digest; /* of all callbacks */
};

static void program_act(struct program *program, uint8_t what);

/* ---- callbacks */

static void
digest_add(struct program *program, uint64_t value)
{
	program->digest = (program->digest ^ value) * UINT64_C(0x100000001b3);
	program->digest ^= program->digest >> 29;
}

static void
digest_error(struct program *program, const struct collide_error *error)
{
	CHECK(memchr(error->reason, '\0', sizeof error->reason) && memchr(error->text, '\0', sizeof error->text));
	digest_add(program, (uint64_t)error->code);
	for (size_t i = 0; error->reason[i] != '\0'; i++)
		digest_add(program, (uint8_t)error->reason[i]);
}

/* At the end of each: what is to be done there. */
static void
callback_end(struct program *program, uint64_t kind)
{
	CHECK(program->processing);
	digest_add(program, kind);
	if (program->armed_done < program->armed_count)
		program_act(program, program->armed[program->armed_done++]);
}

static void
on_connected(void *context, const struct collide_welcome *welcome)
{
	struct program *program = context;
	digest_add(program, welcome->limits.worlds.batches_waiting_max);
	callback_end(program, 1);
}

static void
on_lost(void *context, const struct collide_error *error)
{
	struct program *program = context;
	digest_error(program, error);
	callback_end(program, 2);
}

static void
on_event(void *context, const struct collide_event *event)
{
	struct program *program = context;
	digest_add(program, (uint64_t)event->kind);
	digest_add(program, event->request_id);
	callback_end(program, 3);
}

static void
on_attached(void *context, struct collide_seat *seat, const struct collide_attached *attached)
{
	struct seat_record *record = context;
	CHECK(!record->ended && !record->released && seat == record->seat && attached == collide_seat_attached(seat));
	digest_add(record->program, attached->sequence);
	callback_end(record->program, 4);
}

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	struct seat_record *record = context;
	CHECK(!record->ended && !record->released && seat == record->seat && number <= record->sent);
	if (number == 0) {
		CHECK(outcome->sequence > record->earlier);
		record->earlier = outcome->sequence;
	} else if (number > record->decided) {
		CHECK(number == record->decided + 1);
		record->decided = number;
	} else {
		CHECK(strcmp(outcome->reason, "UNDONE") == 0);
	}
	digest_add(record->program, number);
	digest_add(record->program, (uint64_t)outcome->code);
	callback_end(record->program, 5);
}

static void
on_detached(void *context, struct collide_seat *seat, const struct collide_error *error)
{
	struct seat_record *record = context;
	CHECK(!record->ended && !record->released && seat == record->seat);
	CHECK(record->decided == record->sent && collide_seat_undecided(seat) == 0 && record->stepped == record->steps);
	record->ended = true;
	digest_error(record->program, error);
	callback_end(record->program, 6);
}

static void
on_stepped(void *context, struct collide_seat *seat, const struct collide_stepped *stepped, const struct collide_error *error)
{
	struct seat_record *record = context;
	CHECK(!record->ended && !record->released && seat == record->seat && !stepped == (error != NULL));
	CHECK(++record->stepped <= record->steps);
	digest_add(record->program, stepped ? stepped->tick : (uint64_t)error->code);
	callback_end(record->program, 7);
}

static void
on_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct reader_record *record = context;
	CHECK(!record->ended && !record->released && subscription == record->subscription);
	digest_add(record->program, update->tick);
	digest_add(record->program, update->key != NULL);
	if (record->follower) {
		struct collide_followed world = collide_follower_world(record->follower);
		for (size_t i = 1; i < world.circle_count; i++)
			CHECK(collide_follower_circle(record->follower, i - 1).id < collide_follower_circle(record->follower, i).id);
		digest_add(record->program, world.tick);
		digest_add(record->program, world.circle_count);
	}
	callback_end(record->program, 8);
}

static void
on_end(void *context, struct collide_subscription *subscription, const struct collide_error *error)
{
	struct reader_record *record = context;
	CHECK(!record->ended && !record->released && subscription == record->subscription);
	record->ended = true;
	digest_error(record->program, error);
	callback_end(record->program, 9);
}

static void
on_steered(void *context, struct collide_subscription *subscription, const struct collide_steered *steered,
           const struct collide_error *error)
{
	struct reader_record *record = context;
	CHECK(!record->ended && !record->released && subscription == record->subscription && !steered == (error != NULL));
	callback_end(record->program, 10);
}

static bool
take(void *context, const void *update, size_t bytes, struct collide_error *error)
{
	struct reader_record *record = context;
	Collide__V1__WorldUpdate *read = collide__v1__world_update__unpack(NULL, bytes, update);
	CHECK(!record->ended && !record->released);
	if (read) {
		digest_add(record->program, read->tick + read->n_applied);
		collide__v1__world_update__free_unpacked(read, NULL);
	}
	callback_end(record->program, 11);
	if (++record->taken % REFUSED_OF != 0)
		return true;
	*error = (struct collide_error){ .code = COLLIDE_INVALID_ARGUMENT, .reason = "TAKE", .text = "a key is needed" };
	return false;
}

/* ---- what the program does */

static void
program_go(struct program *program, int64_t ms)
{
	program->server.now_ns += ms * CHANNEL_NS_PER_MS;
	CHECK(collide_channel_wait_ms(program->channel) >= 0);
	program->processing = true;
	struct collide_error error = { .code = COLLIDE_OK };
	if (!collide_channel_process(program->channel, &error))
		digest_error(program, &error);
	program->processing = false;
}

static void
program_attach(struct program *program, unsigned how)
{
	static const uint8_t token[COLLIDE_SECRET_BYTES] = { 1 };
	if (program->seat_count == SEATS_MAX)
		return;
	struct seat_record *record = &program->seats[program->seat_count++];
	const struct collide_seat_handler handler = { on_attached, on_outcome, on_detached, record };
	const bool is_held = (how & 1) != 0;
	const struct collide_attachment attachment = { .world = "w",
		                                           .secret = token,
		                                           .secret_bytes = sizeof token,
		                                           .right = COLLIDE_RIGHT_STEP,
		                                           .token = is_held ? token : NULL,
		                                           .outcomes_after = is_held ? how >> 1 : 0,
		                                           .ids = 4 };
	*record = (struct seat_record){ .program = program, .earlier = attachment.outcomes_after };
	record->seat = collide_seat_attach(program->channel, &attachment, &handler, NULL);
	CHECK(record->seat);
}

/* One of those that are not given up; NULL: there is none. */
static struct seat_record *
seat_pick(struct program *program, unsigned index)
{
	for (size_t i = 0; i < program->seat_count; i++) {
		struct seat_record *record = &program->seats[(i + index) % program->seat_count];
		if (!record->released)
			return record;
	}
	return NULL;
}

static struct reader_record *
reader_pick(struct program *program, unsigned index)
{
	for (size_t i = 0; i < program->reader_count; i++) {
		struct reader_record *record = &program->readers[(i + index) % program->reader_count];
		if (!record->released)
			return record;
	}
	return NULL;
}

static void
seat_send(struct seat_record *record, unsigned count)
{
	static const uint32_t ids[100] = { 1, 2, 3 };
	for (unsigned i = 0; i < count; i++) {
		const uint64_t aim = collide_seat_aim(record->seat);
		const struct collide_batch batches[] = { { .remove = { ids, 1 } },
			                                     { .tick = aim, .remove = { ids, 2 } },
			                                     { .remove = { ids, 100 } }, /* over the small limit */
			                                     { .has_gravity = true, .gravity_y = 1 } };
		uint64_t number = collide_seat_send(record->seat, &batches[record->sent % 4], NULL);
		CHECK(number == 0 || (number == record->sent + 1 && !record->ended));
		record->sent += number != 0;
	}
}

static void
program_subscribe(struct program *program, unsigned how)
{
	static const uint8_t secret[COLLIDE_SECRET_BYTES] = { 1 };
	static const struct collide_interest interests[] = {
		{ .stream = COLLIDE_STREAM_STATES, .contacts = true, .credit = 3 },
		{ .stream = COLLIDE_STREAM_PATHS, .every = 1 },
		{ .stream = COLLIDE_STREAM_COMMANDS, .credit = 1 },
		{ .stream = COLLIDE_STREAM_STATES, .tolerance = 0.01, .driven_tolerance = 0.01, .credit = 2 },
	};
	struct seat_record *seat = (how & 4) != 0 ? seat_pick(program, how) : NULL;
	if (program->reader_count == READERS_MAX)
		return;
	struct reader_record *record = &program->readers[program->reader_count];
	struct collide_interest interest = interests[how & 3];
	struct collide_reader reader = { .on_update = on_update, .on_end = on_end, .on_steered = on_steered, .context = record };
	const bool is_followed = interest.stream == COLLIDE_STREAM_PATHS || interest.tolerance > 0;
	interest.world = "w";
	interest.secret = secret;
	interest.secret_bytes = sizeof secret;
	*record = (struct reader_record){ .program = program, .seat = seat };
	record->follower = is_followed ? collide_follower_create(2) : NULL;
	CHECK(record->follower || !is_followed);
	reader.follower = record->follower;
	if ((how & 8) != 0 || interest.stream == COLLIDE_STREAM_COMMANDS) {
		reader.take = take;
		reader.take_context = record;
	}
	record->subscription = collide_subscribe(program->channel, seat ? seat->seat : NULL, &interest, &reader, NULL);
	CHECK(record->subscription || seat); /* which has ended */
	record->ended = record->released = !record->subscription;
	program->reader_count++;
}

/* Its subscriptions are gone with it. */
static void
seat_release(struct seat_record *record)
{
	struct program *program = record->program;
	record->released = true;
	for (size_t i = 0; i < program->reader_count; i++)
		if (program->readers[i].seat == record)
			program->readers[i].released = true;
	collide_seat_release(record->seat);
}

static void
reader_release(struct reader_record *record)
{
	record->released = true;
	collide_unsubscribe(record->subscription);
}

static void
reader_steer(struct reader_record *record, unsigned how)
{
	const struct collide_region region = { .kind = COLLIDE_REGION_BOX, .x_max = how, .y_max = 1 };
	CHECK(collide_steer(record->subscription, (how & 4) != 0 ? &region : NULL, how & 3, NULL));
}

static void
seat_step(struct seat_record *record, unsigned how)
{
	const struct collide_step step = { .ticks = how, .has_expect = (how & 4) != 0, .expect_tick = how };
	record->steps += collide_seat_step(record->seat, &step, on_stepped, record, NULL);
}

static void
program_ask(struct program *program, unsigned how)
{
	struct collide_core *core = collide_channel_core(program->channel);
	const struct collide_world_filter filter = { .limit = 5 };
	if (core)
		CHECK(((how & 1) != 0 ? collide_core_ping(core, "x", 1, NULL) : collide_core_list_worlds(core, &filter, NULL)) != 0);
}

static void
program_look(struct program *program, unsigned how)
{
	const struct seat_record *record = seat_pick(program, how);
	digest_add(program, collide_channel_writes(program->channel));
	CHECK(collide_channel_descriptor(program->channel) == -1);
	if (!record)
		return;
	struct collide_timing timing = collide_seat_timing(record->seat);
	collide_seat_set_margin(record->seat, (how & 8) != 0 ? INT64_MAX : (int64_t)how << how);
	CHECK(collide_seat_undecided(record->seat) <= record->sent - record->decided);
	digest_add(program, collide_seat_aim(record->seat) + timing.tick + (uint64_t)timing.margin_ns + (uint64_t)timing.lead_ns);
	digest_add(program, collide_seat_sequence(record->seat, record->sent));
}

/* What may be done in callbacks, too. */
static void
program_act(struct program *program, uint8_t what)
{
	unsigned how = what >> 4;
	struct seat_record *seat = seat_pick(program, how);
	struct reader_record *reader = reader_pick(program, how);
	switch (what & 15) {
	case ACT_ATTACH: program_attach(program, how); return;
	case ACT_SUBSCRIBE: program_subscribe(program, how); return;
	case ACT_ASK: program_ask(program, how); return;
	case ACT_LOOK: program_look(program, how); return;
	case ACT_MOOD: program->server.mood = (enum server_mood)(how % SERVER_MOODS); return;
	case ACT_MOVE: CHECK(collide_channel_move(program->channel, how == 0 ? "" : "a", NULL) == (how != 0)); return;
	default: break;
	}
	if (seat && (what & 15) == ACT_SEND)
		seat_send(seat, 1 + how / 4);
	else if (seat && (what & 15) == ACT_STEP)
		seat_step(seat, how);
	else if (seat && (what & 15) == ACT_DETACH)
		collide_seat_detach(seat->seat);
	else if (seat && (what & 15) == ACT_RELEASE)
		seat_release(seat);
	else if (reader && (what & 15) == ACT_UNSUBSCRIBE)
		reader_release(reader);
	else if (reader && (what & 15) == ACT_STEER)
		reader_steer(reader, how);
}

/* Does what a byte says; returns how many bytes it took. */
static size_t
program_do(struct program *program, const uint8_t *schedule, size_t count)
{
	static const int64_t times_ms[] = { 0,    5,    20,   50,    100,   300,   700,    1000,
		                                1500, 2500, 5000, 10000, 20000, 40000, 100000, 100000000 };
	unsigned how = schedule[0] >> 4;
	switch (schedule[0] & 15) {
	case ACT_GO: program_go(program, how); return 1;
	case ACT_WAIT: program_go(program, times_ms[how]); return 1;
	case ACT_SAY:
		for (unsigned i = 0; i <= how; i++)
			(void)channel_server_say(&program->server);
		program_go(program, 1);
		return 1;
	case ACT_ARM:
		if (count > 1 && program->armed_count < ARMED_MAX)
			program->armed[program->armed_count++] = schedule[1];
		return count > 1 ? 2 : 1;
	default: program_act(program, schedule[0]); return 1;
	}
}

static void
program_start(struct program *program, uint8_t options, const uint8_t *stream, size_t count, uint64_t pieces)
{
	const struct collide_options client = { .frame_bytes_max = 1 << 20, .reply_timeout_ms = 3000, .connect_timeout_ms = 3000 };
	const struct collide_channel_options channel_options = { .client = &client,
		                                                     .retry_for_ms = (options & OPTION_GIVES_UP) != 0 ? 20000 : 0,
		                                                     .on_connected = on_connected,
		                                                     .on_lost = on_lost,
		                                                     .on_event = on_event,
		                                                     .context = program };
	*program = (struct program){ .digest = 1 };
	channel_server_start(&program->server, stream, count);
	program->server.welcomes = (options & OPTION_NO_WELCOME) == 0;
	program->server.has_limits = (options & OPTION_LIMITS) != 0;
	program->server.pieces = pieces;
	const struct channel_transport transport = channel_server_transport(&program->server);
	program->channel = channel_over(&transport, &channel_options, NULL);
	CHECK(program->channel);
}

/* The connection ends, and all that still needs one has it. */
static void
program_end(struct program *program)
{
	program->server.mood = SERVER_CLOSES;
	program_go(program, 1);
	for (size_t i = 0; i < program->seat_count; i++) {
		const struct seat_record *record = &program->seats[i];
		if (!record->released)
			CHECK(record->sent - record->decided == collide_seat_undecided(record->seat));
	}
	for (size_t i = 0; i < program->reader_count; i++) {
		const struct reader_record *record = &program->readers[i];
		CHECK(record->released || record->ended || !record->seat || !record->seat->ended);
	}
}

static void
program_finish(struct program *program, uint8_t options)
{
	struct seat_record *seat;
	struct reader_record *reader;
	while ((options & OPTION_RELEASES) != 0 && (reader = reader_pick(program, 0)))
		reader_release(reader);
	while ((options & OPTION_RELEASES) != 0 && (seat = seat_pick(program, 0)))
		seat_release(seat);
	collide_channel_destroy(program->channel);
	for (size_t i = 0; i < program->reader_count; i++)
		if (program->readers[i].follower)
			collide_follower_destroy(program->readers[i].follower);
	channel_server_finish(&program->server);
}

static uint64_t
program_run(const uint8_t *bytes, size_t count, uint64_t pieces)
{
	static struct program program;
	size_t schedule = bytes[1] < count - FRONT ? bytes[1] : count - FRONT;
	program_start(&program, bytes[0], bytes + FRONT + schedule, count - FRONT - schedule, pieces);
	for (size_t i = 0; i < schedule;)
		i += program_do(&program, bytes + FRONT + i, schedule - i);
	program.server.mood = SERVER_FINE;
	for (size_t i = 0; i < ROUNDS_MAX && channel_server_say(&program.server); i++)
		program_go(&program, 30);
	program_end(&program);
	program_finish(&program, bytes[0]);
	return program.digest;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	if (count < FRONT)
		return 0;
	uint64_t whole = program_run(bytes, count, 0), pieces = program_run(bytes, count, 1 + bytes[1]);
	CHECK(whole == pieces);
	return 0;
}

static const ProtobufCMessageDescriptor *
type_of(size_t index)
{
	(void)index;
	return &collide__v1__server_message__descriptor;
}

/* The options, the schedule or the stream. */
size_t
LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned mutation)
{
	uint64_t seed = mutation;
	if (count < FRONT + 1 || count_max < 300 || count > count_max - 256)
		return LLVMFuzzerMutate(bytes, count, count_max);
	size_t schedule = bytes[1] < count - FRONT ? bytes[1] : count - FRONT, front = FRONT + schedule;
	uint64_t part = random_below(&seed, 16);
	if (part > 5)
		return front + stream_mutate(type_of, bytes + front, count - front, count_max - front,
		                             (unsigned)random_below(&seed, UINT32_MAX));
	if (part == 0) {
		bytes[0] ^= (uint8_t)(1u << random_below(&seed, 4));
		return count;
	}
	uint8_t changed[UINT8_MAX];
	memcpy(changed, bytes + FRONT, schedule);
	size_t now = LLVMFuzzerMutate(changed, schedule, sizeof changed);
	memmove(bytes + FRONT + now, bytes + front, count - front);
	memcpy(bytes + FRONT, changed, now);
	bytes[1] = (uint8_t)now;
	return FRONT + now + (count - front);
}
