#include "scene/run/cost.h"

/* Up to so many bodies one in so many ticks is timed: its seven looks at the clock are 0.2 us, a tick of 32 bodies 4. */
#define SMALL_BODIES_MAX 256
#define TICKS_PER_SAMPLE 16

/* Nanoseconds since what is done now began; then something else begins. */
static uint64_t
cost_lap(struct cost *cost)
{
	if (!cost->now_ns)
		return 0;
	uint64_t now_ns = cost->now_ns();
	uint64_t lap_ns = now_ns - cost->since_ns;
	cost->since_ns = now_ns;
	return lap_ns;
}

void
cost_begin(struct cost *cost)
{
	(void)cost_lap(cost);
}

void
cost_reply_end(struct cost *cost)
{
	cost->reply_ns += cost_lap(cost);
}

void
cost_tick_end(struct cost *cost, const struct tick_report *report)
{
	const struct tick_cost *tick = &report->cost;
	double share = (double)report->work / (double)report->work_max;
	bool timed = false;

	cost->engine_ns += cost_lap(cost);
	for (unsigned phase = 0; phase < TICK_PHASES; phase++) {
		cost->phase_ns[phase] += tick->ns[phase];
		timed = timed || tick->ns[phase] > 0;
	}
	cost->timed_ticks += timed;
	cost->looks += tick->looks;
	cost->foreseen += tick->foreseen;
	cost->transfers += tick->transfers;
	cost->sweeps += tick->sweeps;
	cost->work += report->work;
	cost->work_share_max = share > cost->work_share_max ? share : cost->work_share_max;
	cost->shared_ticks += tick->partition;
	cost->repeated_ticks += tick->again;
}

uint64_t (*cost_clock(const struct cost *cost, uint64_t number, size_t bodies))(void)
{
	return bodies > SMALL_BODIES_MAX || number % TICKS_PER_SAMPLE == 0 ? cost->now_ns : NULL;
}

static double
seconds(uint64_t ns)
{
	return (double)ns * 1e-9;
}

double
cost_engine_seconds(const struct cost *cost)
{
	return seconds(cost->engine_ns);
}

void
cost_tell(const struct cost *cost, Collide__V1__Cost *out)
{
	out->reply_seconds = seconds(cost->reply_ns);
	out->looks = cost->looks;
	out->foreseen = cost->foreseen;
	out->transfers = cost->transfers;
	out->sweeps = cost->sweeps;
	out->work = cost->work;
	out->work_share_max = cost->work_share_max;
	out->shared_ticks = cost->shared_ticks;
	out->repeated_ticks = cost->repeated_ticks;
	out->timed_ticks = cost->timed_ticks;
	out->begin_seconds = seconds(cost->phase_ns[TICK_BEGIN]);
	out->rest_seconds = seconds(cost->phase_ns[TICK_REST]);
	out->predict_seconds = seconds(cost->phase_ns[TICK_PREDICT]);
	out->event_seconds = seconds(cost->phase_ns[TICK_EVENTS]);
	out->strip_seconds = seconds(cost->phase_ns[TICK_PARTITION]);
	out->end_seconds = seconds(cost->phase_ns[TICK_END]);
}
