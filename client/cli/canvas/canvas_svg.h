/* canvas_svg: the canvas as vectors: each stroke and fill becomes one element, written at once into memory. Not for others than
 * canvas.c.
 *
 * One thread. Numbers have at most three digits behind the point. */
#ifndef COLLIDE_CLI_CANVAS_SVG_H
#define COLLIDE_CLI_CANVAS_SVG_H

#include "client/cli/canvas/canvas_parts.h"

struct canvas_svg;

struct canvas_ink {
	double red, green, blue, alpha;
};

struct canvas_svg *canvas_svg_create(double width, double height);
void canvas_svg_destroy(struct canvas_svg *svg);
/* The whole document; false with errno. */
bool canvas_svg_write(struct canvas_svg *svg, FILE *file);

void canvas_svg_move(struct canvas_svg *svg, double x, double y);
void canvas_svg_line(struct canvas_svg *svg, double x, double y);
void canvas_svg_quad(struct canvas_svg *svg, double control_x, double control_y, double x, double y);
void canvas_svg_circle(struct canvas_svg *svg, double x, double y, double radius);
void canvas_svg_clear(struct canvas_svg *svg);
void canvas_svg_stroke(struct canvas_svg *svg, const struct canvas_ink *ink, const struct stroke_style *style);
void canvas_svg_fill(struct canvas_svg *svg, const struct canvas_ink *ink);
void canvas_svg_clip(struct canvas_svg *svg, double x, double y, double width, double height);
void canvas_svg_clip_end(struct canvas_svg *svg);
void canvas_svg_paint(struct canvas_svg *svg, const struct canvas_ink *ink);
void canvas_svg_text(struct canvas_svg *svg, double x, double y, double size, const char *text, const struct canvas_ink *ink);

#endif
