/* Worlds that workers have made, entered by the loop. */
#include "base/check.h"
#include "base/memory.h"
#include "worlds/registry/recordings.h"
#include "worlds/registry/wish.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* CPU time a second that must be left for a new world, of which no tick was measured. */
#define RESERVED_FIRST_NS (NS_PER_MS / 4 * 3)
/* After which CPU time may be free again, ms. */
#define RETRY_CPU_MS 1000
#define RETRY_SHUTDOWN_MS 1000

static enum status
no_memory(struct wire_problem *problem)
{
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the world");
}

/* With the secrets, into a request's replies. */
static void
append_info(const struct hosted *world, uint64_t request_id, struct buffer *out)
{
	Collide__V1__WorldInfo info;
	struct info_parts parts;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	uint8_t owner[WORLDS_SECRET_BYTES], join[WORLDS_SECRET_BYTES];
	memcpy(owner, world->owner_secret, sizeof owner);
	memcpy(join, world->join_secret, sizeof join);
	info_fill(world, &info, &parts);
	info.labels = info_labels(world);
	info.n_labels = info.labels ? world->labels.count : 0;
	info.owner_secret = (ProtobufCBinaryData){ sizeof owner, owner };
	info.join_secret = (ProtobufCBinaryData){ sizeof join, join };
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO;
	message.world_info = &info;
	wire_reply_append(out, &message);
	memory_free(info.labels);
}

static struct hosted *
find_ticket(const struct worlds *worlds, const void *account, const struct world_wish *wish)
{
	uint64_t now_ns = worlds->options.host.now_ns();
	for (size_t i = 0; wish->has_ticket && i < worlds->count; i++) {
		struct hosted *world = worlds->entries[i];
		if (world->has_ticket && world->tenant->account == account &&
		    memcmp(world->ticket, wish->ticket, sizeof wish->ticket) == 0 &&
		    now_ns - world->created_ns < WORLDS_TICKET_MS * NS_PER_MS)
			return world;
	}
	return NULL;
}

static enum status
check_room(const struct worlds *worlds, const struct tenant *tenant, const struct world_wish *wish,
           struct wire_problem *problem)
{
	const struct worlds_limits *limits = &worlds->options.limits;
	if (worlds->draining) {
		(void)wire_problem_set(problem, STATUS_UNAVAILABLE, "SHUTTING_DOWN", "", "the server is about to end");
		problem->retry_after_ms = RETRY_SHUTDOWN_MS;
		return problem->status;
	}
	if (worlds->count >= limits->worlds_max || tenant->world_count >= limits->worlds_per_account_max) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "WORLDS", "", "%s has as many worlds as it may",
		                        worlds->count >= limits->worlds_max ? "the server" : "this address");
	}
	if (wish->policy.clock == WORLD_CLOCK_SERVER && !tenant_may_reserve(worlds, tenant, RESERVED_FIRST_NS)) {
		(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "CPU", "", "all CPU time that worlds may have is reserved");
		problem->retry_after_ms = RETRY_CPU_MS;
		return problem->status;
	}
	return STATUS_OK;
}

/* The name that was asked for, that of the handover, or a new one. */
static enum status
choose_name(struct worlds *worlds, const struct world_wish *wish, char out[WORLDS_NAME_BYTES_MAX + 1],
            struct wire_problem *problem)
{
	const char *wanted = wish->name;
	if (wanted[0] == '\0' && wish->handover) {
		if (name_read(wish->handover->name, "create_world.snapshot.handover.name", out, problem) != STATUS_OK)
			return problem->status;
		wanted = out;
	}
	if (wanted[0] != '\0') {
		(void)memmove(out, wanted, strlen(wanted) + 1);
		if (entry_find(worlds, out))
			return wire_problem_set(problem, STATUS_ALREADY_EXISTS, "NAME_TAKEN", wish->name_field,
			                        "another world has this name");
		return STATUS_OK;
	}
	do {
		(void)snprintf(out, WORLDS_NAME_BYTES_MAX + 1, "world-%" PRIu64, ++worlds->name_next);
	} while (entry_find(worlds, out));
	return STATUS_OK;
}

static bool
entries_reserve(struct worlds *worlds)
{
	if (worlds->count < worlds->capacity)
		return true;
	size_t capacity = worlds->capacity == 0 ? 64 : worlds->capacity * 2;
	struct hosted **entries = memory_resize(worlds->entries, capacity * sizeof(struct hosted *));
	if (!entries)
		return false;
	worlds->entries = entries;
	worlds->capacity = capacity;
	return true;
}

static void
entry_insert(struct worlds *worlds, struct hosted *world)
{
	size_t place = entry_place(worlds, world->name);
	memmove(&worlds->entries[place + 1], &worlds->entries[place], (worlds->count - place) * sizeof *worlds->entries);
	worlds->entries[place] = world;
	worlds->count++;
	world->tenant->world_count++;
}

/* The default is known now. */
static void
join_circles_choose(struct hosted *world)
{
	uint64_t circles = world->stats.circles + WORLDS_JOIN_CIRCLES_MORE;
	if (world->policy.join_circles_max == 0)
		world->policy.join_circles_max = circles < UINT32_MAX ? (uint32_t)circles : UINT32_MAX;
}

/* Makes the live world and gives it to the host. The start is gone if that succeeds. */
static bool
entry_start(struct hosted *world, struct world_wish *wish)
{
	struct worlds *worlds = world->worlds;
	const struct worlds_host *host = &worlds->options.host;
	/* Its first tick waits for the phase that its task gets. */
	const struct live_world_options options = {
		.limits = &worlds->options.limits,
		.scene_limits = worlds->options.scene_limits,
		.policy = world->policy,
		.epoch = world->epoch,
		.map_name = world->map ? named_map_name(world->map) : "",
		.name = world->name,
		.check_share = worlds->options.check_share,
		.owner = world,
		.base_ns = host->now_ns() + NS_PER_S,
		.cpu_ns = host->cpu_ns,
		.long_ahead = host->long_ahead,
	};
	world->id_next = world_start_id_next(wish->start);
	struct post *clock = hosted_post(world, POST_CLOCK, 0);
	world->live = clock ? live_world_create(&options, wish->start) : NULL;
	if (!world->live) {
		post_free(clock);
		return false;
	}
	wish->start = NULL;
	live_world_stats(world->live, &world->stats);
	join_circles_choose(world);
	world->task = host->start(host->context, world->live, world->tenant->account);
	if (!world->task) {
		post_free(clock);
		live_world_destroy(world->live);
		return false;
	}
	post_clock_send(world, clock, &world->policy);
	return true;
}

/* Secrets and epoch: new ones, or those of the handover. */
static void
entry_identify(struct hosted *world, const Collide__V1__Handover *handover)
{
	struct worlds *worlds = world->worlds;
	world->epoch = ++worlds->epoch_next;
	worlds->options.host.random(world->owner_secret, sizeof world->owner_secret);
	worlds->options.host.random(world->join_secret, sizeof world->join_secret);
	if (!handover)
		return;
	world->epoch = handover->epoch != 0 ? handover->epoch : world->epoch;
	if (handover->owner_secret.len == WORLDS_SECRET_BYTES)
		memcpy(world->owner_secret, handover->owner_secret.data, WORLDS_SECRET_BYTES);
	if (handover->join_secret.len == WORLDS_SECRET_BYTES)
		memcpy(world->join_secret, handover->join_secret.data, WORLDS_SECRET_BYTES);
}

static struct hosted *
entry_create(struct worlds *worlds, struct tenant *tenant, struct world_wish *wish, const char *name)
{
	struct hosted *world = memory_zeroed(1, sizeof *world);
	if (!world || !entries_reserve(worlds)) {
		memory_free(world);
		return NULL;
	}
	*world = (struct hosted){
		.worlds = worlds,
		.has_ticket = wish->has_ticket,
		.created_ns = worlds->options.host.now_ns(),
		.policy = wish->policy,
		.map = wish->map,
		.tenant = tenant,
		.seat_next = 1,
		.encoder_next = 1,
	};
	memcpy(world->name, name, strlen(name) + 1);
	memcpy(world->ticket, wish->ticket, sizeof world->ticket);
	world->unused_since_ns = world->created_ns;
	entry_identify(world, wish->handover);
	if (!entry_start(world, wish)) {
		memory_free(world);
		return NULL;
	}
	world->labels = wish->labels;
	wish->labels = (struct labels){ 0 };
	wish->map = NULL;
	entry_insert(worlds, world);
	world->own_bytes += world->labels.count * sizeof *world->labels.rows;
	entry_charge(world);
	entry_reserve(world);
	return world;
}

enum status
worlds_add(struct worlds *worlds, void *account, struct world_wish *wish, uint64_t request_id, struct buffer *out,
           struct wire_problem *problem)
{
	char name[WORLDS_NAME_BYTES_MAX + 1];
	struct hosted *world = find_ticket(worlds, account, wish);
	if (world) {
		append_info(world, request_id, out);
		return STATUS_OK;
	}
	struct tenant *tenant = tenant_enter(worlds, account);
	if (!tenant)
		return no_memory(problem);
	enum status status = check_room(worlds, tenant, wish, problem);
	if (status == STATUS_OK)
		status = choose_name(worlds, wish, name, problem);
	if (status == STATUS_OK) {
		world = entry_create(worlds, tenant, wish, name);
		status = world ? STATUS_OK : no_memory(problem);
	}
	if (status == STATUS_OK && wish->handover) {
		status = handover_take(world, wish->handover, problem);
		if (status != STATUS_OK)
			entry_end(world, "WORLD_GONE");
	}
	if (status == STATUS_OK)
		append_info(world, request_id, out);
	else
		tenant_leave(worlds, tenant);
	return status;
}

/* ---- RestoreWorld */

static enum status
restore_check(const struct hosted *world, const struct restore_wish *wish, struct wire_problem *problem)
{
	if (!wish->start) {
		*problem = wish->problem;
		return problem->status;
	}
	/* Bytes that name no map have all walls in them: of a world with walls of its own, in a map or not. */
	const struct named_map *given = wish->map, *map = world->map;
	if (given &&
	    (!map || strcmp(named_map_name(given), named_map_name(map)) != 0 || named_map_walls(given) != named_map_walls(map))) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "restore_world.snapshot.map",
		                        "is that of another map");
	}
	if (wish->dt != 0 && wish->dt != world->policy.dt) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "restore_world.snapshot.dt",
		                        "is not that of the world");
	}
	return STATUS_OK;
}

enum status
worlds_restore(struct worlds_client *client, struct restore_wish *wish, uint64_t request_id, struct wire_problem *problem)
{
	struct hosted *world = NULL;
	enum secret_kind kind = SECRET_NONE;
	const ProtobufCBinaryData secret = { wish->secret_count, wish->secret };
	enum status status = entry_open(client->worlds, wish->name, wish->epoch, &secret, SECRET_OWNER, "restore_world", &world,
	                                &kind, problem);
	if (status == STATUS_OK)
		status = restore_check(world, wish, problem);
	if (status == STATUS_OK)
		status = asks_check_share(world, client, ASK_RESTORE, problem);
	if (status != STATUS_OK)
		return status;
	struct post *post = hosted_post(world, POST_RESTORE, 0);
	struct ask *ask = post ? ask_create(world, client, ASK_RESTORE, request_id) : NULL;
	if (!ask) {
		post_free(post);
		return no_memory(problem);
	}
	world->epoch = ++world->worlds->epoch_next;
	post->ask = ask->number;
	post->restore.start = wish->start;
	post->restore.epoch = world->epoch;
	world->stats.tick = world_start_tick(wish->start);
	world->stats.hash_tick = world->stats.hash = 0; /* not known yet */
	uint64_t id_next = world_start_id_next(wish->start);
	world->id_next = id_next > world->id_next ? id_next : world->id_next;
	wish->start = NULL;
	while (world->subscriptions)
		subscription_end(world->subscriptions, "RESTORED");
	recording_end(world, "RESTORED");
	encoders_forget(world);
	for (struct seat *seat = world->seats; seat; seat = seat->next) {
		seat_detached(seat, "RESTORED");
		seat->tick_named = 0;
	}
	post_send(world, post, true);
	entry_use_changed(world);
	return STATUS_OK;
}
