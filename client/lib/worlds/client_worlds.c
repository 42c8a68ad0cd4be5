/* The blocking client's calls about worlds. */
#include "client/lib/client.h"

/* Waits for a WorldInfo: of what a worker does, or of what is answered at once. */
static bool
info_wait(struct collide_client *client, uint64_t request_id, bool by_worker, struct collide_world_info *info,
          struct collide_error *error)
{
	struct collide_event event;
	bool good = by_worker ? client_run(client, request_id, COLLIDE_EVENT_WORLD_INFO, &event, error)
	                      : client_reply(client, request_id, COLLIDE_EVENT_WORLD_INFO, &event, error);
	if (good && info)
		*info = *event.as.world_info;
	return good;
}

bool
collide_create_map(struct collide_client *client, const struct collide_map_creation *creation, struct collide_map_info *info,
                   struct collide_error *error)
{
	struct collide_event event;
	uint64_t request_id = collide_core_create_map(collide_client_core(client), creation, error);
	if (!client_run(client, request_id, COLLIDE_EVENT_MAP_INFO, &event, error))
		return false;
	if (info)
		*info = *event.as.map_info;
	return true;
}

bool
collide_drop_map(struct collide_client *client, const char *name, struct collide_map_info *info, struct collide_error *error)
{
	struct collide_event event;
	uint64_t request_id = collide_core_drop_map(collide_client_core(client), name, error);
	if (!client_reply(client, request_id, COLLIDE_EVENT_MAP_INFO, &event, error))
		return false;
	if (info)
		*info = *event.as.map_info;
	return true;
}

bool
collide_get_map(struct collide_client *client, const struct collide_map_key *key, collide_map_segments_fn on_part,
                void *context, struct collide_error *error)
{
	uint64_t request_id = collide_core_get_map(collide_client_core(client), key, error);
	return client_run_map(client, request_id, on_part, context, error);
}

bool
collide_create_world(struct collide_client *client, const struct collide_world_creation *creation,
                     struct collide_world_info *info, struct collide_error *error)
{
	uint64_t request_id = collide_core_create_world(collide_client_core(client), creation, error);
	return info_wait(client, request_id, true, info, error);
}

bool
collide_destroy_world(struct collide_client *client, const struct collide_world_key *key, struct collide_world_info *info,
                      struct collide_error *error)
{
	uint64_t request_id = collide_core_destroy_world(collide_client_core(client), key, error);
	return info_wait(client, request_id, false, info, error);
}

bool
collide_set_world(struct collide_client *client, const struct collide_world_key *key,
                  const struct collide_world_setting *setting, struct collide_world_info *info, struct collide_error *error)
{
	uint64_t request_id = collide_core_set_world(collide_client_core(client), key, setting, error);
	return info_wait(client, request_id, false, info, error);
}

bool
collide_list_worlds(struct collide_client *client, const struct collide_world_filter *filter, struct collide_worlds *worlds,
                    struct collide_error *error)
{
	struct collide_event event;
	uint64_t request_id = collide_core_list_worlds(collide_client_core(client), filter, error);
	if (!client_reply(client, request_id, COLLIDE_EVENT_WORLDS, &event, error))
		return false;
	*worlds = *event.as.worlds;
	return true;
}

bool
collide_snapshot_world(struct collide_client *client, const struct collide_world_key *key,
                       const struct collide_world_moment *moment, struct collide_snapshot *snapshot,
                       struct collide_error *error)
{
	struct collide_event event;
	uint64_t request_id = collide_core_snapshot_world(collide_client_core(client), key, moment, error);
	if (!client_run(client, request_id, COLLIDE_EVENT_SNAPSHOT, &event, error))
		return false;
	*snapshot = *event.as.snapshot;
	return true;
}

bool
collide_restore_world(struct collide_client *client, const struct collide_world_key *key, const void *snapshot,
                      size_t snapshot_bytes, struct collide_world_info *info, struct collide_error *error)
{
	uint64_t request_id = collide_core_restore_world(collide_client_core(client), key, snapshot, snapshot_bytes, error);
	return info_wait(client, request_id, true, info, error);
}

bool
collide_fork_world(struct collide_client *client, const struct collide_world_key *key, const struct collide_world_fork *fork,
                   struct collide_world_info *info, struct collide_error *error)
{
	uint64_t request_id = collide_core_fork_world(collide_client_core(client), key, fork, error);
	return info_wait(client, request_id, true, info, error);
}

/* The disk may keep it waiting, as a worker does others. */
static bool
recorded_wait(struct collide_client *client, uint64_t request_id, struct collide_recorded *recorded,
              struct collide_error *error)
{
	struct collide_event event;
	bool good = client_run(client, request_id, COLLIDE_EVENT_RECORDED, &event, error);
	if (good && recorded)
		*recorded = *event.as.recorded;
	return good;
}

bool
collide_record_world(struct collide_client *client, const struct collide_world_key *key,
                     const struct collide_recording *recording, struct collide_recorded *recorded, struct collide_error *error)
{
	uint64_t request_id = collide_core_record_world(collide_client_core(client), key, recording, error);
	return recorded_wait(client, request_id, recorded, error);
}

bool
collide_end_recording(struct collide_client *client, const struct collide_world_key *key, struct collide_recorded *recorded,
                      struct collide_error *error)
{
	uint64_t request_id = collide_core_end_recording(collide_client_core(client), key, error);
	return recorded_wait(client, request_id, recorded, error);
}
