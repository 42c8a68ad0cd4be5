/* A whole conversation with the fake host: the framer, the session, its requests and worlds. An input is a schedule (its length
 * in the first byte), and the stream of a client after its Hello. The schedule says in which pieces the stream comes, and when
 * a worker runs, a world has its turn, the client reads and time passes.
 *
 * Each request has exactly one final reply, and nothing after it. What the client sent before it closed its side is answered.
 * When all has ended no request is under way and no memory is charged (conversation_finish). */
#include "fuzz/fuzz_target.h"
#include "fuzz/stream_mutator.h"

#include "base/check.h"
#include "proto/frame.h"
#include "session/conversation.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ASKED_MAX = 512, ROUNDS_MAX = 3000, PIECE_MAX = 997 };

struct asked {
	uint64_t id;
	unsigned requests, finals;
	bool is_exempt; /* of a kind that lasts, or of which a Snapshot may be the end */
};

struct request_book {
	struct asked rows[ASKED_MAX];
	size_t count;
	size_t unreadable; /* messages that are told of with whatever id could be read */
};

static struct conversation talk;
static struct request_book book;

static struct asked *
asked_find(uint64_t id)
{
	for (size_t i = 0; i < book.count; i++)
		if (book.rows[i].id == id)
			return &book.rows[i];
	return NULL;
}

static bool
field_is_exempt(uint32_t field)
{
	return field == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH || field == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE ||
	       field == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SNAPSHOT_WORLD ||
	       field == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREDIT || field == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_MANY_COMMANDS;
}

static void
book_add(uint64_t id, uint32_t field)
{
	struct asked *asked = asked_find(id);
	if (id == 0)
		return;
	if (!asked) {
		asked = &book.rows[book.count++];
		*asked = (struct asked){ .id = id };
	}
	asked->requests++;
	asked->is_exempt = asked->is_exempt || field_is_exempt(field);
}

/* What the client asked for, read by the framing alone. false: more than the book holds. */
static bool
book_fill(const uint8_t *bytes, size_t count)
{
	size_t header;
	uint32_t body, field;
	uint64_t id;
	book.count = book.unreadable = 0;
	while (count > 0 && frame_header_read(bytes, count, UINT32_MAX, &header, &body) == FRAME_OK && body <= count - header) {
		if (book.count == ASKED_MAX)
			return false;
		if (wire_request_peek(bytes + header, body, &id, &field))
			book_add(id, field);
		else
			book.unreadable++;
		bytes += header + body;
		count -= header + body;
	}
	return true;
}

static bool
is_final(const Collide__V1__ServerMessage *reply)
{
	switch (reply->reply_case) {
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME:
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT:
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE:
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_ACKS:
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED:
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_DRAINING: return false;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_DETECTED: return !reply->detected->more;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_RESPONDED: return !reply->responded->more;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_QUERIED: return !reply->queried->more;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_MAP_SEGMENTS: return !reply->map_segments->more;
	default: return true;
	}
}

static void
reply_check(const Collide__V1__ServerMessage *reply)
{
	struct asked *asked = asked_find(reply->request_id);
	bool is_error = reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR;
	CHECK(reply->reply_case != COLLIDE__V1__SERVER_MESSAGE__REPLY__NOT_SET);
	CHECK(!is_error || (reply->error->reason[0] != '\0' && reply->error->text[0] != '\0'));
	if (reply->request_id == 0)
		return;
	/* The Error about a message that cannot be read has the id that it seems to have, which may be that of a request. */
	if (!asked || asked->finals == asked->requests) {
		CHECK(book.unreadable > 0);
		book.unreadable -= is_final(reply);
		return;
	}
	asked->finals += is_final(reply);
}

/* ---- the schedule */

/* One byte: what happens, and how much of it. Returns how much of the stream was said. */
static size_t
act(uint8_t byte, const uint8_t *stream, size_t left)
{
	size_t amount = (size_t)1 << (byte >> 4), piece = amount < left ? amount : left;
	switch (byte & 0x0f) {
	case 0:
	case 1:
	case 2:
	case 3: return piece > 0 ? say_bytes(&talk, stream, piece) : 0;
	case 4:
	case 5:
	case 6: (void)run_one(&talk); return 0;
	case 7: client_reads(&talk, amount); return 0;
	case 8: client_reads(&talk, SIZE_MAX); return 0;
	case 9: talk.room = byte >> 4 == 15 ? SIZE_MAX : amount; return 0;
	case 10: clock_move_ms(byte >> 4); return 0;
	case 11: session_on_time(talk.session); return 0;
	case 12: conversation_worlds_run(&talk.worlds); return 0;
	case 13: session_on_chunks(&talk.service); return 0;
	case 14: talk.queue_max = byte >> 4; return 0;
	default: talk.submit_status = byte >> 4 == 15 ? STATUS_RESOURCE_EXHAUSTED : STATUS_OK; return 0;
	}
}

/* All that is left, until nothing more happens. */
static void
go_on(const uint8_t *stream, size_t left, size_t *said)
{
	bool ended = false;
	talk.submit_status = STATUS_OK;
	talk.queue_max = QUEUE_CAPACITY;
	for (unsigned round = 0; round < ROUNDS_MAX && !talk.closed; round++) {
		size_t piece = left < PIECE_MAX ? left : PIECE_MAX;
		piece = piece > 0 ? say_bytes(&talk, stream, piece) : 0;
		stream += piece, left -= piece, *said += piece;
		run_all(&talk);
		client_reads(&talk, SIZE_MAX);
		if (left == 0 && !ended && talk.reading && !talk.closed) {
			ended = true;
			session_on_end(talk.session);
		}
		if (!talk.closed)
			session_on_time(talk.session);
	}
	client_reads(&talk, SIZE_MAX);
}

/* Workers may go on with a request while the loop does this. */
static void
meanwhile(struct conversation *conversation)
{
	session_on_chunks(&conversation->service);
}

static struct session_limits
limits_small(void)
{
	struct session_limits limits = conversation_limits();
	limits.message_bytes_max = 1 << 14;
	limits.scene.circles_max = limits.scene.segments_max = 40;
	limits.scene.ticks_max = 20;
	limits.scene.work_per_tick_max = limits.scene.work_per_body_max = 20000;
	limits.scene.events_per_body_max = 50;
	limits.worlds.world_bytes_max = 4 << 20;
	return limits;
}

static void
converse(const uint8_t *schedule, size_t schedule_count, const uint8_t *stream, size_t count)
{
	const struct session_limits limits = limits_small();
	size_t said = 0;
	conversation_open(&talk, &limits);
	if (schedule_count % 2 == 0)
		conversation_let_go_on(&talk, meanwhile);
	for (size_t i = 0; i < schedule_count && !talk.closed; i++)
		said += act(schedule[i], stream + said, count - said);
	talk.room = SIZE_MAX;
	go_on(stream + said, count - said, &said);
	if (!book_fill(stream, said))
		return;
	Collide__V1__ServerMessage *reply = next_reply(&talk);
	for (; reply; reply = next_reply(&talk)) {
		reply_check(reply);
		release_reply(reply);
	}
	CHECK(talk.arrived_read == talk.arrived.count || talk.closed);
	if (talk.closed && strcmp(talk.closed, "END") == 0)
		for (size_t i = 0; i < book.count; i++)
			CHECK(book.rows[i].is_exempt || book.rows[i].finals == book.rows[i].requests);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	if (count == 0)
		return 0;
	size_t schedule = bytes[0] < count - 1 ? bytes[0] : count - 1;
	converse(bytes + 1, schedule, bytes + 1 + schedule, count - 1 - schedule);
	conversation_finish(&talk);
	return 0;
}

static const ProtobufCMessageDescriptor *
type_of(size_t index)
{
	(void)index;
	return &collide__v1__client_message__descriptor;
}

/* The schedule or the stream. */
size_t
LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t count_max, unsigned mutation)
{
	uint64_t seed = mutation;
	if (count < 2 || count_max < 300 || count > count_max - 256)
		return LLVMFuzzerMutate(bytes, count, count_max);
	size_t schedule = bytes[0] < count - 1 ? bytes[0] : count - 1, front = 1 + schedule;
	if (random_below(&seed, 4) != 0)
		return front + stream_mutate(type_of, bytes + front, count - front, count_max - front,
		                             (unsigned)random_below(&seed, UINT32_MAX));
	uint8_t changed[UINT8_MAX];
	memcpy(changed, bytes + 1, schedule);
	size_t now = LLVMFuzzerMutate(changed, schedule, sizeof changed);
	memmove(bytes + 1 + now, bytes + front, count - front);
	memcpy(bytes + 1, changed, now);
	bytes[0] = (uint8_t)now;
	return 1 + now + (count - front);
}
