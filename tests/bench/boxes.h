/* boxes: which of many boxes overlap, and which reach a segment, by a grid of cells. For the judge of the benchmark.
 *
 * One thread; owns its cells and a copy of the boxes. */
#ifndef COLLIDED_TESTS_BENCH_BOXES_H
#define COLLIDED_TESTS_BENCH_BOXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct box {
	double x1, y1, x2, y2;
	uint32_t item; /* what the caller knows it by */
};

struct boxes;

/* NULL: no memory. Copies; every number must be finite. */
struct boxes *boxes_create(const struct box *boxes, size_t count);
void boxes_destroy(struct boxes *boxes);
/* Each pair with boxes that overlap or touch, once. */
void boxes_pairs(const struct boxes *boxes, void (*visit)(void *context, uint32_t a, uint32_t b), void *context);
/* Each box that may reach the straight way between two points: all that do, and some near it; once each. */
void boxes_near(struct boxes *boxes, double x1, double y1, double x2, double y2, void (*visit)(void *context, uint32_t item),
                void *context);

#endif
