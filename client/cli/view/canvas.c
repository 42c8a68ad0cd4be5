#include "client/cli/view/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Lines are cut to this many dots around the canvas before they are walked. */
static const double beyond = 4;

bool
canvas_resize(struct canvas *canvas, unsigned columns, unsigned rows)
{
	size_t count = (size_t)columns * rows;
	struct canvas_cell *cells = calloc(count + 1, sizeof *cells), *shown = calloc(count + 1, sizeof *shown);
	if (!cells || !shown) {
		free(cells);
		free(shown);
		return false;
	}
	canvas_finish(canvas);
	*canvas = (struct canvas){ columns, rows, cells, shown, canvas->colours, true };
	return true;
}

void
canvas_finish(struct canvas *canvas)
{
	free(canvas->cells);
	free(canvas->shown);
	canvas->cells = canvas->shown = NULL;
}

void
canvas_clear(struct canvas *canvas)
{
	memset(canvas->cells, 0, (size_t)canvas->columns * canvas->rows * sizeof *canvas->cells);
}

void
canvas_dot(struct canvas *canvas, double x, double y, enum canvas_layer layer, struct picture_colour colour)
{
	/* Unicode's order: three rows of two columns, then the fourth row. */
	static const uint8_t bits[4][2] = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } };
	if (!(x >= 0 && y >= 0 && x < 2.0 * canvas->columns && y < 4.0 * canvas->rows))
		return;
	unsigned column = (unsigned)x, row = (unsigned)y;
	struct canvas_cell *cell = &canvas->cells[(size_t)(row / 4) * canvas->columns + column / 2];
	cell->dots |= bits[row % 4][column % 2];
	if (layer >= cell->layer) {
		cell->layer = (uint8_t)layer;
		cell->red = (uint8_t)lround(255 * colour.red);
		cell->green = (uint8_t)lround(255 * colour.green);
		cell->blue = (uint8_t)lround(255 * colour.blue);
	}
}

/* Narrows first..last to those parts of from + part * way that are in low..high. */
static bool
part_clip(double from, double way, double low, double high, double *first, double *last)
{
	if (way == 0)
		return from >= low && from <= high;
	double a = (low - from) / way, b = (high - from) / way;
	*first = fmax(*first, fmin(a, b));
	*last = fmin(*last, fmax(a, b));
	return *first <= *last;
}

void
canvas_line(struct canvas *canvas, double x1, double y1, double x2, double y2, enum canvas_layer layer,
            struct picture_colour colour)
{
	double first = 0, last = 1, x = x2 - x1, y = y2 - y1;
	if (!isfinite(x) || !isfinite(y) || !part_clip(x1, x, -beyond, 2.0 * canvas->columns + beyond, &first, &last) ||
	    !part_clip(y1, y, -beyond, 4.0 * canvas->rows + beyond, &first, &last))
		return;
	double length = fmax(fabs(x), fabs(y)) * (last - first);
	unsigned steps = (unsigned)ceil(length) + 1;
	for (unsigned i = 0; i <= steps; i++) {
		double part = first + (last - first) * i / steps;
		canvas_dot(canvas, x1 + part * x, y1 + part * y, layer, colour);
	}
}

static void
disc_fill(struct canvas *canvas, double x, double y, double radius, enum canvas_layer layer, struct picture_colour colour)
{
	double top = fmax(floor(y - radius), 0), bottom = fmin(y + radius, 4.0 * canvas->rows);
	for (double row = top; row <= bottom; row++) {
		double half = radius * radius - (row + 0.5 - y) * (row + 0.5 - y);
		if (half < 0)
			continue;
		half = sqrt(half);
		for (double column = fmax(floor(x - half + 0.5), 0); column < fmin(x + half + 0.5, 2.0 * canvas->columns); column++)
			canvas_dot(canvas, column, row, layer, colour);
	}
}

void
canvas_disc(struct canvas *canvas, double x, double y, double radius, bool filled, enum canvas_layer layer,
            struct picture_colour colour)
{
	double width = 2.0 * canvas->columns, height = 4.0 * canvas->rows;
	if (!(x + radius >= 0 && y + radius >= 0 && x - radius <= width && y - radius <= height))
		return;
	canvas_dot(canvas, x, y, layer, colour);
	if (filled) {
		disc_fill(canvas, x, y, radius, layer, colour);
		return;
	}
	/* As many corners as the outline has dots; of a circle far larger than the screen, enough. */
	unsigned corners = (unsigned)fmin(fmax(7 * radius, 8), 4000);
	for (unsigned i = 0; i < corners; i++) {
		double a = 2 * 3.141592653589793 * i / corners, b = 2 * 3.141592653589793 * (i + 1) / corners;
		canvas_line(canvas, x + radius * cos(a), y + radius * sin(a), x + radius * cos(b), y + radius * sin(b), layer, colour);
	}
}

void
canvas_colour_print(enum screen_colours colours, uint8_t red, uint8_t green, uint8_t blue, struct text *out)
{
	if (colours == SCREEN_TRUE)
		text_format(out, "\x1b[38;2;%u;%u;%um", red, green, blue);
	else if (colours == SCREEN_256) /* the cube of six steps a colour */
		text_format(out, "\x1b[38;5;%um",
		            16 + 36 * ((red * 5U + 127) / 255) + 6 * ((green * 5U + 127) / 255) + (blue * 5U + 127) / 255);
}

static void
cell_print(const struct canvas_cell *cell, struct text *out)
{
	/* U+2800 and on, in UTF-8. */
	const char bytes[] = { (char)0xe2, (char)(0xa0 + (cell->dots >> 6)), (char)(0x80 + (cell->dots & 0x3f)) };
	if (cell->dots == 0)
		text_append(out, " ");
	else
		text_append_bytes(out, bytes, sizeof bytes);
}

static bool
cell_same(const struct canvas_cell *a, const struct canvas_cell *b)
{
	return a->dots == b->dots && (a->dots == 0 || (a->red == b->red && a->green == b->green && a->blue == b->blue));
}

void
canvas_print(struct canvas *canvas, struct text *out)
{
	const struct canvas_cell *colour = NULL; /* the colour that is set */
	if (canvas->anew)
		text_append(out, "\x1b[2J");
	for (unsigned row = 0; row < canvas->rows; row++) {
		bool here = false; /* the cursor is */
		for (unsigned column = 0; column < canvas->columns; column++) {
			size_t at = (size_t)row * canvas->columns + column;
			struct canvas_cell *cell = &canvas->cells[at];
			if (!canvas->anew && cell_same(cell, &canvas->shown[at])) {
				here = false;
				continue;
			}
			if (!here)
				text_format(out, "\x1b[%u;%uH", row + 1, column + 1);
			if (cell->dots != 0 &&
			    (!colour || colour->red != cell->red || colour->green != cell->green || colour->blue != cell->blue)) {
				canvas_colour_print(canvas->colours, cell->red, cell->green, cell->blue, out);
				colour = cell;
			}
			cell_print(cell, out);
			here = true;
		}
	}
	memcpy(canvas->shown, canvas->cells, (size_t)canvas->columns * canvas->rows * sizeof *canvas->cells);
	canvas->anew = false;
}
