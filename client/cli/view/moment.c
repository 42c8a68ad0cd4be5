#include "client/cli/view/moment.h"

#include <math.h>
#include <stdlib.h>

/* More circles than these have no trails. */
enum { TRAILS_MAX = 2000 };
/* Dots: a circle of a larger radius is an outline. */
static const double filled_max = 3;
/* Dots by which a line may leave a parabola. */
static const double flatness = 0.5;

bool
moment_init(struct moment *moment, const struct run_motion *motion)
{
	const struct motion_scene *scene = &motion->scene;
	*moment = (struct moment){ .motion = motion, .scale = 1, .hints = calloc(scene->circle_count + 1, sizeof(size_t)) };
	hues_begin(&moment->hues);
	for (size_t row = 0; row < scene->circle_count; row++)
		hues_add(&moment->hues, scene->circles[row].x, scene->circles[row].y);
	return moment->hints != NULL;
}

void
moment_finish(struct moment *moment)
{
	free(moment->hints);
	moment->hints = NULL;
}

void
moment_fit(struct moment *moment, const struct canvas *canvas)
{
	struct motion_extent extent = motion_extent(moment->motion);
	double width = fmax(extent.x2 - extent.x1, 1e-12), height = fmax(extent.y2 - extent.y1, 1e-12);
	moment->x = extent.x1 / 2 + extent.x2 / 2;
	moment->y = extent.y1 / 2 + extent.y2 / 2;
	moment->scale = fmin((2.0 * canvas->columns - 1) / width, (4.0 * canvas->rows - 1) / height);
}

void
moment_pace(struct moment *moment, const struct canvas *canvas, double speed)
{
	/* Trails cover some hundredths of the dots. */
	size_t moving;
	double mean = motion_speed_mean(moment->motion, &moving), dots = 8.0 * canvas->columns * canvas->rows;
	double room = 0.05 * dots / fmax((double)moving, 4) / (mean * moment->scale);
	/* A quarter of a second to the eye; where contacts are many, so long that about two hundred are seen at a time. */
	double many = 200 * moment->motion->duration / (double)(moment->motion->contacts + 1);
	moment->trail = fmin(0.15 * speed, room);
	moment->flash = fmin(fmax(many, 0.04 * speed), 0.25 * speed);
}

static double
dot_x(const struct moment *moment, const struct canvas *canvas, double x)
{
	return canvas->columns + (x - moment->x) * moment->scale;
}

static double
dot_y(const struct moment *moment, const struct canvas *canvas, double y)
{
	return 2.0 * canvas->rows - (y - moment->y) * moment->scale;
}

static void
walls_draw(const struct moment *moment, double t, struct canvas *canvas)
{
	for (size_t i = 0; i < moment->motion->scene.wall_count; i++) {
		const struct motion_wall *wall = &moment->motion->scene.walls[i];
		if (t < wall->begin || t >= wall->end)
			continue;
		bool faint = wall->sensor || wall->disabled;
		double x = wall->vx * t, y = wall->vy * t;
		canvas_line(canvas, dot_x(moment, canvas, wall->x1 + x), dot_y(moment, canvas, wall->y1 + y),
		            dot_x(moment, canvas, wall->x2 + x), dot_y(moment, canvas, wall->y2 + y), LAYER_WALL,
		            faint ? picture_colour_mix(picture_steel, picture_night, 0.5) : picture_chalk);
	}
}

/* A stretch of a piece, in lines. */
static void
stretch_draw(const struct moment *moment, const struct motion_piece *piece, double from, double until,
             struct picture_colour colour, struct canvas *canvas)
{
	struct motion_piece cut = *piece;
	struct piece_point at = piece_at(piece, from), v = piece_velocity_at(piece, from);
	cut.t = from;
	cut.x = at.x;
	cut.y = at.y;
	cut.vx = v.x;
	cut.vy = v.y;
	unsigned parts = piece_parts(&cut, until, flatness / moment->scale);
	for (unsigned k = 1; k <= parts; k++) {
		struct piece_point next = piece_at(piece, k < parts ? from + (until - from) * k / parts : until);
		canvas_line(canvas, dot_x(moment, canvas, at.x), dot_y(moment, canvas, at.y), dot_x(moment, canvas, next.x),
		            dot_y(moment, canvas, next.y), LAYER_TRAIL, colour);
		at = next;
	}
}

static void
trail_draw(const struct moment *moment, size_t row, double t, struct picture_colour colour, struct canvas *canvas)
{
	const struct motion_track *track = &moment->motion->tracks[row];
	double from = fmax(t - moment->trail, track->begin), last = fmin(t, track->end);
	if (!(last > from))
		return;
	size_t at = (size_t)(motion_piece_near(moment->motion, row, from, &moment->hints[row]) - track->pieces);
	while (from < last) {
		double until = at + 1 < track->count ? fmin(track->pieces[at + 1].t, last) : last;
		stretch_draw(moment, &track->pieces[at++], from, until, colour, canvas);
		from = until;
	}
}

/* Where the circle was struck, against the change of its velocity. */
static void
sparks_draw(const struct moment *moment, size_t row, double t, struct canvas *canvas)
{
	const struct motion_track *track = &moment->motion->tracks[row];
	size_t at = (size_t)(motion_piece_near(moment->motion, row, t, &moment->hints[row]) - track->pieces);
	for (; at > 0 && track->pieces[at].t > t - moment->flash; at--) {
		const struct motion_piece *piece = &track->pieces[at];
		struct piece_point v = piece_velocity_at(piece - 1, piece->t);
		double dx = piece->vx - v.x, dy = piece->vy - v.y, length = hypot(dx, dy);
		double radius = moment->motion->scene.circles[row].radius;
		if (piece->cause != PIECE_GOES_ON && length > 1e-6 * (fabs(v.x) + fabs(v.y)))
			canvas_disc(canvas, dot_x(moment, canvas, piece->x - radius * dx / length),
			            dot_y(moment, canvas, piece->y - radius * dy / length), 1, true, LAYER_SPARK, picture_ember);
	}
}

static void
circle_draw(const struct moment *moment, size_t row, double t, struct picture_colour colour, struct canvas *canvas)
{
	const struct motion_circle *circle = &moment->motion->scene.circles[row];
	struct piece_point at = piece_at(motion_piece_near(moment->motion, row, t, &moment->hints[row]), t);
	double radius = circle->radius * moment->scale, x = dot_x(moment, canvas, at.x), y = dot_y(moment, canvas, at.y);
	canvas_disc(canvas, x, y, radius, radius <= filled_max && !circle->sensor, LAYER_CIRCLE,
	            circle->sensor ? picture_steel : colour);
	if (moment->motion->tracks[row].turn_count > 0 && radius > filled_max) {
		double angle = motion_angle(moment->motion, row, t);
		canvas_line(canvas, x, y, x + radius * cos(angle), y - radius * sin(angle), LAYER_CIRCLE, colour);
	}
}

void
moment_draw(const struct moment *moment, double t, struct canvas *canvas)
{
	const struct motion_scene *scene = &moment->motion->scene;
	walls_draw(moment, t, canvas);
	for (size_t row = 0; row < scene->circle_count; row++) {
		const struct motion_circle *circle = &scene->circles[row];
		struct picture_colour colour = hue_colour(hue_of_circle(&moment->hues, scene, row));
		if (moment->motion->tracks[row].count == 0)
			continue;
		if (circle->moves && scene->circle_count <= TRAILS_MAX)
			trail_draw(moment, row, t, picture_colour_mix(colour, picture_night, 0.5), canvas);
		if (motion_there(moment->motion, row, t))
			circle_draw(moment, row, t, colour, canvas);
		if (circle->moves)
			sparks_draw(moment, row, t, canvas);
	}
}
