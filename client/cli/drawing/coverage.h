/* coverage: how much of each pixel a shape covers, exactly, from the edges of its outline.
 *
 * Each edge adds to the pixels that it crosses the signed area to its right; sums along a row then give each pixel's share.
 * Where outlines of like direction overlap, sums exceed 1 and are cut. Only pixels near edges, and between them, are looked at.
 * One thread. */
#ifndef COLLIDE_CLI_DRAWING_COVERAGE_H
#define COLLIDE_CLI_DRAWING_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

struct drawing_point {
	double x, y;
};

struct coverage {
	int width, height;
	int blocks;        /* words of 64 bits for each row, a bit for COVERAGE_BLOCK pixels */
	float *cells;      /* width + 2 a row */
	uint64_t *touched; /* blocks with an edge in them */
	int top, bottom;   /* rows with edges: top <= y < bottom */
};

bool coverage_init(struct coverage *coverage, int width, int height);
void coverage_finish(struct coverage *coverage);

/* One edge of an outline, in pixels; outlines must be closed by their caller. */
void coverage_edge(struct coverage *coverage, struct drawing_point from, struct drawing_point to);
void coverage_polygon(struct coverage *coverage, const struct drawing_point *points, int count);
/* Hands over runs of pixels of one share, 0 < share <= 1, row by row, and empties the coverage. */
void coverage_sweep(struct coverage *coverage, void (*run)(void *context, int x, int y, int count, float share), void *context);

#endif
