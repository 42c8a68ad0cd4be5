#include "client/lib/worlds/steering.h"

enum { LEAD_TICKS_FIRST = 2, CORRECTION_PART = 10 };

#define NS_PER_S INT64_C(1000000000)

/* 18 years: no server is so late or so early. Of numbers within this no sum overflows. */
#define SPAN_MAX_NS (INT64_C(1) << 59)

static int64_t
bounded(int64_t ns)
{
	return ns > SPAN_MAX_NS ? SPAN_MAX_NS : ns < -SPAN_MAX_NS ? -SPAN_MAX_NS : ns;
}

static int64_t
tick_ns(const struct steering *steering)
{
	return NS_PER_S / steering->hz;
}

void
steering_begin(struct steering *steering, uint64_t tick, int64_t next_due_ns, uint32_t hz, int64_t now_ns)
{
	uint32_t hz_before = steering->hz;
	steering->tick = tick;
	steering->hz = next_due_ns > 0 ? hz : 0;
	if (steering->hz == 0)
		return;
	steering->due_tick = tick + 1;
	steering->due_ns = now_ns + bounded(next_due_ns);
	if (hz_before != steering->hz)
		steering->lead_ns = LEAD_TICKS_FIRST * tick_ns(steering);
	if (steering->target_ns == 0)
		steering->target_ns = tick_ns(steering);
}

/* Ticks that are due by `at_ns`, from due_tick on, without those of the future. */
static uint64_t
ticks_due(const struct steering *steering, int64_t at_ns)
{
	int64_t since_ns = at_ns - steering->due_ns;
	if (since_ns < 0)
		return 0;
	uint64_t whole = (uint64_t)(since_ns / NS_PER_S), rest = (uint64_t)(since_ns % NS_PER_S);
	return whole * steering->hz + rest * steering->hz / (uint64_t)NS_PER_S + 1;
}

void
steering_told(struct steering *steering, uint64_t tick, int64_t now_ns)
{
	if (tick > steering->tick)
		steering->tick = tick;
	if (steering->hz == 0)
		return;
	/* The server is farther than the estimate: its ticks were due sooner, or its rate has changed. */
	if (tick > steering->due_tick + ticks_due(steering, now_ns)) {
		steering->due_tick = tick + 1;
		steering->due_ns = now_ns + tick_ns(steering);
	}
}

void
steering_restart(struct steering *steering, uint64_t tick, int64_t now_ns)
{
	if (tick < steering->tick)
		return; /* told late */
	steering->tick = tick;
	steering->due_tick = tick + 1;
	steering->due_ns = now_ns;
	if (steering->hz > 0)
		steering->lead_ns = LEAD_TICKS_FIRST * tick_ns(steering);
}

void
steering_margin(struct steering *steering, int64_t margin_ns, uint64_t tick)
{
	steering->margin_ns = margin_ns;
	if (steering->hz == 0 || tick == steering->corrected_tick)
		return;
	int64_t error_ns = bounded(margin_ns) - bounded(steering->target_ns), jump_ns = STEERING_JUMP_TICKS * tick_ns(steering);
	bool jump = error_ns > jump_ns || error_ns < -jump_ns;
	steering->corrected_tick = tick;
	steering->lead_ns = bounded(steering->lead_ns - (jump ? error_ns : error_ns / CORRECTION_PART));
}

uint64_t
steering_aim(const struct steering *steering, int64_t now_ns)
{
	if (steering->hz == 0)
		return steering->tick + 1;
	/* The first tick that is due at the lead's end or later. */
	uint64_t tick = steering->due_tick + ticks_due(steering, now_ns + steering->lead_ns - 1);
	return tick > steering->tick ? tick : steering->tick + 1;
}
