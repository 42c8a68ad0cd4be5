/* What a client is told of a world. */
#include "base/memory.h"
#include "worlds/registry/recordings.h"
#include "worlds/registry/registry_private.h"

#include <string.h>

/* protobuf-c declares what it only reads as char *. */
static char *
text_of(const char *text)
{
	union {
		const char *in;
		char *out;
	} text_either = { text };
	return text_either.out;
}

uint32_t
encodings_used(const struct hosted *world)
{
	uint32_t count = 0;
	for (const struct encoder_use *encoder = world->encoders; encoder; encoder = encoder->next)
		count += encoder->readers > 0;
	return count;
}

void
info_fill(const struct hosted *world, Collide__V1__WorldInfo *info, struct info_parts *parts)
{
	const struct world_stats *stats = &world->stats;
	collide__v1__world_info__init(info);
	collide__v1__world_policy__init(&parts->policy);
	world_policy_tell(&world->policy, &parts->policy);
	info->name = text_of(world->name);
	info->epoch = world->epoch;
	info->tick = stats->tick;
	info->optional_policy_case = COLLIDE__V1__WORLD_INFO__OPTIONAL_POLICY_POLICY;
	info->policy = &parts->policy;
	info->circles = (uint32_t)stats->circles;
	info->segments = (uint32_t)stats->segments;
	info->seats = world->ending ? world->seats_at_end : (uint32_t)world->seat_count;
	info->subscriptions = world->ending ? world->subscriptions_at_end : (uint32_t)world->subscription_count;
	info->encodings = world->ending ? world->encodings_at_end : encodings_used(world);
	info->bytes = stats->bytes;
	info->overruns = stats->overruns;
	info->lost_ticks = stats->lost_ticks;
	info->batches = stats->batches;
	info->resimulated_ticks = stats->resimulated_ticks;
	info->self_checks = stats->self_checks;
	info->self_checks_skipped = stats->self_checks_skipped;
	info->self_checks_differing = stats->self_checks_differing;
	info->tick_seconds = (double)stats->tick_ns_mean / 1e9;
	info->late_seconds_max = (double)stats->late_ns_max / 1e9;
	info->failed = text_of(stats->failed ? stats->failed : "");
	info->hash = stats->hash;
	info->hash_tick = stats->hash_tick;
	info->map = text_of(world->map ? named_map_name(world->map) : "");
	if (recording_tell(world, &parts->recorded)) {
		info->optional_recorded_case = COLLIDE__V1__WORLD_INFO__OPTIONAL_RECORDED_RECORDED;
		info->recorded = &parts->recorded;
	}
}

Collide__V1__Label **
info_labels(const struct hosted *world)
{
	size_t count = world->labels.count;
	Collide__V1__Label **list = memory_alloc(count * (sizeof *list + sizeof **list) + 1);
	if (!list)
		return NULL;
	Collide__V1__Label *rows = (Collide__V1__Label *)(void *)(list + count);
	for (size_t i = 0; i < count; i++) {
		collide__v1__label__init(&rows[i]);
		rows[i].key = text_of(world->labels.rows[i].key);
		rows[i].value = text_of(world->labels.rows[i].value);
		list[i] = &rows[i];
	}
	return list;
}

void
reply_info(struct worlds_client *client, uint64_t request_id, const struct hosted *world)
{
	Collide__V1__WorldInfo info;
	struct info_parts parts;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	info_fill(world, &info, &parts);
	info.labels = info_labels(world);
	if (!info.labels) {
		client->worlds->options.upward->fail(client->context);
		return;
	}
	info.n_labels = world->labels.count;
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO;
	message.world_info = &info;
	client->worlds->options.upward->reply(client->context, &message, true);
	memory_free(info.labels);
}
