#include "session/request.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/pause.h"
#include "session/limits.h"

#include <assert.h>
#include <stddef.h>

#define NS_PER_MS UINT64_C(1000000)

static_assert(offsetof(struct request, job) == 0, "request_of_job");

void
request_release(struct request *request)
{
	CHECK(!request->submitted && !request->listed && request->service->requests_under_way > 0);
	request_leave_queue(request);
	request_charge(request, 0);
	request->service->requests_under_way--;
	request->account->requests--;
	account_release(request->account);
	request_drop_work(request);
	ledger_finish(&request->ledger);
	shared_bytes_release(request->shared);
	buffer_finish(&request->out);
	buffer_finish(&request->chunk);
	memory_free(request->body);
	memory_free(request);
}

void
request_drop_body(struct request *request)
{
	if (request->unpacked) {
		memory_free(request->body);
		request->body = NULL;
	}
}

uint64_t
request_memory_bytes(const struct request *request)
{
	uint64_t bytes = sizeof *request + request->out.capacity;
	bytes += request->body ? request->body_count : 0;
	return bytes + (request->work ? request->kind->memory_bytes(request->work) : 0);
}

void
request_drop_work(struct request *request)
{
	struct ledger *before = memory_enter(&request->ledger);
	if (request->work) {
		request->kind->release(request->work);
		request->work = NULL;
	}
	(void)memory_enter(before);
}

void
request_charge(struct request *request, uint64_t bytes)
{
	account_charge(request->account, request->charged_bytes, bytes);
	request->charged_bytes = bytes;
}

void
request_leave_queue(struct request *request)
{
	request->account->queued -= request->queued ? 1 : 0;
	request->queued = false;
}

static bool
request_deadline_passed(const struct request *request, uint64_t now_ns)
{
	return request->deadline_ns != 0 && now_ns >= request->deadline_ns;
}

bool
request_check_deadline(struct request *request, uint64_t now_ns)
{
	if (!request_deadline_passed(request, now_ns))
		return false;
	(void)wire_problem_set(&request->problem, STATUS_DEADLINE_EXCEEDED, "DEADLINE", request->kind->deadline_field,
	                       "the deadline passed %llu ms after the request arrived",
	                       (unsigned long long)((request->deadline_ns - request->arrived_ns) / NS_PER_MS));
	return true;
}

static bool
request_is_cancelled(const struct request *request)
{
	const struct service *service = request->service;
	return atomic_load(&request->cancelled) || (service->cancels_all != NULL && service->cancels_all());
}

/* What ends a request whatever it was about to do: asked before each slice and after it. */
static bool
request_is_ended(struct request *request, uint64_t now_ns)
{
	if (request_is_cancelled(request)) {
		(void)wire_problem_set(&request->problem, STATUS_CANCELLED, "CANCELLED", "", "cancelled by the client");
		return true;
	}
	return request_check_deadline(request, now_ns);
}

void
request_slice_begin(struct request *request)
{
	request->slice_end_ns = request->looked_ns + SESSION_SLICE_MS * NS_PER_MS;
}

/* The engine is asked to stop and never learns what time it is. */
bool
request_slice_should_stop(void *context)
{
	const struct request *request = context;
	const struct service *service = request->service;
	if (service->checkpoint)
		service->checkpoint();
	uint64_t now_ns = service->now_ns();
	if (service->yield_core)
		service->yield_core(now_ns);
	return request_is_cancelled(request) || now_ns >= request->slice_end_ns || request_deadline_passed(request, now_ns);
}

bool
request_is_useless(void *context)
{
	const struct request *request = context;
	if (request->service->checkpoint)
		request->service->checkpoint();
	return request_is_cancelled(request) || request_deadline_passed(request, request->service->now_ns());
}

void
request_slice_end(struct request *request, bool failed, uint64_t now_ns)
{
	request->looked_ns = now_ns;
	request->final_offset = request->out.count;
	request->finished = request_is_ended(request, now_ns) || failed || request->out.failed;
}

static void
request_set_deadline(struct request *request, uint32_t asked_ms)
{
	uint32_t max_ms = request->service->limits.scene.deadline_ms_max;
	uint32_t ms = asked_ms == 0 || (max_ms != 0 && asked_ms > max_ms) ? max_ms : asked_ms;
	request->deadline_ns = ms == 0 ? 0 : request->arrived_ns + ms * NS_PER_MS;
}

/* The unpacked message is gone when the work exists. */
static enum status
request_decode(struct request *request, struct arena *arena)
{
	const struct request_kind *kind = request->kind;
	const struct wire_limits wire_limits = scene_limits_wire(&request->service->limits.scene);
	const Collide__V1__ClientMessage *message = NULL;
	enum status status = wire_request_unpack(arena, &wire_limits, request->body, request->body_count, &message,
	                                         &request->problem);
	if (status != STATUS_OK)
		return status;
	/* What the envelope was taken for at first sight must be what is in it: only then is it what the row reads. */
	if (message->request_case != request->field) {
		return wire_problem_set(&request->problem, STATUS_INVALID_ARGUMENT, "MALFORMED", "",
		                        "more than one request in a message");
	}
	if (kind->deadline_ms)
		request_set_deadline(request, kind->deadline_ms(message));
	uint64_t now_ns = request->service->now_ns();
	request->read_ns = now_ns - request->begin_ns;
	if (request_is_ended(request, now_ns))
		return request->problem.status;
	status = kind->reply ? kind->reply(request, message, arena) : kind->create(request, message, arena);
	if (status == STATUS_OK && pause_stopped())
		status = STATUS_CANCELLED;
	request->looked_ns = request->service->now_ns();
	request->create_ns = request->looked_ns - now_ns;
	return status;
}

static enum status
request_start(struct request *request)
{
	struct arena arena;
	arena_init(&arena, scene_arena_bytes(&request->service->limits.scene, request->body_count));
	enum status status = request_decode(request, &arena);
	arena_finish(&arena);
	request->unpacked = true;
	if (request->body_count > SESSION_BODY_BYTES_KEPT) {
		struct ledger *own = memory_enter_common();
		memory_free(request->body);
		(void)memory_enter(own);
		request->body = NULL;
	}
	return status;
}

void
request_set_error(struct request *request)
{
	shared_bytes_release(request->shared);
	request->shared = NULL;
	request->out.count = request->final_offset;
	wire_error_append(&request->out, request->id, &request->problem);
}

/* An Error as final reply if there is a problem; without memory for a reply, the lack of it is the problem. */
static void
request_finish(struct request *request)
{
	if (request->out.failed) {
		request->out.failed = false;
		(void)wire_problem_set(&request->problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the reply");
		request->problem.retry_after_ms = SESSION_RETRY_BUSY_MS;
	}
	if (request->problem.status != STATUS_OK)
		request_set_error(request);
	request->answered = !request->out.failed;
	/* What the work held is given back before the reply waits for its reader, unless the loop is to enter it. */
	if (!request->kind->enter || request->problem.status != STATUS_OK)
		request_drop_work(request);
}

/* What failed for want of memory did so because of a bound, if one was in the way. */
static void
request_tell_refusal(struct request *request)
{
	const struct scene_limits *limits = &request->service->limits.scene;
	struct wire_problem *problem = &request->problem;
	int refused = atomic_load(&request->ledger.refused);
	if (problem->status != STATUS_RESOURCE_EXHAUSTED || refused == MEMORY_NOT_REFUSED)
		return;
	if (refused == MEMORY_REFUSED_OWN) {
		(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "",
		                       "needs more memory than the %llu bytes that are allowed",
		                       (unsigned long long)limits->memory_bytes_max);
		return;
	}
	if (refused == MEMORY_REFUSED_SHARE) {
		(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "OVER_SHARE", "",
		                       "this address has its share of the memory for requests");
	} else {
		(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "", "the server's memory for requests is used up");
	}
	problem->retry_after_ms = SESSION_RETRY_BUSY_MS;
}

/* One slice, or the whole of a request that is answered in one step. */
static void
request_work(struct request *request)
{
	/* That of the slice before lies beyond what is here now. */
	request->final_offset = 0;
	if (request_is_ended(request, request->begin_ns))
		request->finished = true;
	else if (!request->unpacked && request_start(request) != STATUS_OK)
		request->finished = true;
	else if (request->kind->reply)
		request->finished = true;
	else
		request->kind->run(request);
	/* What was broken off failed for this, whatever it says. */
	if (pause_stopped()) {
		request->finished = true;
		if (!request_is_ended(request, request->service->now_ns()))
			(void)wire_problem_set(&request->problem, STATUS_CANCELLED, "CANCELLED", "", "cancelled");
	}
	if (request->finished) {
		request_tell_refusal(request);
		/* Its last reply is not refused any more. */
		struct ledger *own = memory_enter(NULL);
		request_finish(request);
		(void)memory_enter(own);
	}
}

static void
request_run(struct job *job)
{
	struct request *request = request_of_job(job);
	struct pause before;
	request->begin_ns = request->looked_ns = request->service->now_ns();
	CHECK(!request->finished && request->out.count == 0);
	pause_begin(&before, request_is_useless, request);
	struct ledger *none = memory_enter(&request->ledger);
	request_work(request);
	(void)memory_enter(none);
	pause_end(&before);
	if (!request->finished)
		request->worker_ns += request->service->now_ns() - request->begin_ns; /* for the end's report */
}

struct request *
request_create(struct account *account, const struct request_envelope *envelope, uint8_t *body, size_t body_count,
               void (*done)(struct job *job))
{
	struct request *request = memory_zeroed(1, sizeof *request);
	if (!request)
		return NULL;
	request->job = (struct job){ .run = request_run, .done = done };
	request->id = envelope->id;
	request->field = envelope->field;
	request->kind = envelope->kind;
	request->service = account->service;
	request->account = account;
	request->arrived_ns = account->service->now_ns();
	request->body = body;
	request->body_count = body_count;
	atomic_init(&request->cancelled, false);
	atomic_init(&request->must_return, false);
	atomic_init(&request->chunk_full, false);
	ledger_init(&request->ledger, request->service->limits.scene.memory_bytes_max);
	ledger_leave(&request->ledger);
	ledger_share(&request->ledger, account->memory_share);
	buffer_init(&request->chunk);
	buffer_init(&request->out);
	account->service->requests_under_way++;
	account->requests++;
	account_hold(account);
	request_charge(request, request_memory_bytes(request));
	return request;
}
