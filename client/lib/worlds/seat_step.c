/* Steps of a seat: one at a time, and each made once. A step that a lost connection cut off is sent again. It names the tick
 * that the world must be at, so the server answers with the one it has made. */
#include "client/lib/core.h"
#include "client/lib/failure.h"
#include "client/lib/worlds/seat.h"

#include <stdlib.h>
#include <string.h>

void
seat_step_answer(struct collide_seat *seat, const struct collide_stepped *stepped, const struct collide_error *error)
{
	struct seat_step *step = seat->steps;
	seat->steps = step->next;
	seat->last_step = seat->steps ? seat->last_step : NULL;
	if (step->on_stepped && !seat->released)
		step->on_stepped(step->context, seat, stepped, error);
	free(step);
	seat_make_ready(seat);
}

static void
step_on_event(void *context, const struct collide_event *event)
{
	struct seat_step *step = context;
	struct collide_seat *seat = step->seat;
	step->request_id = 0;
	if (event->kind == COLLIDE_EVENT_STEPPED) {
		steering_told(&seat->steering, event->as.stepped->tick, seat->channel->now_ns);
		seat_step_answer(seat, event->as.stepped, NULL);
	} else if (event->kind == COLLIDE_EVENT_ERROR) {
		/* The first attempt, over a connection that was lost, may still be under way. */
		if (strcmp(event->as.error->reason, "CLOCK") == 0 && seat->channel->now_ns < step->again_until_ns)
			seat_hold(seat, CHANNEL_AGAIN_MS);
		else
			seat_step_answer(seat, NULL, event->as.error);
	}
}

bool
collide_seat_step(struct collide_seat *seat, const struct collide_step *step, collide_stepped_fn on_stepped, void *context,
                  struct collide_error *error)
{
	if (seat->phase == SEAT_ENDED) {
		if (error)
			*error = seat->error;
		return false;
	}
	struct seat_step *made = calloc(1, sizeof *made);
	if (!made)
		return failure_memory(error);
	*made = (struct seat_step){ .owner = { step_on_event, made },
		                        .seat = seat,
		                        .step = *step,
		                        .after = seat->queue.number_last,
		                        .on_stepped = on_stepped,
		                        .context = context };
	if (seat->last_step)
		seat->last_step->next = made;
	else
		seat->steps = made;
	seat->last_step = made;
	seat_make_ready(seat);
	return true;
}

bool
seat_step_flush(struct collide_seat *seat, struct collide_error *error)
{
	struct seat_step *step = seat->steps;
	struct collide_channel *channel = seat->channel;
	if (!step || step->request_id != 0 || batch_queue_is_unsent(&seat->queue, step->after))
		return true;
	if (!step->step.has_expect) {
		step->step.has_expect = true;
		step->step.expect_tick = seat->steering.tick;
	}
	if (step->again_until_ns == INT64_MAX)
		step->again_until_ns = channel->now_ns + CHANNEL_STEP_AGAIN_MS * CHANNEL_NS_PER_MS;
	step->request_id = collide_core_step_world(channel->core, seat->attached.handle, &step->step, error);
	core_request_own(channel->core, step->request_id, &step->owner);
	return step->request_id != 0;
}
