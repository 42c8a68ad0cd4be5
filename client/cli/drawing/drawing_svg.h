/* drawing_svg: the drawing as vectors: each stroke and fill becomes one element, written at once into memory. Not for others
 * than drawing.c.
 *
 * One thread. Numbers have at most three digits behind the point. */
#ifndef COLLIDE_CLI_DRAWING_SVG_H
#define COLLIDE_CLI_DRAWING_SVG_H

#include "client/cli/drawing/drawing_parts.h"

struct drawing_svg;

struct drawing_ink {
	double red, green, blue, alpha;
};

struct drawing_svg *drawing_svg_create(double width, double height);
void drawing_svg_destroy(struct drawing_svg *svg);
/* The whole document; false with errno. */
bool drawing_svg_write(struct drawing_svg *svg, FILE *file);

void drawing_svg_move(struct drawing_svg *svg, double x, double y);
void drawing_svg_line(struct drawing_svg *svg, double x, double y);
void drawing_svg_quad(struct drawing_svg *svg, double control_x, double control_y, double x, double y);
void drawing_svg_circle(struct drawing_svg *svg, double x, double y, double radius);
void drawing_svg_clear(struct drawing_svg *svg);
void drawing_svg_stroke(struct drawing_svg *svg, const struct drawing_ink *ink, const struct stroke_style *style);
void drawing_svg_fill(struct drawing_svg *svg, const struct drawing_ink *ink);
void drawing_svg_clip(struct drawing_svg *svg, double x, double y, double width, double height);
void drawing_svg_clip_end(struct drawing_svg *svg);
void drawing_svg_paint(struct drawing_svg *svg, const struct drawing_ink *ink);
void drawing_svg_text(struct drawing_svg *svg, double x, double y, double size, const char *text,
                      const struct drawing_ink *ink);

#endif
