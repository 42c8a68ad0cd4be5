/* drawing_parts: what the files of a drawing have in common. Not for others. */
#ifndef COLLIDE_CLI_DRAWING_PARTS_H
#define COLLIDE_CLI_DRAWING_PARTS_H

#include "client/cli/drawing/coverage.h"
#include "client/cli/drawing/drawing.h"

/* Subpaths of corners, each with its first one; curves and circles are kept as corners for pixels and as text for SVG. */
struct drawing_path {
	struct drawing_point *points;
	size_t count, capacity;
	size_t *starts; /* index of the first corner of each subpath */
	bool *closed;
	size_t start_count, start_capacity;
	bool failed; /* for want of memory */
};

void drawing_path_init(struct drawing_path *path);
void drawing_path_finish(struct drawing_path *path);
void drawing_path_clear(struct drawing_path *path);
void drawing_path_move(struct drawing_path *path, double x, double y);
void drawing_path_line(struct drawing_path *path, double x, double y);
/* In pieces that are within a tenth of a unit of the curve. */
void drawing_path_quad(struct drawing_path *path, double control_x, double control_y, double x, double y);
void drawing_path_circle(struct drawing_path *path, double x, double y, double radius);
/* The corners of one subpath. */
size_t drawing_path_subpath(const struct drawing_path *path, size_t index, const struct drawing_point **points);

struct stroke_style {
	double width; /* in the path's units */
	enum drawing_cap cap;
	double on, off; /* dashes; 0, 0: none */
};

/* Adds the outlines of all subpaths' strokes; false: no memory. */
bool stroke_cover(const struct drawing_path *path, const struct stroke_style *style, struct coverage *coverage);

/* Text as coverage, at pixels; nothing without the font. */
void text_cover(struct coverage *coverage, double x, double y, double size, const char *text);
bool png_write(const uint32_t *pixels, int width, int height, FILE *file);

#endif
