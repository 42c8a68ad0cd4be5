/* What a worker makes of a CreateWorld or a RestoreWorld, before the loop enters it. */
#include "worlds/registry/wish.h"

#include "base/memory.h"

#include <string.h>

static enum status
no_memory(struct wire_problem *problem)
{
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "", "no memory for the world");
}

/* The map that is asked for by name; "": none. */
static enum status
map_find(const struct worlds *worlds, const char *name, const char *field, struct named_map **out, struct wire_problem *problem)
{
	*out = name[0] == '\0' ? NULL : map_store_hold(worlds->options.maps, name);
	if (name[0] != '\0' && !*out)
		return wire_problem_set(problem, STATUS_NOT_FOUND, "NO_SUCH_MAP", field, "no map has this name");
	return STATUS_OK;
}

/* What is made of them holds them by itself. */
static struct wall_map *
walls_of(const struct named_map *map)
{
	return map ? named_map_walls(map) : NULL;
}

static enum status
wish_begin_scene(const struct worlds *worlds, const Collide__V1__CreateWorld *message, struct arena *arena,
                 struct world_wish *wish, struct wire_problem *problem)
{
	enum status status = map_find(worlds, message->map, "create_world.map", &wish->map, problem);
	if (status != STATUS_OK)
		return status;
	struct wall_map *walls = walls_of(wish->map);
	return world_start_scene(arena, message->scene, worlds->options.scene_limits, walls, "create_world.scene", &wish->start,
	                         problem);
}

static enum status
wish_begin_bytes(const struct worlds *worlds, const Collide__V1__CreateWorld *message, struct arena *arena,
                 struct world_wish *wish, struct wire_problem *problem)
{
	const ProtobufCBinaryData *snapshot = &message->snapshot;
	struct start_bytes bytes;
	enum status status = start_bytes_read(&wish->arena, snapshot->data, snapshot->len, "create_world.snapshot", &bytes,
	                                      problem);
	if (status == STATUS_OK)
		status = map_find(worlds, message->map[0] != '\0' ? message->map : bytes.map, "create_world.map", &wish->map, problem);
	if (status == STATUS_OK) {
		struct wall_map *walls = walls_of(wish->map);
		status = world_start_bytes(arena, snapshot->data, snapshot->len, worlds->options.scene_limits, walls,
		                           "create_world.snapshot", &wish->start, problem);
	}
	wish->handover = status == STATUS_OK ? bytes.handover : NULL;
	/* Seats of this world will have the same numbers, and are others, unless they come with it. */
	if (status == STATUS_OK && !wish->handover)
		world_start_disown(wish->start);
	return status;
}

/* A handover brings its policy; else one must be given. */
static enum status
wish_read_policy(const struct worlds *worlds, const Collide__V1__CreateWorld *message, struct world_wish *wish,
                 struct wire_problem *problem)
{
	const struct worlds_limits *limits = &worlds->options.limits;
	if (message->optional_policy_case == COLLIDE__V1__CREATE_WORLD__OPTIONAL_POLICY_POLICY)
		return world_policy_read(message->policy, limits, "create_world.policy", &wish->policy, problem);
	if (wish->handover && wish->handover->optional_policy_case == COLLIDE__V1__HANDOVER__OPTIONAL_POLICY_POLICY) {
		return world_policy_read(wish->handover->policy, limits, "create_world.snapshot.handover.policy", &wish->policy,
		                         problem);
	}
	return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "create_world.policy", "is missing");
}

enum status
wish_read_ticket(const ProtobufCBinaryData *ticket, const char *field, struct world_wish *wish, struct wire_problem *problem)
{
	if (ticket->len != 0 && ticket->len != WORLDS_SECRET_BYTES)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field, "must have %d bytes",
		                        WORLDS_SECRET_BYTES);
	wish->has_ticket = ticket->len != 0;
	if (wish->has_ticket)
		memcpy(wish->ticket, ticket->data, sizeof wish->ticket);
	return STATUS_OK;
}

static enum status
wish_read_names(const Collide__V1__CreateWorld *message, struct world_wish *wish, struct wire_problem *problem)
{
	wish->name_field = "create_world.name";
	enum status status = name_read(message->name, wish->name_field, wish->name, problem);
	if (status == STATUS_OK)
		status = wish_read_ticket(&message->ticket, "create_world.ticket", wish, problem);
	return status == STATUS_OK ? labels_read(message->labels, message->n_labels, "create_world.labels", &wish->labels, problem)
	                           : status;
}

static enum status
wish_fill(const struct worlds *worlds, const Collide__V1__CreateWorld *message, struct arena *arena, struct world_wish *wish,
          struct wire_problem *problem)
{
	enum status status = wish_read_names(message, wish, problem);
	if (status != STATUS_OK)
		return status;
	/* Nothing is made for a policy that is wrong. */
	if (message->optional_policy_case == COLLIDE__V1__CREATE_WORLD__OPTIONAL_POLICY_POLICY)
		status = wish_read_policy(worlds, message, wish, problem);
	if (status != STATUS_OK)
		return status;
	if (message->optional_begin_case == COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SCENE)
		status = wish_begin_scene(worlds, message, arena, wish, problem);
	else if (message->optional_begin_case == COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SNAPSHOT)
		status = wish_begin_bytes(worlds, message, arena, wish, problem);
	else
		status = wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "create_world.scene",
		                          "is missing, and so is snapshot");
	return status == STATUS_OK ? wish_read_policy(worlds, message, wish, problem) : status;
}

enum status
world_wish_create(const struct worlds *worlds, const Collide__V1__CreateWorld *message, struct arena *arena,
                  struct world_wish **out, struct wire_problem *problem)
{
	struct world_wish *wish = memory_zeroed(1, sizeof *wish);
	if (!wish)
		return no_memory(problem);
	arena_init(&wish->arena, scene_arena_bytes(worlds->options.scene_limits, message->snapshot.len));
	enum status status = wish_fill(worlds, message, arena, wish, problem);
	if (status != STATUS_OK) {
		world_wish_destroy(wish);
		return status;
	}
	*out = wish;
	return STATUS_OK;
}

void
world_wish_destroy(struct world_wish *wish)
{
	if (!wish)
		return;
	world_start_destroy(wish->start);
	named_map_release(wish->map);
	labels_finish(&wish->labels);
	shared_bytes_release(wish->fork.state);
	arena_finish(&wish->arena);
	memory_free(wish);
}

size_t
world_wish_memory_bytes(const struct world_wish *wish)
{
	size_t state_bytes = wish->fork.state ? wish->fork.state->count : 0;
	return sizeof *wish + wish->arena.used_bytes + state_bytes + (wish->start ? world_start_memory_bytes(wish->start) : 0);
}

/* ---- RestoreWorld */

static enum status
restore_read_bytes(const struct worlds *worlds, const ProtobufCBinaryData *snapshot, struct arena *arena,
                   struct restore_wish *wish, struct wire_problem *problem)
{
	const char *path = "restore_world.snapshot";
	struct start_bytes bytes;
	enum status status = start_bytes_read(arena, snapshot->data, snapshot->len, path, &bytes, problem);
	if (status == STATUS_OK)
		status = map_find(worlds, bytes.map, "restore_world.snapshot.map", &wish->map, problem);
	if (status != STATUS_OK)
		return status;
	wish->dt = bytes.dt;
	return world_start_bytes(arena, snapshot->data, snapshot->len, worlds->options.scene_limits, walls_of(wish->map), path,
	                         &wish->start, problem);
}

enum status
restore_wish_create(const struct worlds *worlds, const Collide__V1__RestoreWorld *message, struct arena *arena,
                    struct restore_wish **out, struct wire_problem *problem)
{
	struct restore_wish *wish = memory_zeroed(1, sizeof *wish);
	if (!wish)
		return no_memory(problem);
	enum status status = name_read(message->name, "restore_world.name", wish->name, problem);
	if (status != STATUS_OK) {
		restore_wish_destroy(wish);
		return status;
	}
	wish->epoch = message->epoch;
	wish->secret_count = message->secret.len <= WORLDS_SECRET_BYTES ? message->secret.len : 0;
	if (wish->secret_count > 0)
		memcpy(wish->secret, message->secret.data, wish->secret_count);
	(void)restore_read_bytes(worlds, &message->snapshot, arena, wish, &wish->problem);
	*out = wish;
	return STATUS_OK;
}

void
restore_wish_destroy(struct restore_wish *wish)
{
	if (!wish)
		return;
	world_start_destroy(wish->start);
	named_map_release(wish->map);
	memory_free(wish);
}

size_t
restore_wish_memory_bytes(const struct restore_wish *wish)
{
	return sizeof *wish + (wish->start ? world_start_memory_bytes(wish->start) : 0);
}
