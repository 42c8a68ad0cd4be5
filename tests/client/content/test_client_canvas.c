/* The canvas: how much of each pixel shapes cover, against areas by hand; strokes, dashes and clips; SVG with the same shapes.
 */
#include "client/cli/canvas/canvas.h"
#include "client/cli/canvas/coverage.h"

#include "support/assert_double.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 40 };

/* White on black, so that a pixel's brightness is the share that is covered. */
static struct canvas *
sheet_make(double scale)
{
	struct canvas *canvas = canvas_create_pixels(SIDE / scale, SIDE / scale, scale);
	assert_non_null(canvas);
	canvas_set_colour(canvas, 1, 1, 1, 1);
	return canvas;
}

static int
pixel_of(const struct canvas *canvas, int x, int y)
{
	int width = 0, height = 0;
	const uint32_t *pixels = canvas_pixels(canvas, &width, &height);
	assert_non_null(pixels);
	assert_int_equal(width, SIDE);
	assert_int_equal(height, SIDE);
	return (int)(pixels[y * SIDE + x] & 255);
}

/* In pixels. */
static double
area_of(const struct canvas *canvas)
{
	double sum = 0;
	for (int i = 0; i < SIDE * SIDE; i++)
		sum += pixel_of(canvas, i % SIDE, i / SIDE) / 255.0;
	return sum;
}

/* Rounding to 8 bits, and corners for curves. */
static void
assert_area(const struct canvas *canvas, double expected, double tolerance)
{
	if (!(fabs(area_of(canvas) - expected) <= tolerance))
		fail_msg("covers %g pixels instead of %g", area_of(canvas), expected);
}

static void
box_path(struct canvas *canvas, double x, double y, double width, double height)
{
	canvas_move_to(canvas, x, y);
	canvas_line_to(canvas, x + width, y);
	canvas_line_to(canvas, x + width, y + height);
	canvas_line_to(canvas, x, y + height);
}

static void
shares_of_pixels_are_areas(void **state)
{
	(void)state;
	struct canvas *canvas = sheet_make(1);
	box_path(canvas, 2.25, 3.5, 2, 1);
	canvas_fill(canvas);
	assert_int_equal(pixel_of(canvas, 2, 3), 96); /* 3/8 of 255 */
	assert_int_equal(pixel_of(canvas, 3, 3), 128);
	assert_int_equal(pixel_of(canvas, 4, 4), 32);
	assert_int_equal(pixel_of(canvas, 5, 3), 0);
	assert_int_equal(pixel_of(canvas, 1, 4), 0);
	/* A triangle through many pixels of a row. */
	canvas_move_to(canvas, 10, 10);
	canvas_line_to(canvas, 30, 10);
	canvas_line_to(canvas, 10, 12);
	canvas_fill(canvas);
	assert_area(canvas, 2 + 20, 0.1);
	assert_int_equal(pixel_of(canvas, 19, 10), 255);
	assert_int_equal(pixel_of(canvas, 20, 10), 242); /* 19/20: the edge leaves it at the row's lower end */
	assert_int_equal(pixel_of(canvas, 29, 10), 13);
	canvas_destroy(canvas);
}

/* Whatever lies outside of the sheet, on any side. */
static void
shapes_end_at_the_border(void **state)
{
	(void)state;
	struct canvas *canvas = sheet_make(1);
	box_path(canvas, -100, -100, 110, 110);
	canvas_fill(canvas);
	box_path(canvas, 30, 30, 1e9, 1e9);
	canvas_fill(canvas);
	canvas_move_to(canvas, -1e6, -1e6);
	canvas_line_to(canvas, -1e6, 1e6);
	canvas_stroke(canvas);
	assert_area(canvas, 200, 0.01);
	canvas_destroy(canvas);
}

static void
strokes_are_as_wide_as_asked(void **state)
{
	(void)state;
	struct canvas *canvas = sheet_make(2);
	canvas_set_line_width(canvas, 1.5);
	canvas_move_to(canvas, 3, 5);
	canvas_line_to(canvas, 13, 9);
	canvas_stroke(canvas);
	assert_area(canvas, sqrt(116) * 1.5 * 4, 0.3);
	canvas_destroy(canvas);

	canvas = sheet_make(1);
	canvas_set_line_cap(canvas, CANVAS_CAP_ROUND);
	canvas_set_line_width(canvas, 6);
	canvas_move_to(canvas, 10, 10);
	canvas_line_to(canvas, 30, 10);
	canvas_stroke(canvas);
	assert_area(canvas, 120 + 9 * 3.14159, 0.6);
	canvas_move_to(canvas, 20, 30);
	canvas_line_to(canvas, 20, 30);
	canvas_stroke(canvas);
	assert_area(canvas, 120 + 18 * 3.14159, 0.9);
	canvas_destroy(canvas);

	canvas = sheet_make(1);
	canvas_set_line_width(canvas, 2);
	canvas_circle(canvas, 20, 20, 15);
	canvas_stroke(canvas);
	assert_area(canvas, 3.14159 * (16 * 16 - 14 * 14), 2);
	assert_int_equal(pixel_of(canvas, 20, 20), 0);
	canvas_destroy(canvas);
}

/* A curve of many short pieces is no wider than one line, and turns do not cancel or add what they cover. */
static void
joins_add_nothing(void **state)
{
	(void)state;
	struct canvas *canvas = sheet_make(1);
	canvas_set_line_width(canvas, 1);
	canvas_set_colour(canvas, 1, 1, 1, 0.5);
	canvas_move_to(canvas, 5, 20.5);
	for (int i = 1; i <= 120; i++)
		canvas_line_to(canvas, 5 + i * 0.25, 20.5);
	canvas_stroke(canvas);
	for (int x = 5; x < 35; x++)
		assert_int_equal(pixel_of(canvas, x, 20), 128);
	canvas_destroy(canvas);

	canvas = sheet_make(1);
	canvas_set_line_width(canvas, 4);
	canvas_move_to(canvas, 10, 10); /* there, back, and a right angle both ways */
	canvas_line_to(canvas, 30, 10);
	canvas_line_to(canvas, 10, 10);
	canvas_line_to(canvas, 10, 30);
	canvas_line_to(canvas, 30, 30);
	canvas_stroke(canvas);
	for (int i = 11; i < 29; i++) {
		assert_int_equal(pixel_of(canvas, i, 9), 255);
		assert_int_equal(pixel_of(canvas, i, 11), 255);
		assert_int_equal(pixel_of(canvas, 9, i), 255);
		assert_int_equal(pixel_of(canvas, i, 29), 255);
	}
	canvas_destroy(canvas);
}

static void
quadratic_curves_are_followed(void **state)
{
	(void)state;
	struct canvas *canvas = sheet_make(1);
	canvas_move_to(canvas, 0, 30);
	canvas_quad_to(canvas, 20, -30, 40, 30); /* its area is two thirds of the triangle's */
	canvas_fill(canvas);
	assert_area(canvas, 40.0 * 60 / 2 * 2 / 3, 3);
	canvas_destroy(canvas);
}

static void
dashes_and_clips_leave_out(void **state)
{
	(void)state;
	struct canvas *canvas = sheet_make(1);
	canvas_set_line_width(canvas, 2);
	canvas_set_dash(canvas, 5, 3);
	canvas_move_to(canvas, 2, 10);
	canvas_line_to(canvas, 34, 10);
	canvas_stroke(canvas);
	assert_area(canvas, 4 * 5 * 2, 0.05);
	assert_int_equal(pixel_of(canvas, 6, 10), 255);
	assert_int_equal(pixel_of(canvas, 7, 10), 0);
	assert_int_equal(pixel_of(canvas, 9, 10), 0);
	assert_int_equal(pixel_of(canvas, 10, 10), 255);
	canvas_set_dash(canvas, 0, 0);
	canvas_clip(canvas, 20, 20, 5, 5);
	canvas_paint(canvas);
	canvas_circle(canvas, 20, 20, 30);
	canvas_fill(canvas);
	assert_area(canvas, 40 + 25, 0.05);
	canvas_clip_end(canvas);
	canvas_paint(canvas);
	assert_area(canvas, SIDE * SIDE, 0.05);
	canvas_destroy(canvas);
}

static void
text_is_as_wide_as_told(void **state)
{
	(void)state;
	double width = canvas_text_width(10, "12 \xc2\xb7 walls");
	assert_true(width > 30 && width < 80);
	assert_double_near(canvas_text_width(20, "12 \xc2\xb7 walls"), 2 * width, 1e-4);
	assert_true(canvas_text_width(10, "\xc2\xb7") < canvas_text_width(10, "WW"));
	assert_double_same_bits(canvas_text_width(10, ""), 0);
	FILE *font = fopen("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "rb");
	if (!font)
		skip();
	(void)fclose(font);
	struct canvas *canvas = sheet_make(1);
	canvas_text(canvas, 5, 30, 30, "I");
	/* A stem of about a tenth of the size, without the foot. */
	assert_area(canvas, 0.1 * 30 * 0.73 * 30, 10);
	assert_int_equal(pixel_of(canvas, 9, 20), 255);
	assert_int_equal(pixel_of(canvas, 9, 31), 0);
	canvas_destroy(canvas);
}

static void
svg_has_the_same_shapes(void **state)
{
	(void)state;
	struct canvas *canvas = canvas_create_svg(100, 50);
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(canvas);
	assert_non_null(file);
	int width = 0, height = 0;
	assert_null(canvas_pixels(canvas, &width, &height));
	canvas_set_colour(canvas, 1, 0.5, 0, 0.25);
	canvas_set_line_width(canvas, 1.5);
	canvas_set_line_cap(canvas, CANVAS_CAP_ROUND);
	canvas_clip(canvas, 1, 2, 3, 4);
	canvas_move_to(canvas, 1.23456, -0.0001);
	canvas_line_to(canvas, 10, 20);
	canvas_stroke(canvas);
	canvas_stroke(canvas); /* nothing is left to draw */
	canvas_clip_end(canvas);
	canvas_circle(canvas, 5, 6, 2);
	canvas_fill_preserve(canvas);
	canvas_set_dash(canvas, 5, 4);
	canvas_stroke(canvas);
	canvas_text(canvas, 3, 4, 15, "a < b & c");
	assert_true(canvas_write(canvas, file));
	(void)fclose(file);
	assert_string_equal(
		text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"50\" viewBox=\"0 0 100 50\" "
		"stroke-linejoin=\"round\">\n"
		"<clipPath id=\"clip0\"><rect x=\"1\" y=\"2\" width=\"3\" height=\"4\"/></clipPath>\n<g clip-path=\"url(#clip0)\">\n"
		"<path d=\"M1.235 0L10 20\" fill=\"none\" stroke=\"#ff8000\" stroke-opacity=\"0.25\" stroke-width=\"1.5\" "
		"stroke-linecap=\"round\"/>\n</g>\n"
		"<path d=\"M3 6a2 2 0 1 0 4 0a2 2 0 1 0 -4 0z\" fill=\"#ff8000\" fill-opacity=\"0.25\"/>\n"
		"<path d=\"M3 6a2 2 0 1 0 4 0a2 2 0 1 0 -4 0z\" fill=\"none\" stroke=\"#ff8000\" stroke-opacity=\"0.25\" "
		"stroke-width=\"1.5\" stroke-linecap=\"round\" stroke-dasharray=\"5 4\"/>\n"
		"<text xml:space=\"preserve\" font-family=\"DejaVu Sans, sans-serif\" x=\"3\" y=\"4\" font-size=\"15\" "
		"fill=\"#ff8000\" fill-opacity=\"0.25\">a &lt; b &amp; c</text>\n</svg>\n");
	free(text);
	canvas_destroy(canvas);
}

static void
sizes_are_bounded(void **state)
{
	(void)state;
	assert_null(canvas_create_pixels(1e5, 1e5, 1));
	assert_null(canvas_create_pixels(0, 10, 1));
	assert_null(canvas_create_pixels((double)NAN, 10, 1));
	canvas_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_of_pixels_are_areas),
		cmocka_unit_test(shapes_end_at_the_border),
		cmocka_unit_test(strokes_are_as_wide_as_asked),
		cmocka_unit_test(joins_add_nothing),
		cmocka_unit_test(quadratic_curves_are_followed),
		cmocka_unit_test(dashes_and_clips_leave_out),
		cmocka_unit_test(text_is_as_wide_as_told),
		cmocka_unit_test(svg_has_the_same_shapes),
		cmocka_unit_test(sizes_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
