/* The registry as a whole: its life, its clients, news and time. */
#include "base/check.h"
#include "base/memory.h"
#include "worlds/registry/guests.h"
#include "worlds/registry/recordings.h"
#include "worlds/registry/registry_private.h"

#include <string.h>

/* Seats that end for want of a connection in one go: a millisecond or so of the loop. */
#define SEAT_ENDS_AT_ONCE 1024

struct worlds_limits
worlds_limits_default(void)
{
	return (struct worlds_limits){
		.worlds_max = WORLDS_MAX,
		.worlds_per_account_max = WORLDS_PER_ACCOUNT_MAX,
		.maps_max = WORLDS_MAPS_MAX,
		.seats_per_world_max = WORLDS_SEATS_MAX,
		.subscriptions_per_world_max = WORLDS_SUBSCRIPTIONS_MAX,
		.tick_hz_max = WORLDS_TICK_HZ_MAX,
		.batches_waiting_max = WORLDS_BATCHES_WAITING_MAX,
		.batch_rows_max = WORLDS_BATCH_ROWS_MAX,
		.batch_bytes_max = WORLDS_BATCH_BYTES_MAX,
		.ahead_ticks_max = WORLDS_AHEAD_TICKS_MAX,
		.history_ticks_max = WORLDS_HISTORY_TICKS_MAX,
		.world_bytes_max = WORLDS_WORLD_BYTES_MAX,
		.journal_bytes_max = WORLDS_JOURNAL_BYTES_MAX,
		.owed_bytes_max = WORLDS_OWED_BYTES_MAX,
		.kept_bytes_max = WORLDS_KEPT_BYTES_MAX,
		.batches_per_second_max = WORLDS_BATCHES_PER_SECOND_MAX,
		.joins_per_second_max = WORLDS_JOINS_PER_SECOND_MAX,
		.bytes_per_second_max = WORLDS_BYTES_PER_SECOND_MAX,
		.outcomes_max = WORLDS_OUTCOMES_MAX,
		.resimulated_ticks_max = WORLDS_RESIMULATED_TICKS_MAX,
		.cpu_percent_max = WORLDS_CPU_PERCENT_MAX,
		.cpu_percent_per_account_max = WORLDS_CPU_PERCENT_PER_ACCOUNT_MAX,
		.record_waiting_bytes_max = WORLDS_RECORD_WAITING_BYTES_MAX,
	};
}

struct worlds *
worlds_create(const struct worlds_options *options)
{
	struct worlds *worlds = memory_zeroed(1, sizeof *worlds);
	if (!worlds)
		return NULL;
	worlds->options = *options;
	worlds->epoch_next = options->epoch_first;
	worlds->ask_next = worlds->reader_next = 1;
	worlds->looked_ns = options->host.now_ns();
	return worlds;
}

/* An entry without its live world, which is the host's. */
static void
entry_drop(struct hosted *world)
{
	while (world->subscriptions)
		subscription_free(world->subscriptions);
	while (world->seats)
		seat_end(world->seats, "WORLD_GONE");
	while (world->asks)
		ask_free(world, world->asks);
	recording_end(world, "WORLD_GONE");
	encoders_drop(world);
	entry_free(world);
}

void
worlds_destroy(struct worlds *worlds)
{
	if (!worlds)
		return;
	for (size_t i = 0; i < worlds->count; i++) {
		struct hosted *world = worlds->entries[i];
		world->ending = true;
		world->next_ending = worlds->ending;
		worlds->ending = world;
	}
	worlds->count = 0;
	while (worlds->ending)
		entry_drop(worlds->ending);
	recordings_free(worlds);
	memory_free(worlds->entries);
	memory_free(worlds);
}

struct map_store *
worlds_maps(const struct worlds *worlds)
{
	return worlds->options.maps;
}

size_t
worlds_count(const struct worlds *worlds)
{
	return worlds->count;
}

bool
worlds_are_ending(const struct worlds *worlds)
{
	return worlds->count > 0 || worlds->ending;
}

/* ---- clients */

void
worlds_client_init(struct worlds_client *client, struct worlds *worlds, void *context, void *account)
{
	*client = (struct worlds_client){ .worlds = worlds, .context = context, .account = account };
}

void
worlds_client_gone(struct worlds_client *client)
{
	sendings_drop(client);
	while (client->subscriptions)
		subscription_free(client->subscriptions);
	while (client->asks)
		ask_forget(client->asks);
	if (client->worlds)
		recordings_forget_client(client);
	while (client->deliveries)
		delivery_end(client, &client->deliveries);
	while (client->seat_count > 0) {
		struct seat *last = client->seats[client->seat_count - 1];
		seat_leave(last);
		entry_use_changed(last->world);
	}
	memory_free(client->seats);
	client->seats = NULL;
	client->seat_room = 0;
}

static struct seat *
find_seat(const struct worlds_client *client, uint64_t request_id)
{
	for (size_t i = 0; i < client->seat_count; i++)
		if (client->seats[i]->request_id == request_id)
			return client->seats[i];
	return NULL;
}

static struct ask *
find_ask(const struct worlds_client *client, uint64_t request_id)
{
	struct ask *ask = client->asks;
	while (ask && ask->request_id != request_id)
		ask = ask->next_of_client;
	return ask;
}

static struct done_wanted **
find_done(const struct worlds_client *client, uint64_t request_id)
{
	for (size_t i = 0; i < client->seat_count; i++)
		for (struct done_wanted **link = &client->seats[i]->dones; *link; link = &(*link)->next)
			if ((*link)->request_id == request_id)
				return link;
	return NULL;
}

bool
worlds_client_has_request(struct worlds_client *client, uint64_t request_id)
{
	return find_seat(client, request_id) || subscription_find(client, request_id) || find_ask(client, request_id) ||
	       delivery_find(client, request_id) || recordings_have_request(client, request_id) ||
	       (client->done_count > 0 && find_done(client, request_id));
}

bool
worlds_client_cancel(struct worlds_client *client, uint64_t request_id)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct seat *seat = find_seat(client, request_id);
	struct subscription *subscription = subscription_find(client, request_id);
	struct ask *ask = find_ask(client, request_id);
	struct delivery **delivery = delivery_find(client, request_id);
	struct done_wanted **done = find_done(client, request_id);
	bool recorded = recordings_have_request(client, request_id);
	if (!seat && !subscription && !ask && !delivery && !done && !recorded)
		return false;
	if (seat) {
		struct hosted *world = seat->world;
		seat_detached(seat, "DETACHED");
		entry_use_changed(world);
		return true;
	}
	if (subscription) {
		subscription_end(subscription, "DETACHED");
		return true;
	}
	/* Its Detached is on its way. */
	if (ask && ask->kind == ASK_PARTING)
		return true;
	if (ask) {
		ask_forget(ask);
	} else if (recorded) {
		recordings_forget(client, request_id); /* it goes on */
	} else if (delivery) {
		delivery_end(client, delivery);
	} else {
		struct done_wanted *wanted = *done;
		*done = wanted->next;
		client->done_count--;
		memory_free(wanted);
	}
	(void)wire_problem_set(&problem, STATUS_CANCELLED, "CANCELLED", "", "cancelled by the client");
	client->worlds->options.upward->refuse(client->context, request_id, &problem);
	return true;
}

size_t
worlds_client_asks(const struct worlds_client *client)
{
	size_t ends = 0;
	for (const struct ask *ask = client->asks; ask; ask = ask->next_of_client)
		ends += ask->kind == ASK_PARTING || ask->kind == ASK_END;
	return client->ask_count + client->done_count + ends;
}

size_t
worlds_client_in_flight(const struct worlds_client *client)
{
	return client->ask_count;
}

bool
worlds_client_lasts(const struct worlds_client *client)
{
	if (client->seat_count > 0 || client->subscriptions)
		return true;
	if (!client->worlds)
		return false;
	const struct tenant *tenant = client->worlds->tenants;
	while (tenant && tenant->account != client->account)
		tenant = tenant->next;
	return tenant != NULL;
}

bool
worlds_client_reads(const struct worlds_client *client)
{
	return client->subscriptions != NULL;
}

/* ---- news and time */

static void
take_decided(struct hosted *world, struct decided *decided)
{
	for (; decided; decided = decided->next) {
		struct seat *seat = world->seats;
		while (seat && seat->number != decided->seat)
			seat = seat->next;
		CHECK(decided->count <= world->waiting && decided->bytes <= world->waiting_bytes);
		world->waiting -= decided->count;
		world->waiting_bytes -= decided->bytes;
		guest_decided(world, decided->sender, decided->count, decided->bytes);
		if (seat)
			seat_decided(seat, decided);
	}
}

/* Of a world that is to have another past where it will be stays: its seats aim by that. */
static void
take_stats(struct hosted *world, const struct world_stats *stats)
{
	struct world_stats before = world->stats;
	world->stats = *stats;
	if (stats->epoch != world->epoch) {
		world->stats.tick = before.tick;
		world->stats.hash_tick = before.hash_tick;
		world->stats.hash = before.hash;
	}
}

static void
take_news(const struct news *news)
{
	struct hosted *world = news->owner;
	if (world->ending) {
		if (!news->ended)
			return;
		world->stats = news->stats;
		partings_end(world);
		entry_free(world);
		return;
	}
	bool failed_now = news->stats.failed && !world->stats.failed;
	take_stats(world, &news->stats);
	/* What was posted meanwhile, for a tick that will not come, is refused. */
	if (failed_now)
		world->worlds->options.host.want(world->task);
	entry_reserve(world);
	take_decided(world, news->decided);
	for (struct update *update = news->updates; update; update = update->next)
		if (update->reader != 0)
			subscription_steered(world, update);
		else
			subscriptions_update(world, update);
	/* No tick will come that they could be told of. */
	while (failed_now && world->subscriptions)
		subscription_end(world->subscriptions, "WORLD_FAILED");
	for (struct answer *answer = news->answers; answer; answer = answer->next)
		asks_answer(world, answer);
	entry_charge(world);
}

void
worlds_on_news(struct worlds *worlds, struct news *news)
{
	(void)worlds;
	for (struct news *next = NULL; news; news = next) {
		next = news->next;
		take_news(news);
		news_free(news);
	}
}

static bool
has_passed(uint64_t now_ns, uint64_t since_ns, uint64_t ms)
{
	return now_ns >= since_ns && now_ns - since_ns >= ms * NS_PER_MS;
}

void
worlds_on_time(struct worlds *worlds)
{
	uint64_t now_ns = worlds_patient_ns(worlds);
	size_t ends_left = SEAT_ENDS_AT_ONCE;
	for (size_t i = worlds->count; i-- > 0;) {
		struct hosted *world = worlds->entries[i];
		seats_on_time(world, now_ns, &ends_left);
		encoders_on_time(world, now_ns);
		guests_on_time(world);
		subscriptions_catch_up(world);
		entry_use_changed(world);
		if (world->unused_since_ns != 0 && world->policy.idle_ttl_ms != WORLDS_TTL_NEVER &&
		    has_passed(now_ns, world->unused_since_ns, world->policy.idle_ttl_ms))
			entry_end(world, "WORLD_GONE");
	}
	map_store_on_time(worlds->options.maps, worlds->stalled_ns);
}

void
worlds_drain(struct worlds *worlds)
{
	worlds->draining = true;
}

void
worlds_end_all(struct worlds *worlds)
{
	worlds->draining = true;
	for (size_t i = worlds->count; i-- > 0;)
		entry_end(worlds->entries[i], "WORLD_GONE");
}
