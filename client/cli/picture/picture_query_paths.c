/* The paths of questions. They may lead anywhere, so they are clipped around the sheet before they are drawn. */
#include "client/cli/picture/picture_draw.h"

#include "client/cli/picture/hue.h"

#include <math.h>

/* How far a line goes on beyond the sheet, in sheets: its slope must not show that it was clipped. */
static const double beyond = 2;
/* Of a line and of a circle's outline, in sheet units. */
static const double thickness = 1.3, rim = 1;

/* The position on the sheet, unrounded. */
static void
sheet_of(const struct picture_view *view, double x, double y, double at[2])
{
	at[0] = (view->left + view->right) / 2 + (x - view->x) * view->scale;
	at[1] = (view->top + view->bottom) / 2 - (y - view->y) * view->scale;
}

/* Narrows first..last to those t with from + t * way in low..high. */
static bool
span_clip(double from, double way, double low, double high, double *first, double *last)
{
	if (way == 0)
		return low <= from && from <= high;
	double a = (low - from) / way, b = (high - from) / way;
	*first = fmax(*first, fmin(a, b));
	*last = fmin(*last, fmax(a, b));
	return *first <= *last;
}

static void
query_path_draw(const struct picture_query_path *path, const struct picture_view *view, struct drawing *drawing)
{
	double from[2], to[2], first = 0, last = 1;
	sheet_of(view, path->x1, path->y1, from);
	sheet_of(view, path->x2, path->y2, to);
	double x = to[0] - from[0], y = to[1] - from[1];
	if (!isfinite(x) || !isfinite(y) ||
	    !span_clip(from[0], x, -beyond * view->width, (1 + beyond) * view->width, &first, &last) ||
	    !span_clip(from[1], y, -beyond * view->height, (1 + beyond) * view->height, &first, &last))
		return;
	struct picture_colour colour = path->faint ? picture_steel : picture_spark;
	drawing_set_colour(drawing, colour.red, colour.green, colour.blue, path->faint ? 0.4 : 0.8);
	drawing_set_line_width(drawing, thickness);
	drawing_move_to(drawing, from[0] + first * x, from[1] + first * y);
	drawing_line_to(drawing, from[0] + last * x, from[1] + last * y);
	drawing_stroke(drawing);
	if (path->radius > 0 && last == 1) {
		drawing_set_line_width(drawing, rim);
		drawing_circle(drawing, to[0], to[1], fmax(path->radius * view->scale, 1));
		drawing_stroke(drawing);
	}
}

void
picture_query_paths_draw(const struct picture *picture, const struct picture_view *view, struct drawing *drawing)
{
	for (size_t i = 0; i < picture->query_path_count; i++)
		query_path_draw(&picture->query_paths[i], view, drawing);
}
