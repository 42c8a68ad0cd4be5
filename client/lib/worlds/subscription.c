/* A subscription: subscribed, and subscribed again after each lost connection and each restored past. It goes on from the last
 * state that it has, or a key comes. */
#include "client/lib/worlds/subscription.h"
#include "client/lib/core.h"
#include "client/lib/failure.h"
#include "client/lib/follow/batch_reader.h"
#include "client/lib/follow/follower.h"

#include <stdlib.h>
#include <string.h>

/* Between two times that a key is asked for. */
#define AGAIN_AFTER_NS INT64_C(1000000000)

struct collide_subscription *
subscriptions_next(const struct collide_subscription *subscription)
{
	return subscription->next;
}

/* One of its requests goes on for no one. */
static void
request_leave(struct collide_subscription *subscription, uint64_t request_id)
{
	struct collide_error error;
	struct collide_channel *channel = subscription->channel;
	if (request_id == 0 || !channel_is_open(channel))
		return;
	core_request_follow(channel->core, request_id, (struct core_follow){ NULL, NULL });
	channel_disown(channel, request_id);
	/* Without memory for it the updates go on, and go nowhere. */
	uint64_t cancel_id = collide_core_cancel(channel->core, request_id, &error);
	channel_disown(channel, cancel_id);
}

static void
again_end(struct collide_subscription *subscription)
{
	request_leave(subscription, subscription->again_id);
	subscription->again_id = 0;
	subscription->has_again_key = false;
}

static void
subscription_end(struct collide_subscription *subscription, const struct collide_error *error)
{
	again_end(subscription);
	channel_disown(subscription->channel, subscription->steer_asked);
	subscription->steer_asked = 0;
	subscription->phase = SUBSCRIPTION_ENDED;
	subscription->request_id = 0;
	if (!subscription->released && subscription->reader.on_end)
		subscription->reader.on_end(subscription->reader.context, subscription, error);
}

static void
subscription_wait(struct collide_subscription *subscription, int64_t hold_ms)
{
	const struct collide_error *seat_error = subscription->seat ? seat_end_error(subscription->seat) : NULL;
	if (seat_error) { /* it would wait for ever */
		subscription_end(subscription, seat_error);
		return;
	}
	again_end(subscription);
	subscription->phase = SUBSCRIPTION_WAITING;
	subscription->request_id = 0;
	subscription->hold_until_ns = hold_ms == 0 ? 0 : subscription->channel->now_ns + hold_ms * CHANNEL_NS_PER_MS;
	subscription->channel->subscribes = true;
}

/* What it has tells where to go on; of rows without their states, which come again, it says which are new. */
static bool
update_note(struct collide_subscription *subscription, const struct collide_world_update *update, bool states)
{
	if (update->steered != 0 && update->steered == subscription->steer_request)
		subscription->steer_request = 0;
	if (!states) {
		bool known = subscription->went_on && update->tick <= subscription->rows_tick;
		subscription->rows_tick = known ? subscription->rows_tick : update->tick;
		return !known;
	}
	subscription->told_tick = update->tick;
	if (update->encoding != 0)
		subscription->told_encoding = update->encoding;
	if (update->key)
		subscription->went_on = false;
	return true;
}

/* Replaces what was used of the credit: at half of it, so that updates never wait for it. */
static void
credit_give(struct collide_subscription *subscription)
{
	struct collide_error error;
	uint32_t credit = subscription->interest.credit;
	if (credit == 0 || ++subscription->consumed < (credit + 1) / 2 || subscription->request_id == 0)
		return;
	/* Without memory it is tried again at the next update. */
	if (collide_core_credit(subscription->channel->core, subscription->request_id, subscription->consumed, &error))
		subscription->consumed = 0;
}

/* Updates without states cost no credit. They are there to tell rows of some table; so one without any has states, of no
 * circles. Within a tolerance states have no frame. */
static bool
update_has_states(const struct collide_world_update *update, bool frameless)
{
	const struct collide_frame *frame = update->frame;
	if (frameless)
		return update->key || !frame;
	if (update->key || !frame || frame->bodies.count > 0)
		return true;
	return frame->contacts.count + frame->path_changes.count + frame->pair_events.count + frame->ends.count +
	           frame->shortfalls.count ==
	       0;
}

static void
subscription_on_update(struct collide_subscription *subscription, const struct collide_world_update *update)
{
	enum collide_stream stream = subscription->interest.stream;
	bool counts = update_has_states(update, stream == COLLIDE_STREAM_PATHS || stream == COLLIDE_STREAM_COMMANDS);
	bool is_new = update_note(subscription, update, counts);
	struct collide_world_update told = *update;
	if (subscription->coded)
		batch_reader_told(subscription->coded, &told.ticks, &told.lost_ticks);
	if (!subscription->released && is_new && subscription->reader.on_update)
		subscription->reader.on_update(subscription->reader.context, subscription, &told);
	if (counts && !subscription->released)
		credit_give(subscription);
}

static bool subscription_follow(void *context, const Collide__V1__WorldUpdate *part, struct collide_error *error);
static bool again_follow(void *context, const Collide__V1__WorldUpdate *part, struct collide_error *error);

static bool
request_own(struct collide_subscription *subscription, uint64_t request_id, struct channel_owner *owner)
{
	struct collide_core *core = subscription->channel->core;
	bool follows = subscription->reader.follower || subscription->reader.take;
	if (request_id == 0)
		return false;
	core_request_own(core, request_id, owner);
	if (follows)
		core_request_follow(
			core, request_id,
			(struct core_follow){ owner == &subscription->again ? again_follow : subscription_follow, subscription });
	return true;
}

/* Asks for a key, beside what comes. Without memory for it the next update that cannot be taken does. */
static void
again_begin(struct collide_subscription *subscription)
{
	struct collide_error error;
	struct collide_channel *channel = subscription->channel;
	struct collide_interest interest = subscription->interest;
	subscription->told_encoding = 0;
	if (subscription->again_id != 0 || subscription->again_until_ns > channel->now_ns ||
	    subscription->phase != SUBSCRIPTION_SENT || !channel_is_open(channel))
		return;
	interest.after_tick = interest.after_encoding = 0;
	subscription->again_id = core_subscribe(channel->core, &interest, subscription->coded != NULL, &error);
	if (request_own(subscription, subscription->again_id, &subscription->again))
		subscription->again_until_ns = channel->now_ns + AGAIN_AFTER_NS;
}

static bool
part_give(struct collide_subscription *subscription, const Collide__V1__WorldUpdate *part, struct collide_error *error)
{
	size_t bytes = collide__v1__world_update__get_packed_size(part);
	uint8_t *packed = malloc(bytes + 1);
	if (!packed)
		return failure_memory(error);
	(void)collide__v1__world_update__pack(part, packed);
	if (!subscription->reader.take(subscription->reader.take_context, packed, bytes, error))
		again_begin(subscription);
	free(packed);
	return true;
}

/* As it would be without coded batches. */
static bool
part_read(struct collide_subscription *subscription, struct batch_reader *coded, const Collide__V1__WorldUpdate *part,
          struct collide_error *error)
{
	Collide__V1__WorldUpdate plain;
	if (!coded)
		return part_give(subscription, part, error);
	if (batch_reader_take(coded, part, &plain, error))
		return part_give(subscription, &plain, error);
	/* The conversation ends; the next one begins with a key. */
	subscription->told_encoding = 0;
	return false;
}

static bool
part_follow(struct collide_subscription *subscription, struct batch_reader *coded, const Collide__V1__WorldUpdate *part,
            struct collide_error *error)
{
	bool key = part->optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
	if (subscription->reader.take && !part_read(subscription, coded, part, error))
		return false;
	if (!subscription->reader.follower || (!key && follower_take(subscription->reader.follower, part, error)))
		return true;
	/* Until the key is whole, or another one is. */
	subscription->told_encoding = 0;
	return key && follower_take(subscription->reader.follower, part, error);
}

static bool
subscription_follow(void *context, const Collide__V1__WorldUpdate *part, struct collide_error *error)
{
	struct collide_subscription *subscription = context;
	return part_follow(subscription, subscription->coded, part, error);
}

static bool
again_follow(void *context, const Collide__V1__WorldUpdate *part, struct collide_error *error)
{
	struct collide_subscription *subscription = context;
	return part_follow(subscription, subscription->again_coded, part, error);
}

/* Once both have told the key's tick, or the second one more, it has the place of the first. */
static void
again_take_over(struct collide_subscription *subscription)
{
	uint64_t first = subscription->request_id;
	struct batch_reader *coded = subscription->coded;
	subscription->coded = subscription->again_coded;
	subscription->again_coded = coded;
	subscription->request_id = subscription->again_id;
	subscription->again_id = 0;
	subscription->has_again_key = false;
	subscription->consumed = 0;
	(void)request_own(subscription, subscription->request_id, &subscription->owner);
	request_leave(subscription, first);
}

static void
again_on_update(struct collide_subscription *subscription, const struct collide_world_update *update)
{
	bool both = subscription->has_again_key || subscription->told_tick >= update->tick;
	if (update->key) {
		subscription->has_again_key = true;
		subscription->again_tick = update->tick;
	}
	if (both)
		again_take_over(subscription);
	subscription_on_update(subscription, update);
}

static void
again_on_event(void *context, const struct collide_event *event)
{
	struct collide_subscription *subscription = context;
	if (event->kind == COLLIDE_EVENT_WORLD_UPDATE)
		again_on_update(subscription, event->as.world_update);
	else if (event->kind == COLLIDE_EVENT_UNSUBSCRIBED || event->kind == COLLIDE_EVENT_ERROR) {
		subscription->again_id = 0; /* the first one says why, or goes on */
		subscription->has_again_key = false;
	}
}

static void
subscription_on_unsubscribed(struct collide_subscription *subscription, const struct collide_detached *end)
{
	struct collide_error error;
	bool exhausted = strcmp(end->reason, "SLOW_READER") == 0 || strcmp(end->reason, "MEMORY") == 0;
	if (strcmp(end->reason, "RESTORED") == 0) {
		subscription->interest.epoch = 0; /* it is another one now */
		subscription->told_encoding = 0;
		subscription_wait(subscription, 0);
		return;
	}
	if (strcmp(end->reason, "HANDOVER") == 0) {
		subscription_wait(subscription, CHANNEL_HANDOVER_MS);
		return;
	}
	failure_set(&error, COLLIDE_FROM_SERVER, exhausted ? COLLIDE_RESOURCE_EXHAUSTED : COLLIDE_CANCELLED, end->reason,
	            "the subscription ended at tick %llu: %s", (unsigned long long)end->tick, end->reason);
	subscription_end(subscription, &error);
}

static void
subscription_on_refused(struct collide_subscription *subscription, const struct collide_error *error)
{
	if (channel_tries_again(error, subscription->was_sent))
		subscription_wait(subscription, error->retry_after_ms > 0 ? error->retry_after_ms : CHANNEL_AGAIN_MS);
	else
		subscription_end(subscription, error);
}

static void
subscription_on_event(void *context, const struct collide_event *event)
{
	struct collide_subscription *subscription = context;
	switch (event->kind) {
	case COLLIDE_EVENT_WORLD_UPDATE:
		subscription->was_sent = true;
		if (subscription->has_again_key && event->as.world_update->tick >= subscription->again_tick)
			again_take_over(subscription);
		subscription_on_update(subscription, event->as.world_update);
		break;
	case COLLIDE_EVENT_UNSUBSCRIBED: subscription_on_unsubscribed(subscription, event->as.detached); break;
	case COLLIDE_EVENT_ERROR: subscription_on_refused(subscription, event->as.error); break;
	default: break;
	}
}

void
subscription_channel_lost(struct collide_subscription *subscription)
{
	subscription->steer_asked = 0; /* over the next connection another request has its id */
	if (subscription->phase != SUBSCRIPTION_ENDED)
		subscription_wait(subscription, 0);
}

/* Goes on only where it has all of what it asks for. */
static void
interest_go_on(struct collide_subscription *subscription)
{
	bool steered = subscription->steer_request == 0 && !subscription->steers;
	subscription->told_encoding = steered ? subscription->told_encoding : 0;
	subscription->interest.after_tick = subscription->told_tick;
	subscription->interest.after_encoding = subscription->told_encoding;
	subscription->went_on = subscription->told_encoding != 0;
	steer_begin(subscription);
}

static bool
subscription_send(struct collide_subscription *subscription, struct collide_error *error)
{
	struct collide_channel *channel = subscription->channel;
	subscription->interest.handle = subscription->seat ? seat_handle(subscription->seat) : 0;
	interest_go_on(subscription);
	subscription->request_id = core_subscribe(channel->core, &subscription->interest, subscription->coded != NULL, error);
	if (!request_own(subscription, subscription->request_id, &subscription->owner))
		return false;
	subscription->consumed = 0;
	subscription->phase = SUBSCRIPTION_SENT;
	return true;
}

/* Whether it waits for its seat, or for a time. */
static bool
subscription_is_held(const struct collide_subscription *subscription)
{
	return (subscription->seat && seat_handle(subscription->seat) == 0) ||
	       subscription->hold_until_ns > subscription->channel->now_ns;
}

bool
subscriptions_flush(struct collide_channel *channel, struct collide_error *error)
{
	bool good = true, waits = false;
	if (!channel->subscribes)
		return true;
	for (struct collide_subscription *each = channel->subscriptions; each; each = each->next) {
		if (each->phase != SUBSCRIPTION_WAITING || each->released)
			continue;
		if (subscription_is_held(each))
			waits = waits || each->hold_until_ns > channel->now_ns;
		else if (good)
			good = subscription_send(each, error);
	}
	channel->subscribes = waits;
	return good;
}

int64_t
subscriptions_due_ns(const struct collide_channel *channel)
{
	int64_t due_ns = INT64_MAX;
	for (const struct collide_subscription *each = channel->subscribes ? channel->subscriptions : NULL; each; each = each->next)
		if (each->phase == SUBSCRIPTION_WAITING && !each->released && each->hold_until_ns < due_ns &&
		    (!each->seat || seat_handle(each->seat) != 0))
			due_ns = each->hold_until_ns;
	return due_ns;
}

/* It is freed at the next channel_reap. */
static void
subscription_release(struct collide_subscription *subscription)
{
	struct collide_channel *channel = subscription->channel;
	subscription->released = true;
	channel_disown(channel, subscription->steer_asked);
	again_end(subscription);
	request_leave(subscription, subscription->request_id);
	subscription->phase = SUBSCRIPTION_ENDED;
	channel->reaps = true;
}

void
subscriptions_seat_ended(struct collide_seat *seat, const struct collide_error *error)
{
	for (struct collide_subscription *each = seat_channel(seat)->subscriptions; each; each = each->next) {
		if (each->seat != seat)
			continue;
		/* The server says itself that one ends which it has. */
		if (error && each->phase == SUBSCRIPTION_WAITING)
			subscription_end(each, error);
		if (!error && !each->released)
			subscription_release(each);
	}
}

static void
subscription_free(struct collide_subscription *subscription)
{
	batch_reader_destroy(subscription->coded);
	batch_reader_destroy(subscription->again_coded);
	free(subscription->secret);
	free(subscription);
}

static bool
coded_create(struct collide_subscription *subscription, const struct collide_reader *reader)
{
	if (!reader->take || subscription->interest.stream != COLLIDE_STREAM_COMMANDS)
		return true;
	subscription->coded = batch_reader_create();
	subscription->again_coded = batch_reader_create();
	return subscription->coded && subscription->again_coded;
}

static bool
interest_copy(struct collide_subscription *subscription, const struct collide_interest *from)
{
	subscription->interest = *from;
	failure_copy_text(subscription->world, sizeof subscription->world, from->world);
	subscription->interest.world = subscription->world;
	subscription->interest.secret = NULL;
	subscription->interest.secret_bytes = 0;
	if (!from->secret || from->secret_bytes == 0)
		return true;
	subscription->secret = malloc(from->secret_bytes);
	if (!subscription->secret)
		return false;
	memcpy(subscription->secret, from->secret, from->secret_bytes);
	subscription->interest.secret = subscription->secret;
	subscription->interest.secret_bytes = from->secret_bytes;
	return true;
}

struct collide_subscription *
collide_subscribe(struct collide_channel *channel, struct collide_seat *seat, const struct collide_interest *interest,
                  const struct collide_reader *reader, struct collide_error *error)
{
	struct collide_subscription *subscription = calloc(1, sizeof *subscription);
	if (!subscription || !interest_copy(subscription, interest) || !coded_create(subscription, reader)) {
		if (subscription)
			subscription_free(subscription);
		failure_memory(error);
		return NULL;
	}
	if (seat && seat_end_error(seat)) {
		if (error)
			*error = *seat_end_error(seat);
		subscription_free(subscription);
		return NULL;
	}
	subscription->owner = (struct channel_owner){ subscription_on_event, subscription };
	subscription->steering = (struct channel_owner){ steer_on_event, subscription };
	subscription->again = (struct channel_owner){ again_on_event, subscription };
	subscription->channel = channel;
	subscription->seat = seat;
	subscription->reader = *reader;
	subscription->next = channel->subscriptions;
	channel->subscriptions = subscription;
	channel->subscribes = true;
	return subscription;
}

void
collide_unsubscribe(struct collide_subscription *subscription)
{
	if (!subscription || subscription->released)
		return;
	subscription_release(subscription);
	channel_reap(subscription->channel);
}

void
subscriptions_reap(struct collide_channel *channel)
{
	struct collide_subscription **link = &channel->subscriptions;
	while (*link) {
		struct collide_subscription *subscription = *link;
		if (subscription->released) {
			*link = subscription->next;
			subscription_free(subscription);
		} else
			link = &subscription->next;
	}
}

void
subscriptions_destroy(struct collide_channel *channel)
{
	for (struct collide_subscription *each = channel->subscriptions; each; each = each->next) {
		channel_disown(channel, each->request_id);
		channel_disown(channel, each->steer_asked);
		channel_disown(channel, each->again_id);
		each->released = true;
	}
	subscriptions_reap(channel);
}
