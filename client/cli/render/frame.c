#include "client/cli/render/frame.h"

#include <math.h>
#include <stdlib.h>

enum { AGES = 6, GLOWS = 4, TRAILS_MAX = 4000 };
static const double whole_turn = 2 * 3.141592653589793;

bool
frame_style_init(struct frame_style *style, const struct run_motion *motion, const struct sheet *sheet, double speed)
{
	const struct motion_scene *scene = &motion->scene;
	double radius = 0;
	*style = (struct frame_style){ .motion = motion, .sheet = sheet, .hints = calloc(scene->circle_count + 1, sizeof(size_t)) };
	hues_begin(&style->hues);
	for (size_t row = 0; row < scene->circle_count; row++) {
		hues_add(&style->hues, scene->circles[row].x, scene->circles[row].y);
		radius += scene->circles[row].radius / (double)scene->circle_count;
	}
	style->line = fmin(fmax(0.55 * radius * sheet->scale, 0.8), 2);
	style->trail = sheet_trail_seconds(sheet, motion, style->line);
	style->flash = sheet_flash_seconds(motion, speed);
	return style->hints != NULL;
}

void
frame_style_finish(struct frame_style *style)
{
	free(style->hints);
	style->hints = NULL;
}

static void
colour_set(cairo_t *cairo, struct picture_colour colour, double alpha)
{
	cairo_set_source_rgba(cairo, colour.red, colour.green, colour.blue, alpha);
}

static int
row_hue(const struct frame_style *style, size_t row)
{
	const struct motion_circle *circle = &style->motion->scene.circles[row];
	return hue_of(&style->hues, row, circle->x, circle->y);
}

/* ---- Walls ---- */

static void
wall_path(const struct frame_style *style, const struct motion_wall *wall, double t, cairo_t *cairo)
{
	const struct sheet *sheet = style->sheet;
	double x = wall->vx * t, y = wall->vy * t;
	cairo_move_to(cairo, sheet_x(sheet, wall->x1 + x), sheet_y(sheet, wall->y1 + y));
	cairo_line_to(cairo, sheet_x(sheet, wall->x2 + x), sheet_y(sheet, wall->y2 + y));
}

enum wall_look { LOOK_PLAIN, LOOK_DASHED, LOOK_FAINT };

static enum wall_look
wall_look_of(const struct motion_wall *wall)
{
	return wall->disabled || wall->sensor ? LOOK_FAINT : wall->one_sided ? LOOK_DASHED : LOOK_PLAIN;
}

static void
walls_stroke(const struct frame_style *style, double t, enum wall_look look, cairo_t *cairo)
{
	for (size_t i = 0; i < style->motion->scene.wall_count; i++) {
		const struct motion_wall *wall = &style->motion->scene.walls[i];
		if (wall_look_of(wall) == look)
			wall_path(style, wall, t, cairo);
	}
	cairo_stroke(cairo);
}

static void
bars_draw(const struct frame_style *style, double t, cairo_t *cairo)
{
	colour_set(cairo, picture_steel, 0.35);
	for (size_t i = 0; i < style->motion->scene.wall_count; i++) {
		const struct motion_wall *wall = &style->motion->scene.walls[i];
		if (wall->radius > 0 && !wall->disabled) {
			cairo_set_line_width(cairo, 2 * wall->radius * style->sheet->scale);
			wall_path(style, wall, t, cairo);
			cairo_stroke(cairo);
		}
	}
}

static void
walls_draw(const struct frame_style *style, double t, cairo_t *cairo)
{
	static const double dashes[] = { 5, 4 };
	static const struct {
		double width, alpha;
		const struct picture_colour *colour;
	} strokes[] = { { 7, 0.06, &picture_steel }, { 4, 0.1, &picture_steel }, { 1.5, 1, &picture_chalk } };
	cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
	bars_draw(style, t, cairo);
	for (size_t i = 0; i < sizeof strokes / sizeof strokes[0]; i++) {
		cairo_set_line_width(cairo, strokes[i].width);
		colour_set(cairo, *strokes[i].colour, strokes[i].alpha);
		walls_stroke(style, t, LOOK_PLAIN, cairo);
		cairo_set_dash(cairo, dashes, 2, 0);
		walls_stroke(style, t, LOOK_DASHED, cairo);
		cairo_set_dash(cairo, NULL, 0, 0);
	}
	cairo_set_dash(cairo, dashes, 2, 0);
	cairo_set_line_width(cairo, 1.2);
	colour_set(cairo, picture_steel, 0.6);
	walls_stroke(style, t, LOOK_FAINT, cairo);
	cairo_set_dash(cairo, NULL, 0, 0);
}

/* ---- Trails ---- */

/* A stretch of a piece; a parabola is a Bezier curve. */
static void
stretch_add(const struct sheet *sheet, const struct path_piece *piece, double from, double until, cairo_t *cairo)
{
	struct piece_point a = piece_at(piece, from), b = piece_at(piece, until), v = piece_velocity_at(piece, from);
	double h = (until - from) / 2, x = a.x + v.x * h, y = a.y + v.y * h;
	if (piece->ax == 0 && piece->ay == 0) {
		cairo_line_to(cairo, sheet_x(sheet, b.x), sheet_y(sheet, b.y));
		return;
	}
	/* The quadratic curve with the middle point (x, y), as a cubic one. */
	cairo_curve_to(cairo, sheet_x(sheet, a.x + (x - a.x) * 2 / 3), sheet_y(sheet, a.y + (y - a.y) * 2 / 3),
	               sheet_x(sheet, b.x + (x - b.x) * 2 / 3), sheet_y(sheet, b.y + (y - b.y) * 2 / 3), sheet_x(sheet, b.x),
	               sheet_y(sheet, b.y));
}

static void
trail_add(const struct frame_style *style, size_t row, double from, double until, cairo_t *cairo)
{
	const struct motion_track *track = &style->motion->tracks[row];
	const struct path_piece *piece = motion_piece_near(style->motion, row, from, &style->hints[row]);
	size_t at = (size_t)(piece - track->pieces);
	struct piece_point start = piece_at(piece, from);
	cairo_move_to(cairo, sheet_x(style->sheet, start.x), sheet_y(style->sheet, start.y));
	while (from < until) {
		double end = at + 1 < track->count ? fmin(track->pieces[at + 1].t, until) : until;
		stretch_add(style->sheet, &track->pieces[at++], from, end, cairo);
		from = end;
	}
}

static void
trails_draw(const struct frame_style *style, double t, cairo_t *cairo)
{
	const struct run_motion *motion = style->motion;
	if (motion->scene.circle_count > TRAILS_MAX)
		return;
	cairo_set_line_width(cairo, style->line);
	cairo_set_line_cap(cairo, CAIRO_LINE_CAP_BUTT);
	cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
	for (int age = AGES - 1; age >= 0; age--) {
		double from = fmax(t - style->trail * (age + 1) / AGES, 0), last = t - style->trail * age / AGES;
		for (size_t row = 0; row < motion->scene.circle_count; row++) {
			double until = fmin(last, motion->tracks[row].end);
			if (!motion->scene.circles[row].moves || motion->tracks[row].count == 0 || !(until > from))
				continue;
			trail_add(style, row, from, until, cairo);
			colour_set(cairo, hue_colour(row_hue(style, row)), 0.06 + 0.64 * pow(1 - (age + 0.5) / AGES, 1.5));
			cairo_stroke(cairo);
		}
	}
}

/* ---- Contacts ---- */

static void
dot_add(cairo_t *cairo, double x, double y, double radius)
{
	cairo_new_sub_path(cairo);
	cairo_arc(cairo, x, y, radius, 0, whole_turn);
}

/* The contacts of one age: where a circle was struck, against the change of its velocity. */
static void
glows_add(const struct frame_style *style, double from, double until, double radius, cairo_t *cairo)
{
	const struct run_motion *motion = style->motion;
	for (size_t row = 0; row < motion->scene.circle_count; row++) {
		const struct motion_track *track = &motion->tracks[row];
		if (!motion->scene.circles[row].moves || track->count == 0)
			continue;
		size_t at = (size_t)(motion_piece_near(motion, row, until, &style->hints[row]) - track->pieces);
		for (; at > 0 && track->pieces[at].t > from; at--) {
			const struct path_piece *piece = &track->pieces[at];
			struct piece_point v = piece_velocity_at(piece - 1, piece->t);
			double dx = piece->vx - v.x, dy = piece->vy - v.y, length = hypot(dx, dy), r = motion->scene.circles[row].radius;
			if (piece->cause != PIECE_GOES_ON && piece->t <= until && length > 1e-6 * (fabs(v.x) + fabs(v.y)))
				dot_add(cairo, sheet_x(style->sheet, piece->x - r * dx / length),
				        sheet_y(style->sheet, piece->y - r * dy / length), radius);
		}
	}
}

static void
contacts_draw(const struct frame_style *style, double t, cairo_t *cairo)
{
	static const struct {
		double radius, alpha;
		const struct picture_colour *colour;
	} layers[] = { { 5, 0.13, &picture_ember }, { 2.6, 0.3, &picture_ember }, { 1.1, 1, &picture_spark } };
	for (int age = GLOWS - 1; age >= 0; age--) {
		double fresh = 1 - (double)age / GLOWS;
		for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
			colour_set(cairo, *layers[i].colour, layers[i].alpha * fresh);
			glows_add(style, t - style->flash * (age + 1) / GLOWS, t - style->flash * age / GLOWS,
			          layers[i].radius * (0.6 + 0.4 * fresh), cairo);
			cairo_fill(cairo);
		}
	}
}

/* ---- Circles ---- */

static void
circle_draw(const struct frame_style *style, size_t row, double t, cairo_t *cairo)
{
	static const double dashes[] = { 4, 3 };
	const struct motion_circle *circle = &style->motion->scene.circles[row];
	struct piece_point at = piece_at(motion_piece_near(style->motion, row, t, &style->hints[row]), t);
	double x = sheet_x(style->sheet, at.x), y = sheet_y(style->sheet, at.y),
		   radius = fmax(circle->radius * style->sheet->scale, 0.9);
	double line = fmin(fmax(radius * 0.14, 0.5), 1.5);
	struct picture_colour colour = hue_colour(row_hue(style, row));
	dot_add(cairo, x, y, fmax(radius - line / 2, 0.5));
	if (circle->sensor) {
		cairo_set_dash(cairo, dashes, 2, 0);
		colour_set(cairo, picture_steel, 0.9);
	} else {
		colour_set(cairo, picture_colour_mix(colour, picture_night, 0.25), 1);
		cairo_fill_preserve(cairo);
		colour_set(cairo, picture_colour_mix(colour, picture_chalk, 0.55), 0.95);
	}
	if (style->motion->tracks[row].turn_count > 0 && radius > 4) {
		double angle = motion_angle(style->motion, row, t);
		cairo_move_to(cairo, x + 0.4 * radius * cos(angle), y - 0.4 * radius * sin(angle));
		cairo_line_to(cairo, x + (radius - line / 2) * cos(angle), y - (radius - line / 2) * sin(angle));
	}
	cairo_set_line_width(cairo, line);
	cairo_stroke(cairo);
	cairo_set_dash(cairo, NULL, 0, 0);
}

void
frame_draw(const struct frame_style *style, double t, cairo_t *cairo)
{
	colour_set(cairo, picture_night, 1);
	cairo_paint(cairo);
	walls_draw(style, t, cairo);
	trails_draw(style, t, cairo);
	contacts_draw(style, t, cairo);
	for (size_t row = 0; row < style->motion->scene.circle_count; row++)
		if (motion_there(style->motion, row, t))
			circle_draw(style, row, t, cairo);
}
