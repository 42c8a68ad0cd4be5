/* Subscriptions: readers of a world's updates. All with the same options share an encoder. */
#include "base/check.h"
#include "base/memory.h"
#include "worlds/registry/regions.h"
#include "worlds/registry/registry_private.h"

#include <string.h>

static void
tell_unsubscribed(const struct subscription *subscription, const char *reason)
{
	Collide__V1__Unsubscribed unsubscribed = COLLIDE__V1__UNSUBSCRIBED__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	char text[32];
	(void)strncpy(text, reason, sizeof text - 1);
	text[sizeof text - 1] = '\0';
	unsubscribed.tick = subscription->world->stats.tick;
	unsubscribed.reason = text;
	message.request_id = subscription->request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_UNSUBSCRIBED;
	message.unsubscribed = &unsubscribed;
	subscription->world->worlds->options.upward->reply(subscription->client->context, &message, true);
}

/* ---- encoders */

static bool
encoder_post(struct hosted *world, const struct encoder_use *encoder, bool wanted)
{
	struct post *post = hosted_post(world, POST_ENCODER, 0);
	if (!post)
		return false;
	post->encoder.encoder = encoder->number;
	post->encoder.wanted = wanted;
	post->encoder.options = encoder->options;
	post_send(world, post, false);
	return true;
}

/* Whether they differ in no more than their regions. */
static bool
options_alike(const struct encoder_options *a, const struct encoder_options *b)
{
	return a->every == b->every && a->contacts == b->contacts && a->pair_events == b->pair_events && a->paths == b->paths;
}

/* How many there are: of regions, or of all else. */
static size_t
encoder_count(const struct hosted *world, bool regions)
{
	size_t count = 0;
	for (const struct encoder_use *encoder = world->encoders; encoder; encoder = encoder->next)
		count += (encoder->options.region.kind != REGION_ALL) == regions;
	return count;
}

/* That of the same options, with the smallest region that holds theirs, or theirs alone. NULL: there is none. */
static struct encoder_use *
encoder_find(const struct hosted *world, const struct encoder_options *options, bool larger)
{
	struct encoder_use *found = NULL;
	for (struct encoder_use *encoder = world->encoders; encoder; encoder = encoder->next)
		if (options_alike(&encoder->options, options) &&
		    (larger ? region_holds(&encoder->options.region, &options->region)
		            : region_equal(&encoder->options.region, &options->region)) &&
		    (!found || region_area(&encoder->options.region) < region_area(&found->options.region)))
			found = encoder;
	return found;
}

static size_t
level_count(const struct hosted *world, unsigned level)
{
	size_t count = 0;
	for (const struct encoder_use *encoder = world->encoders; encoder; encoder = encoder->next)
		count += encoder->options.region.kind == REGION_BOX && encoder->options.region.level == level;
	return count;
}

/* Whether there is one of the class of its region, or may be one more. If readers have very many regions, the coarser classes
 * are for the rest of them. */
static bool
class_fits(const struct hosted *world, const struct encoder_options *options)
{
	static const size_t most[REGION_LEVELS] = WORLDS_REGIONS_OF_LEVEL_MAX;
	const struct region *region = &options->region;
	if (encoder_find(world, options, false))
		return true;
	return encoder_count(world, true) < WORLDS_REGIONS_MAX &&
	       (region->kind == REGION_AROUND || level_count(world, region->level) < most[region->level]);
}

/* What a reader is told: what it asked for, of a class of regions; or of all, if there are many regions and none holds its
 * own. False: there are too many kinds. */
static bool
options_choose(const struct hosted *world, struct encoder_options *options)
{
	struct encoder_options wish = *options;
	unsigned levels = wish.region.kind == REGION_BOX ? REGION_LEVELS : wish.region.kind == REGION_AROUND;
	for (unsigned level = 0; level < levels; level++) {
		options->region = region_class(&wish.region, level);
		if (class_fits(world, options))
			return true;
	}
	const struct encoder_use *larger = encoder_find(world, &wish, true);
	options->region = larger ? larger->options.region : (struct region){ .kind = REGION_ALL };
	return larger || encoder_count(world, false) < WORLDS_ENCODERS_MAX;
}

/* NULL without memory. */
static struct encoder_use *
encoder_enter(struct hosted *world, const struct encoder_options *options)
{
	struct encoder_use *encoder = encoder_find(world, options, false);
	if (encoder) {
		encoder->readers++;
		return encoder;
	}
	encoder = memory_zeroed(1, sizeof *encoder);
	if (!encoder)
		return NULL;
	*encoder = (struct encoder_use){ world->encoders, *options, world->encoder_next++, 1, false };
	if (!encoder_post(world, encoder, true)) {
		memory_free(encoder);
		return NULL;
	}
	world->encoders = encoder;
	return encoder;
}

/* Without memory for the post the encoder stays without readers, until one comes with its options. */
static void
encoder_leave(struct hosted *world, struct encoder_use *encoder)
{
	if (--encoder->readers > 0 || (!world->ending && !encoder_post(world, encoder, false)))
		return;
	struct encoder_use **link = &world->encoders;
	while (*link != encoder)
		link = &(*link)->next;
	*link = encoder->next;
	memory_free(encoder);
}

static bool
encoder_ask_key(struct hosted *world, struct encoder_use *encoder)
{
	if (encoder->key_asked)
		return true;
	struct post *post = hosted_post(world, POST_KEY, 0);
	if (!post)
		return false;
	post->key_of = encoder->number;
	post_send(world, post, false);
	encoder->key_asked = true;
	return true;
}

/* ---- their life */

void
subscription_free(struct subscription *subscription)
{
	struct hosted *world = subscription->world;
	struct subscription **link = &world->subscriptions;
	while (*link != subscription)
		link = &(*link)->next;
	*link = subscription->next;
	for (link = &subscription->client->subscriptions; *link != subscription;)
		link = &(*link)->next_of_client;
	*link = subscription->next_of_client;
	world->subscription_count--;
	world->own_bytes -= sizeof *subscription;
	subscription->client->lasting_count--;
	encoder_leave(world, subscription->encoder);
	memory_free(subscription);
	entry_use_changed(world);
}

void
subscription_end(struct subscription *subscription, const char *reason)
{
	tell_unsubscribed(subscription, reason);
	subscription_free(subscription);
}

static enum status
subscribe_open(struct worlds_client *client, const Collide__V1__Subscribe *message, struct hosted **out,
               struct wire_problem *problem)
{
	enum secret_kind kind = SECRET_NONE;
	if (message->of_case == COLLIDE__V1__SUBSCRIBE__OF_SPECTATOR) {
		return entry_open(client->worlds, message->spectator->world, message->spectator->epoch, &message->spectator->secret,
		                  SECRET_JOIN, "subscribe.spectator", out, &kind, problem);
	}
	if (message->of_case != COLLIDE__V1__SUBSCRIBE__OF_HANDLE)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.handle",
		                        "is missing, and so is spectator");
	const struct seat *seat = seat_of_handle(client, message->handle);
	if (!seat)
		return wire_problem_set(problem, STATUS_NOT_FOUND, "HANDLE", "subscribe.handle", "this connection has no such handle");
	*out = seat->world;
	return STATUS_OK;
}

static enum status
options_of(const Collide__V1__Subscribe *message, struct encoder_options *out, struct wire_problem *problem)
{
	*out = (struct encoder_options){ .every = message->every == 0 ? WORLDS_UPDATE_EVERY : message->every,
		                             .contacts = message->contacts,
		                             .pair_events = message->pair_events,
		                             .paths = message->stream == COLLIDE__V1__STREAM__STREAM_PATHS };
	if (message->optional_region_case != COLLIDE__V1__SUBSCRIBE__OPTIONAL_REGION_REGION)
		return STATUS_OK;
	if (!out->paths)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.region", "is for STREAM_PATHS only");
	return region_read(message->region, "subscribe.region", &out->region, problem);
}

/* *options: what it is told, which may be more than it asked for. */
static enum status
subscribe_check(const struct hosted *world, const Collide__V1__Subscribe *message, struct encoder_options *options,
                struct wire_problem *problem)
{
	if (message->stream != COLLIDE__V1__STREAM__STREAM_STATES && message->stream != COLLIDE__V1__STREAM__STREAM_PATHS) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.stream",
		                        "must be said: STREAM_STATES or STREAM_PATHS");
	}
	if (message->pair_events && world->policy.events == 0) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.pair_events",
		                        "the world's policy has no events");
	}
	if (message->every > WORLDS_UPDATE_EVERY_MAX) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "subscribe.every", "must be at most %d",
		                        WORLDS_UPDATE_EVERY_MAX);
	}
	if (options_of(message, options, problem) != STATUS_OK)
		return problem->status;
	if (!options_choose(world, options)) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SEATS", "subscribe.every",
		                        "the world's subscriptions have %d different options already", WORLDS_ENCODERS_MAX);
	}
	if (world->subscription_count >= world->worlds->options.limits.subscriptions_per_world_max) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SEATS", "",
		                        "the world has as many subscriptions as it may");
	}
	return entry_check_room(world, sizeof(struct subscription), problem);
}

enum status
worlds_subscribe(struct worlds_client *client, uint64_t request_id, const Collide__V1__Subscribe *message,
                 struct wire_problem *problem)
{
	struct hosted *world = NULL;
	struct encoder_options options;
	enum status status = client_check_lasting(client, problem);
	if (status == STATUS_OK)
		status = subscribe_open(client, message, &world, problem);
	if (status == STATUS_OK)
		status = subscribe_check(world, message, &options, problem);
	if (status != STATUS_OK)
		return status;
	struct subscription *subscription = memory_zeroed(1, sizeof *subscription);
	struct encoder_use *encoder = subscription ? encoder_enter(world, &options) : NULL;
	if (!encoder || !encoder_ask_key(world, encoder)) {
		if (encoder)
			encoder_leave(world, encoder);
		memory_free(subscription);
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for a subscription");
	}
	*subscription = (struct subscription){
		.next = world->subscriptions,
		.next_of_client = client->subscriptions,
		.world = world,
		.client = client,
		.request_id = request_id,
		.handle = message->of_case == COLLIDE__V1__SUBSCRIBE__OF_HANDLE ? message->handle : 0,
		.encoder = encoder,
		.limited = message->credit != 0,
		.credit = message->credit,
	};
	world->subscriptions = client->subscriptions = subscription;
	world->subscription_count++;
	world->own_bytes += sizeof *subscription;
	client->lasting_count++;
	entry_use_changed(world);
	return STATUS_OK;
}

/* ---- what they are told */

static size_t
waiting_bytes(const struct subscription *subscription)
{
	return subscription->world->worlds->options.upward->waiting(subscription->client->context);
}

static bool
has_credit(const struct subscription *subscription)
{
	return !subscription->limited || subscription->credit > 0;
}

static void
send_blocks(const struct subscription *subscription, struct shared_bytes *const *blocks, size_t count, uint64_t missed_ticks)
{
	const struct worlds_upward *upward = subscription->world->worlds->options.upward;
	for (size_t i = 0; i < count; i++) {
		uint8_t front[12];
		size_t front_count = 0;
		if (i == 0 && missed_ticks > 0) {
			uint64_t value = missed_ticks < UINT32_MAX ? missed_ticks : UINT32_MAX;
			front[front_count++] = 3 << 3; /* WorldUpdate.missed_ticks */
			for (; value >= 0x80; value >>= 7)
				front[front_count++] = (uint8_t)(value | 0x80);
			front[front_count++] = (uint8_t)value;
		}
		upward->reply_shared(subscription->client->context, subscription->request_id,
		                     COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE, front, front_count, blocks[i]);
	}
}

/* One that has read what was on its way gets a key with the next update. */
static void
catch_up(struct subscription *subscription)
{
	if (subscription->state == SUBSCRIPTION_BEHIND && has_credit(subscription) && waiting_bytes(subscription) == 0 &&
	    encoder_ask_key(subscription->world, subscription->encoder))
		subscription->state = SUBSCRIPTION_WAITS;
}

/* States that were due since the last one told, up to that of this tick, as ticks. */
static uint64_t
missed_ticks(const struct subscription *subscription, uint64_t tick)
{
	uint64_t every = subscription->encoder->options.every, since = tick - subscription->told_tick;
	return subscription->begun && since > every ? since - every : 0;
}

/* False: the subscription has ended. */
static bool
tell_update(struct subscription *subscription, const struct update *update)
{
	struct shared_bytes *const *rows = update->blocks, *const *states = rows + update->row_count,
							   *const *key = states + update->state_count;
	bool told = false;
	if (subscription->begun) {
		if (waiting_bytes(subscription) > subscription->world->worlds->options.limits.owed_bytes_max) {
			subscription_end(subscription, "SLOW_READER");
			return false;
		}
		send_blocks(subscription, rows, update->row_count, 0);
	}
	if (subscription->state == SUBSCRIPTION_WAITS && update->key_count > 0) {
		send_blocks(subscription, key, update->key_count, missed_ticks(subscription, update->tick));
		subscription->state = SUBSCRIPTION_LIVE;
		told = true;
	} else if (subscription->state == SUBSCRIPTION_LIVE) {
		told = waiting_bytes(subscription) <= WORLDS_BEHIND_BYTES && has_credit(subscription);
		subscription->state = told ? SUBSCRIPTION_LIVE : SUBSCRIPTION_BEHIND;
		subscription->world->behind = subscription->world->behind || !told;
		send_blocks(subscription, states, told ? update->state_count : 0, 0);
	}
	if (told) {
		subscription->begun = true;
		subscription->told_tick = update->tick;
	}
	if (told && subscription->limited && subscription->credit > 0)
		subscription->credit--;
	catch_up(subscription);
	return true;
}

void
subscriptions_update(struct hosted *world, struct update *update)
{
	struct encoder_use *encoder = world->encoders;
	while (encoder && encoder->number != update->encoder)
		encoder = encoder->next;
	if (!encoder)
		return;
	if (update->key_count > 0)
		encoder->key_asked = false;
	bool waits = false;
	for (struct subscription *subscription = world->subscriptions, *next = NULL; subscription; subscription = next) {
		next = subscription->next;
		if (subscription->encoder == encoder && tell_update(subscription, update))
			waits = waits || subscription->state == SUBSCRIPTION_WAITS;
	}
	/* One that came after the key was made. */
	if (waits && update->key_count > 0)
		(void)encoder_ask_key(world, encoder);
}

void
subscriptions_catch_up(struct hosted *world)
{
	if (!world->behind)
		return;
	world->behind = false;
	for (struct subscription *subscription = world->subscriptions; subscription; subscription = subscription->next) {
		catch_up(subscription);
		world->behind = world->behind || subscription->state == SUBSCRIPTION_BEHIND;
	}
}

void
subscriptions_end_of_handle(struct worlds_client *client, uint32_t handle, const char *reason)
{
	for (struct subscription *subscription = client->subscriptions, *next = NULL; subscription; subscription = next) {
		next = subscription->next_of_client;
		if (subscription->handle == handle)
			subscription_end(subscription, reason);
	}
}

void
worlds_credit(struct worlds_client *client, const Collide__V1__Credit *message)
{
	for (struct subscription *subscription = client->subscriptions; subscription; subscription = subscription->next_of_client) {
		if (subscription->request_id == message->subscription && subscription->limited) {
			subscription->credit += message->updates;
			catch_up(subscription);
		}
	}
}
