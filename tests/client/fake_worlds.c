#include "client/fake_worlds.h"

#include "proto/frame.h"

#include "support/assert_double.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t
fake_random(struct fake_worlds *server, uint64_t below)
{
	server->random = server->random * 6364136223846793005u + 1442695040888963407u;
	return (server->random >> 33) % below;
}

void
fake_worlds_init(struct fake_worlds *server, uint64_t seed)
{
	memset(server, 0, sizeof *server);
	server->random = seed * 2654435761u + 12345;
	server->epoch = 100 + seed;
	server->now_ns = 1000000000;
	for (size_t i = 0; i < FAKE_LINKS_MAX; i++)
		server->links[i].server = server;
}

static void
pipe_clear(struct fake_pipe *pipe)
{
	free(pipe->bytes);
	*pipe = (struct fake_pipe){ 0 };
}

void
fake_worlds_finish(struct fake_worlds *server)
{
	for (size_t i = 0; i < FAKE_LINKS_MAX; i++) {
		pipe_clear(&server->links[i].to_server);
		pipe_clear(&server->links[i].to_client);
	}
}

static void
pipe_append(struct fake_pipe *pipe, const void *bytes, size_t count)
{
	pipe->bytes = realloc(pipe->bytes, pipe->count + count + 1);
	assert_non_null(pipe->bytes);
	memcpy(pipe->bytes + pipe->count, bytes, count);
	pipe->count += count;
}

static void
pipe_consume(struct fake_pipe *pipe, size_t count)
{
	memmove(pipe->bytes, pipe->bytes + count, pipe->count - count);
	pipe->count -= count;
}

static void
link_say(struct fake_link *link, const Collide__V1__ServerMessage *message)
{
	uint8_t bytes[8192];
	size_t body = collide__v1__server_message__get_packed_size(message);
	assert_true(body + FRAME_HEADER_BYTES_MAX <= sizeof bytes);
	size_t header = frame_header_write(bytes, (uint32_t)body);
	collide__v1__server_message__pack(message, bytes + header);
	pipe_append(&link->to_client, bytes, header + body);
}

static Collide__V1__ServerMessage
reply_to(uint64_t request_id, Collide__V1__ServerMessage__ReplyCase kind)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	message.request_id = request_id;
	message.reply_case = kind;
	return message;
}

static void
say_error(struct fake_link *link, uint64_t request_id, Collide__V1__Code code, const char *reason)
{
	char text[32];
	Collide__V1__Error error = COLLIDE__V1__ERROR__INIT;
	Collide__V1__ServerMessage message = reply_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	(void)snprintf(text, sizeof text, "%s", reason);
	error.code = code;
	error.reason = error.text = text;
	message.error = &error;
	link_say(link, &message);
}

/* ---- Outcomes */

static void
say_acks(struct fake_seat *seat, uint64_t after, const Collide__V1__Outcome *extra)
{
	static char reasons[FAKE_OUTCOMES_MAX + 1][32];
	Collide__V1__Outcome outcomes[FAKE_OUTCOMES_MAX + 1], *at[FAKE_OUTCOMES_MAX + 1];
	Collide__V1__Acks acks = COLLIDE__V1__ACKS__INIT;
	size_t count = 0;
	if (!seat->link)
		return;
	for (size_t i = 0; i < seat->outcome_count; i++) {
		if (seat->outcomes[i].sequence <= after)
			continue;
		collide__v1__outcome__init(&outcomes[count]);
		outcomes[count].sequence = seat->outcomes[i].sequence;
		outcomes[count].tick = seat->outcomes[i].tick;
		outcomes[count].code = seat->outcomes[i].code;
		(void)snprintf(reasons[count], sizeof reasons[count], "%s", seat->outcomes[i].reason);
		outcomes[count].reason = reasons[count];
		at[count] = &outcomes[count];
		count++;
	}
	if (extra) {
		outcomes[count] = *extra;
		at[count] = &outcomes[count];
		count++;
	}
	acks.through = seat->through;
	acks.tick = seat->link->server->tick;
	acks.outcomes = at;
	acks.n_outcomes = count;
	Collide__V1__ServerMessage message = reply_to(seat->attach_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_ACKS);
	message.acks = &acks;
	link_say(seat->link, &message);
}

static void
say_not_received(struct fake_seat *seat, uint64_t sequence, const char *reason)
{
	char text[32];
	Collide__V1__Outcome outcome = COLLIDE__V1__OUTCOME__INIT;
	(void)snprintf(text, sizeof text, "%s", reason);
	outcome.sequence = sequence;
	outcome.code = COLLIDE__V1__CODE__CODE_FAILED_PRECONDITION;
	outcome.reason = text;
	outcome.not_received = 1;
	say_acks(seat, UINT64_MAX, &outcome);
}

static void
outcome_keep(struct fake_seat *seat, uint64_t sequence, uint64_t tick, Collide__V1__Code code, const char *reason, bool early)
{
	assert_true(seat->outcome_count < FAKE_OUTCOMES_MAX);
	size_t at = seat->outcome_count++;
	seat->outcomes[at].sequence = sequence;
	seat->outcomes[at].tick = tick;
	seat->outcomes[at].code = code;
	seat->outcomes[at].reason = reason;
	seat->outcomes[at].early = early;
}

static void
outcomes_forget(struct fake_seat *seat, uint64_t acked)
{
	size_t kept = 0;
	for (size_t i = 0; i < seat->outcome_count; i++)
		if (seat->outcomes[i].sequence > acked)
			seat->outcomes[kept++] = seat->outcomes[i];
	seat->outcome_count = kept;
}

/* All before the first one that waits are decided. */
static void
through_update(struct fake_seat *seat)
{
	seat->through = seat->waiting_count > 0 ? seat->waiting[0].sequence - 1 : seat->sequence;
}

/* ---- Requests */

static struct fake_seat *
seat_of_handle(struct fake_link *link, uint32_t handle)
{
	for (size_t i = 0; i < FAKE_SEATS_MAX; i++)
		if (link->server->seats[i].link == link && link->server->seats[i].handle == handle)
			return &link->server->seats[i];
	return NULL;
}

static void
take_commands(struct fake_link *link, const Collide__V1__Commands *commands)
{
	struct fake_worlds *server = link->server;
	struct fake_seat *seat = seat_of_handle(link, commands->handle);
	if (!seat)
		return; /* detached meanwhile: has no reply */
	outcomes_forget(seat, commands->acked);
	if (commands->sequence <= seat->sequence) {
		say_acks(seat, commands->sequence - 1, NULL);
		return;
	}
	if (commands->sequence > seat->sequence + 1) {
		say_not_received(seat, commands->sequence, "SEQUENCE");
		return;
	}
	/* Room for the outcomes of all that waits, and of this one. */
	if (seat->outcome_count + seat->waiting_count + 2 >= FAKE_OUTCOMES_MAX || fake_random(server, 30) == 0) {
		say_not_received(seat, commands->sequence, "OUTCOMES_WAIT");
		return;
	}
	seat->sequence = commands->sequence;
	assert_int_equal(commands->n_remove, 1);
	if (seat->waiting_count == FAKE_WAITING_MAX || fake_random(server, 20) == 0) {
		outcome_keep(seat, commands->sequence, 0, COLLIDE__V1__CODE__CODE_RESOURCE_EXHAUSTED, "RATE", true);
		through_update(seat);
		say_acks(seat, commands->sequence - 1, NULL);
		return;
	}
	uint64_t tick = commands->tick > server->tick ? commands->tick : server->tick + 1;
	if (seat->waiting_count > 0 && tick < seat->waiting[seat->waiting_count - 1].tick)
		tick = seat->waiting[seat->waiting_count - 1].tick;
	seat->waiting[seat->waiting_count++] = (struct fake_batch){ commands->sequence, tick, commands->remove[0] };
}

static void
say_detached(struct fake_seat *seat, const char *reason)
{
	char text[32];
	Collide__V1__Detached detached = COLLIDE__V1__DETACHED__INIT;
	if (!seat->link)
		return;
	(void)snprintf(text, sizeof text, "%s", reason);
	detached.tick = seat->link->server->tick;
	detached.reason = text;
	Collide__V1__ServerMessage message = reply_to(seat->attach_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACHED);
	message.detached = &detached;
	link_say(seat->link, &message);
	seat->link = NULL;
}

static struct fake_seat *
seat_for(struct fake_worlds *server, const Collide__V1__Attach *attach)
{
	for (size_t i = 0; i < FAKE_SEATS_MAX; i++) {
		struct fake_seat *seat = &server->seats[i];
		bool is_same = seat->used && attach->token.len == 16 && memcmp(seat->token, attach->token.data, 16) == 0;
		if (is_same && !server->forgets_seats)
			return seat;
		if (attach->token.len == 0 && !seat->used) {
			*seat = (struct fake_seat){ .used = true, .number = ++server->seats_next };
			memset(seat->token, (int)seat->number, sizeof seat->token);
			return seat;
		}
	}
	return NULL;
}

static void
take_attach(struct fake_link *link, uint64_t request_id, const Collide__V1__Attach *attach)
{
	struct fake_worlds *server = link->server;
	struct fake_seat *seat = seat_for(server, attach);
	if (!seat) {
		say_error(link, request_id, COLLIDE__V1__CODE__CODE_NOT_FOUND, attach->token.len ? "TOKEN" : "SEATS");
		return;
	}
	say_detached(seat, "SEAT_TAKEN");
	seat->link = link;
	seat->handle = 1 + (uint32_t)fake_random(server, 1000000);
	seat->attach_id = request_id;
	Collide__V1__Attached attached = COLLIDE__V1__ATTACHED__INIT;
	attached.handle = seat->handle;
	attached.seat = seat->number;
	attached.token = (ProtobufCBinaryData){ sizeof seat->token, seat->token };
	attached.epoch = server->epoch;
	attached.tick = server->tick;
	attached.sequence = seat->sequence;
	Collide__V1__ServerMessage message = reply_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED);
	message.attached = &attached;
	link_say(link, &message);
	if (seat->sequence > 0)
		say_acks(seat, attach->outcomes_after, NULL);
}

static void
say_stepped(struct fake_link *link, uint64_t request_id, uint64_t tick)
{
	Collide__V1__Stepped stepped = COLLIDE__V1__STEPPED__INIT;
	stepped.tick = tick;
	stepped.hash = tick * 31;
	Collide__V1__ServerMessage message = reply_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_STEPPED);
	message.stepped = &stepped;
	link_say(link, &message);
}

static void
take_step(struct fake_link *link, uint64_t request_id, const Collide__V1__StepWorld *step)
{
	struct fake_worlds *server = link->server;
	assert_int_not_equal(step->optional_expect_tick_case, 0);
	if (!seat_of_handle(link, step->handle))
		say_error(link, request_id, COLLIDE__V1__CODE__CODE_NOT_FOUND, "HANDLE");
	else if (server->step_left > 0)
		say_error(link, request_id, COLLIDE__V1__CODE__CODE_FAILED_PRECONDITION, "CLOCK");
	else if (server->tick == step->expect_tick + step->ticks && server->step_from == step->expect_tick &&
	         server->step_ticks == step->ticks)
		say_stepped(link, request_id, server->tick);
	else if (server->tick != step->expect_tick)
		say_error(link, request_id, COLLIDE__V1__CODE__CODE_FAILED_PRECONDITION, "TICK");
	else {
		server->step_left = server->step_ticks = step->ticks;
		server->step_from = step->expect_tick;
		server->step_link = link;
		server->step_id = request_id;
	}
}

static void
take_hello(struct fake_link *link, uint64_t request_id)
{
	char name[] = "fake";
	Collide__V1__Welcome welcome = COLLIDE__V1__WELCOME__INIT;
	Collide__V1__ServerMessage message = reply_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME);
	welcome.version = 1;
	welcome.server = name;
	message.welcome = &welcome;
	link_say(link, &message);
}

static void
take_message(struct fake_link *link, const Collide__V1__ClientMessage *message)
{
	Collide__V1__ServerMessage pong = reply_to(message->request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_PONG);
	Collide__V1__Pong payload = COLLIDE__V1__PONG__INIT;
	switch (message->request_case) {
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO: take_hello(link, message->request_id); break;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING:
		pong.pong = &payload;
		link_say(link, &pong);
		break;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH: take_attach(link, message->request_id, message->attach); break;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_COMMANDS: take_commands(link, message->commands); break;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_MANY_COMMANDS:
		for (size_t i = 0; i < message->many_commands->n_batches; i++)
			take_commands(link, message->many_commands->batches[i]);
		break;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEP_WORLD: take_step(link, message->request_id, message->step_world); break;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE:
		link->subscription = message->request_id;
		link->wants_key = true;
		link->coded = message->subscribe->coded;
		link->within = message->subscribe->tolerance > 0;
		link->after_tick = message->subscribe->after_tick;
		link->after_encoding = message->subscribe->after_encoding;
		link->credit = message->subscribe->credit > 0 ? message->subscribe->credit : UINT64_MAX;
		break;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREDIT: link->credit += message->credit->updates; break;
	default: fail_msg("an unexpected request");
	}
}

static void
link_answer(struct fake_link *link, struct fake_pipe *arrived)
{
	size_t header, at = 0;
	uint32_t body;
	while (at < arrived->count &&
	       frame_header_read(arrived->bytes + at, arrived->count - at, 1 << 20, &header, &body) == FRAME_OK &&
	       arrived->count - at >= header + body) {
		Collide__V1__ClientMessage *message = collide__v1__client_message__unpack(NULL, body, arrived->bytes + at + header);
		assert_non_null(message);
		take_message(link, message);
		collide__v1__client_message__free_unpacked(message, NULL);
		at += header + body;
	}
	pipe_consume(arrived, at);
}

void
fake_link_move(struct fake_link *link, bool all)
{
	/* What of a message has come already stays in front; so it is enough to answer whole ones. */
	struct fake_pipe arrived = { 0 };
	if (link->to_server.count == 0)
		return;
	size_t some = all ? link->to_server.count : 1 + fake_random(link->server, link->to_server.count);
	pipe_append(&arrived, link->to_server.bytes, some);
	link_answer(link, &arrived);
	pipe_consume(&link->to_server, some - arrived.count);
	pipe_clear(&arrived);
}

void
fake_link_cut(struct fake_link *link)
{
	struct fake_worlds *server = link->server;
	if (!link->open)
		return;
	/* A part of what is on its way to the server still arrives. */
	if (fake_random(server, 2) == 0)
		fake_link_move(link, false);
	for (size_t i = 0; i < FAKE_SEATS_MAX; i++)
		if (server->seats[i].link == link)
			server->seats[i].link = NULL;
	if (server->step_link == link)
		server->step_link = NULL;
	link->open = false;
	link->subscription = 0;
	pipe_clear(&link->to_server);
	server->cuts++;
}

/* ---- Ticks */

static void
say_update(struct fake_link *link)
{
	struct fake_worlds *server = link->server;
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	Collide__V1__Key key = COLLIDE__V1__KEY__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__Frame frame = COLLIDE__V1__FRAME__INIT;
	link->credit--;
	update.tick = frame.tick = server->tick;
	if (link->within && !link->wants_key) {
		update.quantized = (ProtobufCBinaryData){ server->coded_count, server->coded };
	} else if (!link->coded) {
		update.encoding = link->within ? FAKE_ENCODING : 0;
		update.optional_frame_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME;
		update.frame = &frame;
	} else if (link->wants_key) {
		update.encoding = FAKE_ENCODING;
		update.ticks = 1;
		update.lost_ticks = server->lost_ticks;
	} else {
		update.coded = (ProtobufCBinaryData){ server->coded_count, server->coded };
	}
	if (link->wants_key) {
		key.epoch = server->epoch;
		key.optional_scene_case = COLLIDE__V1__KEY__OPTIONAL_SCENE_SCENE;
		key.scene = &scene;
		update.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
		update.key = &key;
		link->wants_key = false;
	}
	Collide__V1__ServerMessage message = reply_to(link->subscription, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE);
	message.world_update = &update;
	link_say(link, &message);
}

static void
seat_tick(struct fake_worlds *server, struct fake_seat *seat)
{
	size_t done = 0;
	uint64_t before = seat->through;
	while (done < seat->waiting_count && seat->waiting[done].tick <= server->tick) {
		const struct fake_batch *batch = &seat->waiting[done++];
		if (batch->id >= FAKE_ID_MISSING) {
			outcome_keep(seat, batch->sequence, 0, COLLIDE__V1__CODE__CODE_NOT_FOUND, "NO_SUCH_ID", false);
		} else {
			assert_true(seat->log_count < FAKE_LOG_MAX);
			seat->log[seat->log_count++] = batch->id;
		}
	}
	memmove(seat->waiting, seat->waiting + done, (seat->waiting_count - done) * sizeof seat->waiting[0]);
	seat->waiting_count -= done;
	through_update(seat);
	if (seat->through > before)
		say_acks(seat, before, NULL);
}

void
fake_worlds_tick(struct fake_worlds *server)
{
	server->tick++;
	for (size_t i = 0; i < FAKE_SEATS_MAX; i++)
		if (server->seats[i].used)
			seat_tick(server, &server->seats[i]);
	for (size_t i = 0; i < FAKE_LINKS_MAX; i++)
		if (server->links[i].open && server->links[i].subscription != 0 && server->links[i].credit > 0)
			say_update(&server->links[i]);
}

void
fake_worlds_step_on(struct fake_worlds *server)
{
	if (server->step_left == 0)
		return;
	fake_worlds_tick(server);
	if (--server->step_left == 0 && server->step_link)
		say_stepped(server->step_link, server->step_id, server->tick);
}

void
fake_worlds_restore(struct fake_worlds *server, uint64_t tick)
{
	server->tick = tick;
	server->epoch++;
	for (size_t i = 0; i < FAKE_SEATS_MAX; i++) {
		struct fake_seat *seat = &server->seats[i];
		uint64_t before = seat->through;
		if (!seat->used)
			continue;
		for (size_t k = 0; k < seat->waiting_count; k++)
			outcome_keep(seat, seat->waiting[k].sequence, 0, COLLIDE__V1__CODE__CODE_CANCELLED, "RESTORED", false);
		seat->waiting_count = 0;
		through_update(seat);
		say_acks(seat, before, NULL);
		say_detached(seat, "RESTORED");
	}
}

/* ---- The transport */

static bool
link_open(void *context, struct collide_error *error)
{
	struct fake_link *link = context;
	(void)error;
	pipe_clear(&link->to_server);
	pipe_clear(&link->to_client);
	link->open = link->opening = true;
	link->connections++;
	return true;
}

static enum transport_state
link_state(void *context, struct collide_error *error)
{
	struct fake_link *link = context;
	(void)error;
	link->opening = link->opening && fake_random(link->server, 3) != 0;
	return link->opening ? TRANSPORT_OPENING : TRANSPORT_OPEN;
}

static ptrdiff_t
link_send(void *context, const void *bytes, size_t count, struct collide_error *error)
{
	struct fake_link *link = context;
	if (!link->open) {
		*error = (struct collide_error){ .code = COLLIDE_UNAVAILABLE, .origin = COLLIDE_FROM_CONNECTION };
		return -1;
	}
	size_t some = fake_random(link->server, count + 1);
	pipe_append(&link->to_server, bytes, some);
	return (ptrdiff_t)some;
}

static ptrdiff_t
link_receive(void *context, void *bytes, size_t room, struct collide_error *error)
{
	struct fake_link *link = context;
	size_t some = link->to_client.count < room ? link->to_client.count : room;
	if (link->open && some > 0)
		some = fake_random(link->server, some + 1);
	else if (!link->open && (some == 0 || fake_random(link->server, 2) == 0)) {
		*error = (struct collide_error){ .code = COLLIDE_UNAVAILABLE, .origin = COLLIDE_FROM_CONNECTION };
		return -1;
	}
	if (some == 0)
		return 0;
	memcpy(bytes, link->to_client.bytes, some);
	pipe_consume(&link->to_client, some);
	return (ptrdiff_t)some;
}

static void
link_close(void *context)
{
	fake_link_cut(context);
}

static int
link_descriptor(void *context)
{
	(void)context;
	return -1;
}

static int64_t
link_now(void *context)
{
	const struct fake_link *link = context;
	return link->server->now_ns;
}

static void
link_destroy(void *context)
{
	(void)context;
}

struct channel_transport
fake_link_transport(struct fake_worlds *server, size_t link)
{
	return (struct channel_transport){ .open = link_open,
		                               .state = link_state,
		                               .send = link_send,
		                               .receive = link_receive,
		                               .close = link_close,
		                               .descriptor = link_descriptor,
		                               .now_ns = link_now,
		                               .destroy = link_destroy,
		                               .context = &server->links[link] };
}
