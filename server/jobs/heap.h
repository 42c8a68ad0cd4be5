/* heap: a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986) of nodes in their owners' memory: the least first, any one
 * removed. One thread at a time.
 *
 * `before` is an order without equals; a constant one is inlined. */
#ifndef COLLIDED_JOBS_HEAP_H
#define COLLIDED_JOBS_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* All NULL outside of a heap. */
struct heap_node {
	struct heap_node *child, *next, *previous; /* `previous` of a first child: its parent */
};

struct heap {
	struct heap_node *least; /* NULL: it is empty */
};

typedef bool heap_before_fn(const struct heap_node *a, const struct heap_node *b);

static inline struct heap_node *
heap_merge(struct heap_node *a, struct heap_node *b, heap_before_fn *before)
{
	if (!a || !b)
		return a ? a : b;
	if (before(b, a)) {
		struct heap_node *other = a;
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
static inline struct heap_node *
heap_merge_pairs(struct heap_node *first, heap_before_fn *before)
{
	struct heap_node *pairs = NULL, *merged = NULL;
	while (first) {
		struct heap_node *a = first, *b = a->next;
		first = b ? b->next : NULL;
		a->next = a->previous = NULL;
		if (b)
			b->next = b->previous = NULL;
		a = heap_merge(a, b, before);
		a->next = pairs;
		pairs = a;
	}
	while (pairs) {
		struct heap_node *rest = pairs->next;
		pairs->next = NULL;
		merged = heap_merge(merged, pairs, before);
		pairs = rest;
	}
	return merged;
}

static inline void
heap_insert(struct heap *heap, struct heap_node *node, heap_before_fn *before)
{
	*node = (struct heap_node){ NULL, NULL, NULL };
	heap->least = heap_merge(heap->least, node, before);
}

static inline void
heap_remove(struct heap *heap, struct heap_node *node, heap_before_fn *before)
{
	struct heap_node *below = heap_merge_pairs(node->child, before);
	if (node == heap->least) {
		heap->least = below;
	} else {
		if (node->previous->child == node)
			node->previous->child = node->next;
		else
			node->previous->next = node->next;
		if (node->next)
			node->next->previous = node->previous;
		heap->least = heap_merge(heap->least, below, before);
	}
	*node = (struct heap_node){ NULL, NULL, NULL };
}

#endif
