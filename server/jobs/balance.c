#include "jobs/balance.h"

void
balance_roll(struct balance *balance, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - balance->span_ns;
	if (passed_ns < BALANCE_SPAN_NS)
		return;
	balance->permille = (unsigned)(balance->used_ns * 1000 / passed_ns);
	balance->span_ns = now_ns;
	balance->used_ns = 0;
}

void
balance_turn(struct balance *balance, uint64_t late_ns, uint64_t period_ns, uint64_t cost_ns, uint64_t now_ns)
{
	balance->used_ns += cost_ns;
	balance_roll(balance, now_ns);
	if (balance->late_since_ns != 0 && now_ns - balance->late_last_ns > BALANCE_QUIET_NS)
		balance->late_since_ns = 0;
	if (late_ns <= period_ns)
		return;
	balance->late_last_ns = now_ns;
	if (balance->late_since_ns == 0)
		balance->late_since_ns = now_ns;
}

bool
balance_is_late(const struct balance *balance, uint64_t now_ns)
{
	return balance->late_since_ns != 0 && now_ns - balance->late_last_ns <= BALANCE_QUIET_NS &&
	       now_ns - balance->late_since_ns >= BALANCE_LATE_NS && now_ns - balance->gave_ns >= BALANCE_STEP_NS;
}

void
balance_give(struct balance *balance, uint64_t now_ns)
{
	balance->gave_ns = now_ns;
}

unsigned
balance_permille(uint64_t ns_per_s)
{
	return (unsigned)(ns_per_s / 1000000);
}

unsigned
balance_choose(const unsigned *permille, unsigned count, unsigned from, unsigned more)
{
	unsigned best = count;
	for (unsigned i = 0; i < count; i++) {
		if (i == from || permille[i] + more > BALANCE_ROOM_PERMILLE)
			continue;
		if (best == count || permille[i] < permille[best])
			best = i;
	}
	return best;
}
