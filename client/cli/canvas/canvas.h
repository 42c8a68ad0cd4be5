/* canvas: a sheet to draw on: paths that are stroked or filled with colours that may be translucent, and lines of text. It
 * becomes pixels, or SVG with the same shapes as vectors.
 *
 * One thread. Coordinates are those of the sheet and finite, y points down. Where memory runs out the drawing stays incomplete,
 * and canvas_write fails. Lines have round joins; a path of no length with round ends is a dot. */
#ifndef COLLIDE_CLI_CANVAS_H
#define COLLIDE_CLI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct canvas;

enum canvas_cap { CANVAS_CAP_BUTT, CANVAS_CAP_ROUND };

/* A sheet of width by height units with `scale` pixels a unit, black at first. NULL: no memory, or more than 2^28 pixels. */
struct canvas *canvas_create_pixels(double width, double height, double scale);
/* The same as vectors. */
struct canvas *canvas_create_svg(double width, double height);
/* NULL is fine. */
void canvas_destroy(struct canvas *canvas);

/* As a PNG or SVG file; false with errno set where writing failed, or ENOMEM if something could not be drawn. */
bool canvas_write(struct canvas *canvas, FILE *file);
/* Rows of 0x00RRGGBB, without gaps, borrowed; NULL for vectors. */
const uint32_t *canvas_pixels(const struct canvas *canvas, int *width, int *height);

/* What follows is drawn with this; components and alpha are 0 to 1. */
void canvas_set_colour(struct canvas *canvas, double red, double green, double blue, double alpha);
void canvas_set_line_width(struct canvas *canvas, double width);
void canvas_set_line_cap(struct canvas *canvas, enum canvas_cap cap);
/* Lines of `on` units with gaps of `off`, from the start of each subpath; 0, 0: unbroken. */
void canvas_set_dash(struct canvas *canvas, double on, double off);
/* Drawing outside of this rectangle, rounded to pixels, has no effect until the next call. Once before anything is drawn in it.
 */
void canvas_clip(struct canvas *canvas, double x, double y, double width, double height);
void canvas_clip_end(struct canvas *canvas);

/* The path: subpaths of lines, quadratic curves and circles. */
void canvas_move_to(struct canvas *canvas, double x, double y);
void canvas_line_to(struct canvas *canvas, double x, double y);
void canvas_quad_to(struct canvas *canvas, double control_x, double control_y, double x, double y);
void canvas_circle(struct canvas *canvas, double x, double y, double radius);
/* Draw the path, its parts as one shape that covers nothing twice, and empty it. */
void canvas_stroke(struct canvas *canvas);
void canvas_fill(struct canvas *canvas);
void canvas_fill_preserve(struct canvas *canvas);
/* The whole sheet, or what is within the clip. */
void canvas_paint(struct canvas *canvas);

/* One line of UTF-8 from its left end on the base line, in DejaVu Sans. Without that font there is none in pixels. */
void canvas_text(struct canvas *canvas, double x, double y, double size, const char *text);
/* How wide that is; an estimate without the font. */
double canvas_text_width(double size, const char *text);

#endif
