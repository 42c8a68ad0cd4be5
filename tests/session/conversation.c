#include "session/conversation.h"

#include "base/pause.h"
#include "proto/frame.h"
#include "session/limits.h"
#include "session/session_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t clock_ns;
static uint64_t clock_step_ns;
static unsigned hook_countdown;
static void (*hook_function)(void *context);
static void *hook_context;

static uint64_t
clock_now(void)
{
	clock_ns += clock_step_ns;
	if (hook_countdown > 0 && --hook_countdown == 0)
		hook_function(hook_context);
	return clock_ns;
}

void
clock_set_ms(uint64_t ms)
{
	clock_ns = ms * MS;
	clock_step_ns = 0;
	hook_countdown = 0;
}

void
clock_move_ms(uint64_t ms)
{
	clock_ns += ms * MS;
}

void
clock_move_ns(uint64_t ns)
{
	clock_ns += ns;
}

void
clock_hook(unsigned hook_after, void (*hook)(void *context), void *context)
{
	hook_countdown = hook_after;
	hook_function = hook;
	hook_context = context;
}

void
clock_ns_per_reading(uint64_t ns)
{
	clock_step_ns = ns;
}

/* ---- the host */

static size_t
send_one(struct conversation *conversation, struct shared_bytes *block)
{
	size_t now = conversation->waiting.count > 0 ? 0 : block->count < conversation->room ? block->count : conversation->room;
	buffer_append(&conversation->arrived, block->bytes, now);
	buffer_append(&conversation->waiting, block->bytes + now, block->count - now);
	conversation->room -= conversation->room == SIZE_MAX ? 0 : now;
	size_t left = block->count - now;
	shared_bytes_release(block);
	return left;
}

static size_t
host_send(void *context, struct shared_bytes *const *blocks, size_t count)
{
	struct conversation *conversation = context;
	size_t left = 0;
	assert_null(conversation->closed);
	assert_in_range(count, 1, SESSION_BLOCKS_MAX);
	conversation->sends++;
	for (size_t i = 0; i < count; i++)
		left += send_one(conversation, blocks[i]);
	if (conversation->waiting.count > conversation->waiting_peak)
		conversation->waiting_peak = conversation->waiting.count;
	return left;
}

static void
host_set_reading(void *context, bool reading)
{
	struct conversation *conversation = context;
	assert_int_not_equal(conversation->reading, reading);
	conversation->reading = reading;
}

static enum status
host_submit(void *context, struct job *job, bool started)
{
	struct conversation *conversation = context;
	if (conversation->submit_status != STATUS_OK)
		return conversation->submit_status;
	if (!started && conversation->queue_count >= conversation->queue_max)
		return STATUS_RESOURCE_EXHAUSTED;
	assert_true(conversation->queue_count < QUEUE_CAPACITY);
	conversation->started_lane[conversation->queue_count] = started;
	conversation->queue[conversation->queue_count++] = job;
	return STATUS_OK;
}

static bool
host_withdraw(void *context, struct job *job)
{
	struct conversation *conversation = context;
	size_t at = 0;
	while (at < conversation->queue_count && conversation->queue[at] != job)
		at++;
	if (at == conversation->queue_count)
		return false;
	conversation->queue_count--;
	for (; at < conversation->queue_count; at++) {
		conversation->queue[at] = conversation->queue[at + 1];
		conversation->started_lane[at] = conversation->started_lane[at + 1];
	}
	return true;
}

static void
host_call_later(void *context)
{
	struct conversation *conversation = context;
	assert_false(conversation->later_asked);
	conversation->later_asked = true;
}

static void
host_close(void *context, const char *reason, bool flush)
{
	struct conversation *conversation = context;
	assert_null(conversation->closed);
	conversation->closed = reason;
	conversation->closed_flushed = flush;
}

static const struct session_host host = {
	.send = host_send,
	.set_reading = host_set_reading,
	.submit = host_submit,
	.withdraw = host_withdraw,
	.call_later = host_call_later,
	.close = host_close,
};

/* ---- the workspace, in which another world makes a tick full of contacts before it is lent again */

static struct world *
other_create(void)
{
	struct circle_def circles[8];
	struct segment_def walls[2] = { segment_def_default(), segment_def_default() };
	struct world_def def = world_def_default();
	struct def_problem problem;
	struct world *world;
	for (uint32_t i = 0; i < 8; i++) {
		circles[i] = circle_def_default();
		circles[i].id = 1000000 + i;
		circles[i].x = 3.0 * i;
		circles[i].radius = 1;
		circles[i].vx = i % 2 == 0 ? 400 : -400;
	}
	for (uint32_t i = 0; i < 2; i++) {
		walls[i].id = i;
		walls[i].x1 = walls[i].x2 = i == 0 ? -2 : 23;
		walls[i].y1 = -2;
		walls[i].y2 = 2;
	}
	def.circles = circles;
	def.circle_count = 8;
	def.segments = walls;
	def.segment_count = 2;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
	return world;
}

static struct workspace *
host_workspace_take(void *context)
{
	struct conversation *conversation = context;
	assert_false(conversation->workspace_taken);
	conversation->workspace_taken = true;
	return conversation->workspace;
}

static void
host_workspace_give(void *context, struct workspace *workspace)
{
	struct conversation *conversation = context;
	struct tick_report report;
	struct pause before;
	assert_true(conversation->workspace_taken);
	assert_ptr_equal(workspace, conversation->workspace);
	conversation->workspace_taken = false;
	pause_begin(&before, NULL, NULL); /* it is no work of the request */
	assert_int_equal(world_step(conversation->other, 1.0 / 60, &report), STATUS_OK);
	pause_end(&before);
	assert_true(report.contact_count > 0);
}

/* ---- the notifier */

static void
host_call(void *context)
{
	((struct conversation *)context)->calls++;
}

static bool
host_others_wait(void *context)
{
	struct conversation *conversation = context;
	conversation->meanwhile(conversation);
	return conversation->queue_count > 0;
}

void
conversation_let_go_on(struct conversation *conversation, void (*meanwhile)(struct conversation *conversation))
{
	conversation->meanwhile = meanwhile;
	conversation->service.notifier = (struct notifier){ host_call, host_others_wait, conversation };
}

/* ---- life */

struct session_limits
conversation_limits(void)
{
	struct session_limits limits = session_limits_default();
	limits.requests_in_flight_max = 8;
	limits.requests_under_way_max = 64; /* one account alone has half */
	limits.message_bytes_max = 1 << 20;
	return limits;
}

void
conversation_start(struct conversation *conversation, const struct session_limits *limits)
{
	*conversation = (struct conversation){ .room = SIZE_MAX, .reading = true, .queue_max = QUEUE_CAPACITY };
	clock_set_ms(1000);
	buffer_init(&conversation->arrived);
	buffer_init(&conversation->waiting);
	service_init(&conversation->service, limits, 42, clock_now);
	conversation->service.workspaces = (struct workspaces){ host_workspace_take, host_workspace_give, conversation };
	assert_int_equal(workspace_create(&conversation->workspace), STATUS_OK);
	conversation->other = other_create();
	world_workspace_set(conversation->other, conversation->workspace);
	conversation_worlds_start(&conversation->worlds, &conversation->service);
	conversation->session = session_create(&conversation->service, NULL, &host, conversation);
	assert_non_null(conversation->session);
}

void
conversation_open(struct conversation *conversation, const struct session_limits *limits)
{
	struct buffer hello;
	conversation_start(conversation, limits);
	buffer_init(&hello);
	pack_hello(&hello, 1, 1, 1);
	say(conversation, &hello);
	buffer_finish(&hello);
	Collide__V1__ServerMessage *reply = next_reply(conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME);
	release_reply(reply);
	conversation->session->taken_bytes = SESSION_UNREAD_BYTES + 4 * SESSION_SLICE_BYTES;
}

void
conversation_forget_reading(struct conversation *conversation)
{
	conversation->session->taken_bytes = 0;
}

void
conversation_finish(struct conversation *conversation)
{
	session_destroy(conversation->session);
	while (run_one(conversation)) {
	}
	conversation_worlds_finish(&conversation->worlds);
	assert_int_equal(conversation->service.requests_under_way, 0);
	assert_int_equal(conversation->service.memory_bytes, 0);
	assert_false(conversation->workspace_taken);
	service_finish(&conversation->service);
	world_destroy(conversation->other);
	workspace_destroy(conversation->workspace);
	buffer_finish(&conversation->arrived);
	buffer_finish(&conversation->waiting);
}

/* ---- doing */

static void
serve_turns(struct conversation *conversation)
{
	while (conversation->later_asked && !conversation->closed) {
		conversation->later_asked = false;
		session_on_later(conversation->session);
	}
}

size_t
say_bytes(struct conversation *conversation, const uint8_t *bytes, size_t count)
{
	if (!conversation->reading || conversation->closed)
		return 0;
	session_on_bytes(conversation->session, bytes, count);
	serve_turns(conversation);
	return count;
}

void
say(struct conversation *conversation, struct buffer *message)
{
	assert_int_equal(say_bytes(conversation, message->bytes, message->count), message->count);
	message->count = 0;
}

static void
say_and_finish(struct conversation *conversation, struct buffer *message)
{
	say(conversation, message);
	buffer_finish(message);
}

void
say_message(struct conversation *conversation, const Collide__V1__ClientMessage *request)
{
	struct buffer message;
	buffer_init(&message);
	pack_message(&message, request);
	say_and_finish(conversation, &message);
}

void
say_ping(struct conversation *conversation, uint64_t id)
{
	struct buffer message;
	buffer_init(&message);
	pack_ping(&message, id, "hello");
	say_and_finish(conversation, &message);
}

void
say_cancel(struct conversation *conversation, uint64_t id, uint64_t target)
{
	struct buffer message;
	buffer_init(&message);
	pack_cancel(&message, id, target);
	say_and_finish(conversation, &message);
}

void
say_simulate(struct conversation *conversation, uint64_t id, uint32_t count, uint64_t ticks, uint32_t deadline_ms)
{
	struct buffer message;
	buffer_init(&message);
	pack_simulate(&message, id, count, ticks, deadline_ms);
	say_and_finish(conversation, &message);
}

size_t
take_queue(struct conversation *conversation, struct job *jobs[static QUEUE_CAPACITY])
{
	size_t count = conversation->queue_count;
	for (size_t i = 0; i < count; i++)
		jobs[i] = conversation->queue[i];
	conversation->queue_count = 0;
	return count;
}

void
take_back(struct conversation *conversation, struct job *const *jobs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		jobs[i]->done(jobs[i]);
	session_settle_returned(&conversation->service);
}

bool
run_one(struct conversation *conversation)
{
	if (conversation->queue_count == 0)
		return false;
	struct job *job = conversation->queue[0];
	conversation->queue_count--;
	for (size_t i = 0; i < conversation->queue_count; i++) {
		conversation->queue[i] = conversation->queue[i + 1];
		conversation->started_lane[i] = conversation->started_lane[i + 1];
	}
	conversation->runs++;
	job->run(job);
	session_on_chunks(&conversation->service);
	take_back(conversation, &job, 1);
	return true;
}

void
run_all(struct conversation *conversation)
{
	serve_turns(conversation);
	while (run_one(conversation))
		serve_turns(conversation);
	conversation_worlds_run(&conversation->worlds);
}

void
client_reads(struct conversation *conversation, size_t count)
{
	struct buffer *waiting = &conversation->waiting;
	count = count < waiting->count ? count : waiting->count;
	if (count == 0)
		return;
	buffer_append(&conversation->arrived, waiting->bytes, count);
	memmove(waiting->bytes, waiting->bytes + count, waiting->count - count);
	waiting->count -= count;
	session_on_sent(conversation->session, count);
	serve_turns(conversation);
}

/* ---- expecting */

Collide__V1__ServerMessage *
next_reply(struct conversation *conversation)
{
	const uint8_t *bytes = conversation->arrived.bytes + conversation->arrived_read;
	size_t count = conversation->arrived.count - conversation->arrived_read;
	size_t header = 0;
	uint32_t body = 0;
	if (count == 0 || frame_header_read(bytes, count, UINT32_MAX, &header, &body) != FRAME_OK || count - header < body)
		return NULL;
	Collide__V1__ServerMessage *reply = collide__v1__server_message__unpack(NULL, body, bytes + header);
	assert_non_null(reply);
	conversation->arrived_read += header + body;
	return reply;
}

void
release_reply(Collide__V1__ServerMessage *reply)
{
	collide__v1__server_message__free_unpacked(reply, NULL);
}

void
expect_pong(struct conversation *conversation, uint64_t id)
{
	Collide__V1__ServerMessage *reply = next_reply(conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_PONG);
	assert_int_equal(reply->request_id, id);
	assert_int_equal(reply->pong->payload.len, 5);
	assert_memory_equal(reply->pong->payload.data, "hello", 5);
	release_reply(reply);
}

void
expect_cancel_done(struct conversation *conversation, uint64_t id, bool found)
{
	Collide__V1__ServerMessage *reply = next_reply(conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_CANCEL_DONE);
	assert_int_equal(reply->request_id, id);
	assert_int_equal(reply->cancel_done->found, found);
	release_reply(reply);
}

void
expect_error(struct conversation *conversation, uint64_t id, enum status status, const char *reason)
{
	Collide__V1__ServerMessage *reply = next_reply(conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	assert_string_equal(reply->error->reason, reason);
	assert_int_equal(reply->request_id, id);
	assert_int_equal(reply->error->code, status);
	assert_int_not_equal(strlen(reply->error->text), 0);
	assert_true((reply->error->retry_after_ms > 0) == (status == STATUS_RESOURCE_EXHAUSTED || status == STATUS_UNAVAILABLE) ||
	            strcmp(reason, "FRAME_TOO_LARGE") == 0 || strcmp(reason, "LIMIT") == 0);
	if (reply->error->retry_after_ms > 0)
		assert_int_equal(reply->error->retry_after_ms,
		                 status == STATUS_UNAVAILABLE ? SESSION_RETRY_SHUTDOWN_MS : SESSION_RETRY_BUSY_MS);
	release_reply(reply);
	assert_int_not_equal(refusals(conversation, reason), 0);
}

void
expect_simulation(struct conversation *conversation, uint64_t id, uint64_t ticks)
{
	for (uint64_t tick = 1; tick <= ticks; tick++) {
		Collide__V1__ServerMessage *reply = next_reply(conversation);
		assert_non_null(reply);
		assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME);
		assert_int_equal(reply->request_id, id);
		assert_int_equal(reply->frame->tick, tick);
		release_reply(reply);
	}
	Collide__V1__ServerMessage *reply = next_reply(conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE);
	assert_int_equal(reply->request_id, id);
	assert_int_equal(reply->simulate_done->ticks, ticks);
	/* Parts of a time are together no more than it; 1e-9 for rounding. */
	assert_int_equal(reply->simulate_done->optional_cost_case, COLLIDE__V1__SIMULATE_DONE__OPTIONAL_COST_COST);
	const Collide__V1__Cost *cost = reply->simulate_done->cost;
	assert_true(cost->read_seconds >= 0.0 && cost->world_seconds >= 0.0);
	assert_true(cost->read_seconds + cost->world_seconds <= reply->simulate_done->worker_seconds + 1e-9);
	release_reply(reply);
}

uint64_t
skip_frames(struct conversation *conversation, uint64_t id)
{
	uint64_t frames = 0;
	for (;;) {
		size_t before = conversation->arrived_read;
		Collide__V1__ServerMessage *reply = next_reply(conversation);
		bool is_frame = reply != NULL && reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME &&
		                reply->request_id == id;
		release_reply(reply);
		if (!is_frame) {
			conversation->arrived_read = before;
			return frames;
		}
		frames++;
	}
}

void
expect_silence(struct conversation *conversation)
{
	assert_int_equal(conversation->arrived.count, conversation->arrived_read);
}

void
expect_closed(struct conversation *conversation, const char *reason, bool flushed)
{
	assert_non_null(conversation->closed);
	assert_string_equal(conversation->closed, reason);
	assert_int_equal(conversation->closed_flushed, flushed);
}

uint64_t
refusals(const struct conversation *conversation, const char *reason)
{
	return counters_value(&conversation->service.counters, "refusal", reason);
}
