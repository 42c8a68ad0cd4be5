/* policy: how a world goes: its clock, its limits, what becomes of late batches. With its defaults filled in.
 *
 * Any thread. A value. */
#ifndef COLLIDED_WORLDS_POLICY_H
#define COLLIDED_WORLDS_POLICY_H

#include "base/status.h"
#include "wire/wire.h"
#include "worlds/limits.h"

enum world_clock { WORLD_CLOCK_SERVER = 1, WORLD_CLOCK_CLIENT = 2, WORLD_CLOCK_PAUSED = 3 }; /* as the schema's Clock */
enum world_late { WORLD_LATE_NEXT_TICK = 1, WORLD_LATE_REFUSE = 2, WORLD_LATE_RESIMULATE = 3 };

struct world_policy {
	enum world_clock clock;
	double dt;
	uint32_t tick_hz; /* 1 .. */
	enum world_late late;
	uint32_t history_ticks;
	uint32_t catch_up_ticks;
	uint32_t idle_ttl_ms; /* WORLDS_TTL_NEVER: none */
	bool pause_unseen;
	uint32_t seat_ttl_ms;
	uint32_t hash_every;
	uint32_t seats_max;
	unsigned events; /* bits of enum world_event (physics.h) */
	uint32_t cpu_permille_max;
	uint32_t join_ids_max;
	uint32_t join_circles_max; /* 0: the default, before it is known how many there are */
};

/* `path` names the message ("create_world.policy"). INVALID_ARGUMENT (BAD_FIELD) or RESOURCE_EXHAUSTED (LIMIT), with the field.
 */
STATUS_MUST_USE enum status world_policy_read(const Collide__V1__WorldPolicy *message, const struct worlds_limits *limits,
                                              const char *path, struct world_policy *out, struct wire_problem *problem);
/* The message that says so, every default filled in. */
void world_policy_tell(const struct world_policy *policy, Collide__V1__WorldPolicy *out);

/* When tick n is due, relative to the base: n / hz s + (n mod hz) / hz, in nanoseconds, rounded down.
 * Without overflow for any n that a 64-bit time has room for, and UINT64_MAX beyond. */
uint64_t world_due_ns(uint64_t n, uint32_t hz);

#endif
