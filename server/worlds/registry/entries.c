/* The entries: found by name, charged to accounts, and ended. */
#include "base/check.h"
#include "base/memory.h"
#include "worlds/registry/guests.h"
#include "worlds/registry/recordings.h"
#include "worlds/registry/registry_private.h"

#include <stdio.h>
#include <string.h>

/* CPU time a second that each world has reserved for its ticks at least: what a room of 64 circles takes at 60 Hz, and
 * half of it more. */
#define RESERVED_LEAST_NS (NS_PER_MS / 4 * 3)

/* A process that stood still owes its clients that time: they could do nothing against it. It is noted at each look, so that
 * what begins to wait afterwards does not get it too. */
uint64_t
worlds_patient_ns(struct worlds *worlds)
{
	uint64_t now_ns = worlds->options.host.now_ns(), passed_ns = now_ns - worlds->looked_ns;
	if (passed_ns > WORLDS_STALL_MS * NS_PER_MS)
		worlds->stalled_ns += passed_ns;
	worlds->looked_ns = now_ns;
	return now_ns - worlds->stalled_ns;
}

size_t
entry_place(const struct worlds *worlds, const char *name)
{
	size_t low = 0, high = worlds->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (strcmp(worlds->entries[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct hosted *
entry_find(const struct worlds *worlds, const char *name)
{
	size_t place = entry_place(worlds, name);
	bool found = place < worlds->count && strcmp(worlds->entries[place]->name, name) == 0;
	return found ? worlds->entries[place] : NULL;
}

static enum secret_kind
secret_kind_of(const struct hosted *world, const ProtobufCBinaryData *secret)
{
	if (secret_is(world->owner_secret, secret))
		return SECRET_OWNER;
	return secret_is(world->join_secret, secret) ? SECRET_JOIN : SECRET_NONE;
}

enum status
entry_open(const struct worlds *worlds, const char *name, uint64_t epoch, const ProtobufCBinaryData *secret,
           enum secret_kind least, const char *path, struct hosted **out, enum secret_kind *kind, struct wire_problem *problem)
{
	char field[160];
	struct hosted *world = entry_find(worlds, name);
	*out = world;
	if (!world) {
		(void)snprintf(field, sizeof field, "%s.%s", path,
		               strcmp(path, "attach") == 0 || strcmp(path, "query.world") == 0 || strcmp(path, "fork_world") == 0 ||
		                       strstr(path, "record") || strstr(path, "spectator")
		                   ? "world"
		                   : "name");
		return wire_problem_set(problem, STATUS_NOT_FOUND, "NO_SUCH_WORLD", field, "no world has this name");
	}
	if (epoch != 0 && epoch != world->epoch) {
		(void)snprintf(field, sizeof field, "%s.epoch", path);
		return wire_problem_set(problem, STATUS_FAILED_PRECONDITION, "EPOCH", field, "the world's epoch is another one");
	}
	*kind = secret_kind_of(world, secret);
	if (*kind < least) {
		(void)snprintf(field, sizeof field, "%s.secret", path);
		return wire_problem_set(problem, STATUS_PERMISSION_DENIED, "SECRET", field, "%s",
		                        *kind == SECRET_NONE ? "is not the world's" : "the owner's secret is needed");
	}
	return STATUS_OK;
}

struct tenant *
tenant_enter(struct worlds *worlds, void *account)
{
	for (struct tenant *tenant = worlds->tenants; tenant; tenant = tenant->next)
		if (tenant->account == account)
			return tenant;
	struct tenant *tenant = memory_zeroed(1, sizeof *tenant);
	if (!tenant)
		return NULL;
	*tenant = (struct tenant){ .next = worlds->tenants, .account = account };
	worlds->tenants = tenant;
	worlds->options.upward->account_hold(account);
	return tenant;
}

void
tenant_leave(struct worlds *worlds, struct tenant *tenant)
{
	if (tenant->world_count > 0)
		return;
	struct tenant **link = &worlds->tenants;
	while (*link != tenant)
		link = &(*link)->next;
	*link = tenant->next;
	worlds->options.upward->account_release(tenant->account);
	sendings_forget(worlds, tenant);
	memory_free(tenant->sent);
	memory_free(tenant);
}

static void
charge(struct hosted *world, uint64_t bytes)
{
	world->worlds->options.upward->account_charge(world->tenant->account, world->charged_bytes, bytes);
	world->charged_bytes = bytes;
}

void
entry_charge(struct hosted *world)
{
	charge(world,
	       sizeof *world + world->stats.bytes + world->own_bytes + world->waiting_bytes + world->waiting * sizeof(struct post));
}

enum status
entry_check_room(const struct hosted *world, uint64_t bytes, struct wire_problem *problem)
{
	return world->worlds->options.upward->account_check(world->tenant->account, bytes, problem);
}

static uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What its ticks have cost, and half of it more; and what their turns have cost in all, and an eighth. Ticks in cold caches
 * cost several times the mean, and the budget holds what comes in for some time. By the ticks alone, which are two thirds of a
 * turn, every tenth turn was beyond the reservation on a busy machine, and waited behind others. */
static uint64_t
reservation_wanted(const struct hosted *world)
{
	uint64_t most = (uint64_t)world->policy.cpu_permille_max * NS_PER_MS;
	if (world->policy.clock != WORLD_CLOCK_SERVER)
		return 0;
	uint64_t turn_ns = world->worlds->options.host.turn_ns(world->task);
	uint64_t of_ticks = world->stats.tick_ns_mean / 2 * 3, of_turns = turn_ns + turn_ns / 8;
	uint64_t wanted = (of_ticks > of_turns ? of_ticks : of_turns) * world->policy.tick_hz;
	wanted = wanted > RESERVED_LEAST_NS ? wanted : RESERVED_LEAST_NS;
	return least(wanted, most > 0 ? most : 1);
}

/* What is left of a part of all workers' time. */
static uint64_t
reservation_left(const struct worlds *worlds, uint32_t percent, uint64_t taken_ns)
{
	uint64_t most = worlds->options.host.cores * (NS_PER_S / 100) * percent;
	return taken_ns < most ? most - taken_ns : 0;
}

bool
tenant_may_reserve(const struct worlds *worlds, const struct tenant *tenant, uint64_t ns)
{
	const struct worlds_limits *limits = &worlds->options.limits;
	return reservation_left(worlds, limits->cpu_percent_max, worlds->reserved_ns) >= ns &&
	       reservation_left(worlds, limits->cpu_percent_per_account_max, tenant->reserved_ns) >= ns;
}

/* Whether it is worth to be told: news come with every update, and the host's threads share what it is told. */
static bool
reservation_differs(uint64_t ns, uint64_t before)
{
	uint64_t apart = ns > before ? ns - before : before - ns;
	return apart > before / 8;
}

void
entry_reserve(struct hosted *world)
{
	struct worlds *worlds = world->worlds;
	const struct worlds_limits *limits = &worlds->options.limits;
	uint64_t others = worlds->reserved_ns - world->reserved_ns, own_others = world->tenant->reserved_ns - world->reserved_ns;
	uint64_t left = least(reservation_left(worlds, limits->cpu_percent_max, others),
	                      reservation_left(worlds, limits->cpu_percent_per_account_max, own_others));
	uint64_t ns = world->ending ? 0 : least(reservation_wanted(world), left);
	if (!reservation_differs(ns, world->reserved_ns))
		return;
	worlds->reserved_ns = others + ns;
	world->tenant->reserved_ns = own_others + ns;
	if (!world->ending)
		worlds->options.host.reserve(world->task, ns);
	world->reserved_ns = ns;
}

void
entry_use_changed(struct hosted *world)
{
	bool seen = world->subscription_count > 0 || world->connected_count > 0;
	bool used = world->seat_count > 0 || world->subscription_count > 0;
	if (used)
		world->unused_since_ns = 0;
	else if (world->unused_since_ns == 0)
		world->unused_since_ns = worlds_patient_ns(world->worlds);
	entry_charge(world);
	if (seen == world->seen || world->ending)
		return;
	struct post *post = hosted_post(world, POST_SEEN, 0);
	if (!post)
		return; /* tried again with the next change */
	post->seen = world->seen = seen;
	post_send(world, post, true);
}

static void
entry_remove_name(struct hosted *world)
{
	struct worlds *worlds = world->worlds;
	size_t place = entry_place(worlds, world->name);
	CHECK(place < worlds->count && worlds->entries[place] == world);
	memmove(&worlds->entries[place], &worlds->entries[place + 1], (worlds->count - place - 1) * sizeof *worlds->entries);
	worlds->count--;
	world->next_ending = worlds->ending;
	worlds->ending = world;
}

void
entry_end(struct hosted *world, const char *reason)
{
	struct post *post = hosted_post(world, POST_END, 0);
	if (!post)
		return; /* it is tried again when its time has passed, or its owner asks again */
	world->seats_at_end = (uint32_t)world->seat_count;
	world->subscriptions_at_end = (uint32_t)world->subscription_count;
	world->encodings_at_end = encodings_used(world);
	world->ending = true;
	entry_remove_name(world);
	while (world->subscriptions)
		subscription_end(world->subscriptions, reason);
	recording_end(world, reason);
	encoders_drop(world);
	while (world->seats)
		seat_end(world->seats, reason);
	asks_end(world, reason);
	entry_reserve(world);
	post_send(world, post, true);
}

void
entry_free(struct hosted *world)
{
	struct worlds *worlds = world->worlds;
	struct hosted **link = &worlds->ending;
	while (*link != world)
		link = &(*link)->next_ending;
	*link = world->next_ending;
	recording_drop(world);
	CHECK(!world->seats && !world->subscriptions && !world->asks && !world->encoders);
	guests_drop(world);
	charge(world, 0);
	world->tenant->world_count--;
	tenant_leave(worlds, world->tenant);
	named_map_release(world->map);
	labels_finish(&world->labels);
	memory_free(world);
}
