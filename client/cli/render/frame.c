#include "client/cli/render/frame.h"

#include <math.h>
#include <stdlib.h>

enum { AGES = 6, GLOWS = 4, TRAILS_MAX = 4000 };

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
colour_set(struct drawing *drawing, struct picture_colour colour, double alpha)
{
	drawing_set_colour(drawing, colour.red, colour.green, colour.blue, alpha);
}

static int
row_hue(const struct frame_style *style, size_t row)
{
	return hue_of_circle(&style->hues, &style->motion->scene, row);
}

/* ---- Walls ---- */

static void
wall_path(const struct frame_style *style, const struct motion_wall *wall, double t, struct drawing *drawing)
{
	const struct sheet *sheet = style->sheet;
	double x = wall->vx * t, y = wall->vy * t;
	drawing_move_to(drawing, sheet_x(sheet, wall->x1 + x), sheet_y(sheet, wall->y1 + y));
	drawing_line_to(drawing, sheet_x(sheet, wall->x2 + x), sheet_y(sheet, wall->y2 + y));
}

enum wall_look { LOOK_PLAIN, LOOK_DASHED, LOOK_FAINT };

static enum wall_look
wall_look_of(const struct motion_wall *wall)
{
	return wall->disabled || wall->sensor ? LOOK_FAINT : wall->one_sided ? LOOK_DASHED : LOOK_PLAIN;
}

static void
walls_stroke(const struct frame_style *style, double t, enum wall_look look, struct drawing *drawing)
{
	for (size_t i = 0; i < style->motion->scene.wall_count; i++) {
		const struct motion_wall *wall = &style->motion->scene.walls[i];
		if (wall_look_of(wall) == look && t >= wall->begin && t < wall->end)
			wall_path(style, wall, t, drawing);
	}
	drawing_stroke(drawing);
}

static void
bars_draw(const struct frame_style *style, double t, struct drawing *drawing)
{
	colour_set(drawing, picture_steel, 0.35);
	for (size_t i = 0; i < style->motion->scene.wall_count; i++) {
		const struct motion_wall *wall = &style->motion->scene.walls[i];
		if (wall->radius > 0 && !wall->disabled && t >= wall->begin && t < wall->end) {
			drawing_set_line_width(drawing, 2 * wall->radius * style->sheet->scale);
			wall_path(style, wall, t, drawing);
			drawing_stroke(drawing);
		}
	}
}

static void
walls_draw(const struct frame_style *style, double t, struct drawing *drawing)
{
	static const struct {
		double width, alpha;
		const struct picture_colour *colour;
	} strokes[] = { { 7, 0.06, &picture_steel }, { 4, 0.1, &picture_steel }, { 1.5, 1, &picture_chalk } };
	drawing_set_line_cap(drawing, DRAWING_CAP_ROUND);
	bars_draw(style, t, drawing);
	for (size_t i = 0; i < sizeof strokes / sizeof strokes[0]; i++) {
		drawing_set_line_width(drawing, strokes[i].width);
		colour_set(drawing, *strokes[i].colour, strokes[i].alpha);
		walls_stroke(style, t, LOOK_PLAIN, drawing);
		drawing_set_dash(drawing, 5, 4);
		walls_stroke(style, t, LOOK_DASHED, drawing);
		drawing_set_dash(drawing, 0, 0);
	}
	drawing_set_dash(drawing, 5, 4);
	drawing_set_line_width(drawing, 1.2);
	colour_set(drawing, picture_steel, 0.6);
	walls_stroke(style, t, LOOK_FAINT, drawing);
	drawing_set_dash(drawing, 0, 0);
}

/* ---- Trails ---- */

/* A stretch of a piece; a parabola is a Bezier curve. */
static void
stretch_add(const struct sheet *sheet, const struct motion_piece *piece, double from, double until, struct drawing *drawing)
{
	struct piece_point a = piece_at(piece, from), b = piece_at(piece, until), v = piece_velocity_at(piece, from);
	double h = (until - from) / 2, x = a.x + v.x * h, y = a.y + v.y * h;
	if (piece->ax == 0 && piece->ay == 0) {
		drawing_line_to(drawing, sheet_x(sheet, b.x), sheet_y(sheet, b.y));
		return;
	}
	drawing_quad_to(drawing, sheet_x(sheet, x), sheet_y(sheet, y), sheet_x(sheet, b.x), sheet_y(sheet, b.y));
}

static void
trail_add(const struct frame_style *style, size_t row, double from, double until, struct drawing *drawing)
{
	const struct motion_track *track = &style->motion->tracks[row];
	const struct motion_piece *piece = motion_piece_near(style->motion, row, from, &style->hints[row]);
	size_t at = (size_t)(piece - track->pieces);
	struct piece_point start = piece_at(piece, from);
	drawing_move_to(drawing, sheet_x(style->sheet, start.x), sheet_y(style->sheet, start.y));
	while (from < until) {
		double end = at + 1 < track->count ? fmin(track->pieces[at + 1].t, until) : until;
		stretch_add(style->sheet, &track->pieces[at++], from, end, drawing);
		from = end;
	}
}

static void
trails_draw(const struct frame_style *style, double t, struct drawing *drawing)
{
	const struct run_motion *motion = style->motion;
	if (motion->scene.circle_count > TRAILS_MAX)
		return;
	drawing_set_line_width(drawing, style->line);
	drawing_set_line_cap(drawing, DRAWING_CAP_BUTT);
	for (int age = AGES - 1; age >= 0; age--) {
		double from = fmax(t - style->trail * (age + 1) / AGES, 0), last = t - style->trail * age / AGES;
		for (size_t row = 0; row < motion->scene.circle_count; row++) {
			double until = fmin(last, motion->tracks[row].end), first = fmax(from, motion->tracks[row].begin);
			if (!motion->scene.circles[row].moves || motion->tracks[row].count == 0 || !(until > first))
				continue;
			trail_add(style, row, first, until, drawing);
			colour_set(drawing, hue_colour(row_hue(style, row)), 0.06 + 0.64 * pow(1 - (age + 0.5) / AGES, 1.5));
			drawing_stroke(drawing);
		}
	}
}

/* ---- Contacts ---- */

/* The contacts of one age: where a circle was struck, against the change of its velocity. */
static void
glows_add(const struct frame_style *style, double from, double until, double radius, struct drawing *drawing)
{
	const struct run_motion *motion = style->motion;
	for (size_t row = 0; row < motion->scene.circle_count; row++) {
		const struct motion_track *track = &motion->tracks[row];
		if (!motion->scene.circles[row].moves || track->count == 0)
			continue;
		size_t at = (size_t)(motion_piece_near(motion, row, until, &style->hints[row]) - track->pieces);
		for (; at > 0 && track->pieces[at].t > from; at--) {
			const struct motion_piece *piece = &track->pieces[at];
			struct piece_point v = piece_velocity_at(piece - 1, piece->t);
			double dx = piece->vx - v.x, dy = piece->vy - v.y, length = hypot(dx, dy), r = motion->scene.circles[row].radius;
			if (piece->cause != PIECE_GOES_ON && piece->t <= until && length > 1e-6 * (fabs(v.x) + fabs(v.y)))
				drawing_circle(drawing, sheet_x(style->sheet, piece->x - r * dx / length),
				               sheet_y(style->sheet, piece->y - r * dy / length), radius);
		}
	}
}

static void
contacts_draw(const struct frame_style *style, double t, struct drawing *drawing)
{
	static const struct {
		double radius, alpha;
		const struct picture_colour *colour;
	} layers[] = { { 5, 0.13, &picture_ember }, { 2.6, 0.3, &picture_ember }, { 1.1, 1, &picture_spark } };
	for (int age = GLOWS - 1; age >= 0; age--) {
		double fresh = 1 - (double)age / GLOWS;
		for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
			colour_set(drawing, *layers[i].colour, layers[i].alpha * fresh);
			glows_add(style, t - style->flash * (age + 1) / GLOWS, t - style->flash * age / GLOWS,
			          layers[i].radius * (0.6 + 0.4 * fresh), drawing);
			drawing_fill(drawing);
		}
	}
}

/* ---- Circles ---- */

static void
circle_draw(const struct frame_style *style, size_t row, double t, struct drawing *drawing)
{
	const struct motion_circle *circle = &style->motion->scene.circles[row];
	struct piece_point at = piece_at(motion_piece_near(style->motion, row, t, &style->hints[row]), t);
	double x = sheet_x(style->sheet, at.x), y = sheet_y(style->sheet, at.y),
		   radius = fmax(circle->radius * style->sheet->scale, 0.9);
	double line = fmin(fmax(radius * 0.14, 0.5), 1.5);
	struct picture_colour colour = hue_colour(row_hue(style, row));
	drawing_circle(drawing, x, y, fmax(radius - line / 2, 0.5));
	if (circle->sensor) {
		drawing_set_dash(drawing, 5, 4);
		colour_set(drawing, picture_steel, 0.9);
	} else {
		colour_set(drawing, picture_colour_mix(colour, picture_night, 0.25), 1);
		drawing_fill_preserve(drawing);
		colour_set(drawing, picture_colour_mix(colour, picture_chalk, 0.55), 0.95);
	}
	if (style->motion->tracks[row].turn_count > 0 && radius > 4) {
		double angle = motion_angle(style->motion, row, t);
		drawing_move_to(drawing, x + 0.4 * radius * cos(angle), y - 0.4 * radius * sin(angle));
		drawing_line_to(drawing, x + (radius - line / 2) * cos(angle), y - (radius - line / 2) * sin(angle));
	}
	drawing_set_line_width(drawing, line);
	drawing_stroke(drawing);
	drawing_set_dash(drawing, 0, 0);
}

void
frame_draw(const struct frame_style *style, double t, struct drawing *drawing)
{
	colour_set(drawing, picture_night, 1);
	drawing_paint(drawing);
	walls_draw(style, t, drawing);
	trails_draw(style, t, drawing);
	contacts_draw(style, t, drawing);
	for (size_t row = 0; row < style->motion->scene.circle_count; row++)
		if (motion_there(style->motion, row, t))
			circle_draw(style, row, t, drawing);
}
