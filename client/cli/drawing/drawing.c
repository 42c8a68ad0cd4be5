#include "client/cli/drawing/drawing.h"

#include "client/cli/drawing/drawing_parts.h"
#include "client/cli/drawing/drawing_svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PIXELS_MAX ((double)(1 << 28))

/* Either of pixels or of vectors: what belongs to the other is NULL. */
struct drawing {
	struct drawing_svg *svg;
	uint32_t *pixels;
	struct coverage coverage;
	struct drawing_path path; /* in pixels */
	int width, height;
	double scale;                 /* pixels per unit */
	int left, top, right, bottom; /* of the clip */
	struct drawing_ink ink;
	struct stroke_style style; /* in units */
	bool failed;
};

struct drawing *
drawing_create_pixels(double width, double height, double scale)
{
	double columns = ceil(width * scale), rows = ceil(height * scale);
	struct drawing *drawing = NULL;
	if (!(columns >= 1 && rows >= 1 && columns * rows <= PIXELS_MAX) || !(drawing = calloc(1, sizeof *drawing)))
		return NULL;
	*drawing = (struct drawing){ .scale = scale, .width = (int)columns, .height = (int)rows, .ink = { 0, 0, 0, 1 } };
	drawing->style.width = 1;
	drawing_path_init(&drawing->path);
	drawing_clip_end(drawing);
	drawing->pixels = calloc((size_t)(columns * rows), sizeof *drawing->pixels);
	if (drawing->pixels && coverage_init(&drawing->coverage, drawing->width, drawing->height))
		return drawing;
	drawing_destroy(drawing);
	return NULL;
}

struct drawing *
drawing_create_svg(double width, double height)
{
	struct drawing *drawing = calloc(1, sizeof *drawing);
	if (!drawing)
		return NULL;
	*drawing = (struct drawing){ .scale = 1, .ink = { 0, 0, 0, 1 } };
	drawing->style.width = 1;
	drawing->svg = drawing_svg_create(width, height);
	if (drawing->svg)
		return drawing;
	free(drawing);
	return NULL;
}

void
drawing_destroy(struct drawing *drawing)
{
	if (!drawing)
		return;
	drawing_svg_destroy(drawing->svg);
	drawing_path_finish(&drawing->path);
	coverage_finish(&drawing->coverage);
	free(drawing->pixels);
	free(drawing);
}

bool
drawing_write(struct drawing *drawing, FILE *file)
{
	if (drawing->failed || drawing->path.failed) {
		errno = ENOMEM;
		return false;
	}
	return drawing->svg ? drawing_svg_write(drawing->svg, file)
	                    : png_write(drawing->pixels, drawing->width, drawing->height, file);
}

const uint32_t *
drawing_pixels(const struct drawing *drawing, int *width, int *height)
{
	*width = drawing->width;
	*height = drawing->height;
	return drawing->pixels;
}

void
drawing_set_colour(struct drawing *drawing, double red, double green, double blue, double alpha)
{
	drawing->ink = (struct drawing_ink){ red, green, blue, alpha };
}

void
drawing_set_line_width(struct drawing *drawing, double width)
{
	drawing->style.width = width;
}

void
drawing_set_line_cap(struct drawing *drawing, enum drawing_cap cap)
{
	drawing->style.cap = cap;
}

void
drawing_set_dash(struct drawing *drawing, double on, double off)
{
	drawing->style.on = on;
	drawing->style.off = off;
}

/* The pixel border nearest to a coordinate, within 0..limit. */
static int
border_of(double at, int limit)
{
	return (int)fmin(fmax(floor(at + 0.5), 0), limit);
}

void
drawing_clip(struct drawing *drawing, double x, double y, double width, double height)
{
	if (drawing->svg) {
		drawing_svg_clip(drawing->svg, x, y, width, height);
		return;
	}
	drawing->left = border_of(x * drawing->scale, drawing->width);
	drawing->top = border_of(y * drawing->scale, drawing->height);
	drawing->right = border_of((x + width) * drawing->scale, drawing->width);
	drawing->bottom = border_of((y + height) * drawing->scale, drawing->height);
}

void
drawing_clip_end(struct drawing *drawing)
{
	if (drawing->svg)
		drawing_svg_clip_end(drawing->svg);
	drawing->left = drawing->top = 0;
	drawing->right = drawing->width;
	drawing->bottom = drawing->height;
}

/* ---- the path */

void
drawing_move_to(struct drawing *drawing, double x, double y)
{
	if (drawing->svg)
		drawing_svg_move(drawing->svg, x, y);
	else
		drawing_path_move(&drawing->path, x * drawing->scale, y * drawing->scale);
}

void
drawing_line_to(struct drawing *drawing, double x, double y)
{
	if (drawing->svg)
		drawing_svg_line(drawing->svg, x, y);
	else
		drawing_path_line(&drawing->path, x * drawing->scale, y * drawing->scale);
}

void
drawing_quad_to(struct drawing *drawing, double control_x, double control_y, double x, double y)
{
	double scale = drawing->scale;
	if (drawing->svg)
		drawing_svg_quad(drawing->svg, control_x, control_y, x, y);
	else
		drawing_path_quad(&drawing->path, control_x * scale, control_y * scale, x * scale, y * scale);
}

void
drawing_circle(struct drawing *drawing, double x, double y, double radius)
{
	if (drawing->svg)
		drawing_svg_circle(drawing->svg, x, y, radius);
	else
		drawing_path_circle(&drawing->path, x * drawing->scale, y * drawing->scale, radius * drawing->scale);
}

static void
path_clear(struct drawing *drawing)
{
	if (drawing->svg)
		drawing_svg_clear(drawing->svg);
	else
		drawing_path_clear(&drawing->path);
}

/* ---- pixels */

static uint32_t
byte_mix(uint32_t under, double over, double share)
{
	return (uint32_t)((double)under + (over * 255 - (double)under) * share + 0.5);
}

static uint32_t
pixel_mix(uint32_t pixel, const struct drawing_ink *ink, double share)
{
	return byte_mix(pixel >> 16 & 0xff, ink->red, share) << 16 | byte_mix(pixel >> 8 & 0xff, ink->green, share) << 8 |
	       byte_mix(pixel & 0xff, ink->blue, share);
}

static void
run_paint(void *context, int x, int y, int count, float share)
{
	struct drawing *drawing = context;
	int end = x + count < drawing->right ? x + count : drawing->right;
	uint32_t *row = drawing->pixels + (size_t)y * (size_t)drawing->width;
	if (y < drawing->top || y >= drawing->bottom)
		return;
	for (x = x > drawing->left ? x : drawing->left; x < end; x++)
		row[x] = pixel_mix(row[x], &drawing->ink, drawing->ink.alpha * (double)share);
}

void
drawing_stroke(struct drawing *drawing)
{
	if (drawing->svg) {
		drawing_svg_stroke(drawing->svg, &drawing->ink, &drawing->style);
	} else {
		struct stroke_style style = drawing->style;
		style.width *= drawing->scale;
		style.on *= drawing->scale;
		style.off *= drawing->scale;
		drawing->failed = !stroke_cover(&drawing->path, &style, &drawing->coverage) || drawing->failed;
		coverage_sweep(&drawing->coverage, run_paint, drawing);
	}
	path_clear(drawing);
}

void
drawing_fill_preserve(struct drawing *drawing)
{
	if (drawing->svg) {
		drawing_svg_fill(drawing->svg, &drawing->ink);
		return;
	}
	for (size_t i = 0; i < drawing->path.start_count; i++) {
		const struct drawing_point *points = NULL;
		size_t count = drawing_path_subpath(&drawing->path, i, &points);
		coverage_polygon(&drawing->coverage, points, (int)count);
	}
	coverage_sweep(&drawing->coverage, run_paint, drawing);
}

void
drawing_fill(struct drawing *drawing)
{
	drawing_fill_preserve(drawing);
	path_clear(drawing);
}

void
drawing_paint(struct drawing *drawing)
{
	if (drawing->svg) {
		drawing_svg_paint(drawing->svg, &drawing->ink);
		return;
	}
	for (int y = drawing->top; y < drawing->bottom; y++)
		run_paint(drawing, 0, y, drawing->width, 1);
}

void
drawing_text(struct drawing *drawing, double x, double y, double size, const char *text)
{
	if (drawing->svg) {
		drawing_svg_text(drawing->svg, x, y, size, text, &drawing->ink);
		return;
	}
	text_cover(&drawing->coverage, x * drawing->scale, y * drawing->scale, size * drawing->scale, text);
	coverage_sweep(&drawing->coverage, run_paint, drawing);
}
