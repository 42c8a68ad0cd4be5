#include "worlds/clock/tick_clock.h"

#define NS_PER_S UINT64_C(1000000000)

void
tick_clock_init(struct tick_clock *clock, const struct world_policy *policy, uint64_t tick_next, uint64_t base_ns)
{
	*clock = (struct tick_clock){ .kind = policy->clock,
		                          .hz = policy->tick_hz,
		                          .catch_up_ticks = policy->catch_up_ticks,
		                          .pause_unseen = policy->pause_unseen,
		                          .tick_base = tick_next,
		                          .base_ns = base_ns };
}

void
tick_clock_set(struct tick_clock *clock, enum world_clock kind, uint32_t hz, uint64_t tick_next, uint64_t base_ns)
{
	clock->kind = kind;
	clock->hz = hz;
	clock->tick_base = tick_next;
	clock->base_ns = base_ns;
	clock->skipped = 0;
	clock->late_row = 0;
}

void
tick_clock_seen(struct tick_clock *clock, bool seen, uint64_t tick_next, uint64_t now_ns)
{
	bool ran = tick_clock_runs(clock);

	clock->seen = seen;
	if (!ran && tick_clock_runs(clock) && tick_clock_due_ns(clock, tick_next) < now_ns)
		tick_clock_set(clock, clock->kind, clock->hz, tick_next, now_ns);
}

bool
tick_clock_runs(const struct tick_clock *clock)
{
	return clock->kind == WORLD_CLOCK_SERVER && (!clock->pause_unseen || clock->seen);
}

bool
tick_clock_overruns(const struct tick_clock *clock, uint64_t late_ns)
{
	return clock->hz > 0 && late_ns >= NS_PER_S / clock->hz;
}

/* How many ticks after the base the tick is; under 0: before. */
static int64_t
ticks_after(const struct tick_clock *clock, uint64_t tick)
{
	return (int64_t)(tick - clock->tick_base + clock->skipped);
}

uint64_t
tick_clock_due_ns(const struct tick_clock *clock, uint64_t tick)
{
	int64_t after = ticks_after(clock, tick);
	uint64_t apart = world_due_ns(after < 0 ? 0 - (uint64_t)after : (uint64_t)after, clock->hz);

	if (after < 0)
		return apart < clock->base_ns ? clock->base_ns - apart : 0;
	return apart < UINT64_MAX - clock->base_ns ? clock->base_ns + apart : UINT64_MAX;
}

/* The number of the last tick after the base that is due by then: the largest n with world_due_ns(n) <= elapsed_ns. */
static uint64_t
due_by(uint64_t elapsed_ns, uint32_t hz)
{
	uint64_t seconds = elapsed_ns / NS_PER_S, rest_ns = elapsed_ns % NS_PER_S;

	return seconds * hz + ((rest_ns + 1) * hz - 1) / NS_PER_S;
}

uint64_t
tick_clock_begin(struct tick_clock *clock, uint64_t tick_next, uint64_t now_ns)
{
	uint64_t due_ns = tick_clock_due_ns(clock, tick_next);

	if (now_ns < tick_clock_due_ns(clock, tick_next + 1)) {
		clock->late_row = 0;
		return now_ns - due_ns;
	}
	clock->overruns++;
	if (clock->late_row < clock->catch_up_ticks) {
		clock->late_row++;
		return now_ns - due_ns;
	}

	uint64_t late = due_by(now_ns - clock->base_ns, clock->hz) - (uint64_t)ticks_after(clock, tick_next);

	clock->skipped += late;
	clock->lost += late;
	clock->late_row = 0;
	return now_ns - due_ns;
}
