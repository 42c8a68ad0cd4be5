/* floor: what a server on this machine can do at most that does nothing. A bare libuv server that parses one message per
 * request and answers each Simulate with the same bytes: those of a recording of one real reply, with the request's id. Hello
 * and Ping are answered too, so that `collide bench` can be its client. Not a test: `./dev bench service` divides by it.
 *
 * Usage: floor RECORDING PORT_FILE [together]. Each answer is written by itself, as it is made; with `together` those to all
 * requests that one read brought, which is the utmost that this machine gives. Listens on a free port of the loopback, which it
 * writes into PORT_FILE, until it is killed.
 */
#include "proto/frame.h"

#include <netinet/in.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum { MESSAGE_BYTES_MAX = 1 << 28, READ_BYTES = 1 << 18, TAG_REQUEST_ID = 0x08, ID_BYTES_MAX = 11 };
/* Tags of the members of ClientMessage.request that come. */
enum { TAG_HELLO = 0x12, TAG_PING = 0x1a, TAG_SIMULATE = 0x32 };

/* The bodies of a reply's messages after their request_id, each with its length before it. */
struct reply {
	uint8_t *bytes;
	size_t count, messages;
};

struct grown {
	uint8_t *bytes;
	size_t count, capacity;
};

static struct reply reply;
static bool together;
static const uint8_t WELCOME[] = {
	0x12, 9, 0x08, 1, 0x12, 5, 'f', 'l', 'o', 'o', 'r'
}; /* Welcome { version: 1, server: "floor" } */
static const uint8_t PONG[] = { 0x1a, 0 };

static void
die(const char *what)
{
	fprintf(stderr, "floor: %s\n", what);
	exit(1);
}

static void
grown_reserve(struct grown *grown, size_t more)
{
	if (grown->capacity - grown->count >= more)
		return;
	grown->capacity = 2 * (grown->count + more);
	grown->bytes = realloc(grown->bytes, grown->capacity);
	if (!grown->bytes)
		die("no memory");
}

static void
grown_append(struct grown *grown, const void *bytes, size_t count)
{
	grown_reserve(grown, count);
	memcpy(grown->bytes + grown->count, bytes, count);
	grown->count += count;
}

/* How many bytes the field request_id takes at the start of a message, which must have one; *id is its value. */
static size_t
id_read(const uint8_t *body, size_t count, uint64_t *id)
{
	*id = 0;
	if (count < 2 || body[0] != TAG_REQUEST_ID)
		die("a message without an id");
	for (size_t at = 1; at < count && at < ID_BYTES_MAX; at++) {
		*id |= (uint64_t)(body[at] & 0x7f) << 7 * (at - 1);
		if (body[at] < 0x80)
			return at + 1;
	}
	die("an id that is no varint");
	return 0;
}

/* The recording begins with the request; all after it is the reply. */
static void
reply_load(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct grown all = { 0 }, rest = { 0 };
	size_t got, at = 0, header_bytes;
	uint32_t body_bytes, number = 0;
	uint64_t id;
	if (!file)
		die("the recording cannot be opened");
	do {
		grown_reserve(&all, READ_BYTES);
		got = fread(all.bytes + all.count, 1, READ_BYTES, file);
		all.count += got;
	} while (got > 0);
	fclose(file);
	for (; at < all.count; at += header_bytes + body_bytes, number++) {
		if (frame_header_read(all.bytes + at, all.count - at, MESSAGE_BYTES_MAX, &header_bytes, &body_bytes) != FRAME_OK ||
		    all.count - at < header_bytes + body_bytes)
			die("the recording is broken");
		const uint8_t *body = all.bytes + at + header_bytes;
		if (number == 0)
			continue;
		size_t skipped = id_read(body, body_bytes, &id), left = body_bytes - skipped;
		grown_append(&rest, &left, sizeof left);
		grown_append(&rest, body + skipped, left);
		reply.messages++;
	}
	if (reply.messages == 0)
		die("the recording has no reply");
	free(all.bytes);
	reply.bytes = rest.bytes;
	reply.count = rest.count;
}

/* ---- Serving ---- */

struct peer {
	uv_tcp_t tcp;
	struct grown in, out;
};

struct sending {
	uv_write_t write;
	uint8_t *bytes;
};

static void
message_append(struct grown *out, const uint8_t *id, size_t id_bytes, const uint8_t *rest, size_t count)
{
	grown_reserve(out, FRAME_HEADER_BYTES_MAX + id_bytes + count);
	out->count += frame_header_write(out->bytes + out->count, (uint32_t)(id_bytes + count));
	grown_append(out, id, id_bytes);
	grown_append(out, rest, count);
}

static void
request_answer(struct peer *peer, const uint8_t *body, size_t count)
{
	uint64_t id;
	size_t id_bytes = id_read(body, count, &id);
	switch (count > id_bytes ? body[id_bytes] : 0) {
	case TAG_HELLO: message_append(&peer->out, body, id_bytes, WELCOME, sizeof WELCOME); return;
	case TAG_PING: message_append(&peer->out, body, id_bytes, PONG, sizeof PONG); return;
	case TAG_SIMULATE: break;
	default: die("an unexpected request");
	}
	for (size_t at = 0; at < reply.count;) {
		size_t length;
		memcpy(&length, reply.bytes + at, sizeof length);
		message_append(&peer->out, body, id_bytes, reply.bytes + at + sizeof length, length);
		at += sizeof length + length;
	}
}

static void
on_closed(uv_handle_t *handle)
{
	struct peer *peer = (struct peer *)handle;
	free(peer->in.bytes);
	free(peer->out.bytes);
	free(peer);
}

static void
on_written(uv_write_t *write, int status)
{
	struct sending *sending = (struct sending *)write;
	if (status < 0 && !uv_is_closing((uv_handle_t *)write->handle))
		uv_close((uv_handle_t *)write->handle, on_closed);
	free(sending->bytes);
	free(sending);
}

/* At once what the socket takes, the rest when it takes more. */
static void
answers_send(struct peer *peer)
{
	uv_buf_t buffer = uv_buf_init((char *)peer->out.bytes, (unsigned)peer->out.count);
	int sent = uv_try_write((uv_stream_t *)&peer->tcp, &buffer, 1);
	size_t done = sent > 0 ? (size_t)sent : 0, left = peer->out.count - done;
	if (left > 0) {
		struct sending *sending = malloc(sizeof *sending);
		if (!sending || !(sending->bytes = malloc(left)))
			die("no memory");
		memcpy(sending->bytes, peer->out.bytes + done, left);
		buffer = uv_buf_init((char *)sending->bytes, (unsigned)left);
		if (uv_write(&sending->write, (uv_stream_t *)&peer->tcp, &buffer, 1, on_written) != 0)
			die("uv_write");
	}
	peer->out.count = 0;
}

static void
on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	struct peer *peer = (struct peer *)handle;
	(void)suggested;
	grown_reserve(&peer->in, READ_BYTES);
	*buffer = uv_buf_init((char *)peer->in.bytes + peer->in.count, (unsigned)(peer->in.capacity - peer->in.count));
}

static void
on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buffer)
{
	struct peer *peer = (struct peer *)stream;
	size_t at = 0, header_bytes;
	uint32_t body_bytes;
	(void)buffer;
	if (got < 0) {
		if (!uv_is_closing((uv_handle_t *)stream))
			uv_close((uv_handle_t *)stream, on_closed);
		return;
	}
	peer->in.count += (size_t)got;
	while (frame_header_read(peer->in.bytes + at, peer->in.count - at, MESSAGE_BYTES_MAX, &header_bytes, &body_bytes) ==
	           FRAME_OK &&
	       peer->in.count - at >= header_bytes + body_bytes) {
		request_answer(peer, peer->in.bytes + at + header_bytes, body_bytes);
		at += header_bytes + body_bytes;
		if (!together)
			answers_send(peer);
	}
	memmove(peer->in.bytes, peer->in.bytes + at, peer->in.count - at);
	peer->in.count -= at;
	if (peer->out.count > 0)
		answers_send(peer);
}

static void
on_connection(uv_stream_t *listener, int status)
{
	struct peer *peer = calloc(1, sizeof *peer);
	if (status < 0 || !peer || uv_tcp_init(listener->loop, &peer->tcp) != 0 ||
	    uv_accept(listener, (uv_stream_t *)&peer->tcp) != 0 || uv_tcp_nodelay(&peer->tcp, 1) != 0 ||
	    uv_read_start((uv_stream_t *)&peer->tcp, on_room, on_read) != 0)
		die("a connection cannot be taken");
}

static void
port_write(const uv_tcp_t *listener, const char *path)
{
	struct sockaddr_in address;
	int size = sizeof address;
	FILE *file = fopen(path, "w");
	if (!file || uv_tcp_getsockname(listener, (struct sockaddr *)&address, &size) != 0)
		die("the port cannot be told");
	fprintf(file, "%u\n", (unsigned)ntohs(address.sin_port));
	if (fclose(file) != 0)
		die("the port cannot be told");
}

int
main(int argc, char **argv)
{
	uv_loop_t *loop = uv_default_loop();
	uv_tcp_t listener;
	struct sockaddr_in address;
	together = argc == 4 && strcmp(argv[3], "together") == 0;
	if (argc != (together ? 4 : 3))
		die("usage: floor RECORDING PORT_FILE [together]");
	reply_load(argv[1]);
	if (uv_ip4_addr("127.0.0.1", 0, &address) != 0 || uv_tcp_init(loop, &listener) != 0 ||
	    uv_tcp_bind(&listener, (const struct sockaddr *)&address, 0) != 0 ||
	    uv_listen((uv_stream_t *)&listener, 128, on_connection) != 0)
		die("cannot listen");
	port_write(&listener, argv[2]);
	return uv_run(loop, UV_RUN_DEFAULT);
}
