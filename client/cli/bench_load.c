/* The load itself: one thread, poll, and a conversation per connection. */
#include "client/cli/bench.h"
#include "client/cli/connection.h"
#include "client/cli/interrupt.h"
#include "client/cli/progress.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

/* One connection. It is either waiting for the reply to `request_id`, or until `retry_seconds` after a refusal. */
struct slot {
	struct collide_client *client;
	uint64_t request_id;
	double start_seconds, retry_seconds;
	uint64_t last_tick; /* of the frames of this request */
};

struct load {
	const struct bench_plan *plan;
	struct bench_result *result;
	struct slot *slots;
	struct pollfd *wanted;
	double end_seconds;
};

static enum exit_status
slot_ask(struct slot *slot, const struct bench_plan *plan)
{
	struct collide_error error;
	slot->start_seconds = clock_now_seconds();
	slot->last_tick = 0;
	slot->request_id = collide_core_simulate(collide_client_core(slot->client), &plan->simulation, &error);
	return slot->request_id != 0 ? EXIT_STATUS_DONE : error_tell("bench", &error);
}

static void
frame_count(struct slot *slot, const struct collide_frame *frame, struct bench_result *result)
{
	uint64_t ticks = frame->tick - slot->last_tick;
	slot->last_tick = frame->tick;
	result->frames++;
	result->ticks += ticks;
	result->circle_ticks += ticks * frame->bodies.count;
	result->collisions += frame->collisions;
}

/* A full queue is part of a load; anything else ends the bench. */
static enum exit_status
refusal_take(struct slot *slot, const struct collide_error *error, struct bench_result *result)
{
	if (error->code != COLLIDE_RESOURCE_EXHAUSTED || error->retry_after_ms == 0)
		return error_tell("bench", error);
	result->refused++;
	slot->request_id = 0;
	slot->retry_seconds = clock_now_seconds() + error->retry_after_ms * 1e-3;
	return EXIT_STATUS_DONE;
}

static enum exit_status
done_take(struct slot *slot, const struct collide_done *done, const struct load *load)
{
	double now = clock_now_seconds();
	load->result->requests++;
	load->result->engine_seconds += done->engine_seconds;
	histogram_add(&load->result->latency, (uint64_t)((now - slot->start_seconds) * 1e9));
	slot->request_id = 0;
	return now < load->end_seconds ? slot_ask(slot, load->plan) : EXIT_STATUS_DONE;
}

static enum exit_status
slot_take_events(struct slot *slot, const struct load *load)
{
	struct collide_event event;
	enum exit_status status = EXIT_STATUS_DONE;
	while (status == EXIT_STATUS_DONE && collide_core_next(collide_client_core(slot->client), &event)) {
		switch (event.kind) {
		case COLLIDE_EVENT_FRAME: frame_count(slot, event.as.frame, load->result); break;
		case COLLIDE_EVENT_SIMULATE_DONE: status = done_take(slot, event.as.done, load); break;
		case COLLIDE_EVENT_ERROR: status = refusal_take(slot, event.as.error, load->result); break;
		case COLLIDE_EVENT_FAILED: status = error_tell("bench", event.as.error); break;
		default: break;
		}
	}
	return status;
}

/* Connects all, and asks on each. */
static enum exit_status
slots_open(const struct load *load)
{
	for (uint64_t i = 0; i < load->plan->connections; i++) {
		enum exit_status status;
		struct slot *slot = &load->slots[i];
		slot->client = connection_open("bench", load->plan->address, &status);
		if (slot->client == NULL)
			return status;
		load->wanted[i].fd = collide_client_descriptor(slot->client);
	}
	return EXIT_STATUS_DONE;
}

/* An interrupt that comes just before a wait is seen after this at the latest. */
static const double WAIT_MS_MAX = 100;

/* Sets what is waited for, asks again where a refusal's pause is over; *wait_ms: until the next such moment. */
static enum exit_status
slots_prepare(const struct load *load, int *wait_ms)
{
	double now = clock_now_seconds(), next = load->end_seconds;
	enum exit_status status = EXIT_STATUS_DONE;
	for (uint64_t i = 0; i < load->plan->connections && status == EXIT_STATUS_DONE; i++) {
		struct slot *slot = &load->slots[i];
		size_t to_send;
		if (slot->request_id == 0 && slot->retry_seconds <= now)
			status = slot_ask(slot, load->plan);
		else if (slot->request_id == 0)
			next = fmin(next, slot->retry_seconds);
		(void)collide_core_output(collide_client_core(slot->client), &to_send);
		load->wanted[i].events = (short)(to_send > 0 ? POLLIN | POLLOUT : POLLIN);
	}
	*wait_ms = (int)fmin(fmax(0, ceil((next - now) * 1e3)), WAIT_MS_MAX);
	return status;
}

static enum exit_status
slots_serve(const struct load *load)
{
	struct collide_error error;
	enum exit_status status = EXIT_STATUS_DONE;
	for (uint64_t i = 0; i < load->plan->connections && status == EXIT_STATUS_DONE; i++) {
		if (load->wanted[i].revents == 0)
			continue;
		if (!collide_client_exchange(load->slots[i].client, 0, &error))
			return error_tell("bench", &error);
		status = slot_take_events(&load->slots[i], load);
	}
	return status;
}

static enum exit_status
load_run(struct load *load)
{
	enum exit_status status = slots_open(load);
	double start = clock_now_seconds();
	load->end_seconds = start + (double)load->plan->seconds;
	while (status == EXIT_STATUS_DONE && !interrupt_came(NULL) && clock_now_seconds() < load->end_seconds) {
		int wait_ms;
		status = slots_prepare(load, &wait_ms);
		if (status != EXIT_STATUS_DONE)
			break;
		if (poll(load->wanted, load->plan->connections, wait_ms) < 0 && errno != EINTR) {
			perror("collide bench: poll");
			return EXIT_STATUS_FAILED;
		}
		status = slots_serve(load);
	}
	load->result->seconds = clock_now_seconds() - start;
	return status;
}

static void
slots_close(const struct load *load)
{
	for (uint64_t i = 0; i < load->plan->connections; i++) {
		uint64_t sent, received;
		if (load->slots[i].client == NULL)
			continue;
		collide_core_traffic(collide_client_core(load->slots[i].client), &sent, &received);
		load->result->bytes_sent += sent;
		load->result->bytes_received += received;
		collide_close(load->slots[i].client);
	}
}

enum exit_status
bench_load_run(const struct bench_plan *plan, struct bench_result *result)
{
	struct load load = { .plan = plan, .result = result };
	enum exit_status status = EXIT_STATUS_FAILED;
	load.slots = calloc(plan->connections, sizeof(*load.slots));
	load.wanted = calloc(plan->connections, sizeof(*load.wanted));
	if (load.slots != NULL && load.wanted != NULL) {
		status = load_run(&load);
		slots_close(&load);
	} else {
		fprintf(stderr, "collide bench: no memory\n");
	}
	free(load.slots);
	free(load.wanted);
	return status;
}
