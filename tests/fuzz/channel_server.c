#include "fuzz/channel_server.h"

#include "base/check.h"
#include "collide/v1/collide.pb-c.h"
#include "proto/frame.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

/* A read of a channel's process is one of 64. */
enum { PIECES_MAX = 40, SEND_BYTES_MAX = 700, VARINT_BYTES_MAX = 10 };
/* Ids in the stream. */
enum { ID_ANY = 128, ID_ITSELF = 256 };

#define ANSWER(name) COLLIDE__V1__SERVER_MESSAGE__REPLY_##name
#define REQUEST(name) COLLIDE__V1__CLIENT_MESSAGE__REQUEST_##name

static const struct {
	unsigned answer, request; /* 0: any */
	bool is_final;
} answers[] = { { ANSWER(WELCOME), REQUEST(HELLO), true },
	            { ANSWER(PONG), REQUEST(PING), true },
	            { ANSWER(CANCEL_DONE), REQUEST(CANCEL), true },
	            { ANSWER(ERROR), 0, true },
	            { ANSWER(WORLD_UPDATE), REQUEST(SUBSCRIBE), false },
	            { ANSWER(UNSUBSCRIBED), REQUEST(SUBSCRIBE), true },
	            { ANSWER(STEERED), REQUEST(STEER), true },
	            { ANSWER(ATTACHED), REQUEST(ATTACH), false },
	            { ANSWER(ACKS), REQUEST(ATTACH), false },
	            { ANSWER(DETACHED), REQUEST(ATTACH), true },
	            { ANSWER(DETACH_DONE), REQUEST(DETACH), true },
	            { ANSWER(STEPPED), REQUEST(STEP_WORLD), true },
	            { ANSWER(WORLDS), REQUEST(LIST_WORLDS), true } };

/* ---- what it says */

static void
out_append(struct channel_server *server, const void *bytes, size_t count)
{
	buffer_append(&server->out, bytes, count);
	CHECK(!server->out.failed);
}

static size_t
varint_read(const uint8_t *bytes, size_t count, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < count && i < VARINT_BYTES_MAX; i++) {
		*value |= (uint64_t)(bytes[i] & 0x7f) << (7 * i);
		if ((bytes[i] & 0x80) == 0)
			return i + 1;
	}
	return 0;
}

static size_t
varint_write(uint8_t *bytes, uint64_t value)
{
	size_t count = 0;
	for (; value >= 0x80; value >>= 7)
		bytes[count++] = (uint8_t)(value | 0x80);
	bytes[count++] = (uint8_t)value;
	return count;
}

/* The id that an answer of this field gets; 0: there is no request for it. */
static uint64_t
request_for(struct channel_server *server, uint64_t id, uint64_t answer)
{
	unsigned request = 0;
	bool is_final = false;
	size_t fitting[SERVER_ASKED_MAX], count = 0;
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
		if (answers[i].answer == answer) {
			request = answers[i].request;
			is_final = answers[i].is_final;
		}
	for (size_t i = 0; i < server->asked_count; i++)
		if (id >= ID_ANY || request == 0 || server->asked[i].kind == request)
			fitting[count++] = i;
	if (count == 0)
		return 0;
	size_t at = fitting[id % count];
	uint64_t found = server->asked[at].id;
	if (is_final)
		memmove(&server->asked[at], &server->asked[at + 1], (--server->asked_count - at) * sizeof server->asked[0]);
	return found;
}

static void
message_say(struct channel_server *server, const uint8_t *message, size_t header, size_t body)
{
	uint8_t front[FRAME_HEADER_BYTES_MAX + 1 + VARINT_BYTES_MAX], number[1 + VARINT_BYTES_MAX] = { 0x08 };
	const uint8_t *bytes = message + header;
	uint64_t id = 0, tag = 0;
	size_t id_bytes = body > 1 && bytes[0] == number[0] ? varint_read(bytes + 1, body - 1, &id) : 0;
	bool is_readdressed = id_bytes > 0 && id < ID_ITSELF && varint_read(bytes + 1 + id_bytes, body - 1 - id_bytes, &tag) > 0;
	if (!is_readdressed) {
		out_append(server, message, header + body);
		return;
	}
	id = request_for(server, id, tag >> 3);
	if (id == 0)
		return;
	size_t number_bytes = 1 + varint_write(number + 1, id), rest = body - 1 - id_bytes;
	size_t front_bytes = frame_header_write(front, (uint32_t)(number_bytes + rest));
	memcpy(front + front_bytes, number, number_bytes);
	out_append(server, front, front_bytes + number_bytes);
	out_append(server, bytes + 1 + id_bytes, rest);
}

bool
channel_server_say(struct channel_server *server)
{
	const uint8_t *at = server->stream + server->said;
	size_t left = server->count - server->said, header;
	uint32_t body;
	if (left == 0)
		return false;
	if (frame_header_read(at, left, UINT32_MAX, &header, &body) != FRAME_OK || body > left - header) {
		out_append(server, at, left);
		server->said = server->count;
		return true;
	}
	message_say(server, at, header, body);
	server->said += header + body;
	return true;
}

/* ---- what it hears */

static void
welcome_say(struct channel_server *server, uint64_t request_id)
{
	uint8_t bytes[200];
	char name[] = "fuzz";
	Collide__V1__Limits limits = COLLIDE__V1__LIMITS__INIT;
	Collide__V1__WorldLimits worlds = COLLIDE__V1__WORLD_LIMITS__INIT;
	Collide__V1__Welcome welcome = COLLIDE__V1__WELCOME__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	worlds.batches_waiting_max = 2;
	worlds.batch_bytes_max = 200;
	limits.optional_worlds_case = COLLIDE__V1__LIMITS__OPTIONAL_WORLDS_WORLDS;
	limits.worlds = &worlds;
	welcome.version = 1;
	welcome.server = name;
	welcome.ping_interval_ms = 1000;
	if (server->has_limits) {
		welcome.optional_limits_case = COLLIDE__V1__WELCOME__OPTIONAL_LIMITS_LIMITS;
		welcome.limits = &limits;
	}
	message.request_id = request_id;
	message.reply_case = ANSWER(WELCOME);
	message.welcome = &welcome;
	size_t body = collide__v1__server_message__get_packed_size(&message);
	CHECK(body + FRAME_HEADER_BYTES_MAX <= sizeof bytes);
	size_t header = frame_header_write(bytes, (uint32_t)body);
	collide__v1__server_message__pack(&message, bytes + header);
	out_append(server, bytes, header + body);
}

static void
message_hear(struct channel_server *server, const uint8_t *bytes, size_t count)
{
	Collide__V1__ClientMessage *message = collide__v1__client_message__unpack(NULL, count, bytes);
	CHECK(message && message->request_case != COLLIDE__V1__CLIENT_MESSAGE__REQUEST__NOT_SET);
	if (message->request_case == REQUEST(HELLO) && server->welcomes) {
		welcome_say(server, message->request_id);
	} else if (message->request_id != 0 && server->asked_count < SERVER_ASKED_MAX) {
		server->asked[server->asked_count].id = message->request_id;
		server->asked[server->asked_count++].kind = message->request_case;
	}
	collide__v1__client_message__free_unpacked(message, NULL);
}

static void
hear(struct channel_server *server)
{
	size_t at = 0, header;
	uint32_t body;
	struct buffer *in = &server->in;
	while (at < in->count && frame_header_read(in->bytes + at, in->count - at, UINT32_MAX, &header, &body) == FRAME_OK &&
	       body <= in->count - at - header) {
		message_hear(server, in->bytes + at + header, body);
		at += header + body;
	}
	if (at > 0)
		memmove(in->bytes, in->bytes + at, in->count - at);
	in->count -= at;
}

/* ---- the transport */

static bool
connection_fails(struct collide_error *error)
{
	if (error)
		*error = (struct collide_error){ .code = COLLIDE_UNAVAILABLE, .origin = COLLIDE_FROM_CONNECTION, .reason = "CLOSED" };
	return false;
}

static bool
server_open(void *context, struct collide_error *error)
{
	const struct channel_server *server = context;
	return server->mood != SERVER_REFUSES || connection_fails(error);
}

static enum transport_state
server_state(void *context, struct collide_error *error)
{
	const struct channel_server *server = context;
	if (server->mood == SERVER_BREAKS) {
		(void)connection_fails(error);
		return TRANSPORT_FAILED;
	}
	return server->mood == SERVER_SLOW ? TRANSPORT_OPENING : TRANSPORT_OPEN;
}

static ptrdiff_t
server_send(void *context, const void *bytes, size_t count, struct collide_error *error)
{
	struct channel_server *server = context;
	if (server->mood == SERVER_BREAKS) {
		(void)connection_fails(error);
		return -1;
	}
	size_t some = server->mood == SERVER_DEAF ? 0 : count < SEND_BYTES_MAX ? count : SEND_BYTES_MAX;
	buffer_append(&server->in, bytes, some);
	CHECK(!server->in.failed);
	hear(server);
	return (ptrdiff_t)some;
}

static ptrdiff_t
server_receive(void *context, void *bytes, size_t room, struct collide_error *error)
{
	struct channel_server *server = context;
	size_t left = server->out.count - server->out_read, some = left;
	if (left == 0 && server->mood == SERVER_CLOSES) {
		(void)connection_fails(error);
		return -1;
	}
	if (server->pieces != 0 && left > 0) {
		size_t least = server->out.count / PIECES_MAX + 1;
		some = least + (size_t)random_below(&server->pieces, least);
	}
	some = some < left ? some : left;
	some = some < room ? some : room;
	if (some > 0)
		memcpy(bytes, server->out.bytes + server->out_read, some);
	server->out_read += some;
	if (server->out_read == server->out.count)
		server->out_read = server->out.count = 0;
	return (ptrdiff_t)some;
}

static void
server_close(void *context)
{
	struct channel_server *server = context;
	server->out.count = server->out_read = server->in.count = 0;
	server->asked_count = 0;
	if (server->mood == SERVER_CLOSES || server->mood == SERVER_BREAKS)
		server->mood = SERVER_FINE;
}

static bool
server_move(void *context, const char *address, struct collide_error *error)
{
	(void)context;
	return address[0] != '\0' || connection_fails(error);
}

static int
server_descriptor(void *context)
{
	(void)context;
	return -1;
}

static int64_t
server_now(void *context)
{
	const struct channel_server *server = context;
	return server->now_ns;
}

static void
server_destroy(void *context)
{
	(void)context;
}

struct channel_transport
channel_server_transport(struct channel_server *server)
{
	return (struct channel_transport){ .open = server_open,
		                               .state = server_state,
		                               .send = server_send,
		                               .receive = server_receive,
		                               .close = server_close,
		                               .move = server_move,
		                               .descriptor = server_descriptor,
		                               .now_ns = server_now,
		                               .destroy = server_destroy,
		                               .context = server };
}

void
channel_server_start(struct channel_server *server, const uint8_t *stream, size_t count)
{
	*server = (struct channel_server){ .stream = stream, .count = count, .now_ns = CHANNEL_NS_PER_MS };
	buffer_init(&server->out);
	buffer_init(&server->in);
}

void
channel_server_finish(struct channel_server *server)
{
	buffer_finish(&server->out);
	buffer_finish(&server->in);
}
