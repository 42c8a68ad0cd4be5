#include "client/cli/worlds/world_print.h"

#include "client/cli/scene/message_json.h"
#include "client/cli/worlds/server_record.h"
#include "client/cli/worlds/world_key.h"
#include "collide/v1/collide.pb-c.h"
#include "proto/frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *
clock_name(enum collide_clock clock)
{
	switch (clock) {
	case COLLIDE_CLOCK_CLIENT: return "client";
	case COLLIDE_CLOCK_PAUSED: return "paused";
	case COLLIDE_CLOCK_SERVER:
	case COLLIDE_CLOCK_DEFAULT: break;
	}
	return "server";
}

static uint32_t
policy_hz(const struct collide_world_policy *policy)
{
	if (policy->tick_hz > 0)
		return policy->tick_hz;
	return policy->dt > 0 && policy->dt < 2 ? (uint32_t)(1 / policy->dt + 0.5) : 1;
}

double
world_cost(const struct collide_world_info *info)
{
	bool by_server = info->has_policy && strcmp(clock_name(info->policy.clock), "server") == 0;
	return by_server ? info->tick_seconds * policy_hz(&info->policy) : 0;
}

static void
policy_print(const struct collide_world_policy *policy)
{
	printf("clock            %s", clock_name(policy->clock));
	if (strcmp(clock_name(policy->clock), "server") == 0)
		printf(", %" PRIu32 " ticks a second", policy_hz(policy));
	printf(", %.9g s a tick\n", policy->dt);
	if (policy->join_circles_max > 0) {
		printf("by join secret   %" PRIu32 " ids of circles a seat, which may spawn up to %" PRIu32 " circles in the world\n",
		       policy->join_ids_max, policy->join_circles_max);
	}
	if (policy->late == COLLIDE_LATE_RESIMULATE)
		printf("late commands    take effect at their tick, up to %" PRIu32 " back\n", policy->history_ticks);
}

static void
secrets_print(const struct collide_world_info *info, bool owner)
{
	char text[SECRET_TEXT_BYTES];
	if (!info->has_secrets)
		return;
	secret_text(info->owner_secret, text);
	if (owner)
		printf("owner secret     %s\n", text);
	secret_text(info->join_secret, text);
	printf("join secret      %s\n", text);
}

void
world_info_print(const struct collide_world_info *info, bool owner)
{
	printf("world            %s\n", info->name);
	printf("epoch            %" PRIu64 "\n", info->epoch);
	if (info->has_policy)
		policy_print(&info->policy);
	printf("tick             %" PRIu64 "\n", info->tick);
	if (info->failed[0] != '\0')
		printf("failed           %s\n", info->failed);
	printf("circles          %" PRIu32 "\n", info->circles);
	printf("segments         %" PRIu32, info->segments);
	if (info->map[0] != '\0')
		printf(", with those of the map %s", info->map);
	printf("\nseats            %" PRIu32 "\n", info->seats);
	printf("subscriptions    %" PRIu32 ", in %" PRIu32 " encodings\n", info->subscriptions, info->encodings);
	if (info->resimulated_ticks > 0)
		printf("made again       %" PRIu64 " ticks, for late commands\n", info->resimulated_ticks);
	if (info->self_checks + info->self_checks_skipped > 0)
		printf("self-check       %" PRIu64 " ticks made again, %" PRIu64 " skipped, %" PRIu64 " with other bits\n",
		       info->self_checks, info->self_checks_skipped, info->self_checks_differing);
	if (info->has_recorded)
		recorded_print(&info->recorded);
	for (size_t i = 0; i < info->label_count; i++)
		printf("label            %s=%s\n", info->labels[i].key, info->labels[i].value);
	printf("state hash       %016" PRIx64 " at tick %" PRIu64 "\n", info->hash, info->hash_tick);
	secrets_print(info, owner);
}

void
map_info_print(const struct collide_map_info *info)
{
	printf("map              %s\n", info->name);
	printf("hash             %016" PRIx64 "\n", info->hash);
	printf("segments         %" PRIu32 "\n", info->segments);
	printf("worlds           %" PRIu32 "\n", info->worlds);
	printf("bytes            %" PRIu64 "\n", info->bytes);
}

void
worlds_head_print(void)
{
	printf("%-24s %10s %7s %6s %6s %8s %9s %9s %9s %8s  %s\n", "world", "tick", "circles", "seats", "readers", "clock",
	       "tick, us", "cost, %", "late, ms", "lost", "state");
}

void
worlds_row_print(const struct collide_world_info *info)
{
	printf("%-24s %10" PRIu64 " %7" PRIu32 " %6" PRIu32 " %7" PRIu32 " %8s %9.1f %9.2f %9.2f %8" PRIu64 "  %s\n", info->name,
	       info->tick, info->circles, info->seats, info->subscriptions, info->has_policy ? clock_name(info->policy.clock) : "-",
	       info->tick_seconds * 1e6, world_cost(info) * 100, info->late_seconds_max * 1e3, info->lost_ticks,
	       info->failed[0] != '\0' ? info->failed : "good");
}

/* The message of a reply that is printed; NULL: this one is not. */
static const ProtobufCMessage *
reply_message(Collide__V1__ServerMessage *reply, bool hides_owner)
{
	switch (reply->reply_case) {
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO:
		if (hides_owner)
			reply->world_info->owner_secret.len = 0;
		return &reply->world_info->base;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLDS: return &reply->worlds->base;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_MAP_INFO: return &reply->map_info->base;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_STEPPED: return &reply->stepped->base;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE: return &reply->world_update->base;
	default: return NULL;
	}
}

/* A collide_record_fn. */
static void
reply_print(void *context, bool sent, const void *bytes, size_t count)
{
	struct world_json *json = context;
	size_t header_bytes;
	uint32_t body_bytes;
	if (sent || frame_header_read(bytes, count, UINT32_MAX, &header_bytes, &body_bytes) != FRAME_OK)
		return;
	Collide__V1__ServerMessage *reply = collide__v1__server_message__unpack(NULL, body_bytes,
	                                                                        (const uint8_t *)bytes + header_bytes);
	const ProtobufCMessage *message = reply ? reply_message(reply, json->hides_owner) : NULL;
	if (message && !message_json_write(stdout, message, MESSAGE_JSON_LINE))
		json->failed = true;
	if (!reply)
		json->failed = true; /* what cannot be read ends the conversation too */
	else
		collide__v1__server_message__free_unpacked(reply, NULL);
}

void
world_json_begin(struct world_json *json, struct collide_core *core)
{
	collide_core_record(core, reply_print, json);
}
