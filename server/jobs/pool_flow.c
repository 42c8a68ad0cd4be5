/* Flows: what work is submitted for, and shares permits by. */
#include "base/check.h"
#include "jobs/pool_private.h"

#include <stdlib.h>

void
flow_release(struct flow *flow)
{
	while (flow && --flow->holders == 0) {
		struct flow *parent = flow->parent;
		CHECK(!fair_is_active(&flow->node));
		free(flow);
		flow = parent;
	}
}

struct flow *
pool_flow_create(struct pool *pool, struct flow *parent, uint32_t weight)
{
	struct flow *flow = calloc(1, sizeof *flow);
	if (!flow)
		return NULL;
	*flow = (struct flow){ .pool = pool, .parent = parent, .holders = 1 };
	fair_node_init(&flow->node, parent ? &parent->node : &pool->root, weight);
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	if (parent)
		parent->holders++;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return flow;
}

void
pool_flow_weight_set(struct flow *flow, uint32_t weight)
{
	CHECK(pthread_mutex_lock(&flow->pool->lock) == 0);
	fair_weight_set(&flow->node, weight);
	CHECK(pthread_mutex_unlock(&flow->pool->lock) == 0);
}

void
pool_flow_release(struct flow *flow)
{
	if (!flow)
		return;
	struct pool *pool = flow->pool;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	flow_release(flow);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
}

/* The lock is taken once for each quantum, not for each turn. */
void
flow_owe(struct flow *flow, uint64_t cost_ns)
{
	uint64_t owed_ns = atomic_fetch_add_explicit(&flow->owed_ns, cost_ns, memory_order_relaxed) + cost_ns;
	if (owed_ns < FAIR_QUANTUM_NS)
		return;
	CHECK(pthread_mutex_lock(&flow->pool->lock) == 0);
	fair_owe(&flow->node, atomic_exchange_explicit(&flow->owed_ns, 0, memory_order_relaxed));
	CHECK(pthread_mutex_unlock(&flow->pool->lock) == 0);
}
