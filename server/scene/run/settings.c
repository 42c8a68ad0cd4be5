#include "scene/run/settings.h"

#include "scene/fields/kinds.h"

#include <inttypes.h>

static enum status
over_limit(struct wire_problem *problem, const char *field, uint64_t value, uint64_t value_max)
{
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", field,
	                        "is %" PRIu64 ", at most %" PRIu64 " is allowed", value, value_max);
}

static enum status
bad_field(struct wire_problem *problem, const char *field, const char *text)
{
	return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field, "%s", text);
}

enum status
settings_read(const Collide__V1__Simulate *request, const struct scene_limits *limits, struct settings *out,
              struct wire_problem *problem)
{
	struct settings settings = { .dt = request->dt,
		                         .ticks = request->ticks,
		                         .every = request->every,
		                         .snapshot_every = request->snapshot_every,
		                         .self_check = request->self_check || limits->self_check != 0 };

	if (request->optional_scene_case == COLLIDE__V1__SIMULATE__OPTIONAL_SCENE__NOT_SET)
		return bad_field(problem, "simulate.scene", "is required");
	if (!(settings.dt > 0))
		return bad_field(problem, "simulate.dt", "must be greater than 0");
	if (!(settings.dt >= PHYSICS_DT_MIN && settings.dt <= PHYSICS_DT_MAX))
		return bad_field(problem, "simulate.dt", "must be from 1e-9 to 1000");
	if (settings.ticks == 0)
		return bad_field(problem, "simulate.ticks", "must be at least 1");
	if (settings.ticks > limits->ticks_max)
		return over_limit(problem, "simulate.ticks", settings.ticks, limits->ticks_max);
	if (settings.every == 0)
		settings.every = 1;
	if (!kind_detail(request->detail, &settings.contacts)) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "simulate.detail", "%d is not a Detail",
		                        (int)request->detail);
	}
	if (!kind_events(request->events, &settings.events)) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "simulate.events", "%d is not an Events",
		                        (int)request->events);
	}
	if (request->paths)
		settings.events |= WORLD_EVENTS_PATHS;
	if (limits->deadline_ms_max != 0 && request->deadline_ms > limits->deadline_ms_max)
		return over_limit(problem, "simulate.deadline_ms", request->deadline_ms, limits->deadline_ms_max);
	*out = settings;
	return STATUS_OK;
}
