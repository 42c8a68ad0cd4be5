/* Subscriptions: readers of a world's updates. All with the same options share an encoder. */
#include "base/memory.h"
#include "worlds/rate.h"
#include "worlds/registry/give_way.h"
#include "worlds/registry/recordings.h"
#include "worlds/registry/regions.h"
#include "worlds/registry/registry_private.h"

#include <inttypes.h>
#include <stdio.h>
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
	if (subscription->guest)
		subscription->guest->subscriptions--;
	world->own_bytes -= sizeof *subscription;
	subscription->client->lasting_count--;
	encoder_leave(world, subscription->encoder);
	if (subscription->next_encoder)
		encoder_leave(world, subscription->next_encoder);
	memory_free(subscription);
	entry_use_changed(world);
}

void
subscription_end(struct subscription *subscription, const char *reason)
{
	tell_unsubscribed(subscription, reason);
	subscription_free(subscription);
}

struct subscription *
subscription_find(const struct worlds_client *client, uint64_t request_id)
{
	struct subscription *subscription = client->subscriptions;
	while (subscription && subscription->request_id != request_id)
		subscription = subscription->next_of_client;
	return subscription;
}

/* ---- what they are told */

size_t
subscription_waiting(const struct subscription *subscription)
{
	return subscription->world->worlds->options.upward->waiting(subscription->client->context);
}

static bool
has_credit(const struct subscription *subscription)
{
	return !subscription->limited || subscription->credit > 0;
}

static size_t
varint_put(uint8_t *at, uint64_t value)
{
	size_t count = 0;
	for (; value >= 0x80; value >>= 7)
		at[count++] = (uint8_t)(value | 0x80);
	at[count++] = (uint8_t)value;
	return count;
}

/* Fields of a WorldUpdate that are for this reader only; encoding 0: not told. Returns how many bytes. */
#define FRONT_BYTES_MAX 32
static size_t
front_put(uint8_t *front, uint64_t missed_ticks, uint64_t steered, uint64_t encoding)
{
	size_t count = 0;
	if (missed_ticks > 0) {
		front[count++] = 3 << 3; /* missed_ticks */
		count += varint_put(front + count, missed_ticks < UINT32_MAX ? missed_ticks : UINT32_MAX);
	}
	if (steered > 0) {
		front[count++] = 12 << 3; /* steered */
		count += varint_put(front + count, steered);
	}
	if (encoding > 0) {
		front[count++] = 13 << 3 | 1; /* encoding */
		for (unsigned i = 0; i < 8; i++)
			front[count++] = (uint8_t)(encoding >> 8 * i);
	}
	return count;
}

static void
send_blocks(const struct subscription *subscription, struct shared_bytes *const *blocks, size_t count, const uint8_t *front,
            size_t front_count)
{
	for (size_t i = 0; i < count; i++)
		subscription->world->worlds->options.upward->reply_shared(subscription->client->context, subscription->request_id,
		                                                          COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE, front,
		                                                          i == 0 ? front_count : 0, blocks[i]);
}

void
subscription_send(const struct subscription *subscription, struct shared_bytes *const *blocks, size_t count)
{
	send_blocks(subscription, blocks, count, NULL, 0);
}

void
subscription_send_states(struct subscription *subscription, struct shared_bytes *const *blocks, size_t count)
{
	uint8_t front[FRONT_BYTES_MAX];
	uint64_t steered = subscription->steered;
	if (count == 0)
		return;
	send_blocks(subscription, blocks, count, front, front_put(front, 0, steered, steered ? subscription->encoder->name : 0));
	subscription->steered = 0;
}

static void
send_key(struct subscription *subscription, struct shared_bytes *const *blocks, size_t count, uint64_t missed_ticks)
{
	uint8_t front[FRONT_BYTES_MAX];
	send_blocks(subscription, blocks, count, front,
	            front_put(front, missed_ticks, subscription->steered, subscription->encoder->name));
	subscription->steered = 0;
}

bool
subscription_keeps_up(struct subscription *subscription, size_t waiting)
{
	if (waiting <= subscription->world->worlds->options.limits.owed_bytes_max)
		return true;
	subscription_end(subscription, "SLOW_READER");
	return false;
}

bool
subscription_takes_states(const struct subscription *subscription, size_t waiting)
{
	return subscription->state == SUBSCRIPTION_LIVE && waiting <= WORLDS_BEHIND_BYTES && has_credit(subscription);
}

void
subscription_catch_up(struct subscription *subscription)
{
	if (subscription->state == SUBSCRIPTION_BEHIND && has_credit(subscription) && subscription_waiting(subscription) == 0 &&
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

/* `waiting`: bytes that wait for it before this update. False: the subscription has ended. */
static bool
tell_update(struct subscription *subscription, const struct update *update, size_t waiting)
{
	struct shared_bytes *const *rows = update->blocks, *const *states = rows + update->row_count,
							   *const *key = states + update->state_count;
	bool told = false;
	if (subscription->begun) {
		if (!subscription_keeps_up(subscription, waiting))
			return false;
		subscription_send(subscription, rows, update->row_count);
	}
	if (subscription->state == SUBSCRIPTION_WAITS && update->key_count > 0) {
		send_key(subscription, key, update->key_count, missed_ticks(subscription, update->tick));
		subscription->state = SUBSCRIPTION_LIVE;
		told = true;
	} else if (subscription->state == SUBSCRIPTION_LIVE && update->state_count > 0) {
		told = subscription_takes_states(subscription, waiting);
		subscription->state = told ? SUBSCRIPTION_LIVE : SUBSCRIPTION_BEHIND;
		subscription->world->behind = subscription->world->behind || !told;
		subscription_send_states(subscription, states, told ? update->state_count : 0);
	}
	if (told) {
		subscription->begun = true;
		subscription->told_tick = update->tick;
	}
	if (told && subscription->limited && subscription->credit > 0)
		subscription->credit--;
	subscription_catch_up(subscription);
	return true;
}

/* There is no memory to ask for their key: they are as those that are behind, until there is. */
static void
waiting_put_off(struct hosted *world, const struct encoder_use *encoder)
{
	world->behind = true;
	for (struct subscription *subscription = world->subscriptions; subscription; subscription = subscription->next)
		if (subscription->encoder == encoder && subscription->state == SUBSCRIPTION_WAITS)
			subscription->state = SUBSCRIPTION_BEHIND;
}

/* One that was told nothing yet is refused. */
static void
subscription_lose(struct subscription *subscription)
{
	const struct hosted *world = subscription->world;
	struct wire_problem problem;
	if (subscription->begun) {
		subscription_end(subscription, "MEMORY");
		return;
	}
	(void)wire_problem_set(&problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "subscribe",
	                       "the world has no memory for it: of Limits.worlds.world_bytes_max, %" PRIu64
	                       ", readers leave an eighth to its ticks",
	                       world->worlds->options.limits.world_bytes_max);
	world->worlds->options.upward->refuse(subscription->client->context, subscription->request_id, &problem);
	subscription_free(subscription);
}

/* There is no such encoder any more. Those that were to go over to it end, too: they were told that they would. */
static void
subscriptions_lose(struct hosted *world, struct encoder_use *encoder)
{
	encoder->readers++; /* so that it stays up to here */
	recording_lose(world, encoder);
	for (struct subscription *subscription = world->subscriptions, *next = NULL; subscription; subscription = next) {
		next = subscription->next;
		if (subscription->encoder == encoder || subscription->next_encoder == encoder)
			subscription_lose(subscription);
	}
	encoder_lose(world, encoder);
}

void
subscriptions_update(struct hosted *world, struct update *update)
{
	struct encoder_use *encoder = world->encoders;
	while (encoder && encoder->number != update->encoder)
		encoder = encoder->next;
	if (encoder && update->failed)
		subscriptions_lose(world, encoder);
	if (!encoder || update->failed || update->epoch != world->epoch)
		return;
	if (update->key_count > 0)
		encoder->key_asked = false;
	encoder_keep(world, encoder, update);
	recording_update(world, encoder, update);
	bool waits = false;
	for (struct subscription *subscription = world->subscriptions, *next = NULL; subscription; subscription = next) {
		next = subscription->next;
		if (subscription->encoder != encoder || !tell_update(subscription, update, subscription_waiting(subscription)))
			continue;
		waits = waits || subscription->state == SUBSCRIPTION_WAITS;
		if (subscription->begun && subscription->told_tick == update->tick)
			sending_note(subscription->client, world, update->due_ns);
	}
	/* One that came after the key was made. */
	if (waits && update->key_count > 0 && !encoder_ask_key(world, encoder))
		waiting_put_off(world, encoder);
}

void
subscriptions_catch_up(struct hosted *world)
{
	if (!world->behind)
		return;
	world->behind = false;
	for (struct subscription *subscription = world->subscriptions; subscription; subscription = subscription->next) {
		subscription_catch_up(subscription);
		subscription_steer_on(subscription);
		world->behind = world->behind || subscription->state == SUBSCRIPTION_BEHIND;
	}
}

/* ---- Subscribe and Credit */

static size_t
owner_subscriptions(const struct hosted *world)
{
	size_t count = 0;
	for (const struct subscription *each = world->subscriptions; each; each = each->next)
		count += each->by_owner;
	return count;
}

static enum status
subscribe_open(struct worlds_client *client, const Collide__V1__Subscribe *message, struct hosted **out, bool *by_owner,
               struct wire_problem *problem)
{
	if (message->of_case == COLLIDE__V1__SUBSCRIBE__OF_SPECTATOR) {
		enum secret_kind kind = SECRET_NONE;
		enum status status = entry_open(client->worlds, message->spectator->world, message->spectator->epoch,
		                                &message->spectator->secret, SECRET_JOIN, "subscribe.spectator", out, &kind, problem);
		*by_owner = kind == SECRET_OWNER;
		return status;
	}
	if (message->of_case != COLLIDE__V1__SUBSCRIBE__OF_HANDLE)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.handle",
		                        "is missing, and so is spectator");
	const struct seat *seat = seat_of_handle(client, message->handle);
	if (!seat)
		return wire_problem_set(problem, STATUS_NOT_FOUND, "HANDLE", "subscribe.handle", "this connection has no such handle");
	*out = seat->world;
	*by_owner = seat->by_owner;
	return STATUS_OK;
}

enum status
subscription_wish(const Collide__V1__Region *region, uint32_t every, const char *path, struct encoder_options *options,
                  struct wire_problem *problem)
{
	char field[32];
	(void)snprintf(field, sizeof field, "%s.every", path);
	if (every > WORLDS_UPDATE_EVERY_MAX) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", field, "must be at most %d",
		                        WORLDS_UPDATE_EVERY_MAX);
	}
	options->every = every == 0 ? options->every : every;
	if (options->tolerance > 0.0 && options->every > WORLDS_QUANTIZED_EVERY_MAX) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", field, "must be at most %d with a tolerance",
		                        WORLDS_QUANTIZED_EVERY_MAX);
	}
	options->region = (struct region){ .kind = REGION_ALL };
	(void)snprintf(field, sizeof field, "%s.region", path);
	if (region && !options->paths && options->tolerance == 0.0)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field,
		                        "is for STREAM_PATHS, and for STREAM_STATES with a tolerance");
	return region ? region_read(region, field, &options->region, problem) : STATUS_OK;
}

enum status
subscription_choose(const struct hosted *world, const struct guest *guest, const char *path, struct encoder_options *options,
                    struct wire_problem *problem)
{
	char field[32];
	if (encoder_options_choose(world, guest, options))
		return STATUS_OK;
	(void)snprintf(field, sizeof field, "%s.every", path);
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SEATS", field,
	                        "the world's subscriptions have as many different options as they may, %d; of one address fewer",
	                        WORLDS_ENCODERS_MAX);
}

/* The tolerances of a Subscribe, in *options. */
static enum status
tolerance_read(const Collide__V1__Subscribe *message, struct encoder_options *options, struct wire_problem *problem)
{
	double tolerance = message->tolerance, driven = message->driven_tolerance;
	if (tolerance == 0.0 && driven == 0.0)
		return STATUS_OK;
	if (tolerance != 0.0 && message->stream != COLLIDE__V1__STREAM__STREAM_STATES)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.tolerance",
		                        "is for STREAM_STATES only");
	if (tolerance == 0.0)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.driven_tolerance",
		                        "is for a stream with a tolerance only");
	if (!(tolerance >= WORLDS_TOLERANCE_MIN && tolerance <= WORLDS_TOLERANCE_MAX))
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.tolerance",
		                        "must be 0, or from %g to %g", WORLDS_TOLERANCE_MIN, WORLDS_TOLERANCE_MAX);
	if (driven != 0.0 && !(driven >= tolerance && driven <= WORLDS_TOLERANCE_MAX))
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.driven_tolerance",
		                        "must be 0, or from the tolerance to %g", WORLDS_TOLERANCE_MAX);
	options->tolerance = tolerance;
	options->driven_tolerance = driven == 0.0 ? tolerance : driven;
	return STATUS_OK;
}

/* The limit of a Subscribe, in *options. */
static enum status
limit_read(const Collide__V1__Subscribe *message, struct encoder_options *options, struct wire_problem *problem)
{
	uint32_t bytes = message->bytes_per_second;
	if (bytes != 0 && message->tolerance == 0.0)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.bytes_per_second",
		                        "is for STREAM_STATES with a tolerance only");
	if (bytes != 0 && (bytes < WORLDS_STREAM_BYTES_MIN || bytes > WORLDS_STREAM_BYTES_MAX))
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.bytes_per_second",
		                        "must be 0, or from %d to %d", WORLDS_STREAM_BYTES_MIN, WORLDS_STREAM_BYTES_MAX);
	options->bytes_per_second = rate_class(bytes);
	return STATUS_OK;
}

static bool
reader_fits(const struct hosted *world, const struct guest *guest)
{
	size_t most = world->worlds->options.limits.subscriptions_per_world_max, count = world->subscription_count;
	if (guest)
		return guest_may_have(guest->subscriptions, 1, count < most ? most - count : 0);
	return count < most + (owner_subscriptions(world) < WORLDS_OWNER_MORE ? WORLDS_OWNER_MORE : 0);
}

/* Whether there is a place for one more, or one was made by what an address has that has more. */
static bool
reader_finds_place(struct hosted *world, const struct guest *guest)
{
	if (reader_fits(world, guest))
		return true;
	bool full = guest && world->subscription_count == world->worlds->options.limits.subscriptions_per_world_max;
	struct subscription *reader = full && guest_may_have(guest->subscriptions, 1, 1) ? reader_to_give_way(world, guest) : NULL;
	if (reader)
		subscription_end(reader, "OVER_SHARE");
	return reader != NULL;
}

/* That of a reader by the join secret, which may come now. NULL with STATUS_OK: by the owner's. */
static enum status
subscribe_enter(const struct worlds_client *client, struct hosted *world, bool by_owner, struct guest **out,
                struct wire_problem *problem)
{
	*out = NULL;
	if (by_owner)
		return STATUS_OK;
	*out = guest_enter(world, client);
	if (!*out)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for a subscription");
	return guest_come(world, *out, problem);
}

static enum status
subscribe_check(struct hosted *world, const struct guest *guest, const Collide__V1__Subscribe *message,
                struct encoder_options *options, struct wire_problem *problem)
{
	bool has_region = message->optional_region_case == COLLIDE__V1__SUBSCRIBE__OPTIONAL_REGION_REGION;
	bool commands = message->stream == COLLIDE__V1__STREAM__STREAM_COMMANDS;
	if (message->stream != COLLIDE__V1__STREAM__STREAM_STATES && message->stream != COLLIDE__V1__STREAM__STREAM_PATHS &&
	    !commands) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.stream",
		                        "must be said: STREAM_STATES, STREAM_PATHS or STREAM_COMMANDS");
	}
	if (commands && (message->contacts || message->pair_events)) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD",
		                        message->contacts ? "subscribe.contacts" : "subscribe.pair_events",
		                        "is not for STREAM_COMMANDS: the engine of its reader makes them");
	}
	if (message->coded && !commands)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.coded",
		                        "is for STREAM_COMMANDS only");
	if (message->driven_legs && message->stream != COLLIDE__V1__STREAM__STREAM_PATHS)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "subscribe.driven_legs",
		                        "is for STREAM_PATHS only");
	*options = (struct encoder_options){ .every = WORLDS_UPDATE_EVERY,
		                                 .contacts = message->contacts,
		                                 .pair_events = message->pair_events,
		                                 .provisional = message->provisional && world->policy.late == WORLD_LATE_RESIMULATE,
		                                 .commands = commands,
		                                 .coded = message->coded,
		                                 .driven_legs = message->driven_legs,
		                                 .paths = message->stream == COLLIDE__V1__STREAM__STREAM_PATHS };
	if (tolerance_read(message, options, problem) != STATUS_OK || limit_read(message, options, problem) != STATUS_OK ||
	    subscription_wish(has_region ? message->region : NULL, message->every, "subscribe", options, problem) != STATUS_OK ||
	    subscription_choose(world, guest, "subscribe", options, problem) != STATUS_OK)
		return problem->status;
	if (entry_check_room(world, sizeof(struct subscription), problem) != STATUS_OK)
		return problem->status;
	/* Last: another reader may end for it. */
	if (!reader_finds_place(world, guest)) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SEATS", "",
		                        "the world, or this address in it, has as many subscriptions as it may");
	}
	return STATUS_OK;
}

enum status
worlds_subscribe(struct worlds_client *client, uint64_t request_id, const Collide__V1__Subscribe *message,
                 struct wire_problem *problem)
{
	struct hosted *world = NULL;
	struct encoder_options options;
	struct guest *guest = NULL;
	bool by_owner = false;
	enum status status = client_check_lasting(client, problem);
	if (status == STATUS_OK)
		status = subscribe_open(client, message, &world, &by_owner, problem);
	if (status == STATUS_OK && world->stats.failed)
		status = wire_problem_set(problem, STATUS_FAILED_PRECONDITION, "WORLD_FAILED", "",
		                          "a tick of the world could not be made; it can be restored or destroyed");
	if (status == STATUS_OK)
		status = subscribe_enter(client, world, by_owner, &guest, problem);
	if (status == STATUS_OK)
		status = subscribe_check(world, guest, message, &options, problem);
	if (status != STATUS_OK)
		return status;
	struct subscription *subscription = memory_zeroed(1, sizeof *subscription);
	struct encoder_use *encoder = subscription ? encoder_enter(world, &options) : NULL;
	struct update *first = NULL;
	bool goes_on = encoder && encoder_goes_on(encoder, message->after_encoding, message->after_tick, &first);
	if (!encoder || (!goes_on && !encoder_ask_key(world, encoder))) {
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
		.by_owner = by_owner,
		.guest = guest,
		.encoder = encoder,
		.limited = message->credit != 0,
		.credit = message->credit,
		.state = goes_on ? SUBSCRIPTION_LIVE : SUBSCRIPTION_WAITS,
		.begun = goes_on,
		.told_tick = message->after_tick,
		.number = world->worlds->reader_next++,
	};
	world->subscriptions = client->subscriptions = subscription;
	world->subscription_count++;
	if (guest)
		guest->subscriptions++;
	world->own_bytes += sizeof *subscription;
	client->lasting_count++;
	entry_use_changed(world);
	/* All that is kept is less than may be owed. */
	for (const struct update *update = first; update && tell_update(subscription, update, 0);)
		update = update->next;
	kept_updates_free(first);
	return STATUS_OK;
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
			subscription_catch_up(subscription);
		}
	}
}
