/* Random conversations from a seed: every fragmentation, every order of reading and working, gives each request exactly one
 * final reply, its frames in order before it, and leaves nothing behind. */
#include "session/fixture.h"

#include "session/limits.h"
#include "support/effort.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REQUESTS_MAX = 40 };

struct expectation {
	bool asked, is_final;
	bool is_simulate;
	uint64_t frames;
};

static uint64_t meanwhile_seed;

/* A stream of requests with ids 2, 3, ...; returns how many. */
static unsigned
pack_random_requests(struct buffer *stream, uint64_t *seed, struct expectation *expected)
{
	unsigned count = 1 + (unsigned)random_below(seed, REQUESTS_MAX - 1);
	for (unsigned i = 0; i < count; i++) {
		uint64_t id = 2 + i;
		expected[i] = (struct expectation){ .asked = true };
		switch (random_below(seed, 5)) {
		case 0: pack_ping(stream, id, "hello"); break;
		case 1: pack_cancel(stream, id, 2 + random_below(seed, count)); break;
		case 2: pack_describe(stream, id); break;
		default:
			expected[i].is_simulate = true;
			pack_simulate(stream, id, 1 + (uint32_t)random_below(seed, 100), 1 + random_below(seed, 200),
			              random_below(seed, 4) == 0 ? 1 + (uint32_t)random_below(seed, 30) : 0);
		}
	}
	return count;
}

static void
check_replies(struct expectation *expected, unsigned count)
{
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	for (; reply; reply = next_reply(&conversation)) {
		assert_in_range(reply->request_id, 2, 1 + count);
		struct expectation *request = &expected[reply->request_id - 2];
		assert_false(request->is_final);
		if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME) {
			assert_true(request->is_simulate);
			assert_int_equal(reply->frame->tick, ++request->frames);
		} else {
			request->is_final = true;
		}
		if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE)
			assert_int_equal(reply->simulate_done->ticks, request->frames);
		release_reply(reply);
	}
}

/* While a worker is busy, the loop fetches chunks or the client reads, as it comes. */
static void
something(struct conversation *talk)
{
	switch (random_below(&meanwhile_seed, 8)) {
	case 0: client_reads(talk, 1 + random_below(&meanwhile_seed, 100000)); break;
	case 1: session_on_time(talk->session); break;
	case 2:
	case 3:
	case 4: session_on_chunks(&talk->service); break;
	default: break;
	}
}

static void
random_conversation(uint64_t seed)
{
	struct expectation expected[REQUESTS_MAX] = { { 0 } };
	struct session_limits limits = conversation_limits();
	struct buffer stream;
	size_t said = 0;
	bool ended = false;
	buffer_init(&stream);
	conversation_open(&conversation, &limits);
	conversation.room = random_below(&seed, 2) == 0 ? SIZE_MAX : random_below(&seed, 100000);
	conversation.queue_max = 1 + random_below(&seed, 6);
	clock_ns_per_reading(random_below(&seed, MS));
	if (random_below(&seed, 2) == 0) {
		meanwhile_seed = seed;
		conversation_let_go_on(&conversation, something);
	}
	unsigned count = pack_random_requests(&stream, &seed, expected);
	size_t piece_max = random_below(&seed, 3) == 0 ? 3 : 5000;
	while (!conversation.closed) {
		switch (random_below(&seed, 4)) {
		case 0: {
			size_t piece = 1 + random_below(&seed, piece_max);
			piece = piece < stream.count - said ? piece : stream.count - said;
			said += piece > 0 ? say_bytes(&conversation, stream.bytes + said, piece) : 0;
			break;
		}
		case 1: (void)run_one(&conversation); break;
		case 2: client_reads(&conversation, 1 + random_below(&seed, 100000)); break;
		default: session_on_time(conversation.session);
		}
		if (said == stream.count && !ended && conversation.reading && random_below(&seed, 10) == 0) {
			ended = true;
			session_on_end(conversation.session);
		}
	}
	client_reads(&conversation, SIZE_MAX);
	check_replies(expected, count);
	for (unsigned i = 0; i < count; i++)
		assert_true(expected[i].is_final);
	expect_closed(&conversation, "END", true);
	assert_true(conversation.waiting_peak < (SESSION_SLICES_SUBMITTED_MAX + 1) * (SESSION_SLICE_BYTES + 20000));
	buffer_finish(&stream);
	conversation_finish(&conversation);
}

static void
every_request_gets_one_final_reply(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort(20, 200); seed++)
		random_conversation(seed * 7919);
}

static void
byte_by_byte_gives_what_one_piece_gives(void **state)
{
	(void)state;
	struct session_limits limits = conversation_limits();
	struct buffer stream;
	uint8_t *once = NULL;
	size_t once_count = 0;
	buffer_init(&stream);
	pack_hello(&stream, 1, 1, 1);
	pack_ping(&stream, 2, "hello");
	pack_simulate(&stream, 3, 20, 30, 0);
	pack_describe(&stream, 4);
	pack_cancel(&stream, 5, 77);
	for (size_t piece = stream.count; piece > 0; piece = piece > 1 ? 1 : 0) {
		conversation_start(&conversation, &limits);
		for (size_t at = 0; at < stream.count; at += piece)
			say_bytes(&conversation, stream.bytes + at, piece);
		run_all(&conversation);
		if (!once) {
			buffer_take(&conversation.arrived, &once, &once_count);
		} else {
			assert_int_equal(conversation.arrived.count, once_count);
			assert_memory_equal(conversation.arrived.bytes, once, once_count);
		}
		conversation_finish(&conversation);
	}
	free(once);
	buffer_finish(&stream);
}

/* Not a protocol at all, after a correct Hello: whatever it is, the session answers or closes, and gives everything back. */
static void
random_bytes_do_no_harm(void **state)
{
	(void)state;
	uint64_t seed = 5;
	for (unsigned round = 0; round < effort(200, 1000); round++) {
		struct session_limits limits = conversation_limits();
		uint8_t bytes[300];
		conversation_open(&conversation, &limits);
		for (unsigned i = 0; i < 20 && !conversation.closed; i++) {
			size_t count = 1 + random_below(&seed, sizeof bytes);
			for (size_t j = 0; j < count; j++)
				bytes[j] = (uint8_t)(random_bits(&seed) >> 40);
			/* Mostly small frames that start like a request, so that some get far. */
			if (random_below(&seed, 4) > 0) {
				bytes[0] = (uint8_t)(count < 128 ? count - 1 : 100);
				bytes[1] = 0x08;
				bytes[2] = 0x07;
				bytes[3] = (uint8_t)(0x12 + 8 * random_below(&seed, 5));
			}
			say_bytes(&conversation, bytes, count);
			run_all(&conversation);
		}
		conversation_finish(&conversation);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_request_gets_one_final_reply),
		cmocka_unit_test(byte_by_byte_gives_what_one_piece_gives),
		cmocka_unit_test(random_bytes_do_no_harm),
	};
	return cmocka_run_group_tests_name("session/random", tests, NULL, NULL);
}
