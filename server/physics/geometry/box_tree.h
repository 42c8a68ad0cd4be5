/* box_tree: which of many boxes overlap a box: a bounding volume hierarchy over their Morton order (Lauterbach et al. 2009).
 *
 * One thread; owns its memory. Places on the curve are computed from ranks, not coordinates, so outliers, clusters and mixed
 * sizes cost nothing. Built in O(n) by counting sorts, with 56 bytes per box while it is built and 24 after. */
#ifndef COLLIDED_GEOMETRY_BOX_TREE_H
#define COLLIDED_GEOMETRY_BOX_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct box {
	double x0, y0, x1, y1; /* x0 <= x1, y0 <= y1; touching counts as overlap */
};

struct box_tree {
	const struct box *boxes; /* borrowed */
	uint32_t count;
	uint32_t *order;   /* box indices along the curve */
	struct box *nodes; /* boxes of the leaves' ranges and, above them, of pairs of nodes: a complete binary tree, root 0 */
	size_t node_count;
	size_t leaf_count; /* a power of two; leaf k holds order[k * count / leaf_count .. (k + 1) * count / leaf_count) */
};

/* False without memory. `boxes` stays the caller's and must not change while the tree is used. */
bool box_tree_build(struct box_tree *tree, const struct box *boxes, uint32_t count);
void box_tree_finish(struct box_tree *tree);
size_t box_tree_memory_bytes(const struct box_tree *tree);

/* Calls `found` with the index of every box that overlaps `box`, in no particular order, until it returns false; then returns
 * false. */
bool box_tree_query(const struct box_tree *tree, const struct box *box, bool (*found)(void *context, uint32_t index),
                    void *context);

/* A best-first walk that prunes what cannot matter any more. */
struct box_walk {
	/* A lower bound for everything within the box; INFINITY: nothing in it matters. The bound of a contained box must not be
	 * less. */
	double (*bound)(const void *context, const struct box *box);
	/* Visits the box with that index. Returns the largest bound that can matter from now on: boxes with a greater bound are
	 * pruned, those with an equal one are not. -INFINITY ends the walk. */
	double (*found)(void *context, uint32_t index);
	void *context;
	double most; /* largest bound that matters at the start */
};

void box_tree_walk(const struct box_tree *tree, const struct box_walk *walk);

#endif
