/* What an owner does with worlds: change, list, end. */
#include "base/memory.h"
#include "worlds/registry/registry_private.h"

#include <string.h>

enum status
worlds_end(struct worlds_client *client, uint64_t request_id, const Collide__V1__DestroyWorld *message,
           struct wire_problem *problem)
{
	struct hosted *world = NULL;
	enum secret_kind kind = SECRET_NONE;
	enum status status = entry_open(client->worlds, message->name, message->epoch, &message->secret, SECRET_OWNER,
	                                "destroy_world", &world, &kind, problem);
	if (status != STATUS_OK)
		return status;
	/* The answer says how the world stood at its end. */
	struct ask *ask = ask_create(world, client, ASK_END, request_id);
	if (ask)
		entry_end(world, "WORLD_GONE");
	if (ask && world->ending)
		return STATUS_OK;
	if (ask)
		ask_free(world, ask);
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the request");
}

static enum status
set_read(const struct hosted *world, const Collide__V1__SetWorld *message, struct world_policy *policy, struct labels *labels,
         struct wire_problem *problem)
{
	uint32_t hz_max = world->worlds->options.limits.tick_hz_max;
	*policy = world->policy;
	if (message->tick_hz > hz_max)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "set_world.tick_hz", "is over %u", hz_max);
	if (message->clock < COLLIDE__V1__CLOCK__CLOCK_UNSPECIFIED || message->clock > COLLIDE__V1__CLOCK__CLOCK_PAUSED) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "set_world.clock", "%d is not a Clock",
		                        (int)message->clock);
	}
	if (message->clock != COLLIDE__V1__CLOCK__CLOCK_UNSPECIFIED)
		policy->clock = (enum world_clock)message->clock;
	if (message->tick_hz != 0)
		policy->tick_hz = message->tick_hz;
	if (message->join_ids_max > WORLDS_JOIN_IDS_MAX) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "set_world.join_ids_max", "must be at most %u",
		                        WORLDS_JOIN_IDS_MAX);
	}
	if (message->join_ids_max != 0)
		policy->join_ids_max = message->join_ids_max;
	if (message->join_circles_max != 0)
		policy->join_circles_max = message->join_circles_max;
	if (message->optional_idle_ttl_ms_case == COLLIDE__V1__SET_WORLD__OPTIONAL_IDLE_TTL_MS_IDLE_TTL_MS)
		policy->idle_ttl_ms = message->idle_ttl_ms == 0 ? WORLDS_IDLE_TTL_MS : message->idle_ttl_ms;
	return labels_read(message->labels, message->n_labels, "set_world.labels", labels, problem);
}

/* *asked: the world answers, with the tick at which that was. */
static enum status
set_clock(struct worlds_client *client, uint64_t request_id, struct hosted *world, const struct world_policy *policy,
          bool *asked, struct wire_problem *problem)
{
	*asked = policy->clock != world->policy.clock || policy->tick_hz != world->policy.tick_hz;
	if (!*asked)
		return STATUS_OK;
	if (asks_check_share(world, client, ASK_CLOCK, problem) != STATUS_OK)
		return problem->status;
	struct post *post = hosted_post(world, POST_CLOCK, 0);
	struct ask *ask = post ? ask_create(world, client, ASK_CLOCK, request_id) : NULL;
	if (!ask) {
		post_free(post);
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the request");
	}
	post->ask = ask->number;
	post_clock_send(world, post, policy);
	return STATUS_OK;
}

enum status
worlds_set(struct worlds_client *client, uint64_t request_id, const Collide__V1__SetWorld *message,
           struct wire_problem *problem)
{
	struct hosted *world = NULL;
	struct world_policy policy;
	struct labels labels = { 0 };
	enum secret_kind kind = SECRET_NONE;
	bool asked = false;
	enum status status = entry_open(client->worlds, message->name, message->epoch, &message->secret, SECRET_OWNER, "set_world",
	                                &world, &kind, problem);
	if (status == STATUS_OK)
		status = set_read(world, message, &policy, &labels, problem);
	if (status == STATUS_OK)
		status = set_clock(client, request_id, world, &policy, &asked, problem);
	if (status != STATUS_OK) {
		labels_finish(&labels);
		return status;
	}
	world->policy = policy;
	if (message->clock != COLLIDE__V1__CLOCK__CLOCK_UNSPECIFIED)
		world->clock_handed = 0;
	if (message->n_labels > 0) {
		world->own_bytes += (labels.count - world->labels.count) * sizeof *labels.rows;
		labels_finish(&world->labels);
		world->labels = labels;
		entry_charge(world);
	}
	entry_reserve(world);
	if (!asked)
		reply_info(client, request_id, world);
	return STATUS_OK;
}

/* ---- ListWorlds */

/* A Worlds in the making. */
struct list {
	Collide__V1__WorldInfo *rows;
	struct info_parts *parts;
	Collide__V1__WorldInfo **pointers;
	size_t count, most, bytes;
	bool more, failed;
};

static bool
list_begin(struct list *list, size_t most)
{
	*list = (struct list){ .most = most };
	list->rows = memory_alloc(most * (sizeof *list->rows + sizeof *list->parts + sizeof *list->pointers));
	if (!list->rows)
		return false;
	list->parts = (struct info_parts *)(void *)(list->rows + most);
	list->pointers = (Collide__V1__WorldInfo **)(void *)(list->parts + most);
	return true;
}

static void
list_add(struct list *list, const struct hosted *world)
{
	if (list->count == list->most || list->bytes >= WORLDS_LIST_BYTES_MAX) {
		list->more = true;
		return;
	}
	Collide__V1__WorldInfo *info = &list->rows[list->count];
	info_fill(world, info, &list->parts[list->count]);
	info->labels = info_labels(world);
	info->n_labels = info->labels ? world->labels.count : 0;
	list->failed = list->failed || !info->labels;
	list->bytes += collide__v1__world_info__get_packed_size(info);
	list->pointers[list->count++] = info;
}

static void
list_finish(struct list *list)
{
	for (size_t i = 0; i < list->count; i++)
		memory_free(list->rows[i].labels);
	memory_free(list->rows);
}

static bool
list_wants(const struct worlds_client *client, const struct hosted *world, const Collide__V1__ListWorlds *message)
{
	return world->tenant->account == client->account && strncmp(world->name, message->prefix, strlen(message->prefix)) == 0 &&
	       labels_have(&world->labels, message->labels, message->n_labels);
}

/* Delays of the asker's updates, as a message. */
struct sent_rows {
	uint64_t below_ns[DELAY_COUNTERS], count[DELAY_COUNTERS];
	Collide__V1__Delays message;
};

static void
sent_tell(const struct worlds_client *client, Collide__V1__Worlds *reply, struct sent_rows *rows)
{
	const struct tenant *tenant = client->worlds->tenants;
	while (tenant && tenant->account != client->account)
		tenant = tenant->next;
	if (!tenant || !tenant->sent)
		return;
	collide__v1__delays__init(&rows->message);
	rows->message.below_ns = rows->below_ns;
	rows->message.count = rows->count;
	rows->message.n_below_ns = rows->message.n_count = delay_counts_list(tenant->sent, rows->below_ns, rows->count);
	reply->optional_sent_case = COLLIDE__V1__WORLDS__OPTIONAL_SENT_SENT;
	reply->sent = &rows->message;
}

enum status
worlds_list(struct worlds_client *client, uint64_t request_id, const Collide__V1__ListWorlds *message,
            struct wire_problem *problem)
{
	const struct worlds *worlds = client->worlds;
	struct list list;
	/* More than a world can have; each world is looked through for each of them. */
	if (message->n_labels > WORLDS_LABELS_MAX)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "list_worlds.labels", "are more than %d",
		                        WORLDS_LABELS_MAX);
	struct sent_rows sent;
	size_t limit = message->limit == 0 || message->limit > WORLDS_LIST_MAX ? WORLDS_LIST_MAX : message->limit;
	const char *first = strcmp(message->after, message->prefix) > 0 ? message->after : message->prefix;
	size_t place = entry_place(worlds, first);
	if (!list_begin(&list, limit))
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the list");
	for (; place < worlds->count && !list.more; place++) {
		const struct hosted *world = worlds->entries[place];
		if (message->after[0] != '\0' && strcmp(world->name, message->after) <= 0)
			continue;
		if (strncmp(world->name, message->prefix, strlen(message->prefix)) > 0)
			break;
		if (list_wants(client, world, message))
			list_add(&list, world);
	}
	Collide__V1__Worlds reply = COLLIDE__V1__WORLDS__INIT;
	Collide__V1__ServerMessage envelope = COLLIDE__V1__SERVER_MESSAGE__INIT;
	reply.more = list.more;
	reply.worlds = list.pointers;
	reply.n_worlds = list.count;
	sent_tell(client, &reply, &sent);
	envelope.request_id = request_id;
	envelope.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLDS;
	envelope.worlds = &reply;
	bool failed = list.failed;
	if (!failed)
		worlds->options.upward->reply(client->context, &envelope, true);
	list_finish(&list);
	if (failed)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the list");
	return STATUS_OK;
}

enum status
worlds_drop_map(struct worlds_client *client, uint64_t request_id, const Collide__V1__DropMap *request,
                struct wire_problem *problem)
{
	char name[WORLDS_NAME_BYTES_MAX + 1];
	Collide__V1__MapInfo info = COLLIDE__V1__MAP_INFO__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	enum status status = map_store_drop(client->worlds->options.maps, request->name, client->account, name, &info, problem);
	if (status != STATUS_OK)
		return status;
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_MAP_INFO;
	message.map_info = &info;
	client->worlds->options.upward->reply(client->context, &message, true);
	return STATUS_OK;
}
