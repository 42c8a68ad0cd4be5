/* What seats send: an Attach for each that needs one, batches of all in few messages, steps. */
#include "client/lib/core.h"
#include "client/lib/request_append.h"
#include "client/lib/worlds/seat.h"

static bool
seat_attach_send(struct collide_seat *seat, struct collide_error *error)
{
	struct collide_channel *channel = seat->channel;
	if (seat->was_attached)
		seat->attachment.outcomes_after = seat->queue.acked;
	seat->attach_id = collide_core_attach(channel->core, &seat->attachment, error);
	if (seat->attach_id == 0)
		return false;
	core_request_own(channel->core, seat->attach_id, &seat->owner);
	seat->phase = SEAT_ATTACHING;
	return true;
}

/* Batches of many seats for one message. */
struct gathering {
	struct batch_place places[CHANNEL_BATCHES_MAX];
	size_t count, bytes, bytes_max;
};

static bool
gathering_send(struct collide_channel *channel, struct gathering *gathering, struct collide_error *error)
{
	if (gathering->count == 0)
		return true;
	bool good = core_batches(channel->core, gathering->places, gathering->count, false, error) != 0;
	gathering->count = gathering->bytes = 0;
	return good;
}

static bool
output_is_full(const struct collide_channel *channel)
{
	size_t count;
	(void)collide_core_output(channel->core, &count);
	return count > CHANNEL_OUTPUT_BYTES_MAX;
}

/* All batches of the seat that may be sent now. */
static bool
batches_flush(struct collide_seat *seat, struct gathering *gathering, struct collide_error *error)
{
	struct collide_channel *channel = seat->channel;
	uint32_t waiting_max = channel->welcome.limits.worlds.batches_waiting_max;
	size_t window = waiting_max > 0 ? waiting_max : BATCH_QUEUE_WINDOW_DEFAULT;
	struct batch_place place;
	/* Before a step all must go: it is what decides them. */
	while (!output_is_full(channel) &&
	       batch_queue_next(&seat->queue, window, seat->steps != NULL, gathering->bytes_max, &place)) {
		place.numbers.handle = seat->attached.handle;
		size_t bytes = field_bytes(1, batch_place_bytes(&place));
		if ((gathering->count == CHANNEL_BATCHES_MAX || gathering->bytes + bytes > CHANNEL_GATHERED_BYTES) &&
		    !gathering_send(channel, gathering, error))
			return false;
		gathering->places[gathering->count++] = place;
		gathering->bytes += bytes;
	}
	return true;
}

static bool
seat_is_held(const struct collide_seat *seat)
{
	return seat->hold_until_ns > seat->channel->now_ns;
}

/* Sends what the seat has. */
static bool
seat_flush(struct collide_seat *seat, struct gathering *gathering, struct collide_error *error)
{
	if (seat->released || seat->detaches)
		return true;
	if (seat->phase == SEAT_WAITING)
		return seat_attach_send(seat, error);
	if (seat->phase != SEAT_ATTACHED)
		return true;
	/* The message with the step comes after those with the batches. */
	return batches_flush(seat, gathering, error) &&
	       (!seat->steps || (gathering_send(seat->channel, gathering, error) && seat_step_flush(seat, error)));
}

bool
seats_flush(struct collide_channel *channel, struct collide_error *error)
{
	struct gathering gathering;
	struct collide_seat *seat = channel->ready;
	uint32_t bytes_max = channel->welcome.limits.worlds.batch_bytes_max;
	bool good = true;
	gathering.count = gathering.bytes = 0;
	gathering.bytes_max = bytes_max > 64 ? bytes_max - 64 : CHANNEL_MESSAGE_BYTES_DEFAULT - 64; /* less the envelope */
	channel->ready = channel->ready_last = NULL;
	while (seat) {
		struct collide_seat *next = seat->next_ready;
		seat->is_ready = false;
		if (seat_is_held(seat) || output_is_full(channel) || !good)
			seat_make_ready(seat);
		else
			good = seat_flush(seat, &gathering, error);
		seat_deliver(seat); /* what was refused here */
		seat = next;
	}
	return gathering_send(channel, &gathering, error) && good;
}

int64_t
seats_due_ns(const struct collide_channel *channel)
{
	int64_t due_ns = INT64_MAX;
	for (const struct collide_seat *seat = channel->ready; seat; seat = seat->next_ready)
		due_ns = seat->hold_until_ns < due_ns ? seat->hold_until_ns : due_ns;
	return due_ns;
}
