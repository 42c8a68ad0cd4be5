#include "physics/geometry/box_tree.h"

#include "base/memory.h"
#include "base/pause.h"

#include <math.h>
#include <string.h>

/* Boxes per leaf: a few are tested as fast as their node is. */
#define LEAF_BOXES 4
/* From this many boxes on keys are sorted by 16 bits at a time. For fewer, eight bits at a time are faster: there are twice as
 * many passes, but 256 counters to clear and to sum up in each, not 65,536. */
#define MANY 32768

struct keyed {
	uint64_t key;
	uint32_t index;
};

/* Stable sort by key: counting sorts by one digit each. `spare` has room for as many items. A digit that is the same in all
 * keys is skipped: small ranks have many of these. */
static void
keyed_sort(struct keyed *items, struct keyed *spare, uint32_t count, uint32_t *starts, unsigned digit_bits)
{
	uint32_t digits = UINT32_C(1) << digit_bits, mask = digits - 1;

	for (unsigned shift = 0; shift < 64 && count > 0 && !pause_stopped(); shift += digit_bits) {
		uint32_t sum = 0;

		memset(starts, 0, digits * sizeof *starts);
		for (uint32_t i = 0; i < count && !pause_after(1); i++)
			starts[items[i].key >> shift & mask]++;
		if (starts[items[0].key >> shift & mask] == count)
			continue;
		for (uint32_t k = 0; k < digits; k++) {
			uint32_t here = starts[k];

			starts[k] = sum;
			sum += here;
		}
		for (uint32_t i = 0; i < count && !pause_after(2); i++)
			spare[starts[items[i].key >> shift & mask]++] = items[i];
		(void)pause_copy(items, spare, count * sizeof *items);
	}
}

/* An integer that orders as the double does. */
static uint64_t
ordered_bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Moves bits 0, 1, 2... to places 0, 2, 4... */
static uint64_t
spread(uint64_t v)
{
	v = (v | v << 16) & UINT64_C(0x0000ffff0000ffff);
	v = (v | v << 8) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v | v << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	v = (v | v << 2) & UINT64_C(0x3333333333333333);
	return (v | v << 1) & UINT64_C(0x5555555555555555);
}

/* Fills tree->order: the ranks along both axes, interleaved. */
static bool
order_build(struct box_tree *tree)
{
	uint32_t count = tree->count;
	struct keyed *items = memory_alloc((count + (size_t)1) * sizeof *items),
				 *spare = memory_alloc((count + (size_t)1) * sizeof *spare);
	uint64_t *places = memory_alloc((count + (size_t)1) * sizeof *places);
	unsigned digit_bits = count < MANY ? 8 : 16;
	uint32_t *starts = memory_alloc((sizeof *starts) << digit_bits);
	bool good = items && spare && places && starts;

	/* All are written here, one after the other. The sorting would come to their pages in any order, and wait for many of them
	 * between two questions. */
	good = good && pause_fill(places, 0, (count + (size_t)1) * sizeof *places) && pause_fill(spare, 0, count * sizeof *spare);
	for (int axis = 0; good && axis < 2; axis++) {
		for (uint32_t i = 0; i < count && !pause_after(2); i++) {
			const struct box *box = &tree->boxes[i];
			double middle = axis == 0 ? 0.5 * box->x0 + 0.5 * box->x1 : 0.5 * box->y0 + 0.5 * box->y1;

			items[i] = (struct keyed){ ordered_bits(middle), i };
		}
		keyed_sort(items, spare, count, starts, digit_bits);
		for (uint32_t rank = 0; rank < count && !pause_after(2); rank++)
			places[items[rank].index] |= spread(rank) << axis;
	}
	if (good) {
		for (uint32_t i = 0; i < count && !pause_after(1); i++)
			items[i] = (struct keyed){ places[i], i };
		keyed_sort(items, spare, count, starts, digit_bits);
		for (uint32_t i = 0; i < count && !pause_after(2); i++)
			tree->order[i] = items[i].index;
	}
	memory_free(items);
	memory_free(spare);
	memory_free(places);
	memory_free(starts);
	return good;
}

static struct box
box_join(const struct box *a, const struct box *b)
{
	return (struct box){ fmin(a->x0, b->x0), fmin(a->y0, b->y0), fmax(a->x1, b->x1), fmax(a->y1, b->y1) };
}

static bool
boxes_meet(const struct box *a, const struct box *b)
{
	return a->x0 <= b->x1 && b->x0 <= a->x1 && a->y0 <= b->y1 && b->y0 <= a->y1;
}

static uint32_t
leaf_start(const struct box_tree *tree, size_t leaf)
{
	return (uint32_t)((uint64_t)leaf * tree->count / tree->leaf_count);
}

static void
nodes_build(struct box_tree *tree)
{
	const struct box nothing = { (double)INFINITY, (double)INFINITY, -(double)INFINITY, -(double)INFINITY };
	size_t first_leaf = tree->leaf_count - 1;

	for (size_t leaf = 0; leaf < tree->leaf_count && !pause_after(16); leaf++) {
		struct box sum = nothing;
		uint32_t end = leaf_start(tree, leaf + 1);

		for (uint32_t i = leaf_start(tree, leaf); i < end; i++)
			sum = box_join(&sum, &tree->boxes[tree->order[i]]);
		tree->nodes[first_leaf + leaf] = sum;
	}
	for (size_t node = first_leaf; node-- > 0 && !pause_after(4);)
		tree->nodes[node] = box_join(&tree->nodes[2 * node + 1], &tree->nodes[2 * node + 2]);
}

bool
box_tree_build(struct box_tree *tree, const struct box *boxes, uint32_t count)
{
	*tree = (struct box_tree){ .boxes = boxes, .count = count, .leaf_count = 1 };
	while (tree->leaf_count * LEAF_BOXES < count)
		tree->leaf_count *= 2;
	tree->node_count = 2 * tree->leaf_count - 1;
	tree->order = memory_alloc((count + (size_t)1) * sizeof *tree->order);
	tree->nodes = memory_zeroed(tree->node_count, sizeof *tree->nodes);
	if (!tree->order || !tree->nodes || !order_build(tree)) {
		box_tree_finish(tree);
		return false;
	}
	nodes_build(tree);
	if (!pause_stopped())
		return true;
	box_tree_finish(tree);
	return false;
}

void
box_tree_finish(struct box_tree *tree)
{
	memory_free(tree->order);
	memory_free(tree->nodes);
	*tree = (struct box_tree){ .count = 0 };
}

size_t
box_tree_memory_bytes(const struct box_tree *tree)
{
	return tree->count * sizeof *tree->order + tree->node_count * sizeof *tree->nodes;
}

static bool
leaf_query(const struct box_tree *tree, size_t leaf, const struct box *box, bool (*found)(void *context, uint32_t index),
           void *context)
{
	uint32_t end = leaf_start(tree, leaf + 1);

	for (uint32_t i = leaf_start(tree, leaf); i < end; i++)
		if (boxes_meet(&tree->boxes[tree->order[i]], box) && !found(context, tree->order[i]))
			return false;
	return true;
}

bool
box_tree_query(const struct box_tree *tree, const struct box *box, bool (*found)(void *context, uint32_t index), void *context)
{
	size_t stack[64], depth = 0, first_leaf = tree->leaf_count - 1;

	if (tree->count == 0)
		return true;
	stack[depth++] = 0;
	while (depth > 0 && !pause_after(4)) {
		size_t node = stack[--depth];

		if (!boxes_meet(&tree->nodes[node], box))
			continue;
		if (node < first_leaf) {
			stack[depth++] = 2 * node + 2;
			stack[depth++] = 2 * node + 1;
		} else if (!leaf_query(tree, node - first_leaf, box, found, context)) {
			return false;
		}
	}
	return true;
}

struct bounded_node {
	double bound;
	size_t node;
};

static double
leaf_walk(const struct box_tree *tree, size_t leaf, const struct box_walk *walk, double most)
{
	uint32_t end = leaf_start(tree, leaf + 1);

	for (uint32_t i = leaf_start(tree, leaf); i < end; i++) {
		double bound = walk->bound(walk->context, &tree->boxes[tree->order[i]]);

		if (bound < (double)INFINITY && bound <= most)
			most = walk->found(walk->context, tree->order[i]);
	}
	return most;
}

void
box_tree_walk(const struct box_tree *tree, const struct box_walk *walk)
{
	struct bounded_node stack[64];
	size_t depth = 0, first_leaf = tree->leaf_count - 1;
	double most = walk->most;

	if (tree->count == 0)
		return;
	stack[depth++] = (struct bounded_node){ walk->bound(walk->context, &tree->nodes[0]), 0 };
	while (depth > 0 && !pause_after(4)) {
		struct bounded_node here = stack[--depth];

		if (here.bound == (double)INFINITY || here.bound > most)
			continue;
		if (here.node >= first_leaf) {
			most = leaf_walk(tree, here.node - first_leaf, walk, most);
			continue;
		}

		struct bounded_node near = { 0, 2 * here.node + 1 }, far = { 0, 2 * here.node + 2 };

		near.bound = walk->bound(walk->context, &tree->nodes[near.node]);
		far.bound = walk->bound(walk->context, &tree->nodes[far.node]);
		stack[depth++] = near.bound <= far.bound ? far : near;
		stack[depth++] = near.bound <= far.bound ? near : far;
	}
}
