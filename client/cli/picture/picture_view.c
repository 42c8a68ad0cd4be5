/* Framing: which part of the world is shown, and the size of the sheet. */
#include "client/cli/picture/picture_draw.h"

#include <math.h>

/* Sheet units. */
static const double margin = 48, caption_height = 40;
/* The field is never thinner than this part of its length, so that a scene on a line still has a margin. */
static const double aspect_min = 0.36;
/* Circles that fly away are shown up to this many times the size of the scene at its start. */
static const double reach_max = 6;

struct extent {
	double x1, y1, x2, y2;
};

static void
extent_add(struct extent *extent, double x, double y, double radius)
{
	if (isfinite(x) && isfinite(y) && isfinite(radius)) {
		extent->x1 = fmin(extent->x1, x - radius);
		extent->x2 = fmax(extent->x2, x + radius);
		extent->y1 = fmin(extent->y1, y - radius);
		extent->y2 = fmax(extent->y2, y + radius);
	}
}

static struct extent
extent_at_start(const struct picture *picture)
{
	struct extent extent = { HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
	for (size_t i = 0; i < picture->wall_count; i++) {
		extent_add(&extent, picture->walls[i].x1, picture->walls[i].y1, picture->walls[i].radius);
		extent_add(&extent, picture->walls[i].x2, picture->walls[i].y2, picture->walls[i].radius);
	}
	for (size_t i = 0; i < picture->body_count; i++) {
		const struct picture_body *body = &picture->bodies[i];
		extent_add(&extent, body->start_x, body->start_y, body->radius);
	}
	if (!(extent.x1 <= extent.x2 && extent.y1 <= extent.y2))
		extent = (struct extent){ -1, -1, 1, 1 };
	return extent;
}

/* The same including all that happened, up to the limit of distance. */
static struct extent
extent_in_all(const struct picture *picture)
{
	struct extent start = extent_at_start(picture), extent = start;
	for (size_t row = 0; row < picture->body_count; row++) {
		const struct picture_body *body = &picture->bodies[row];
		extent_add(&extent, body->x, body->y, body->radius);
		for (size_t back = 0; back < picture_trail_length(picture, row); back++) {
			struct picture_point point = picture_trail_point(picture, row, back);
			extent_add(&extent, (double)point.x + picture->origin_x, (double)point.y + picture->origin_y, body->radius);
		}
	}
	double size = fmax(start.x2 - start.x1, start.y2 - start.y1);
	size = size > 0 ? size : 1;
	double reach = size * (reach_max - 1) / 2, x = start.x1 / 2 + start.x2 / 2, y = start.y1 / 2 + start.y2 / 2;
	return (struct extent){
		fmax(extent.x1, fmin(start.x1, x - reach)),
		fmax(extent.y1, fmin(start.y1, y - reach)),
		fmin(extent.x2, fmax(start.x2, x + reach)),
		fmin(extent.y2, fmax(start.y2, y + reach)),
	};
}

/* What is shown, with a margin around a very flat extent. */
static struct extent
extent_shown(const struct picture *picture)
{
	struct extent extent = extent_in_all(picture);
	double width = extent.x2 - extent.x1, height = extent.y2 - extent.y1, least = aspect_min * fmax(width, height);
	least = least > 0 ? least : 1;
	double x = extent.x1 / 2 + extent.x2 / 2, y = extent.y1 / 2 + extent.y2 / 2;
	width = fmax(width, least) / 2;
	height = fmax(height, least) / 2;
	return (struct extent){ x - width, y - height, x + width, y + height };
}

static struct picture_view
view_of(const struct extent *extent, double scale, double edge)
{
	struct picture_view view = {
		.scale = scale,
		.x = extent->x1 / 2 + extent->x2 / 2,
		.y = extent->y1 / 2 + extent->y2 / 2,
		.left = edge,
		.top = edge,
		.right = edge + (extent->x2 - extent->x1) * scale,
		.bottom = edge + (extent->y2 - extent->y1) * scale,
	};
	view.width = ceil(view.right + edge);
	view.height = ceil(view.bottom + caption_height + edge / 2);
	return view;
}

struct picture_view
picture_view_fit(const struct picture *picture)
{
	struct extent extent = extent_shown(picture);
	double room = PICTURE_SHEET_SIDE - 2 * margin;
	return view_of(&extent, fmin(room / (extent.x2 - extent.x1), (room - caption_height) / (extent.y2 - extent.y1)), margin);
}

struct picture_view
picture_view_fit_width(const struct picture *picture, double width)
{
	struct extent extent = extent_shown(picture);
	double edge = fmin(margin, width / 32);
	double scale = (width - 2 * edge) / (extent.x2 - extent.x1), height = PICTURE_SHEET_SIDE - 2 * edge - caption_height;
	return view_of(&extent, fmin(scale, height / (extent.y2 - extent.y1)), edge);
}
