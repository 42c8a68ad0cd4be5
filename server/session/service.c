#include "session/service.h"

#include "base/check.h"
#include "base/memory.h"
#include "session/limits.h"
#include "worlds/registry/worlds.h"

struct session_limits
session_limits_default(void)
{
	return (struct session_limits){
		.scene = scene_limits_default(),
		.worlds = worlds_limits_default(),
		.message_bytes_max = 128u << 20, /* a scene of a million circles and as many segments in full columns */
		.requests_in_flight_max = 16,
		.requests_under_way_max = 512, /* so that an address alone, which gets half, has as many as 16 full connections */
		.memory_total_bytes_max = UINT64_C(4) << 30,
		.map_cache_bytes_max = 64u << 20, /* the walls of a hundred rooms of a thousand */
		.ping_interval_ms = 30000,
		.hello_timeout_ms = 10000,
		.frame_timeout_ms = 10000,
	};
}

struct account_quotas
account_quotas_half(const struct session_limits *limits)
{
	return (struct account_quotas){
		.requests_max = limits->requests_under_way_max - limits->requests_under_way_max / 2,
		.queued_max = SIZE_MAX,
		.memory_bytes_max = limits->memory_total_bytes_max / 2,
	};
}

void
service_init(struct service *service, const struct session_limits *limits, uint64_t instance_id, uint64_t (*now_ns)(void))
{
	*service = (struct service){ .limits = *limits, .instance_id = instance_id, .now_ns = now_ns };
	size_t count = 0;
	const uint8_t *schema = wire_descriptor_set(&count);
	shared_bytes_init(&service->schema, schema, count);
	counters_init(&service->counters);
	arena_init(&service->control_arena, SESSION_CONTROL_ARENA_BYTES_MAX);
	service->quotas = account_quotas_half(limits);
	account_init(&service->common, service, NULL);
}

void
service_finish(struct service *service)
{
	CHECK(service->requests_under_way == 0 && atomic_load(&service->schema.holders) == 1);
	account_release(&service->common);
	CHECK(!service->accounts);
	arena_finish(&service->control_arena);
}

size_t
service_places_free(const struct service *service)
{
	size_t max = service->limits.requests_under_way_max;
	return service->requests_under_way < max ? max - service->requests_under_way : 0;
}

uint64_t
service_memory_left(const struct service *service)
{
	uint64_t max = service->limits.memory_total_bytes_max;
	uint64_t left = service->memory_bytes < max ? max - service->memory_bytes : 0, room = memory_room();
	return left < room ? left : room;
}

uint64_t
account_memory_left(const struct account *account)
{
	uint64_t max = account->service->quotas.memory_bytes_max, left = service_memory_left(account->service);
	uint64_t own = account->memory_bytes < max ? max - account->memory_bytes : 0;
	/* As memory shares: at most twice what is left then (ledger_share). */
	uint64_t fair = account->memory_bytes / 2 < left ? (left - account->memory_bytes / 2) / 3 * 2 : 0;
	left = fair < left ? fair : left;
	return own < left ? own : left;
}
