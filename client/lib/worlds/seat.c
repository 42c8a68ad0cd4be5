/* A seat: attached, and attached again after each lost connection; its batches (batch_queue.h), steps and clock (steering.h).
 *
 * Happy path: WAITING for a connection, ATTACHING, ATTACHED; batches go out in seats_flush and come back decided in Acks.
 *
 * What can go wrong: the connection is lost (WAITING again, with the token). The world is restored (the same, and what was not
 * received is refused). The seat is gone (ENDED: every batch and step has its answer, then on_detached). */
#include "client/lib/worlds/seat.h"
#include "client/lib/core.h"
#include "client/lib/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct collide_seat *
seats_next(const struct collide_seat *seat)
{
	return seat->next;
}

uint32_t
seat_handle(const struct collide_seat *seat)
{
	return seat->phase == SEAT_ATTACHED ? seat->attached.handle : 0;
}

struct collide_channel *
seat_channel(const struct collide_seat *seat)
{
	return seat->channel;
}

const struct collide_error *
seat_end_error(const struct collide_seat *seat)
{
	return seat->phase == SEAT_ENDED ? &seat->error : NULL;
}

void
seat_make_ready(struct collide_seat *seat)
{
	struct collide_channel *channel = seat->channel;
	if (seat->is_ready || seat->phase == SEAT_ENDED)
		return;
	seat->is_ready = true;
	seat->next_ready = NULL;
	if (channel->ready_last)
		channel->ready_last->next_ready = seat;
	else
		channel->ready = seat;
	channel->ready_last = seat;
}

void
seat_hold(struct collide_seat *seat, int64_t ms)
{
	seat->hold_until_ns = seat->channel->now_ns + ms * CHANNEL_NS_PER_MS;
	seat_make_ready(seat);
}

void
seat_deliver(struct collide_seat *seat)
{
	struct collide_outcome outcome;
	while (!seat->released) {
		struct queued_batch *decided = batch_queue_decided(&seat->queue, &outcome);
		if (!decided)
			return;
		uint64_t number = decided->number;
		queued_batch_free(decided);
		if (seat->handler.on_outcome)
			seat->handler.on_outcome(seat->handler.context, seat, number, &outcome);
	}
}

/* The end of it: everything that waits is answered. */
static void
seat_finish(struct collide_seat *seat, const struct collide_error *error)
{
	seat->error = *error;
	seat->phase = SEAT_ENDED;
	seat->attach_id = 0;
	batch_queue_end(&seat->queue, error->reason);
	seat_deliver(seat);
	while (seat->steps) {
		channel_disown(seat->channel, seat->steps->request_id);
		seat_step_answer(seat, NULL, error);
	}
	subscriptions_seat_ended(seat, error);
	if (!seat->released && seat->handler.on_detached)
		seat->handler.on_detached(seat->handler.context, seat, error);
}

/* The first connection, or another one of ours, or another past: sends what the server lacks. */
static bool
seat_go_on(struct collide_seat *seat, const struct collide_attached *attached)
{
	struct collide_error error;
	bool restored = attached->epoch != seat->attached.epoch;
	bool good = seat->was_attached ? batch_queue_resume(&seat->queue, attached->sequence, restored)
	                               : batch_queue_begin(&seat->queue, attached->sequence, seat->attachment.outcomes_after);
	if (good)
		return true;
	failure_set(&error, COLLIDE_FROM_CONNECTION, COLLIDE_FAILED_PRECONDITION, "SEQUENCE",
	            "the server has another count of this seat's batches: another program has used its token");
	channel_disown(seat->channel, seat->attach_id);
	seat_finish(seat, &error);
	return false;
}

/* Asks the server to end it. What comes of it is told as of any seat that ends. */
static void
seat_detach_send(struct collide_seat *seat)
{
	struct collide_error error;
	struct collide_channel *channel = seat->channel;
	uint64_t request_id = collide_core_detach(channel->core, seat->attached.handle, &error);
	channel_disown(channel, request_id);
	if (request_id != 0)
		return;
	channel_disown(channel, seat->attach_id);
	seat->attach_id = 0;
	seat->phase = SEAT_WAITING;
	channel->detaches = true;
}

static uint32_t
attached_hz(const struct collide_attached *attached)
{
	const struct collide_world_policy *policy = &attached->info.policy;
	if (!attached->has_info || !attached->info.has_policy)
		return 0;
	if (policy->tick_hz > 0)
		return policy->tick_hz;
	return policy->dt >= 1e-9 && policy->dt < 2 ? (uint32_t)(1 / policy->dt + 0.5) : 1;
}

static void
seat_on_attached(struct collide_seat *seat, const struct collide_attached *attached)
{
	if (!seat_go_on(seat, attached))
		return;
	if (!seat->was_attached)
		seat->earlier_told = seat->attachment.outcomes_after;
	seat->was_attached = true;
	seat->attached = *attached;
	memcpy(seat->token, attached->token, sizeof seat->token);
	seat->attachment.token = seat->token;
	seat->attachment.epoch = 0; /* the token says which world; it may have another past by then */
	seat->phase = SEAT_ATTACHED;
	if (seat->detaches) {
		seat_detach_send(seat);
		return;
	}
	steering_begin(&seat->steering, attached->tick, (int64_t)attached->next_due_ns, attached_hz(attached),
	               seat->channel->now_ns);
	seat->channel->subscribes = true;
	seat_make_ready(seat);
	if (!seat->released && seat->handler.on_attached)
		seat->handler.on_attached(seat->handler.context, seat, &seat->attached);
	seat_deliver(seat);
}

/* Outcomes of batches that this program did not send. */
static void
earlier_deliver(struct collide_seat *seat, const struct collide_acks *acks)
{
	for (size_t i = 0; i < acks->outcome_count && !seat->released; i++) {
		const struct collide_outcome *outcome = &acks->outcomes[i];
		if (outcome->not_received || outcome->sequence > seat->queue.sequence_base || outcome->sequence <= seat->earlier_told)
			continue;
		seat->earlier_told = outcome->sequence;
		if (seat->handler.on_outcome)
			seat->handler.on_outcome(seat->handler.context, seat, 0, outcome);
	}
}

/* Batches that had taken effect, and have not after all. */
static void
undone_deliver(struct collide_seat *seat, const struct collide_acks *acks)
{
	for (size_t i = 0; i < acks->outcome_count && !seat->released; i++) {
		const struct collide_outcome *outcome = &acks->outcomes[i];
		uint64_t number = batch_queue_given(&seat->queue, outcome->sequence);
		if (number != 0 && strcmp(outcome->reason, "UNDONE") == 0 && seat->handler.on_outcome)
			seat->handler.on_outcome(seat->handler.context, seat, number, outcome);
	}
}

/* Whether the batches that this decides all named a tick: only then does the margin say how well they were aimed. */
static bool
acks_are_aimed(const struct collide_seat *seat, const struct collide_acks *acks)
{
	bool any = false;
	for (const struct queued_batch *queued = seat->queue.first; queued; queued = queued->next) {
		if (queued->sequence == 0 || queued->sequence > acks->through)
			break;
		if (queued->batch->tick == 0)
			return false;
		any = true;
	}
	return any;
}

/* Whether a batch named a tick too far ahead. There is no margin then. */
static bool
acks_are_early(const struct collide_acks *acks)
{
	bool any = false;
	for (size_t i = 0; i < acks->outcome_count && !any; i++)
		any = strcmp(acks->outcomes[i].reason, "TOO_EARLY") == 0;
	return any;
}

static void
seat_on_acks(struct collide_seat *seat, const struct collide_acks *acks)
{
	if (acks_are_early(acks))
		steering_restart(&seat->steering, acks->tick, seat->channel->now_ns);
	else if (acks_are_aimed(seat, acks))
		steering_margin(&seat->steering, acks->margin_min_ns, acks->tick);
	steering_told(&seat->steering, acks->tick, seat->channel->now_ns);
	earlier_deliver(seat, acks);
	undone_deliver(seat, acks);
	if (batch_queue_acks(&seat->queue, acks))
		seat_hold(seat, CHANNEL_AGAIN_MS);
	seat_deliver(seat);
	if (seat->queue.unsent)
		seat_make_ready(seat);
}

static void
steps_cut_off(struct collide_seat *seat)
{
	for (struct seat_step *step = seat->steps; step; step = step->next)
		if (step->request_id != 0) {
			channel_disown(seat->channel, step->request_id);
			step->request_id = 0;
			step->again_until_ns = seat->channel->now_ns + CHANNEL_STEP_AGAIN_MS * CHANNEL_NS_PER_MS;
		}
}

static void
seat_on_detached(struct collide_seat *seat, const struct collide_detached *detached)
{
	struct collide_error error;
	bool restored = strcmp(detached->reason, "RESTORED") == 0, moved = strcmp(detached->reason, "HANDOVER") == 0;
	seat->attach_id = 0;
	if ((restored || moved) && !seat->detaches) {
		/* After a handover the next connection leads to the process that has the world now. If none is needed, it stays here.
		 */
		steps_cut_off(seat);
		seat->phase = SEAT_WAITING;
		seat_hold(seat, moved ? CHANNEL_HANDOVER_MS : 0);
		return;
	}
	enum collide_code code = strcmp(detached->reason, "SEAT_TAKEN") == 0   ? COLLIDE_FAILED_PRECONDITION
	                         : strcmp(detached->reason, "OVER_SHARE") == 0 ? COLLIDE_RESOURCE_EXHAUSTED
	                                                                       : COLLIDE_CANCELLED;
	char hash[32] = "";
	if (detached->hash != 0)
		(void)snprintf(hash, sizeof hash, " with hash %016llx", (unsigned long long)detached->hash);
	failure_set(&error, COLLIDE_FROM_SERVER, code, detached->reason, "the seat ended at tick %llu%s: %s",
	            (unsigned long long)detached->tick, hash, detached->reason);
	seat_finish(seat, &error);
}

/* The Attach was refused. What is refused for now is tried again, if the seat was there before, or if there are only too many
 * at once. */
static void
seat_on_refused(struct collide_seat *seat, const struct collide_error *error)
{
	seat->attach_id = 0;
	if (!seat->detaches && channel_tries_again(error, seat->was_attached)) {
		seat->phase = SEAT_WAITING;
		seat_hold(seat, error->retry_after_ms > 0 ? error->retry_after_ms : CHANNEL_AGAIN_MS);
		return;
	}
	seat_finish(seat, error);
}

static void
seat_on_event(void *context, const struct collide_event *event)
{
	struct collide_seat *seat = context;
	switch (event->kind) {
	case COLLIDE_EVENT_ATTACHED: seat_on_attached(seat, event->as.attached); break;
	case COLLIDE_EVENT_ACKS: seat_on_acks(seat, event->as.acks); break;
	case COLLIDE_EVENT_DETACHED: seat_on_detached(seat, event->as.detached); break;
	case COLLIDE_EVENT_ERROR: seat_on_refused(seat, event->as.error); break;
	default: break;
	}
}

void
seat_channel_opened(struct collide_seat *seat)
{
	seat_make_ready(seat);
}

void
seat_channel_lost(struct collide_seat *seat)
{
	seat->attach_id = 0;
	seat->hold_until_ns = 0;
	for (struct seat_step *step = seat->steps; step; step = step->next)
		if (step->request_id != 0) {
			step->request_id = 0;
			step->again_until_ns = INT64_MAX; /* counted from the next connection on */
		}
	if (seat->phase == SEAT_ENDED)
		return;
	seat->phase = SEAT_WAITING;
	if (seat->detaches) {
		struct collide_error error;
		failure_set(&error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "DETACHED",
		            "the connection was lost while the seat was to end; it ends by itself");
		seat_finish(seat, &error);
	}
}

static bool
attachment_copy(struct collide_seat *seat, const struct collide_attachment *from)
{
	struct collide_attachment *to = &seat->attachment;
	*to = *from;
	failure_copy_text(seat->world, sizeof seat->world, from->world);
	failure_copy_text(seat->label, sizeof seat->label, from->label);
	to->world = seat->world;
	to->label = seat->label;
	if (from->token) {
		memcpy(seat->token, from->token, sizeof seat->token);
		to->token = seat->token;
	}
	to->secret = NULL;
	to->secret_bytes = 0;
	if (!from->secret || from->secret_bytes == 0)
		return true;
	seat->secret = malloc(from->secret_bytes);
	if (!seat->secret)
		return false;
	memcpy(seat->secret, from->secret, from->secret_bytes);
	to->secret = seat->secret;
	to->secret_bytes = from->secret_bytes;
	return true;
}

struct collide_seat *
collide_seat_attach(struct collide_channel *channel, const struct collide_attachment *attachment,
                    const struct collide_seat_handler *handler, struct collide_error *error)
{
	struct collide_seat *seat = calloc(1, sizeof *seat);
	if (!seat || !attachment_copy(seat, attachment)) {
		free(seat);
		failure_memory(error);
		return NULL;
	}
	seat->owner = (struct channel_owner){ seat_on_event, seat };
	seat->channel = channel;
	seat->handler = handler ? *handler : (struct collide_seat_handler){ 0 };
	seat->next = channel->seats;
	channel->seats = seat;
	seat_make_ready(seat);
	return seat;
}

void
seats_detach(struct collide_channel *channel)
{
	struct collide_error error;
	if (!channel->detaches)
		return;
	channel->detaches = false;
	failure_set(&error, COLLIDE_FROM_LIBRARY, COLLIDE_CANCELLED, "DETACHED", "the server was not asked to end the seat");
	for (struct collide_seat *seat = channel->seats; seat; seat = seat->next)
		if (seat->detaches && seat->phase == SEAT_WAITING)
			seat_finish(seat, &error);
}

void
collide_seat_detach(struct collide_seat *seat)
{
	if (seat->phase == SEAT_ENDED || seat->detaches)
		return;
	seat->detaches = true;
	if (seat->phase == SEAT_ATTACHING)
		return; /* when the server has answered */
	if (seat->phase == SEAT_ATTACHED && channel_is_open(seat->channel))
		seat_detach_send(seat);
	else
		seat->channel->detaches = true; /* it ends where callbacks may be called */
}

void
collide_seat_release(struct collide_seat *seat)
{
	if (!seat || seat->released)
		return;
	seat->released = true;
	subscriptions_seat_ended(seat, NULL);
	seat->channel->reaps = true;
	channel_reap(seat->channel);
}

const struct collide_attached *
collide_seat_attached(const struct collide_seat *seat)
{
	return seat->was_attached ? &seat->attached : NULL;
}

size_t
collide_seat_undecided(const struct collide_seat *seat)
{
	return seat->queue.count;
}

uint64_t
collide_seat_send(struct collide_seat *seat, const struct collide_batch *batch, struct collide_error *error)
{
	if (seat->phase == SEAT_ENDED || seat->detaches) {
		failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_FAILED_PRECONDITION, "DETACHED", "the seat has ended");
		return 0;
	}
	struct batch_bytes *packed = batch_pack(batch, error);
	uint64_t number = packed ? batch_queue_push(&seat->queue, packed, error) : 0;
	if (number != 0)
		seat_make_ready(seat);
	return number;
}

uint64_t
collide_seat_sequence(const struct collide_seat *seat, uint64_t number)
{
	return seat->was_attached ? batch_queue_sequence(&seat->queue, number) : 0;
}

uint64_t
collide_seat_aim(const struct collide_seat *seat)
{
	const struct channel_transport *transport = &seat->channel->transport;
	return seat->was_attached ? steering_aim(&seat->steering, transport->now_ns(transport->context)) : 0;
}

void
collide_seat_set_margin(struct collide_seat *seat, int64_t margin_ns)
{
	seat->steering.target_ns = margin_ns;
}

struct collide_timing
collide_seat_timing(const struct collide_seat *seat)
{
	return (struct collide_timing){ .tick = seat->steering.tick,
		                            .margin_ns = seat->steering.margin_ns,
		                            .lead_ns = seat->steering.hz == 0 ? 0 : seat->steering.lead_ns };
}

static void
seat_free(struct collide_seat *seat)
{
	channel_disown(seat->channel, seat->attach_id);
	while (seat->steps) {
		struct seat_step *next = seat->steps->next;
		channel_disown(seat->channel, seat->steps->request_id);
		free(seat->steps);
		seat->steps = next;
	}
	batch_queue_finish(&seat->queue);
	free(seat->secret);
	free(seat);
}

/* Takes the released ones out of the list of those that are ready. */
static void
ready_reap(struct collide_channel *channel)
{
	struct collide_seat *seat = channel->ready;
	channel->ready = channel->ready_last = NULL;
	while (seat) {
		struct collide_seat *next = seat->next_ready;
		seat->is_ready = false;
		if (!seat->released)
			seat_make_ready(seat);
		seat = next;
	}
}

void
seats_reap(struct collide_channel *channel)
{
	struct collide_seat **link = &channel->seats;
	ready_reap(channel);
	while (*link) {
		struct collide_seat *seat = *link;
		if (seat->released) {
			*link = seat->next;
			seat_free(seat);
		} else
			link = &seat->next;
	}
}

void
seats_destroy(struct collide_channel *channel)
{
	for (struct collide_seat *seat = channel->seats; seat; seat = seat->next)
		seat->released = true;
	seats_reap(channel);
}
