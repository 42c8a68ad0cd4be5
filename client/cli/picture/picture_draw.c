/* Drawing from back to front: paper, glow of walls, paths, contacts, walls, circles, caption. It uses only what
 * both kinds of drawing have: no filters, no blending but "over", so that SVG stays vectors. */
#include "client/cli/picture/picture_draw.h"

#include "client/cli/picture/hue.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a dashed line, sheet units. */
static const double dash_on = 5, dash_off = 4;
/* Steps in which a path fades towards its past. */
enum { FADE_STEPS_MAX = 8 };
/* Strokes of all paths: each costs a few hundred bytes of SVG whatever its length. */
#define STROKES_MAX ((size_t)12000)
/* Dots in one stroke. They merge without adding up, so larger groups would look flat. */
enum { DOTS_PER_STROKE = 64 };
/* Up to this many circles, each also shows its start. */
#define STARTS_SHOWN_MAX ((size_t)200)

struct brush {
	const struct picture *picture;
	const struct picture_view *view;
	struct drawing *drawing;
	struct hues hues;
};

/* Sheet coordinates in eighths: finer steps are invisible, and eighths are short in SVG. */
static double
sheet_x(const struct brush *brush, double x)
{
	double at = (brush->view->left + brush->view->right) / 2 + (x - brush->view->x) * brush->view->scale;
	return floor(fmin(fmax(at, -4000), 8000) * 8 + 0.5) / 8;
}

static double
sheet_y(const struct brush *brush, double y)
{
	double at = (brush->view->top + brush->view->bottom) / 2 - (y - brush->view->y) * brush->view->scale;
	return floor(fmin(fmax(at, -4000), 8000) * 8 + 0.5) / 8;
}

static int
row_hue(const struct brush *brush, size_t row)
{
	const struct picture_body *body = &brush->picture->bodies[row];
	return hue_of(&brush->hues, row, body->start_x, body->start_y);
}

static void
colour_set(const struct brush *brush, struct picture_colour colour, double alpha)
{
	drawing_set_colour(brush->drawing, colour.red, colour.green, colour.blue, alpha);
}

static void
paper_draw(const struct brush *brush)
{
	/* A flat colour: a gradient this dark shows its steps. */
	colour_set(brush, picture_night, 1);
	drawing_paint(brush->drawing);
}

enum wall_kind { WALL_PLAIN, WALL_ONE_SIDED, WALL_SENSOR, WALL_DISABLED };

static enum wall_kind
wall_kind_of(const struct picture_wall *wall)
{
	return wall->disabled ? WALL_DISABLED : wall->sensor ? WALL_SENSOR : wall->one_sided ? WALL_ONE_SIDED : WALL_PLAIN;
}

/* All walls of a kind as one path. A wall that continues the one before continues its line, so that corners join. */
static void
walls_path(const struct brush *brush, enum wall_kind kind)
{
	double x = (double)NAN, y = (double)NAN;
	for (size_t i = 0; i < brush->picture->wall_count; i++) {
		const struct picture_wall *wall = &brush->picture->walls[i];
		if (wall_kind_of(wall) != kind)
			continue;
		if (wall->x1 != x || wall->y1 != y)
			drawing_move_to(brush->drawing, sheet_x(brush, wall->x1), sheet_y(brush, wall->y1));
		x = wall->x2;
		y = wall->y2;
		drawing_line_to(brush->drawing, sheet_x(brush, x), sheet_y(brush, y));
	}
}

static void
walls_draw(const struct brush *brush, double width, double alpha, struct picture_colour colour)
{
	colour_set(brush, colour, alpha);
	drawing_set_line_width(brush->drawing, width);
	walls_path(brush, WALL_PLAIN);
	drawing_stroke(brush->drawing);
	drawing_set_dash(brush->drawing, dash_on, dash_off);
	walls_path(brush, WALL_ONE_SIDED);
	drawing_stroke(brush->drawing);
	drawing_set_dash(brush->drawing, 0, 0);
}

/* Thick walls are bars with round ends. */
static void
bars_draw(const struct brush *brush, double alpha, struct picture_colour colour)
{
	drawing_set_line_cap(brush->drawing, DRAWING_CAP_ROUND);
	colour_set(brush, colour, alpha);
	for (size_t i = 0; i < brush->picture->wall_count; i++) {
		const struct picture_wall *wall = &brush->picture->walls[i];
		if (wall->radius > 0 && !wall->disabled) {
			drawing_set_line_width(brush->drawing, 2 * wall->radius * brush->view->scale);
			drawing_move_to(brush->drawing, sheet_x(brush, wall->x1), sheet_y(brush, wall->y1));
			drawing_line_to(brush->drawing, sheet_x(brush, wall->x2), sheet_y(brush, wall->y2));
			drawing_stroke(brush->drawing);
		}
	}
}

struct trail_style {
	double length; /* of the whole trail, sheet units */
	double width, alpha_head, alpha_tail;
	int steps;
	size_t corners_max;
};

static void
trail_stroke(const struct brush *brush, const struct trail_style *style, struct picture_colour colour, int step)
{
	double past = ((double)step + 0.5) / style->steps;
	double alpha = style->alpha_tail + (style->alpha_head - style->alpha_tail) * pow(1 - past, 1.6);
	colour_set(brush, colour, alpha);
	drawing_stroke(brush->drawing);
}

/* Backwards from the circle's current position, one stroke for each step of the fade. */
static void
trail_draw(const struct brush *brush, size_t row, const struct trail_style *style)
{
	const struct picture *picture = brush->picture;
	struct picture_colour colour = hue_colour(row_hue(brush, row));
	size_t corners = picture_trail_length(picture, row);
	corners = corners < style->corners_max ? corners : style->corners_max;
	if (corners < 2)
		return;
	double step_length = style->length / style->steps, left = step_length;
	double x = 0, y = 0;
	int step = 0;
	drawing_set_line_width(brush->drawing, style->width);
	for (size_t back = 0; back < corners; back++) {
		struct picture_point point = picture_trail_point(picture, row, back);
		double to_x = sheet_x(brush, (double)point.x + picture->origin_x);
		double to_y = sheet_y(brush, (double)point.y + picture->origin_y);
		if (back == 0)
			drawing_move_to(brush->drawing, to_x, to_y);
		double length = back == 0 ? 0 : hypot(to_x - x, to_y - y);
		while (length > left) {
			x += (to_x - x) * left / length;
			y += (to_y - y) * left / length;
			length -= left;
			left = step_length;
			drawing_line_to(brush->drawing, x, y);
			trail_stroke(brush, style, colour, step);
			if (++step == style->steps)
				return;
			drawing_move_to(brush->drawing, x, y);
		}
		if (back > 0)
			drawing_line_to(brush->drawing, to_x, to_y);
		left -= length;
		x = to_x;
		y = to_y;
	}
	trail_stroke(brush, style, colour, step);
}

/* The length on the sheet of one trail, as far as it is kept. */
static double
trail_extent(const struct brush *brush, size_t row)
{
	double total = 0;
	size_t corners = picture_trail_length(brush->picture, row);
	for (size_t back = 1; back < corners; back++) {
		struct picture_point a = picture_trail_point(brush->picture, row, back - 1);
		struct picture_point b = picture_trail_point(brush->picture, row, back);
		total += hypot((double)a.x - (double)b.x, (double)a.y - (double)b.y);
	}
	return total * brush->view->scale;
}

/* The length of trails depends on the number of circles: few show their whole path, many a short tail each. So the sheet is
 * neither empty nor crowded. */
static void
trails_draw(const struct brush *brush)
{
	const struct picture *picture = brush->picture;
	const struct picture_view *view = brush->view;
	size_t moving = 0;
	double radius = 0, longest = 1;
	for (size_t row = 0; row < picture->body_count; row++) {
		moving += picture->bodies[row].moves;
		radius = fmax(radius, picture->bodies[row].radius);
	}
	if (moving == 0 || picture->trail_max == 0)
		return;
	for (size_t row = 0; row < picture->body_count; row++)
		longest = fmax(longest, trail_extent(brush, row));
	struct trail_style style = { .alpha_head = 0.85, .alpha_tail = 0.03 };
	style.width = fmin(fmax(radius * view->scale * 0.55, 0.7), 2.4);
	double area = (view->right - view->left) * (view->bottom - view->top);
	style.length = fmin(longest * 1.001, 0.24 * area / (style.width * (double)moving));
	if (moving <= 24) {
		style.length = fmin(longest * 1.001, 0.5 * area / (style.width * (double)moving));
		style.alpha_tail = 0.15;
	}
	size_t every = 1 + (moving - 1) / STROKES_MAX;
	style.steps = (int)fmin(fmax((double)STROKES_MAX / (double)moving, 1), FADE_STEPS_MAX);
	style.corners_max = PICTURE_CORNERS_DRAWN_MAX / (moving / every);
	for (size_t row = 0; row < picture->body_count; row += every)
		trail_draw(brush, row, &style);
}

/* Dots as lines of no length with round ends: a tenth of the cost of circles in SVG. */
static void
dot_add(const struct brush *brush, double x, double y, size_t *group)
{
	double at_x = sheet_x(brush, x), at_y = sheet_y(brush, y);
	drawing_move_to(brush->drawing, at_x, at_y);
	drawing_line_to(brush->drawing, at_x, at_y);
	if (++*group == DOTS_PER_STROKE) {
		drawing_stroke(brush->drawing);
		*group = 0;
	}
}

enum { HIT_CLASSES = 5 };

/* The class of a contact: 0 for the slowest, HIT_CLASSES - 1 for the fastest. */
static int
hit_class(double speed, double fastest)
{
	double share = fastest > 0 ? sqrt(fmin(fmax(speed / fastest, 0), 1)) : 0;
	return (int)fmin(share * HIT_CLASSES, HIT_CLASSES - 1);
}

static void
hits_layer(const struct brush *brush, double fastest, int class, double width, double alpha, struct picture_colour colour)
{
	const struct picture *picture = brush->picture;
	size_t every = 1 + (picture->contact_count > 0 ? (picture->contact_count - 1) / PICTURE_CONTACTS_DRAWN_MAX : 0), group = 0;
	drawing_set_line_width(brush->drawing, width);
	colour_set(brush, colour, alpha);
	for (size_t i = 0; i < picture->contact_count; i += every)
		if (hit_class(picture->contacts[i].speed, fastest) == class)
			dot_add(brush, picture->contacts[i].x, picture->contacts[i].y, &group);
	drawing_stroke(brush->drawing);
}

/* A halo and a core for each class of speed. Both get smaller and fainter where contacts are dense on the sheet. */
static void
hits_draw(const struct brush *brush)
{
	const struct picture *picture = brush->picture;
	double fastest = 0;
	for (size_t i = 0; i < picture->contact_count; i++)
		fastest = fmax(fastest, picture->contacts[i].speed);
	const struct picture_view *view = brush->view;
	double sheets = view->width * view->height / (PICTURE_SHEET_SIDE * PICTURE_SHEET_SIDE);
	double crowd = fmin(fmax(log10((double)picture->contact_count / sheets + 1) / 4, 0), 1);
	double size = 2.6 - 1.7 * crowd, strength = 1 - 0.45 * crowd;
	for (int class = 0; class < HIT_CLASSES; class ++) {
		double width = size * (0.7 + 0.45 * class);
		hits_layer(brush, fastest, class, width * 4.5, 0.07 * strength, picture_ember);
		hits_layer(brush, fastest, class, width * 2.2, 0.13 * strength, picture_ember);
	}
	for (int class = 0; class < HIT_CLASSES; class ++)
		hits_layer(brush, fastest, class, size * (0.7 + 0.45 * class), 0.85 * strength, picture_spark);
}

static void
circle_path(const struct brush *brush, double x, double y, double radius)
{
	drawing_circle(brush->drawing, sheet_x(brush, x), sheet_y(brush, y), radius);
}

static void
starts_draw(const struct brush *brush)
{
	const struct picture *picture = brush->picture;
	if (picture->body_count > STARTS_SHOWN_MAX)
		return;
	drawing_set_line_width(brush->drawing, 1);
	for (size_t row = 0; row < picture->body_count; row++) {
		const struct picture_body *body = &picture->bodies[row];
		if (body->sensor)
			continue;
		circle_path(brush, body->start_x, body->start_y, fmax(body->radius * brush->view->scale, 1));
		colour_set(brush, hue_colour(row_hue(brush, row)), 0.38);
		drawing_stroke(brush->drawing);
	}
}

/* Dashed: shapes without contacts. */
static void
sensors_draw(const struct brush *brush)
{
	const struct picture *picture = brush->picture;
	walls_path(brush, WALL_SENSOR);
	for (size_t row = 0; row < picture->body_count; row++) {
		const struct picture_body *body = &picture->bodies[row];
		if (body->sensor && !body->ended)
			circle_path(brush, body->x, body->y, fmax(body->radius * brush->view->scale, 1));
	}
	colour_set(brush, picture_steel, 0.9);
	drawing_set_line_width(brush->drawing, 1.2);
	drawing_set_line_cap(brush->drawing, DRAWING_CAP_BUTT);
	drawing_set_dash(brush->drawing, dash_on, dash_off);
	drawing_stroke(brush->drawing);
	walls_path(brush, WALL_DISABLED);
	colour_set(brush, picture_steel, 0.35);
	drawing_stroke(brush->drawing);
	drawing_set_dash(brush->drawing, 0, 0);
	drawing_set_line_cap(brush->drawing, DRAWING_CAP_ROUND);
}

/* Half the width of one of so many marks, in pixels. */
static double
mark_arm(size_t count)
{
	return 4.5 - 2.5 * fmin(log10((double)count + 1) / 4, 1);
}

/* A square where a rule stopped a circle last. */
static void
stops_draw(const struct brush *brush)
{
	const struct picture *picture = brush->picture;
	double arm = mark_arm(picture->stopped_count);
	if (picture->stopped_count == 0)
		return;
	size_t every = 1 + (picture->stopped_count - 1) / PICTURE_CIRCLES_DRAWN_MAX, seen = 0;
	for (size_t row = 0; row < picture->body_count; row++) {
		const struct picture_body *body = &picture->bodies[row];
		if (!body->stopped || seen++ % every != 0)
			continue;
		double x = sheet_x(brush, body->stop_x), y = sheet_y(brush, body->stop_y);
		drawing_move_to(brush->drawing, x - arm, y - arm);
		drawing_line_to(brush->drawing, x + arm, y - arm);
		drawing_line_to(brush->drawing, x + arm, y + arm);
		drawing_line_to(brush->drawing, x - arm, y + arm);
		drawing_line_to(brush->drawing, x - arm, y - arm);
	}
	colour_set(brush, picture_ember, 0.9);
	drawing_set_line_width(brush->drawing, 1.3);
	drawing_stroke(brush->drawing);
}

/* A cross where a circle had its end. */
static void
ends_draw(const struct brush *brush)
{
	const struct picture *picture = brush->picture;
	double arm = mark_arm(picture->ended_count);
	if (picture->ended_count == 0)
		return;
	size_t every = 1 + (picture->ended_count - 1) / PICTURE_CIRCLES_DRAWN_MAX, seen = 0;
	for (size_t row = 0; row < picture->body_count; row++) {
		const struct picture_body *body = &picture->bodies[row];
		if (!body->ended || seen++ % every != 0)
			continue;
		double x = sheet_x(brush, body->x), y = sheet_y(brush, body->y);
		drawing_move_to(brush->drawing, x - arm, y - arm);
		drawing_line_to(brush->drawing, x + arm, y + arm);
		drawing_move_to(brush->drawing, x - arm, y + arm);
		drawing_line_to(brush->drawing, x + arm, y - arm);
	}
	colour_set(brush, picture_ember, 0.9);
	drawing_set_line_width(brush->drawing, 1.3);
	drawing_stroke(brush->drawing);
}

static void
circles_draw_outlined(const struct brush *brush)
{
	const struct picture *picture = brush->picture;
	for (size_t row = 0; row < picture->body_count; row++) {
		const struct picture_body *body = &picture->bodies[row];
		if (body->sensor || body->ended)
			continue;
		struct picture_colour colour = hue_colour(row_hue(brush, row));
		double radius = fmax(body->radius * brush->view->scale, 0.9), line = fmin(fmax(radius * 0.14, 0.5), 1.6);
		circle_path(brush, body->x, body->y, fmax(radius - line / 2, 0.5));
		colour_set(brush, picture_colour_mix(colour, picture_night, 0.25), 1);
		drawing_fill_preserve(brush->drawing);
		colour_set(brush, picture_colour_mix(colour, picture_chalk, 0.55), 0.95);
		drawing_set_line_width(brush->drawing, line);
		drawing_stroke(brush->drawing);
	}
}

/* Too many circles for outlines: plain discs, grouped by hue. */
static void
circles_draw_plain(const struct brush *brush)
{
	const struct picture *picture = brush->picture;
	size_t every = 1 + (picture->body_count - 1) / PICTURE_DOTS_DRAWN_MAX;
	for (int hue = 0; hue < PICTURE_HUES; hue++) {
		size_t group = 0;
		double width = -1;
		colour_set(brush, hue_colour(hue), 0.9);
		for (size_t row = 0; row < picture->body_count; row += every) {
			const struct picture_body *body = &picture->bodies[row];
			if (body->sensor || body->ended || row_hue(brush, row) != hue)
				continue;
			/* A dot that stands for several circles covers the area of all of them. */
			double wanted = fmax(2 * body->radius * brush->view->scale * sqrt((double)every), 0.6);
			if (wanted != width) {
				drawing_stroke(brush->drawing);
				drawing_set_line_width(brush->drawing, wanted);
				width = wanted;
				group = 0;
			}
			dot_add(brush, body->x, body->y, &group);
		}
		drawing_stroke(brush->drawing);
	}
}

/* "1 circle", "12,345 circles". */
static void
count_text(uint64_t number, const char *noun, char *text, size_t size)
{
	char out[32];
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, number), used = 0;
	for (int i = 0; i < length && used < 30; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			out[used++] = ',';
		out[used++] = digits[i];
	}
	out[used] = '\0';
	snprintf(text, size, "%s %s%s", out, noun, number == 1 ? "" : "s");
}

static void
caption_draw(const struct brush *brush)
{
	const struct picture *picture = brush->picture;
	char text[320], circles[48], walls[48], ticks[48], hits[48], ends[48], stops[48];
	count_text(picture->body_count, "circle", circles, sizeof circles);
	count_text(picture->wall_count, "wall", walls, sizeof walls);
	count_text(picture->ticks, "tick", ticks, sizeof ticks);
	count_text(picture->collisions, "collision", hits, sizeof hits);
	count_text(picture->stops, "stop", stops, sizeof stops);
	count_text(picture->ended_count, "end", ends, sizeof ends);
	snprintf(text, sizeof text, "%s  ·  %s  ·  %s  ·  %s%s%s%s%s", circles, walls, ticks, hits,
	         picture->stops > 0 ? "  ·  " : "", picture->stops > 0 ? stops : "", picture->ended_count > 0 ? "  ·  " : "",
	         picture->ended_count > 0 ? ends : "");
	const char *shown = picture->caption[0] != '\0' ? picture->caption : text;
	double size = 15;
	/* A narrow sheet gets smaller letters. */
	double room = brush->view->right - brush->view->left, width = drawing_text_width(size, shown);
	if (width > room && room > 0)
		size *= room / width;
	colour_set(brush, picture_chalk, 0.72);
	drawing_text(brush->drawing, brush->view->left, brush->view->bottom + 38, size, shown);
}

static void
labels_draw(const struct brush *brush)
{
	colour_set(brush, picture_spark, 0.95);
	for (size_t i = 0; i < brush->picture->label_count; i++) {
		const struct picture_label *label = &brush->picture->labels[i];
		drawing_text(brush->drawing, sheet_x(brush, label->x), sheet_y(brush, label->y), 20, label->text);
	}
}

void
picture_draw(const struct picture *picture, const struct picture_view *view, struct drawing *drawing)
{
	struct brush brush = { .picture = picture, .view = view, .drawing = drawing };
	hues_begin(&brush.hues);
	for (size_t row = 0; row < picture->body_count; row++)
		hues_add(&brush.hues, picture->bodies[row].start_x, picture->bodies[row].start_y);
	paper_draw(&brush);
	drawing_clip(drawing, view->left / 2, view->top / 2, view->right, view->bottom);
	drawing_set_line_cap(drawing, DRAWING_CAP_ROUND);
	bars_draw(&brush, 0.35, picture_steel);
	walls_draw(&brush, 9, 0.05, picture_steel);
	walls_draw(&brush, 5, 0.09, picture_steel);
	drawing_set_line_cap(drawing, DRAWING_CAP_BUTT);
	trails_draw(&brush);
	drawing_set_line_cap(drawing, DRAWING_CAP_ROUND);
	if (picture->query_path_count == 0)
		hits_draw(&brush);
	walls_draw(&brush, 1.7, 1, picture_chalk);
	starts_draw(&brush);
	sensors_draw(&brush);
	if (picture->body_count <= PICTURE_CIRCLES_DRAWN_MAX)
		circles_draw_outlined(&brush);
	else
		circles_draw_plain(&brush);
	stops_draw(&brush);
	ends_draw(&brush);
	if (picture->query_path_count > 0) {
		picture_query_paths_draw(picture, view, drawing);
		hits_draw(&brush);
	}
	labels_draw(&brush);
	drawing_clip_end(drawing);
	caption_draw(&brush);
}
