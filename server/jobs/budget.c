#include "jobs/budget.h"

#define NS_PER_S UINT64_C(1000000000)
/* Ten cores: products with a second's nanoseconds stay within 64 bits. */
#define RATE_MAX (10 * NS_PER_S)

static int64_t
budget_depth(const struct budget *budget)
{
	return (int64_t)(budget->rate_ns / (NS_PER_S / BUDGET_DEPTH_NS));
}

static uint64_t
rate_within(uint64_t rate_ns)
{
	return rate_ns < RATE_MAX ? rate_ns : RATE_MAX;
}

void
budget_init(struct budget *budget, uint64_t rate_ns, uint64_t now_ns)
{
	*budget = (struct budget){ .rate_ns = rate_within(rate_ns), .filled_ns = now_ns };
	budget->left_ns = budget_depth(budget);
}

static void
budget_fill(struct budget *budget, uint64_t now_ns)
{
	if (now_ns <= budget->filled_ns)
		return;
	uint64_t passed_ns = now_ns - budget->filled_ns;
	budget->filled_ns = now_ns;
	uint64_t part = passed_ns % NS_PER_S * budget->rate_ns + budget->rest;
	uint64_t seconds = passed_ns / NS_PER_S;
	budget->rest = part % NS_PER_S;
	uint64_t wanted = (uint64_t)(budget_depth(budget) - budget->left_ns);
	/* After so long it is full whatever it owed: the product below would be of no use. */
	bool full = budget->rate_ns > 0 && seconds > wanted / budget->rate_ns;
	uint64_t filled = full ? wanted : seconds * budget->rate_ns + part / NS_PER_S;
	if (filled >= wanted) {
		filled = wanted;
		budget->rest = 0;
	}
	budget->left_ns += (int64_t)filled;
}

void
budget_rate_set(struct budget *budget, uint64_t rate_ns, uint64_t now_ns)
{
	budget_fill(budget, now_ns);
	budget->rate_ns = rate_within(rate_ns);
	budget->rest = 0;
	if (budget->left_ns > budget_depth(budget))
		budget->left_ns = budget_depth(budget);
}

void
budget_charge(struct budget *budget, uint64_t cost_ns)
{
	budget->left_ns -= (int64_t)cost_ns;
}

int64_t
budget_left_ns(struct budget *budget, uint64_t now_ns)
{
	budget_fill(budget, now_ns);
	return budget->left_ns;
}

uint64_t
budget_ready_ns(const struct budget *budget)
{
	if (budget->left_ns > 0)
		return budget->filled_ns;
	if (budget_depth(budget) == 0)
		return UINT64_MAX;
	uint64_t wanted = (uint64_t)(1 - budget->left_ns), rate_ns = budget->rate_ns;
	uint64_t part = wanted % rate_ns * NS_PER_S;
	part = part > budget->rest ? part - budget->rest : 0;
	return budget->filled_ns + wanted / rate_ns * NS_PER_S + (part + rate_ns - 1) / rate_ns;
}
