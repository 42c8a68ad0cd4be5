/* Where a world goes on from bytes, which may be anything: each problem is named with its place in them. */
#include "base/memory.h"
#include "physics/describe.h"
#include "scene/definition/restore.h"
#include "worlds/live/live_private.h"
#include "worlds/live/world_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static enum status __attribute__((format(printf, 5, 6)))
state_refuse(struct wire_problem *problem, const char *path, const char *name, size_t index, const char *format, ...)
{
	char field[sizeof problem->field], text[sizeof problem->text], place[32] = "";
	va_list arguments;

	if (index != SIZE_MAX)
		(void)snprintf(place, sizeof place, "[%zu]", index);
	(void)snprintf(field, sizeof field, "%s.%s%s", path, name, place);
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field, "%s", text);
}

/* The message, with what it says of itself checked. NULL in *out: the bytes are the engine's alone. */
static enum status
state_read(struct arena *arena, const uint8_t *bytes, size_t count, const char *path, const Collide__V1__WorldState **out,
           struct wire_problem *problem)
{
	const struct wire_limits limits = { 0, UINT32_MAX, UINT32_MAX };
	const ProtobufCMessage *message = NULL;

	*out = NULL;
	if (snapshot_is_one(bytes, count))
		return STATUS_OK;
	enum status status = wire_message_unpack(arena, &collide__v1__world_state__descriptor, &limits, path, bytes, count,
	                                         &message, problem);

	if (status == STATUS_INVALID_ARGUMENT)
		problem->reason = "BAD_FIELD"; /* it is a value of the request, which itself has a good form */
	if (status != STATUS_OK)
		return status;

	const Collide__V1__WorldState *state = (const Collide__V1__WorldState *)message;

	if (state->magic != WORLD_STATE_MAGIC)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", path, "is no snapshot of a world");
	if (!(state->dt >= PHYSICS_DT_MIN && state->dt <= PHYSICS_DT_MAX))
		return state_refuse(problem, path, "dt", SIZE_MAX, "must be a number from 1e-9 to 1000");
	if (strnlen(state->map, WORLDS_NAME_BYTES_MAX + 1) > WORLDS_NAME_BYTES_MAX)
		return state_refuse(problem, path, "map", SIZE_MAX, "must be at most %d bytes", WORLDS_NAME_BYTES_MAX);
	*out = state;
	return STATUS_OK;
}

enum status
start_bytes_read(struct arena *arena, const uint8_t *bytes, size_t count, const char *path, struct start_bytes *out,
                 struct wire_problem *problem)
{
	const Collide__V1__WorldState *state;
	enum status status = state_read(arena, bytes, count, path, &state, problem);

	if (status != STATUS_OK)
		return status;
	*out = (struct start_bytes){ .dt = 0 };
	if (!state)
		return STATUS_OK;
	(void)snprintf(out->map, sizeof out->map, "%s", state->map);
	out->map_hash = state->map_hash;
	out->dt = state->dt;
	if (state->optional_handover_case == COLLIDE__V1__WORLD_STATE__OPTIONAL_HANDOVER_HANDOVER)
		out->handover = state->handover;
	return STATUS_OK;
}

/* What is wrong with a force; NULL: nothing. *name: its column. */
static const char *
force_wrong(const struct world *world, const Collide__V1__PushColumns *columns, double dt, size_t i, const char **name)
{
	double x = dt * columns->force_x[i], y = dt * columns->force_y[i];
	size_t index;

	*name = "forces.id";
	if (i > 0 && columns->id[i] < columns->id[i - 1])
		return "must ascend";
	if (i >= WORLDS_FORCES_PER_CIRCLE_MAX && columns->id[i - WORLDS_FORCES_PER_CIRCLE_MAX] == columns->id[i])
		return "has more forces than a circle may have";
	if (!world_body_find(world, columns->id[i], &index))
		return "must be that of one that exists";
	*name = !(x - x == 0.0) ? "forces.force_x" : "forces.force_y";
	if (!(x - x == 0.0) || !(y - y == 0.0))
		return "must be finite, and its impulse in a tick too";
	*name = "forces.ticks";
	if (columns->ticks[i] == 0 || columns->ticks[i] > WORLDS_FORCE_TICKS_MAX)
		return "must be 1 .. 1000000";
	return NULL;
}

static enum status
forces_read(struct world_start *start, const Collide__V1__WorldState *state, const char *path, struct wire_problem *problem)
{
	const Collide__V1__PushColumns *columns = state->forces;
	size_t count = columns->n_id;

	if (columns->n_force_x != count || columns->n_force_y != count || columns->n_ticks != count)
		return state_refuse(problem, path, "forces", SIZE_MAX, "must have one element a row in id, force_x, force_y and ticks");
	if (columns->n_impulse_x + columns->n_impulse_y + columns->n_angular_impulse > 0)
		return state_refuse(problem, path, "forces", SIZE_MAX, "must have no impulses");
	if (!force_list_reserve(&start->forces, count))
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for its forces");
	for (size_t i = 0; i < count; i++) {
		const char *name, *wrong = force_wrong(start->world, columns, state->dt, i, &name);

		if (wrong)
			return state_refuse(problem, path, name, i, "%s", wrong);
		start->forces.forces[start->forces.count++] = (struct force){
			.id = columns->id[i], .ticks = columns->ticks[i], .x = columns->force_x[i], .y = columns->force_y[i]
		};
	}
	return STATUS_OK;
}

static enum status
owners_read(struct world_start *start, const Collide__V1__OwnerColumns *columns, const char *path, struct wire_problem *problem)
{
	size_t count = columns->n_id, index;

	if (columns->n_seat != count)
		return state_refuse(problem, path, "owners", SIZE_MAX, "must have one element a row in id and seat");
	if (!owner_list_reserve(&start->owners, count))
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for its owners");
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && columns->id[i] <= columns->id[i - 1])
			return state_refuse(problem, path, "owners.id", i, "must ascend");
		if (!world_body_find(start->world, columns->id[i], &index))
			return state_refuse(problem, path, "owners.id", i, "must be that of one that exists");
		if (columns->seat[i] == 0)
			return state_refuse(problem, path, "owners.seat", i, "must not be 0");
		start->owners.owners[start->owners.count++] = (struct owner){ .id = columns->id[i], .seat = columns->seat[i] };
	}
	return STATUS_OK;
}

static enum status
state_make(struct world_start *start, const Collide__V1__WorldState *state, const struct scene_limits *limits,
           struct wall_map *map, const char *path, struct wire_problem *problem)
{
	char engine[64];
	bool in_map = state->map[0] != '\0';

	if (in_map && !map)
		return state_refuse(problem, path, "map", SIZE_MAX, "the world is in a map, which is not given");
	(void)snprintf(engine, sizeof engine, "%s.engine", path);
	enum status status = in_map ? scene_world_restore_in_map(map, state->engine.data, state->engine.len, limits, engine,
	                                                         &start->world, problem)
	                            : scene_world_restore(state->engine.data, state->engine.len, limits, engine, &start->world,
	                                                  problem);

	if (status == STATUS_OK && in_map)
		start->map = wall_map_hold(map);
	if (status == STATUS_OK && state->optional_forces_case == COLLIDE__V1__WORLD_STATE__OPTIONAL_FORCES_FORCES)
		status = forces_read(start, state, path, problem);
	if (status == STATUS_OK && state->optional_owners_case == COLLIDE__V1__WORLD_STATE__OPTIONAL_OWNERS_OWNERS)
		status = owners_read(start, state->owners, path, problem);
	return status;
}

enum status
world_start_bytes(struct arena *arena, const uint8_t *bytes, size_t count, const struct scene_limits *limits,
                  struct wall_map *map, const char *path, struct world_start **out, struct wire_problem *problem)
{
	const Collide__V1__WorldState *state;
	enum status status = state_read(arena, bytes, count, path, &state, problem);

	if (status != STATUS_OK)
		return status;

	struct world_start *start = world_start_empty(limits->memory_bytes_max);

	if (!start)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for its world");

	struct ledger *own = memory_enter(&start->ledger);

	status = state ? state_make(start, state, limits, map, path, problem)
	               : scene_world_restore(bytes, count, limits, path, &start->world, problem);
	(void)memory_enter(own);
	if (status != STATUS_OK) {
		world_start_destroy(start);
		return status;
	}
	start->hash = world_hash(start->world);
	*out = start;
	return STATUS_OK;
}
