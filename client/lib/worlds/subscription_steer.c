/* What a subscription tells is changed while it goes on: regions and rates. One request at a time is on its way. */
#include "client/lib/core.h"
#include "client/lib/worlds/subscription.h"

void
steer_begin(struct collide_subscription *subscription)
{
	channel_disown(subscription->channel, subscription->steer_asked);
	subscription->steer_asked = subscription->steer_request = 0;
	subscription->steers = false;
	subscription->region = subscription->interest.region;
	subscription->every = subscription->interest.every;
}

/* Asks for what the interest has now. */
static bool
steer_send(struct collide_subscription *subscription, struct collide_error *error)
{
	struct collide_channel *channel = subscription->channel;
	const struct collide_interest *interest = &subscription->interest;
	uint64_t request_id = collide_core_steer(channel->core, subscription->request_id, &interest->region, interest->every,
	                                         error);
	if (request_id == 0)
		return false;
	core_request_own(channel->core, request_id, &subscription->steering);
	subscription->steer_asked = subscription->steer_request = request_id;
	subscription->steers = false;
	return true;
}

void
steer_on_event(void *context, const struct collide_event *event)
{
	struct collide_subscription *subscription = context;
	struct collide_error error;
	bool steered = event->kind == COLLIDE_EVENT_STEERED;
	subscription->steer_asked = 0;
	if (steered) {
		subscription->region = subscription->interest.region;
		subscription->every = subscription->interest.every;
	} else {
		subscription->steer_request = 0;
		if (!subscription->steers) {
			subscription->interest.region = subscription->region;
			subscription->interest.every = subscription->every;
		}
	}
	/* Without memory it is not sent until the next one. */
	if (subscription->steers && !subscription->released && subscription->phase == SUBSCRIPTION_SENT)
		(void)steer_send(subscription, &error);
	if (!subscription->released && subscription->reader.on_steered)
		subscription->reader.on_steered(subscription->reader.context, subscription, steered ? event->as.steered : NULL,
		                                steered ? NULL : event->as.error);
}

bool
collide_steer(struct collide_subscription *subscription, const struct collide_region *region, uint32_t every,
              struct collide_error *error)
{
	static const struct collide_region all = { .kind = COLLIDE_REGION_ALL };
	subscription->interest.region = region ? *region : all;
	subscription->interest.every = every != 0 ? every : subscription->interest.every;
	subscription->steers = true;
	/* One that is not subscribed asks for it when it is; one at a time waits for its answer. */
	return subscription->phase != SUBSCRIPTION_SENT || !channel_is_open(subscription->channel) ||
	       subscription->steer_asked != 0 || steer_send(subscription, error);
}
