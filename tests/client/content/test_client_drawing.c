/* The drawing: how much of each pixel shapes cover, against areas by hand; strokes, dashes and clips; SVG with the same shapes.
 */
#include "client/cli/drawing/coverage.h"
#include "client/cli/drawing/drawing.h"

#include "support/assert_double.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 40 };

/* White on black, so that a pixel's brightness is the share that is covered. */
static struct drawing *
sheet_make(double scale)
{
	struct drawing *drawing = drawing_create_pixels(SIDE / scale, SIDE / scale, scale);
	assert_non_null(drawing);
	drawing_set_colour(drawing, 1, 1, 1, 1);
	return drawing;
}

static int
pixel_of(const struct drawing *drawing, int x, int y)
{
	int width = 0, height = 0;
	const uint32_t *pixels = drawing_pixels(drawing, &width, &height);
	assert_non_null(pixels);
	assert_int_equal(width, SIDE);
	assert_int_equal(height, SIDE);
	return (int)(pixels[y * SIDE + x] & 255);
}

/* In pixels. */
static double
area_of(const struct drawing *drawing)
{
	double sum = 0;
	for (int i = 0; i < SIDE * SIDE; i++)
		sum += pixel_of(drawing, i % SIDE, i / SIDE) / 255.0;
	return sum;
}

/* Rounding to 8 bits, and corners for curves. */
static void
assert_area(const struct drawing *drawing, double expected, double tolerance)
{
	if (!(fabs(area_of(drawing) - expected) <= tolerance))
		fail_msg("covers %g pixels instead of %g", area_of(drawing), expected);
}

static void
box_path(struct drawing *drawing, double x, double y, double width, double height)
{
	drawing_move_to(drawing, x, y);
	drawing_line_to(drawing, x + width, y);
	drawing_line_to(drawing, x + width, y + height);
	drawing_line_to(drawing, x, y + height);
}

static void
shares_of_pixels_are_areas(void **state)
{
	(void)state;
	struct drawing *drawing = sheet_make(1);
	box_path(drawing, 2.25, 3.5, 2, 1);
	drawing_fill(drawing);
	assert_int_equal(pixel_of(drawing, 2, 3), 96); /* 3/8 of 255 */
	assert_int_equal(pixel_of(drawing, 3, 3), 128);
	assert_int_equal(pixel_of(drawing, 4, 4), 32);
	assert_int_equal(pixel_of(drawing, 5, 3), 0);
	assert_int_equal(pixel_of(drawing, 1, 4), 0);
	/* A triangle through many pixels of a row. */
	drawing_move_to(drawing, 10, 10);
	drawing_line_to(drawing, 30, 10);
	drawing_line_to(drawing, 10, 12);
	drawing_fill(drawing);
	assert_area(drawing, 2 + 20, 0.1);
	assert_int_equal(pixel_of(drawing, 19, 10), 255);
	assert_int_equal(pixel_of(drawing, 20, 10), 242); /* 19/20: the edge leaves it at the row's lower end */
	assert_int_equal(pixel_of(drawing, 29, 10), 13);
	drawing_destroy(drawing);
}

/* Whatever lies outside of the sheet, on any side. */
static void
shapes_end_at_the_border(void **state)
{
	(void)state;
	struct drawing *drawing = sheet_make(1);
	box_path(drawing, -100, -100, 110, 110);
	drawing_fill(drawing);
	box_path(drawing, 30, 30, 1e9, 1e9);
	drawing_fill(drawing);
	drawing_move_to(drawing, -1e6, -1e6);
	drawing_line_to(drawing, -1e6, 1e6);
	drawing_stroke(drawing);
	assert_area(drawing, 200, 0.01);
	drawing_destroy(drawing);
}

static void
strokes_are_as_wide_as_asked(void **state)
{
	(void)state;
	struct drawing *drawing = sheet_make(2);
	drawing_set_line_width(drawing, 1.5);
	drawing_move_to(drawing, 3, 5);
	drawing_line_to(drawing, 13, 9);
	drawing_stroke(drawing);
	assert_area(drawing, sqrt(116) * 1.5 * 4, 0.3);
	drawing_destroy(drawing);

	drawing = sheet_make(1);
	drawing_set_line_cap(drawing, DRAWING_CAP_ROUND);
	drawing_set_line_width(drawing, 6);
	drawing_move_to(drawing, 10, 10);
	drawing_line_to(drawing, 30, 10);
	drawing_stroke(drawing);
	assert_area(drawing, 120 + 9 * 3.14159, 0.6);
	drawing_move_to(drawing, 20, 30);
	drawing_line_to(drawing, 20, 30);
	drawing_stroke(drawing);
	assert_area(drawing, 120 + 18 * 3.14159, 0.9);
	drawing_destroy(drawing);

	drawing = sheet_make(1);
	drawing_set_line_width(drawing, 2);
	drawing_circle(drawing, 20, 20, 15);
	drawing_stroke(drawing);
	assert_area(drawing, 3.14159 * (16 * 16 - 14 * 14), 2);
	assert_int_equal(pixel_of(drawing, 20, 20), 0);
	drawing_destroy(drawing);
}

/* A curve of many short pieces is no wider than one line, and turns do not cancel or add what they cover. */
static void
joins_add_nothing(void **state)
{
	(void)state;
	struct drawing *drawing = sheet_make(1);
	drawing_set_line_width(drawing, 1);
	drawing_set_colour(drawing, 1, 1, 1, 0.5);
	drawing_move_to(drawing, 5, 20.5);
	for (int i = 1; i <= 120; i++)
		drawing_line_to(drawing, 5 + i * 0.25, 20.5);
	drawing_stroke(drawing);
	for (int x = 5; x < 35; x++)
		assert_int_equal(pixel_of(drawing, x, 20), 128);
	drawing_destroy(drawing);

	drawing = sheet_make(1);
	drawing_set_line_width(drawing, 4);
	drawing_move_to(drawing, 10, 10); /* there, back, and a right angle both ways */
	drawing_line_to(drawing, 30, 10);
	drawing_line_to(drawing, 10, 10);
	drawing_line_to(drawing, 10, 30);
	drawing_line_to(drawing, 30, 30);
	drawing_stroke(drawing);
	for (int i = 11; i < 29; i++) {
		assert_int_equal(pixel_of(drawing, i, 9), 255);
		assert_int_equal(pixel_of(drawing, i, 11), 255);
		assert_int_equal(pixel_of(drawing, 9, i), 255);
		assert_int_equal(pixel_of(drawing, i, 29), 255);
	}
	drawing_destroy(drawing);
}

static void
quadratic_curves_are_followed(void **state)
{
	(void)state;
	struct drawing *drawing = sheet_make(1);
	drawing_move_to(drawing, 0, 30);
	drawing_quad_to(drawing, 20, -30, 40, 30); /* its area is two thirds of the triangle's */
	drawing_fill(drawing);
	assert_area(drawing, 40.0 * 60 / 2 * 2 / 3, 3);
	drawing_destroy(drawing);
}

static void
dashes_and_clips_leave_out(void **state)
{
	(void)state;
	struct drawing *drawing = sheet_make(1);
	drawing_set_line_width(drawing, 2);
	drawing_set_dash(drawing, 5, 3);
	drawing_move_to(drawing, 2, 10);
	drawing_line_to(drawing, 34, 10);
	drawing_stroke(drawing);
	assert_area(drawing, 4 * 5 * 2, 0.05);
	assert_int_equal(pixel_of(drawing, 6, 10), 255);
	assert_int_equal(pixel_of(drawing, 7, 10), 0);
	assert_int_equal(pixel_of(drawing, 9, 10), 0);
	assert_int_equal(pixel_of(drawing, 10, 10), 255);
	drawing_set_dash(drawing, 0, 0);
	drawing_clip(drawing, 20, 20, 5, 5);
	drawing_paint(drawing);
	drawing_circle(drawing, 20, 20, 30);
	drawing_fill(drawing);
	assert_area(drawing, 40 + 25, 0.05);
	drawing_clip_end(drawing);
	drawing_paint(drawing);
	assert_area(drawing, SIDE * SIDE, 0.05);
	drawing_destroy(drawing);
}

static void
text_is_as_wide_as_told(void **state)
{
	(void)state;
	double width = drawing_text_width(10, "12 \xc2\xb7 walls");
	assert_true(width > 30 && width < 80);
	assert_double_near(drawing_text_width(20, "12 \xc2\xb7 walls"), 2 * width, 1e-4);
	assert_true(drawing_text_width(10, "\xc2\xb7") < drawing_text_width(10, "WW"));
	assert_double_same_bits(drawing_text_width(10, ""), 0);
	FILE *font = fopen("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "rb");
	if (!font)
		skip();
	(void)fclose(font);
	struct drawing *drawing = sheet_make(1);
	drawing_text(drawing, 5, 30, 30, "I");
	/* A stem of about a tenth of the size, without the foot. */
	assert_area(drawing, 0.1 * 30 * 0.73 * 30, 10);
	assert_int_equal(pixel_of(drawing, 9, 20), 255);
	assert_int_equal(pixel_of(drawing, 9, 31), 0);
	drawing_destroy(drawing);
}

static void
svg_has_the_same_shapes(void **state)
{
	(void)state;
	struct drawing *drawing = drawing_create_svg(100, 50);
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	assert_non_null(drawing);
	assert_non_null(file);
	int width = 0, height = 0;
	assert_null(drawing_pixels(drawing, &width, &height));
	drawing_set_colour(drawing, 1, 0.5, 0, 0.25);
	drawing_set_line_width(drawing, 1.5);
	drawing_set_line_cap(drawing, DRAWING_CAP_ROUND);
	drawing_clip(drawing, 1, 2, 3, 4);
	drawing_move_to(drawing, 1.23456, -0.0001);
	drawing_line_to(drawing, 10, 20);
	drawing_stroke(drawing);
	drawing_stroke(drawing); /* nothing is left to draw */
	drawing_clip_end(drawing);
	drawing_circle(drawing, 5, 6, 2);
	drawing_fill_preserve(drawing);
	drawing_set_dash(drawing, 5, 4);
	drawing_stroke(drawing);
	drawing_text(drawing, 3, 4, 15, "a < b & c");
	assert_true(drawing_write(drawing, file));
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
	drawing_destroy(drawing);
}

static void
sizes_are_bounded(void **state)
{
	(void)state;
	assert_null(drawing_create_pixels(1e5, 1e5, 1));
	assert_null(drawing_create_pixels(0, 10, 1));
	assert_null(drawing_create_pixels((double)NAN, 10, 1));
	drawing_destroy(NULL);
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
