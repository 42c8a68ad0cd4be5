#include "jobs/fair_queue.h"

#include "base/check.h"

#include <stddef.h>

/* Before, at or after: virtual times wrap around. */
static int64_t
difference(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b);
}

static bool
is_before(const struct heap_node *x, const struct heap_node *y)
{
	const struct fair_node *a = (const struct fair_node *)x, *b = (const struct fair_node *)y;
	int64_t between = difference(a->start, b->start);
	return between < 0 || (between == 0 && difference(a->order, b->order) < 0);
}

static uint64_t
later(uint64_t a, uint64_t b)
{
	return difference(a, b) > 0 ? a : b;
}

/* Of a cost shared by so much weight, in virtual time. */
static uint64_t
virtual_cost(uint64_t cost_ns, uint64_t weight)
{
	return cost_ns * FAIR_WEIGHT_ONE / weight;
}

/* The child that is first of those queued; NULL: none. */
static struct fair_node *
first_child(const struct fair_node *node)
{
	return (struct fair_node *)node->queue.least;
}

static void
queue_insert(struct fair_node *node)
{
	struct fair_node *parent = node->parent;
	node->order = parent->orders++;
	node->queued = true;
	heap_insert(&parent->queue, &node->place, is_before);
}

static void
queue_remove(struct fair_node *node)
{
	heap_remove(&node->parent->queue, &node->place, is_before);
	node->queued = false;
}

/* ---- nodes */

void
fair_node_init(struct fair_node *node, struct fair_node *parent, uint32_t weight)
{
	CHECK(weight >= 1 && weight <= FAIR_WEIGHT_MAX);
	*node = (struct fair_node){ .parent = parent, .weight = weight };
}

bool
fair_is_active(const struct fair_node *node)
{
	return node->queued || node->in_service > 0;
}

void
fair_weight_set(struct fair_node *node, uint32_t weight)
{
	CHECK(weight >= 1 && weight <= FAIR_WEIGHT_MAX);
	if (node->parent && fair_is_active(node)) {
		/* What was charged in advance stays what it is in the end. */
		node->start -= node->in_service * virtual_cost(FAIR_QUANTUM_NS, node->weight);
		node->start += node->in_service * virtual_cost(FAIR_QUANTUM_NS, weight);
		node->parent->active_weight = node->parent->active_weight - node->weight + weight;
	}
	node->weight = weight;
	if (node->parent && node->queued) {
		queue_remove(node);
		queue_insert(node);
	}
}

/* Moves the start of a node, which is in its parent's heap or not. */
static void
node_move(struct fair_node *node, uint64_t start)
{
	bool queued = node->queued;
	if (queued)
		queue_remove(node);
	node->start = start;
	if (queued)
		queue_insert(node);
}

static uint64_t
advance_of(const struct fair_node *node)
{
	return virtual_cost(FAIR_QUANTUM_NS, node->weight);
}

void
fair_push(struct fair_node *leaf)
{
	CHECK(!fair_is_active(leaf) && leaf->parent);
	for (struct fair_node *node = leaf; node->parent && !node->queued; node = node->parent) {
		if (!fair_is_active(node)) {
			node->start = later(node->start, node->parent->now);
			node->parent->active_weight += node->weight;
		}
		queue_insert(node);
	}
}

struct fair_node *
fair_first(struct fair_node *root)
{
	struct fair_node *leaf = root;
	while (first_child(leaf))
		leaf = first_child(leaf);
	return leaf == root ? NULL : leaf;
}

void
fair_take_leaf(struct fair_node *leaf)
{
	CHECK(leaf->queued && leaf->in_service == 0 && !first_child(leaf));
	for (struct fair_node *node = leaf; node->parent; node = node->parent) {
		struct fair_node *parent = node->parent;
		if (node == first_child(parent))
			parent->now = later(parent->now, node->start);
		queue_remove(node);
		node->in_service++;
		node->start += advance_of(node);
		if (first_child(node))
			queue_insert(node);
	}
}

struct fair_node *
fair_take(struct fair_node *root)
{
	struct fair_node *leaf = fair_first(root);
	if (leaf)
		fair_take_leaf(leaf);
	return leaf;
}

/* The children of a parent have cost so much. */
static void
parent_charge(struct fair_node *parent, uint64_t cost_ns)
{
	uint64_t now = parent->now + virtual_cost(cost_ns, parent->active_weight);
	const struct fair_node *first = first_child(parent);
	if (first && difference(now, first->start + FAIR_QUANTUM_NS) > 0)
		now = first->start + FAIR_QUANTUM_NS;
	parent->now = later(parent->now, now);
}

/* A cost, and a part of what it owes. */
static uint64_t
node_pay(struct fair_node *node, uint64_t cost_ns)
{
	uint64_t most_ns = cost_ns * (FAIR_DEBT_TIMES - 1);
	uint64_t paid_ns = node->owed_ns < most_ns ? node->owed_ns : most_ns;
	node->owed_ns -= paid_ns;
	return cost_ns + paid_ns;
}

void
fair_owe(struct fair_node *node, uint64_t cost_ns)
{
	for (; node->parent; node = node->parent) {
		uint64_t room_ns = FAIR_DEBT_NS - node->owed_ns;
		node->owed_ns += cost_ns < room_ns ? cost_ns : room_ns;
	}
}

void
fair_charge(struct fair_node *leaf, uint64_t cost_ns)
{
	CHECK(leaf->in_service == 1);
	for (struct fair_node *node = leaf; node->parent; node = node->parent) {
		node_move(node, node->start + virtual_cost(node_pay(node, cost_ns), node->weight));
		parent_charge(node->parent, cost_ns);
	}
}

void
fair_put_back(struct fair_node *leaf)
{
	CHECK(leaf->in_service == 1);
	for (struct fair_node *node = leaf; node->parent; node = node->parent) {
		node->in_service--;
		node_move(node, later(node->start - advance_of(node), node->parent->now - FAIR_QUANTUM_NS));
		if (!node->queued)
			queue_insert(node);
	}
}

void
fair_end(struct fair_node *leaf)
{
	CHECK(leaf->in_service == 1);
	for (struct fair_node *node = leaf; node->parent; node = node->parent) {
		node->in_service--;
		node_move(node, node->start - advance_of(node));
		if (!fair_is_active(node))
			node->parent->active_weight -= node->weight;
	}
}

void
fair_remove(struct fair_node *leaf)
{
	CHECK(leaf->queued && leaf->in_service == 0 && !first_child(leaf));
	for (struct fair_node *node = leaf; node->parent && !first_child(node); node = node->parent) {
		queue_remove(node);
		if (!fair_is_active(node))
			node->parent->active_weight -= node->weight;
	}
}
