#include "worlds/policy.h"

#include "scene/fields/kinds.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define NS_PER_S UINT64_C(1000000000)

/* What is being read, and where its problem goes. */
struct policy_reader {
	const char *path;
	struct wire_problem *problem;
};

static enum status __attribute__((format(printf, 5, 6)))
policy_refuse(const struct policy_reader *reader, enum status status, const char *reason, const char *name, const char *format,
              ...);

static enum status
policy_refuse(const struct policy_reader *reader, enum status status, const char *reason, const char *name, const char *format,
              ...)
{
	char field[sizeof reader->problem->field], text[sizeof reader->problem->text];
	va_list arguments;

	(void)snprintf(field, sizeof field, "%s.%s", reader->path, name);
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return wire_problem_set(reader->problem, status, reason, field, "%s", text);
}

/* A number of which 0 stands for the default. */
static enum status
count_read(const struct policy_reader *reader, const char *name, uint32_t asked, uint32_t value_default, uint32_t value_max,
           uint32_t *out)
{
	uint32_t value = asked == 0 ? value_default : asked;

	if (value > value_max)
		return policy_refuse(reader, STATUS_RESOURCE_EXHAUSTED, "LIMIT", name, "must be at most %" PRIu32, value_max);
	*out = value;
	return STATUS_OK;
}

static enum status
enums_read(const struct policy_reader *reader, const Collide__V1__WorldPolicy *message, struct world_policy *out)
{
	switch (message->clock) {
	case COLLIDE__V1__CLOCK__CLOCK_UNSPECIFIED:
	case COLLIDE__V1__CLOCK__CLOCK_SERVER: out->clock = WORLD_CLOCK_SERVER; break;
	case COLLIDE__V1__CLOCK__CLOCK_CLIENT: out->clock = WORLD_CLOCK_CLIENT; break;
	case COLLIDE__V1__CLOCK__CLOCK_PAUSED: out->clock = WORLD_CLOCK_PAUSED; break;
	default:
		return policy_refuse(reader, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "clock", "%d is not a Clock", (int)message->clock);
	}
	switch (message->late) {
	case COLLIDE__V1__LATE__LATE_UNSPECIFIED:
	case COLLIDE__V1__LATE__LATE_NEXT_TICK: out->late = WORLD_LATE_NEXT_TICK; break;
	case COLLIDE__V1__LATE__LATE_REFUSE: out->late = WORLD_LATE_REFUSE; break;
	case COLLIDE__V1__LATE__LATE_RESIMULATE: out->late = WORLD_LATE_RESIMULATE; break;
	default: return policy_refuse(reader, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "late", "%d is not a Late", (int)message->late);
	}
	if (!kind_events(message->events, &out->events))
		return policy_refuse(reader, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "events", "%d is not an Events",
		                     (int)message->events);
	return STATUS_OK;
}

/* Ticks a second that a dt stands for: 1 / dt, rounded. */
static uint32_t
hz_of(double dt, uint32_t hz_max)
{
	double hz = 1.0 / dt;

	return hz < 1.0 ? 1 : hz > (double)hz_max ? hz_max : (uint32_t)(hz + 0.5);
}

static enum status
times_read(const struct policy_reader *reader, const Collide__V1__WorldPolicy *message, const struct worlds_limits *limits,
           struct world_policy *out)
{
	if (!(message->dt >= PHYSICS_DT_MIN && message->dt <= PHYSICS_DT_MAX))
		return policy_refuse(reader, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "dt", "must be a number from 1e-9 to 1000");
	out->dt = message->dt;
	enum status status = count_read(reader, "tick_hz", message->tick_hz, hz_of(message->dt, limits->tick_hz_max),
	                                limits->tick_hz_max, &out->tick_hz);

	if (status == STATUS_OK)
		status = count_read(reader, "history_ticks", message->history_ticks, 0, limits->history_ticks_max, &out->history_ticks);
	if (status == STATUS_OK && out->late == WORLD_LATE_RESIMULATE && out->history_ticks == 0)
		status = policy_refuse(reader, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "history_ticks",
		                       "must be at least 1 with LATE_RESIMULATE");
	if (status == STATUS_OK)
		status = count_read(reader, "catch_up_ticks", message->catch_up_ticks, WORLDS_CATCH_UP_TICKS, UINT32_MAX,
		                    &out->catch_up_ticks);
	if (status == STATUS_OK)
		status = count_read(reader, "idle_ttl_ms", message->idle_ttl_ms, WORLDS_IDLE_TTL_MS, UINT32_MAX, &out->idle_ttl_ms);
	if (status == STATUS_OK)
		status = count_read(reader, "seat_ttl_ms", message->seat_ttl_ms, WORLDS_SEAT_TTL_MS, UINT32_MAX, &out->seat_ttl_ms);
	if (status == STATUS_OK)
		status = count_read(reader, "hash_every", message->hash_every, WORLDS_HASH_EVERY, UINT32_MAX, &out->hash_every);
	return status;
}

enum status
world_policy_read(const Collide__V1__WorldPolicy *message, const struct worlds_limits *limits, const char *path,
                  struct world_policy *out, struct wire_problem *problem)
{
	struct policy_reader reader = { .path = path, .problem = problem };
	struct world_policy policy = { .pause_unseen = message->pause_unseen != 0 };
	enum status status = enums_read(&reader, message, &policy);

	if (status == STATUS_OK)
		status = times_read(&reader, message, limits, &policy);
	if (status == STATUS_OK)
		status = count_read(&reader, "seats_max", message->seats_max, limits->seats_per_world_max, limits->seats_per_world_max,
		                    &policy.seats_max);
	if (status == STATUS_OK)
		status = count_read(&reader, "join_ids_max", message->join_ids_max, WORLDS_JOIN_IDS, WORLDS_JOIN_IDS_MAX,
		                    &policy.join_ids_max);
	if (status == STATUS_OK && message->cpu_permille_max > 1000)
		status = policy_refuse(&reader, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "cpu_permille_max", "must be at most 1000");
	if (status != STATUS_OK)
		return status;
	policy.cpu_permille_max = message->cpu_permille_max == 0 ? WORLDS_CPU_PERMILLE_MAX : message->cpu_permille_max;
	policy.join_circles_max = message->join_circles_max;
	*out = policy;
	return STATUS_OK;
}

void
world_policy_tell(const struct world_policy *policy, Collide__V1__WorldPolicy *out)
{
	collide__v1__world_policy__init(out);
	out->clock = (Collide__V1__Clock)policy->clock;
	out->dt = policy->dt;
	out->tick_hz = policy->tick_hz;
	out->late = (Collide__V1__Late)policy->late;
	out->history_ticks = policy->history_ticks;
	out->catch_up_ticks = policy->catch_up_ticks;
	out->idle_ttl_ms = policy->idle_ttl_ms;
	out->pause_unseen = policy->pause_unseen;
	out->seat_ttl_ms = policy->seat_ttl_ms;
	out->hash_every = policy->hash_every;
	out->seats_max = policy->seats_max;
	out->events = (policy->events & WORLD_EVENTS_PERSIST) != 0 ? COLLIDE__V1__EVENTS__EVENTS_PERSIST
	              : (policy->events & WORLD_EVENTS_TOUCH) != 0 ? COLLIDE__V1__EVENTS__EVENTS_TOUCHES
	                                                           : COLLIDE__V1__EVENTS__EVENTS_NONE;
	out->cpu_permille_max = policy->cpu_permille_max;
	out->join_ids_max = policy->join_ids_max;
	out->join_circles_max = policy->join_circles_max;
}

uint64_t
world_due_ns(uint64_t n, uint32_t hz)
{
	uint64_t seconds = n / hz, part_ns = n % hz * NS_PER_S / hz; /* under 2^32 * 1e9: no overflow */

	return seconds > (UINT64_MAX - part_ns) / NS_PER_S ? UINT64_MAX : seconds * NS_PER_S + part_ns;
}
