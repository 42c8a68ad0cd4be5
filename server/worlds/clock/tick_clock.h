/* tick_clock: when a world's ticks are due by the server's clock, and what becomes of a world that is late.
 *
 * The worker that has the world. A value; the time is an argument. Tick n is due at base + (n / hz) s + (n mod hz) / hz,
 * without drift. A world that is late catches up, one tick after the other, by at most catch_up_ticks that begin a tick late or
 * more. Then its clock is set back by whole ticks, as many as it is late. Tick numbers are counted around 2^64. */
#ifndef COLLIDED_WORLDS_CLOCK_TICK_CLOCK_H
#define COLLIDED_WORLDS_CLOCK_TICK_CLOCK_H

#include "worlds/policy.h"

struct tick_clock {
	enum world_clock kind;
	uint32_t hz;
	uint32_t catch_up_ticks;
	bool pause_unseen, seen;
	uint64_t tick_base; /* this tick is due */
	uint64_t base_ns;   /* then, */
	uint64_t skipped;   /* and by so many ticks later */
	uint32_t late_row;  /* ticks in a row that began a tick late or more */
	uint64_t overruns;  /* such ticks, */
	uint64_t lost;      /* and by how many the clock was set back, in all */
};

void tick_clock_init(struct tick_clock *clock, const struct world_policy *policy, uint64_t tick_next, uint64_t base_ns);
/* Goes by another clock, or at another rate, from the next tick on, which is due at base_ns. */
void tick_clock_set(struct tick_clock *clock, enum world_clock kind, uint32_t hz, uint64_t tick_next, uint64_t base_ns);
/* Whether a seat or a subscription is there. If the clock has stood for want of one, the next tick is due at now_ns. */
void tick_clock_seen(struct tick_clock *clock, bool seen, uint64_t tick_next, uint64_t now_ns);
/* Whether ticks are due at all by the server's clock. */
bool tick_clock_runs(const struct tick_clock *clock);
/* When a tick is due, or was. */
uint64_t tick_clock_due_ns(const struct tick_clock *clock, uint64_t tick);
/* Whether a tick that begins so late does so when the next one is due. */
bool tick_clock_overruns(const struct tick_clock *clock, uint64_t late_ns);
/* The next tick begins now, which is not before it is due: how late it is. Sets the clock back if it is late too often. */
uint64_t tick_clock_begin(struct tick_clock *clock, uint64_t tick_next, uint64_t now_ns);

#endif
