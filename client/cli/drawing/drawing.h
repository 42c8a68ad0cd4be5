/* drawing: a sheet to draw on: paths that are stroked or filled with colours that may be translucent, and lines of text. It
 * becomes pixels, or SVG with the same shapes as vectors.
 *
 * One thread. Coordinates are those of the sheet and finite, y points down. Where memory runs out the drawing stays incomplete,
 * and drawing_write fails. Lines have round joins; a path of no length with round ends is a dot. */
#ifndef COLLIDE_CLI_DRAWING_H
#define COLLIDE_CLI_DRAWING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct drawing;

enum drawing_cap { DRAWING_CAP_BUTT, DRAWING_CAP_ROUND };

/* A sheet of width by height units with `scale` pixels a unit, black at first. NULL: no memory, or more than 2^28 pixels. */
struct drawing *drawing_create_pixels(double width, double height, double scale);
/* The same as vectors. */
struct drawing *drawing_create_svg(double width, double height);
/* NULL is fine. */
void drawing_destroy(struct drawing *drawing);

/* As a PNG or SVG file; false with errno set where writing failed, or ENOMEM if something could not be drawn. */
bool drawing_write(struct drawing *drawing, FILE *file);
/* Rows of 0x00RRGGBB, without gaps, borrowed; NULL for vectors. */
const uint32_t *drawing_pixels(const struct drawing *drawing, int *width, int *height);

/* What follows is drawn with this; components and alpha are 0 to 1. */
void drawing_set_colour(struct drawing *drawing, double red, double green, double blue, double alpha);
void drawing_set_line_width(struct drawing *drawing, double width);
void drawing_set_line_cap(struct drawing *drawing, enum drawing_cap cap);
/* Lines of `on` units with gaps of `off`, from the start of each subpath; 0, 0: unbroken. */
void drawing_set_dash(struct drawing *drawing, double on, double off);
/* Drawing outside of this rectangle, rounded to pixels, has no effect until the next call. Once before anything is drawn in it.
 */
void drawing_clip(struct drawing *drawing, double x, double y, double width, double height);
void drawing_clip_end(struct drawing *drawing);

/* The path: subpaths of lines, quadratic curves and circles. */
void drawing_move_to(struct drawing *drawing, double x, double y);
void drawing_line_to(struct drawing *drawing, double x, double y);
void drawing_quad_to(struct drawing *drawing, double control_x, double control_y, double x, double y);
void drawing_circle(struct drawing *drawing, double x, double y, double radius);
/* Draw the path, its parts as one shape that covers nothing twice, and empty it. */
void drawing_stroke(struct drawing *drawing);
void drawing_fill(struct drawing *drawing);
void drawing_fill_preserve(struct drawing *drawing);
/* The whole sheet, or what is within the clip. */
void drawing_paint(struct drawing *drawing);

/* One line of UTF-8 from its left end on the base line, in DejaVu Sans. Without that font there is none in pixels. */
void drawing_text(struct drawing *drawing, double x, double y, double size, const char *text);
/* How wide that is; an estimate without the font. */
double drawing_text_width(double size, const char *text);

#endif
