/* picture_draw: draws a picture as pixels or vectors. */
#ifndef COLLIDE_CLI_PICTURE_DRAW_H
#define COLLIDE_CLI_PICTURE_DRAW_H

#include "client/cli/drawing/drawing.h"
#include "client/cli/picture/picture_store.h"

/* The part of the world that is shown, and its position on the sheet. */
struct picture_view {
	double width, height;            /* of the sheet */
	double scale;                    /* sheet units per length unit */
	double x, y;                     /* of the world, in the middle of the field */
	double left, top, right, bottom; /* the field: the sheet without margins and caption */
};

/* The longer side of a sheet, in its units. */
#define PICTURE_SHEET_SIDE 1600.0
/* Bounds of what goes into a file. In SVG a corner takes about 30 bytes, a contact 60, a circle 500. */
#define PICTURE_CORNERS_DRAWN_MAX ((size_t)150000)
#define PICTURE_CONTACTS_DRAWN_MAX ((size_t)9000)
#define PICTURE_CIRCLES_DRAWN_MAX ((size_t)6000) /* with outlines; more become plain dots */
#define PICTURE_DOTS_DRAWN_MAX ((size_t)100000)  /* more are thinned out */

struct picture_view picture_view_fit(const struct picture *picture);
/* The same on a sheet of this width. */
struct picture_view picture_view_fit_width(const struct picture *picture, double width);
/* On top of the circles; their contacts come on top of them. */
void picture_query_paths_draw(const struct picture *picture, const struct picture_view *view, struct drawing *drawing);
void picture_draw(const struct picture *picture, const struct picture_view *view, struct drawing *drawing);

#endif
