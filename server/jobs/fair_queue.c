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
is_before(const struct fair_node *a, const struct fair_node *b)
{
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

/* ---- a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986) of the children of a parent */

static struct fair_node *
heap_merge(struct fair_node *a, struct fair_node *b)
{
	if (!a || !b)
		return a ? a : b;
	if (is_before(b, a)) {
		struct fair_node *other = a;
		a = b;
		b = other;
	}
	b->previous = a;
	b->next = a->child;
	if (b->next)
		b->next->previous = b;
	a->child = b;
	return a;
}

/* Those of a list of siblings as one heap: in pairs from the left, then from the right. */
static struct fair_node *
heap_merge_pairs(struct fair_node *first)
{
	struct fair_node *pairs = NULL, *heap = NULL;
	while (first) {
		struct fair_node *a = first, *b = a->next;
		first = b ? b->next : NULL;
		a->next = a->previous = NULL;
		if (b)
			b->next = b->previous = NULL;
		a = heap_merge(a, b);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		struct fair_node *rest = pairs->next;
		pairs->next = NULL;
		heap = heap_merge(heap, pairs);
		pairs = rest;
	}
	return heap;
}

static void
heap_insert(struct fair_node *node)
{
	struct fair_node *parent = node->parent;
	node->child = node->next = node->previous = NULL;
	node->order = parent->orders++;
	node->queued = true;
	parent->least = heap_merge(parent->least, node);
}

static void
heap_remove(struct fair_node *node)
{
	struct fair_node *parent = node->parent;
	struct fair_node *below = heap_merge_pairs(node->child);
	if (node == parent->least) {
		parent->least = below;
	} else {
		if (node->previous->child == node)
			node->previous->child = node->next;
		else
			node->previous->next = node->next;
		if (node->next)
			node->next->previous = node->previous;
		parent->least = heap_merge(parent->least, below);
	}
	node->child = node->next = node->previous = NULL;
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
		heap_remove(node);
		heap_insert(node);
	}
}

/* Moves the start of a node, which is in its parent's heap or not. */
static void
node_move(struct fair_node *node, uint64_t start)
{
	bool queued = node->queued;
	if (queued)
		heap_remove(node);
	node->start = start;
	if (queued)
		heap_insert(node);
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
		heap_insert(node);
	}
}

struct fair_node *
fair_first(struct fair_node *root)
{
	struct fair_node *leaf = root;
	while (leaf->least)
		leaf = leaf->least;
	return leaf == root ? NULL : leaf;
}

void
fair_take_leaf(struct fair_node *leaf)
{
	CHECK(leaf->queued && leaf->in_service == 0 && !leaf->least);
	for (struct fair_node *node = leaf; node->parent; node = node->parent) {
		struct fair_node *parent = node->parent;
		if (node == parent->least)
			parent->now = later(parent->now, node->start);
		heap_remove(node);
		node->in_service++;
		node->start += advance_of(node);
		if (node->least)
			heap_insert(node);
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
	if (parent->least && difference(now, parent->least->start + FAIR_QUANTUM_NS) > 0)
		now = parent->least->start + FAIR_QUANTUM_NS;
	parent->now = later(parent->now, now);
}

void
fair_charge(struct fair_node *leaf, uint64_t cost_ns)
{
	CHECK(leaf->in_service == 1);
	for (struct fair_node *node = leaf; node->parent; node = node->parent) {
		node_move(node, node->start + virtual_cost(cost_ns, node->weight));
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
			heap_insert(node);
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
	CHECK(leaf->queued && leaf->in_service == 0 && !leaf->least);
	for (struct fair_node *node = leaf; node->parent && !node->least; node = node->parent) {
		heap_remove(node);
		if (!fair_is_active(node))
			node->parent->active_weight -= node->weight;
	}
}
