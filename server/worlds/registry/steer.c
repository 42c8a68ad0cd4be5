/* Steer: another region, and another `every`, for a reader that is there. Its world brings it from one encoder to the other. */
#include "worlds/registry/regions.h"
#include "worlds/registry/registry_private.h"

/* False: no memory. */
static bool
steer_begin(struct subscription *subscription, uint64_t request_id, const struct encoder_options *options)
{
	struct hosted *world = subscription->world;
	struct encoder_use *next = encoder_enter(world, options);
	struct post *post = next ? hosted_post(world, POST_STEER, 0) : NULL;
	if (post && next != subscription->encoder) {
		post->steer.from = subscription->encoder->number;
		post->steer.to = next->number;
		post->steer.reader = subscription->number;
		post_send(world, post, false);
		subscription->next_encoder = next;
		subscription->next_request = request_id;
		return true;
	}
	if (post)
		subscription->steered = request_id; /* it is where it was */
	if (next)
		encoder_leave(world, next);
	post_free(post);
	return post != NULL;
}

static void
reply_steered(struct worlds_client *client, uint64_t request_id, const struct encoder_options *options)
{
	Collide__V1__Steered steered = COLLIDE__V1__STEERED__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	struct region_message room;
	steered.region = region_tell(&options->region, &room);
	if (steered.region)
		steered.optional_region_case = COLLIDE__V1__STEERED__OPTIONAL_REGION_REGION;
	steered.every = options->every;
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_STEERED;
	message.steered = &steered;
	client->worlds->options.upward->reply(client->context, &message, true);
}

enum status
worlds_steer(struct worlds_client *client, uint64_t request_id, const Collide__V1__Steer *message, struct wire_problem *problem)
{
	struct subscription *subscription = subscription_find(client, message->subscription);
	if (!subscription) {
		return wire_problem_set(problem, STATUS_NOT_FOUND, "SUBSCRIPTION", "steer.subscription",
		                        "this connection has no such subscription");
	}
	const struct hosted *world = subscription->world;
	const struct encoder_use *latest = subscription->next_encoder ? subscription->next_encoder : subscription->encoder;
	bool has_region = message->optional_region_case == COLLIDE__V1__STEER__OPTIONAL_REGION_REGION;
	struct encoder_options wish = subscription->wish_request != 0 ? subscription->wish : latest->options;
	if (subscription_wish(has_region ? message->region : NULL, message->every, "steer", &wish, problem) != STATUS_OK)
		return problem->status;
	struct encoder_options options = wish;
	if (subscription_choose(world, subscription->guest, "steer", &options, problem) != STATUS_OK)
		return problem->status;
	if (subscription->next_encoder) {
		subscription->wish_request = request_id;
		subscription->wish = wish;
	} else if (!steer_begin(subscription, request_id, &options)) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for another region");
	} else {
		subscription->wish_request = 0;
	}
	reply_steered(client, request_id, &options);
	return STATUS_OK;
}

void
subscription_steer_on(struct subscription *subscription)
{
	struct encoder_options options = subscription->wish;
	if (subscription->wish_request == 0 || subscription->next_encoder)
		return;
	if (encoder_options_choose(subscription->world, subscription->guest, &options) &&
	    steer_begin(subscription, subscription->wish_request, &options))
		subscription->wish_request = 0;
	else
		subscription->world->behind = true;
}

/* Whether what the update has for it is told; else it is to have a key. It has its next encoder then. */
static bool
bridge_tell(struct subscription *subscription, const struct update *update, size_t waiting)
{
	struct shared_bytes *const *states = update->blocks + update->row_count;
	size_t bridge = subscription->encoder->options.paths ? 1 : 0, rest = update->state_count - bridge;
	uint64_t cost = (rest > 0) + bridge;
	bool told = update->bridged && subscription_takes_states(subscription, waiting) && subscription->told_tick == update->since;
	struct encoder_use *left = subscription->encoder;
	if (told)
		subscription_send_states(subscription, states, rest);
	subscription->encoder = subscription->next_encoder;
	subscription->next_encoder = NULL;
	subscription->steered = subscription->next_request;
	encoder_leave(subscription->world, left);
	if (!told)
		return false;
	subscription_send_states(subscription, states + rest, bridge);
	subscription->told_tick = update->tick;
	if (subscription->limited)
		subscription->credit -= cost < subscription->credit ? cost : subscription->credit;
	return true;
}

void
subscription_steered(struct hosted *world, const struct update *update)
{
	struct subscription *subscription = world->subscriptions;
	while (subscription && subscription->number != update->reader)
		subscription = subscription->next;
	if (!subscription || !subscription->next_encoder || update->epoch != world->epoch)
		return;
	size_t waiting = subscription_waiting(subscription);
	if (subscription->begun && !subscription_keeps_up(subscription, waiting))
		return;
	if (subscription->begun)
		subscription_send(subscription, update->blocks, update->row_count);
	if (!bridge_tell(subscription, update, waiting)) {
		/* One that waited for a key waits for another one. */
		subscription->state = SUBSCRIPTION_BEHIND;
		world->behind = true;
		subscription_catch_up(subscription);
	}
	subscription_steer_on(subscription);
}
