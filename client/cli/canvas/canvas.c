#include "client/cli/canvas/canvas.h"

#include "client/cli/canvas/canvas_parts.h"
#include "client/cli/canvas/canvas_svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PIXELS_MAX ((double)(1 << 28))

/* Either of pixels or of vectors: what belongs to the other is NULL. */
struct canvas {
	struct canvas_svg *svg;
	uint32_t *pixels;
	struct coverage coverage;
	struct canvas_path path; /* in pixels */
	int width, height;
	double scale;                 /* pixels per unit */
	int left, top, right, bottom; /* of the clip */
	struct canvas_ink ink;
	struct stroke_style style; /* in units */
	bool failed;
};

struct canvas *
canvas_create_pixels(double width, double height, double scale)
{
	double columns = ceil(width * scale), rows = ceil(height * scale);
	struct canvas *canvas = NULL;
	if (!(columns >= 1 && rows >= 1 && columns * rows <= PIXELS_MAX) || !(canvas = calloc(1, sizeof *canvas)))
		return NULL;
	*canvas = (struct canvas){ .scale = scale, .width = (int)columns, .height = (int)rows, .ink = { 0, 0, 0, 1 } };
	canvas->style.width = 1;
	canvas_path_init(&canvas->path);
	canvas_clip_end(canvas);
	canvas->pixels = calloc((size_t)(columns * rows), sizeof *canvas->pixels);
	if (canvas->pixels && coverage_init(&canvas->coverage, canvas->width, canvas->height))
		return canvas;
	canvas_destroy(canvas);
	return NULL;
}

struct canvas *
canvas_create_svg(double width, double height)
{
	struct canvas *canvas = calloc(1, sizeof *canvas);
	if (!canvas)
		return NULL;
	*canvas = (struct canvas){ .scale = 1, .ink = { 0, 0, 0, 1 } };
	canvas->style.width = 1;
	canvas->svg = canvas_svg_create(width, height);
	if (canvas->svg)
		return canvas;
	free(canvas);
	return NULL;
}

void
canvas_destroy(struct canvas *canvas)
{
	if (!canvas)
		return;
	canvas_svg_destroy(canvas->svg);
	canvas_path_finish(&canvas->path);
	coverage_finish(&canvas->coverage);
	free(canvas->pixels);
	free(canvas);
}

bool
canvas_write(struct canvas *canvas, FILE *file)
{
	if (canvas->failed || canvas->path.failed) {
		errno = ENOMEM;
		return false;
	}
	return canvas->svg ? canvas_svg_write(canvas->svg, file) : png_write(canvas->pixels, canvas->width, canvas->height, file);
}

const uint32_t *
canvas_pixels(const struct canvas *canvas, int *width, int *height)
{
	*width = canvas->width;
	*height = canvas->height;
	return canvas->pixels;
}

void
canvas_set_colour(struct canvas *canvas, double red, double green, double blue, double alpha)
{
	canvas->ink = (struct canvas_ink){ red, green, blue, alpha };
}

void
canvas_set_line_width(struct canvas *canvas, double width)
{
	canvas->style.width = width;
}

void
canvas_set_line_cap(struct canvas *canvas, enum canvas_cap cap)
{
	canvas->style.cap = cap;
}

void
canvas_set_dash(struct canvas *canvas, double on, double off)
{
	canvas->style.on = on;
	canvas->style.off = off;
}

/* The pixel border nearest to a coordinate, within 0..limit. */
static int
border_of(double at, int limit)
{
	return (int)fmin(fmax(floor(at + 0.5), 0), limit);
}

void
canvas_clip(struct canvas *canvas, double x, double y, double width, double height)
{
	if (canvas->svg) {
		canvas_svg_clip(canvas->svg, x, y, width, height);
		return;
	}
	canvas->left = border_of(x * canvas->scale, canvas->width);
	canvas->top = border_of(y * canvas->scale, canvas->height);
	canvas->right = border_of((x + width) * canvas->scale, canvas->width);
	canvas->bottom = border_of((y + height) * canvas->scale, canvas->height);
}

void
canvas_clip_end(struct canvas *canvas)
{
	if (canvas->svg)
		canvas_svg_clip_end(canvas->svg);
	canvas->left = canvas->top = 0;
	canvas->right = canvas->width;
	canvas->bottom = canvas->height;
}

/* ---- the path */

void
canvas_move_to(struct canvas *canvas, double x, double y)
{
	if (canvas->svg)
		canvas_svg_move(canvas->svg, x, y);
	else
		canvas_path_move(&canvas->path, x * canvas->scale, y * canvas->scale);
}

void
canvas_line_to(struct canvas *canvas, double x, double y)
{
	if (canvas->svg)
		canvas_svg_line(canvas->svg, x, y);
	else
		canvas_path_line(&canvas->path, x * canvas->scale, y * canvas->scale);
}

void
canvas_quad_to(struct canvas *canvas, double control_x, double control_y, double x, double y)
{
	double scale = canvas->scale;
	if (canvas->svg)
		canvas_svg_quad(canvas->svg, control_x, control_y, x, y);
	else
		canvas_path_quad(&canvas->path, control_x * scale, control_y * scale, x * scale, y * scale);
}

void
canvas_circle(struct canvas *canvas, double x, double y, double radius)
{
	if (canvas->svg)
		canvas_svg_circle(canvas->svg, x, y, radius);
	else
		canvas_path_circle(&canvas->path, x * canvas->scale, y * canvas->scale, radius * canvas->scale);
}

static void
path_clear(struct canvas *canvas)
{
	if (canvas->svg)
		canvas_svg_clear(canvas->svg);
	else
		canvas_path_clear(&canvas->path);
}

/* ---- pixels */

static uint32_t
byte_mix(uint32_t under, double over, double share)
{
	return (uint32_t)((double)under + (over * 255 - (double)under) * share + 0.5);
}

static uint32_t
pixel_mix(uint32_t pixel, const struct canvas_ink *ink, double share)
{
	return byte_mix(pixel >> 16 & 0xff, ink->red, share) << 16 | byte_mix(pixel >> 8 & 0xff, ink->green, share) << 8 |
	       byte_mix(pixel & 0xff, ink->blue, share);
}

static void
run_paint(void *context, int x, int y, int count, float share)
{
	struct canvas *canvas = context;
	int end = x + count < canvas->right ? x + count : canvas->right;
	uint32_t *row = canvas->pixels + (size_t)y * (size_t)canvas->width;
	if (y < canvas->top || y >= canvas->bottom)
		return;
	for (x = x > canvas->left ? x : canvas->left; x < end; x++)
		row[x] = pixel_mix(row[x], &canvas->ink, canvas->ink.alpha * (double)share);
}

void
canvas_stroke(struct canvas *canvas)
{
	if (canvas->svg) {
		canvas_svg_stroke(canvas->svg, &canvas->ink, &canvas->style);
	} else {
		struct stroke_style style = canvas->style;
		style.width *= canvas->scale;
		style.on *= canvas->scale;
		style.off *= canvas->scale;
		canvas->failed = !stroke_cover(&canvas->path, &style, &canvas->coverage) || canvas->failed;
		coverage_sweep(&canvas->coverage, run_paint, canvas);
	}
	path_clear(canvas);
}

void
canvas_fill_preserve(struct canvas *canvas)
{
	if (canvas->svg) {
		canvas_svg_fill(canvas->svg, &canvas->ink);
		return;
	}
	for (size_t i = 0; i < canvas->path.start_count; i++) {
		const struct canvas_point *points = NULL;
		size_t count = canvas_path_subpath(&canvas->path, i, &points);
		coverage_polygon(&canvas->coverage, points, (int)count);
	}
	coverage_sweep(&canvas->coverage, run_paint, canvas);
}

void
canvas_fill(struct canvas *canvas)
{
	canvas_fill_preserve(canvas);
	path_clear(canvas);
}

void
canvas_paint(struct canvas *canvas)
{
	if (canvas->svg) {
		canvas_svg_paint(canvas->svg, &canvas->ink);
		return;
	}
	for (int y = canvas->top; y < canvas->bottom; y++)
		run_paint(canvas, 0, y, canvas->width, 1);
}

void
canvas_text(struct canvas *canvas, double x, double y, double size, const char *text)
{
	if (canvas->svg) {
		canvas_svg_text(canvas->svg, x, y, size, text, &canvas->ink);
		return;
	}
	text_cover(&canvas->coverage, x * canvas->scale, y * canvas->scale, size * canvas->scale, text);
	coverage_sweep(&canvas->coverage, run_paint, canvas);
}
