/* A subscription: subscribed, and subscribed again after each lost connection and each restored past; a key comes with each. */
#include "client/lib/core.h"
#include "client/lib/failure.h"
#include "client/lib/follow/follower.h"
#include "client/lib/worlds/channel.h"

#include <stdlib.h>
#include <string.h>

enum subscription_phase { SUBSCRIPTION_WAITING, SUBSCRIPTION_SENT, SUBSCRIPTION_ENDED };

struct collide_subscription {
	struct channel_owner owner;
	struct collide_channel *channel;
	struct collide_seat *seat; /* NULL: by a secret */
	struct collide_subscription *next;
	struct collide_interest interest; /* texts and bytes are in the next ones */
	char world[COLLIDE_NAME_BYTES];
	uint8_t *secret;
	struct collide_reader reader;
	enum subscription_phase phase;
	uint64_t request_id;
	bool was_sent, released;
	uint32_t consumed; /* updates since credit was last given */
	int64_t hold_until_ns;
};

struct collide_subscription *
subscriptions_next(const struct collide_subscription *subscription)
{
	return subscription->next;
}

static void
subscription_wait(struct collide_subscription *subscription, int64_t hold_ms)
{
	subscription->phase = SUBSCRIPTION_WAITING;
	subscription->request_id = 0;
	subscription->hold_until_ns = hold_ms == 0 ? 0 : subscription->channel->now_ns + hold_ms * CHANNEL_NS_PER_MS;
	subscription->channel->subscribes = true;
}

static void
subscription_end(struct collide_subscription *subscription, const struct collide_error *error)
{
	subscription->phase = SUBSCRIPTION_ENDED;
	subscription->request_id = 0;
	if (!subscription->released && subscription->reader.on_end)
		subscription->reader.on_end(subscription->reader.context, subscription, error);
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
 * circles. */
static bool
update_has_states(const struct collide_world_update *update, bool paths)
{
	const struct collide_frame *frame = update->frame;
	if (paths)
		return update->key || !frame;
	if (update->key || !frame || frame->bodies.count > 0)
		return update->key || frame;
	return frame->contacts.count + frame->path_changes.count + frame->pair_events.count + frame->ends.count +
	           frame->shortfalls.count ==
	       0;
}

static void
subscription_on_update(struct collide_subscription *subscription, const struct collide_world_update *update)
{
	bool counts = update_has_states(update, subscription->interest.stream == COLLIDE_STREAM_PATHS);
	if (!subscription->released && subscription->reader.on_update)
		subscription->reader.on_update(subscription->reader.context, subscription, update);
	if (counts && !subscription->released)
		credit_give(subscription);
}

static void
subscription_on_unsubscribed(struct collide_subscription *subscription, const struct collide_detached *end)
{
	struct collide_error error;
	bool slow = strcmp(end->reason, "SLOW_READER") == 0;
	if (strcmp(end->reason, "RESTORED") == 0) {
		subscription->interest.epoch = 0; /* it is another one now */
		subscription_wait(subscription, 0);
		return;
	}
	if (strcmp(end->reason, "HANDOVER") == 0) {
		subscription_wait(subscription, CHANNEL_HANDOVER_MS);
		return;
	}
	failure_set(&error, COLLIDE_FROM_SERVER, slow ? COLLIDE_RESOURCE_EXHAUSTED : COLLIDE_CANCELLED, end->reason,
	            "the subscription ended at tick %llu: %s", (unsigned long long)end->tick, end->reason);
	subscription_end(subscription, &error);
}

static void
subscription_on_refused(struct collide_subscription *subscription, const struct collide_error *error)
{
	if (subscription->was_sent && (error->retry_after_ms > 0 || error->code == COLLIDE_UNAVAILABLE))
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
	if (subscription->phase == SUBSCRIPTION_ENDED)
		return;
	subscription_wait(subscription, 0);
}

static bool
subscription_follow(void *context, const Collide__V1__WorldUpdate *part, struct collide_error *error)
{
	const struct collide_subscription *subscription = context;
	return follower_take(subscription->reader.follower, part, error);
}

static bool
subscription_send(struct collide_subscription *subscription, struct collide_error *error)
{
	struct collide_channel *channel = subscription->channel;
	subscription->interest.handle = subscription->seat ? seat_handle(subscription->seat) : 0;
	subscription->request_id = collide_core_subscribe(channel->core, &subscription->interest, error);
	if (subscription->request_id == 0)
		return false;
	core_request_own(channel->core, subscription->request_id, &subscription->owner);
	core_request_follow(channel->core, subscription->request_id,
	                    (struct core_follow){ subscription->reader.follower ? subscription_follow : NULL, subscription });
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
	struct collide_error error;
	struct collide_channel *channel = subscription->channel;
	subscription->released = true;
	if (subscription->request_id != 0 && channel_is_open(channel)) {
		core_request_follow(channel->core, subscription->request_id, (struct core_follow){ NULL, NULL });
		channel_disown(channel, subscription->request_id);
		/* Without memory for it the updates go on, and go nowhere. */
		uint64_t cancel_id = collide_core_cancel(channel->core, subscription->request_id, &error);
		channel_disown(channel, cancel_id);
	}
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
	if (!subscription || !interest_copy(subscription, interest)) {
		free(subscription);
		failure_memory(error);
		return NULL;
	}
	if (seat && seat_end_error(seat)) {
		if (error)
			*error = *seat_end_error(seat);
		free(subscription->secret);
		free(subscription);
		return NULL;
	}
	subscription->owner = (struct channel_owner){ subscription_on_event, subscription };
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
			free(subscription->secret);
			free(subscription);
		} else
			link = &subscription->next;
	}
}

void
subscriptions_destroy(struct collide_channel *channel)
{
	for (struct collide_subscription *each = channel->subscriptions; each; each = each->next) {
		channel_disown(channel, each->request_id);
		each->released = true;
	}
	subscriptions_reap(channel);
}
