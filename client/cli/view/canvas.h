/* canvas: a terminal's cells as a grid of Braille dots, two by four a cell, and one colour a cell. Draws only what has changed
 * since the frame before.
 *
 * One thread at a time; owns its memory. Dots are counted from the top left. */
#ifndef COLLIDE_CLI_CANVAS_H
#define COLLIDE_CLI_CANVAS_H

#include "client/cli/picture/hue.h"
#include "client/cli/terminal/text.h"
#include "client/cli/view/screen.h"

#include <stdint.h>

/* What is above hides the colour of what is below in the same cell. */
enum canvas_layer { LAYER_NONE, LAYER_TRAIL, LAYER_WALL, LAYER_CIRCLE, LAYER_SPARK };

struct canvas_cell {
	uint8_t dots;  /* of a Braille character */
	uint8_t layer; /* of its colour */
	uint8_t red, green, blue;
};

struct canvas {
	unsigned columns, rows; /* of cells */
	struct canvas_cell *cells, *shown;
	enum screen_colours colours;
	bool anew; /* nothing of it is on the screen */
};

/* Makes it as large as that, and empty. false: no memory. */
bool canvas_resize(struct canvas *canvas, unsigned columns, unsigned rows);
void canvas_finish(struct canvas *canvas);
void canvas_clear(struct canvas *canvas);

void canvas_dot(struct canvas *canvas, double x, double y, enum canvas_layer layer, struct picture_colour colour);
void canvas_line(struct canvas *canvas, double x1, double y1, double x2, double y2, enum canvas_layer layer,
                 struct picture_colour colour);
/* Filled, or its outline. */
void canvas_disc(struct canvas *canvas, double x, double y, double radius, bool filled, enum canvas_layer layer,
                 struct picture_colour colour);

/* Appends the sequences that bring the screen up to date. */
void canvas_print(struct canvas *canvas, struct text *out);
/* The sequence that sets a colour. */
void canvas_colour_print(enum screen_colours colours, uint8_t red, uint8_t green, uint8_t blue, struct text *out);

#endif
