#include "client/cli/render/svg.h"

#include "client/cli/picture/hue.h"
#include "client/cli/picture/note.h"
#include "client/cli/render/page_text.h"
#include "client/cli/render/sheet.h"
#include "client/cli/terminal/output.h"
#include "client/cli/terminal/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct svg {
	const struct run_motion *motion;
	struct sheet sheet;
	double first, last, seconds; /* of the run; of the animation */
	FILE *out;
};

/* The attributes of one coordinate's animation, as they grow. */
struct track_text {
	struct text values, times, splines;
	bool curved;
};

static double
part_of(const struct svg *svg, double t)
{
	return fmin(fmax((t - svg->first) / (svg->last - svg->first), 0), 1);
}

static void
stretch_add(const struct svg *svg, struct track_text *track, double t, double until, double value, double next, double slope,
            double next_slope)
{
	double way = next - value, h = until - t;
	text_format(&track->values, "%s%.2f", track->values.count > 0 ? ";" : "", value);
	text_format(&track->times, "%s%.6f", track->times.count > 0 ? ";" : "", part_of(svg, t));
	/* A cubic Bezier curve of the time, with its inner points at a third and two thirds. */
	double begin = way != 0 ? slope * h / way / 3 : 1.0 / 3, end = way != 0 ? 1 - next_slope * h / way / 3 : 2.0 / 3;
	track->curved = track->curved || fabs(begin - 1.0 / 3) > 1e-6;
	text_format(&track->splines, "%s.3333 %.4f .6667 %.4f", track->splines.count > 0 ? ";" : "", fmin(fmax(begin, 0), 1),
	            fmin(fmax(end, 0), 1));
}

/* One coordinate of one piece, cut where it turns. */
static void
piece_add(const struct svg *svg, struct track_text *track, const struct motion_piece *piece, double t, double until, bool is_y)
{
	double a = is_y ? -piece->ay : piece->ax, v = is_y ? -piece->vy : piece->vx, turn = piece->t - v / a;
	double cuts[3] = { t, until, until };
	int count = 1;
	if (turn > t && turn < until) {
		cuts[1] = turn;
		count = 2;
	}
	for (int i = 0; i < count; i++) {
		struct piece_point from = piece_at(piece, cuts[i]), to = piece_at(piece, cuts[i + 1]);
		double scale = svg->sheet.scale, slope = (v + a * (cuts[i] - piece->t)) * scale,
			   next_slope = (v + a * (cuts[i + 1] - piece->t)) * scale;
		stretch_add(svg, track, cuts[i], cuts[i + 1], is_y ? sheet_y(&svg->sheet, from.y) : sheet_x(&svg->sheet, from.x),
		            is_y ? sheet_y(&svg->sheet, to.y) : sheet_x(&svg->sheet, to.x), slope, next_slope);
	}
}

static void
animate_print(const struct svg *svg, const char *attribute, const struct track_text *track, double last)
{
	FILE *out = svg->out;
	fprintf(out, "<animate attributeName=\"%s\" dur=\"%.4fs\" repeatCount=\"indefinite\" values=\"", attribute, svg->seconds);
	fwrite(track->values.characters, 1, track->values.count, out);
	fprintf(out, ";%.2f\" keyTimes=\"", last);
	fwrite(track->times.characters, 1, track->times.count, out);
	fputs(";1\"", out);
	if (track->curved) {
		fputs(" calcMode=\"spline\" keySplines=\"", out);
		fwrite(track->splines.characters, 1, track->splines.count, out);
		putc('"', out);
	}
	fputs("/>", out);
}

static bool
coordinate_print(const struct svg *svg, size_t row, bool is_y)
{
	const struct motion_track *track = &svg->motion->tracks[row];
	const struct motion_piece *piece = motion_piece(svg->motion, row, svg->first);
	struct track_text text = { 0 };
	double t = svg->first, last = 0;
	for (size_t i = (size_t)(piece - track->pieces); i < track->count && t < svg->last; i++) {
		double until = i + 1 < track->count ? fmin(track->pieces[i + 1].t, svg->last) : svg->last;
		if (!(until > t))
			continue;
		piece_add(svg, &text, &track->pieces[i], t, until, is_y);
		struct piece_point at = piece_at(&track->pieces[i], until);
		last = is_y ? sheet_y(&svg->sheet, at.y) : sheet_x(&svg->sheet, at.x);
		t = until;
	}
	bool good = !text.values.failed && !text.times.failed && !text.splines.failed;
	if (good)
		animate_print(svg, is_y ? "cy" : "cx", &text, last);
	text_finish(&text.values);
	text_finish(&text.times);
	text_finish(&text.splines);
	return good;
}

static void
colour_print(FILE *out, const char *attribute, struct picture_colour colour)
{
	fprintf(out, " %s=\"#%02x%02x%02x\"", attribute, (unsigned)lround(255 * colour.red), (unsigned)lround(255 * colour.green),
	        (unsigned)lround(255 * colour.blue));
}

/* Whether something that is there between two times is seen at all. */
static bool
is_seen(const struct svg *svg, double begin, double end)
{
	return begin < svg->last && end > svg->first;
}

/* As it was before the animation began, for what shows none; in the element's tag. */
static void
hidden_print(const struct svg *svg, double begin)
{
	if (begin > svg->first)
		fputs(" visibility=\"hidden\"", svg->out);
}

static void
visibility_print(const struct svg *svg, double begin, double end)
{
	bool comes = begin > svg->first, goes = end < svg->last;
	if (!comes && !goes)
		return;
	fprintf(svg->out,
	        "<animate attributeName=\"visibility\" dur=\"%.4fs\" repeatCount=\"indefinite\" calcMode=\"discrete\" "
	        "values=\"%s%s%s\" keyTimes=\"0",
	        svg->seconds, comes ? "hidden;" : "", "visible", goes ? ";hidden" : "");
	if (comes)
		fprintf(svg->out, ";%.6f", part_of(svg, begin));
	if (goes)
		fprintf(svg->out, ";%.6f", part_of(svg, end));
	fputs("\"/>", svg->out);
}

static bool
circle_print(const struct svg *svg, const struct hues *hues, size_t row)
{
	FILE *out = svg->out;
	const struct motion_circle *circle = &svg->motion->scene.circles[row];
	double radius = fmax(circle->radius * svg->sheet.scale, 0.9), line = fmin(fmax(radius * 0.14, 0.5), 1.5);
	struct picture_colour hue = hue_colour(hue_of_circle(hues, &svg->motion->scene, row));
	struct piece_point at = piece_at(motion_piece(svg->motion, row, svg->first), svg->first);
	const struct motion_track *track = &svg->motion->tracks[row];
	bool still = !circle->moves, good = true;
	fprintf(out, "<circle r=\"%.2f\" cx=\"%.2f\" cy=\"%.2f\" stroke-width=\"%.2f\"", fmax(radius - line / 2, 0.5),
	        sheet_x(&svg->sheet, at.x), sheet_y(&svg->sheet, at.y), line);
	hidden_print(svg, track->begin);
	if (circle->sensor) {
		fputs(" fill=\"none\" stroke-dasharray=\"4 3\"", out);
		colour_print(out, "stroke", picture_steel);
	} else {
		colour_print(out, "fill", picture_colour_mix(hue, picture_night, 0.25));
		colour_print(out, "stroke", picture_colour_mix(hue, picture_chalk, 0.55));
	}
	fprintf(out, "><title>circle %" PRIu32 "</title>", circle->id);
	if (!still)
		good = coordinate_print(svg, row, false) && coordinate_print(svg, row, true);
	visibility_print(svg, track->begin, track->end);
	fputs("</circle>\n", out);
	return good;
}

static void
walls_print(const struct svg *svg)
{
	FILE *out = svg->out;
	const struct sheet *sheet = &svg->sheet;
	fputs("<g stroke-linecap=\"round\" fill=\"none\"", out);
	colour_print(out, "stroke", picture_chalk);
	fputs(" stroke-width=\"1.5\">\n", out);
	for (size_t i = 0; i < svg->motion->scene.wall_count; i++) {
		const struct motion_wall *wall = &svg->motion->scene.walls[i];
		double x = wall->vx * svg->first, y = wall->vy * svg->first, span = svg->last - svg->first;
		if (!is_seen(svg, wall->begin, wall->end))
			continue;
		fprintf(out, "<path d=\"M%.2f %.2fL%.2f %.2f\"", sheet_x(sheet, wall->x1 + x), sheet_y(sheet, wall->y1 + y),
		        sheet_x(sheet, wall->x2 + x), sheet_y(sheet, wall->y2 + y));
		if (wall->radius > 0) {
			fprintf(out, " stroke-width=\"%.2f\" stroke-opacity=\".35\"", 2 * wall->radius * sheet->scale);
			colour_print(out, "stroke", picture_steel);
		}
		if (wall->sensor || wall->disabled || wall->one_sided)
			fprintf(out, " stroke-dasharray=\"5 4\" stroke-opacity=\"%s\"", wall->one_sided && !wall->disabled ? "1" : ".4");
		hidden_print(svg, wall->begin);
		bool moving = wall->vx != 0 || wall->vy != 0, changing = wall->begin > svg->first || wall->end < svg->last;
		fputs(moving || changing ? ">" : "/>\n", out);
		if (moving)
			fprintf(out,
			        "<animateTransform attributeName=\"transform\" type=\"translate\" dur=\"%.4fs\" repeatCount=\"indefinite\" "
			        "values=\"0 0;%.2f %.2f\"/>",
			        svg->seconds, wall->vx * span * sheet->scale, -wall->vy * span * sheet->scale);
		visibility_print(svg, wall->begin, wall->end);
		if (moving || changing)
			fputs("</path>\n", out);
	}
	fputs("</g>\n", out);
}

/* A contact glows from its exact time on, for a quarter of a second. */
static void
spark_print(const struct svg *svg, const struct motion_piece *piece, double radius)
{
	struct piece_point v = piece_velocity_at(piece - 1, piece->t);
	double dx = piece->vx - v.x, dy = piece->vy - v.y, length = hypot(dx, dy), begin = part_of(svg, piece->t);
	double over = fmin(begin + 0.25 / svg->seconds, 1);
	if (!(length > 0))
		return;
	fprintf(svg->out,
	        "<circle r=\"3\" cx=\"%.2f\" cy=\"%.2f\" opacity=\"0\"><animate attributeName=\"opacity\" dur=\"%.4fs\" "
	        "repeatCount=\"indefinite\" values=\"0;0;.9;0;0\" keyTimes=\"0;%.6f;%.6f;%.6f;1\"/></circle>\n",
	        sheet_x(&svg->sheet, piece->x - radius * dx / length), sheet_y(&svg->sheet, piece->y - radius * dy / length),
	        svg->seconds, begin, begin, over);
}

static void
sparks_print(const struct svg *svg)
{
	const struct run_motion *motion = svg->motion;
	if (motion->contacts > SVG_SPARKS_MAX)
		return;
	fputs("<g", svg->out);
	colour_print(svg->out, "fill", picture_ember);
	fputs(">\n", svg->out);
	for (size_t row = 0; row < motion->scene.circle_count; row++) {
		const struct motion_track *track = &motion->tracks[row];
		for (size_t i = 1; i < track->count; i++)
			if (track->pieces[i].cause != PIECE_GOES_ON && track->pieces[i].t >= svg->first && track->pieces[i].t < svg->last)
				spark_print(svg, &track->pieces[i], motion->scene.circles[row].radius);
	}
	fputs("</g>\n", svg->out);
}

static void
head_print(const struct svg *svg, const char *title)
{
	char note[NOTE_BYTES];
	const struct run_motion *motion = svg->motion;
	note_format(&(struct run_note){ motion->scene.circle_count, motion->scene.wall_count, motion->tick - motion->scene.tick,
	                                motion->contacts, motion->hash },
	            note);
	fprintf(svg->out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\">\n<title>",
	        svg->sheet.width, svg->sheet.height, svg->sheet.width, svg->sheet.height);
	page_text_print(svg->out, title);
	fprintf(svg->out, "</title>\n<desc>%s</desc>\n<rect width=\"100%%\" height=\"100%%\"", note);
	colour_print(svg->out, "fill", picture_night);
	fputs("/>\n", svg->out);
}

static bool
svg_print(const struct svg *svg, const char *title)
{
	const struct motion_scene *scene = &svg->motion->scene;
	struct hues hues;
	bool good = true;
	hues_begin(&hues);
	for (size_t row = 0; row < scene->circle_count; row++)
		hues_add(&hues, scene->circles[row].x, scene->circles[row].y);
	head_print(svg, title);
	walls_print(svg);
	for (size_t row = 0; row < scene->circle_count && good; row++)
		if (svg->motion->tracks[row].count > 0 && is_seen(svg, svg->motion->tracks[row].begin, svg->motion->tracks[row].end))
			good = circle_print(svg, &hues, row);
	sparks_print(svg);
	fputs("</svg>\n", svg->out);
	return good;
}

bool
svg_write(const struct run_motion *motion, const struct render_options *options, const char *path, char *error,
          size_t error_size)
{
	char digits[DIGITS_GROUPED_BYTES];
	if (motion->piece_count > SVG_PLACES_MAX) {
		snprintf(error, error_size, "%s: %s pieces of path are too many for an SVG; take .html", path,
		         digits_grouped(motion->piece_count, digits));
		return false;
	}
	struct svg svg = { motion,
		               sheet_fit(motion, options->width),
		               options->first,
		               options->last,
		               (options->last - options->first) / options->speed,
		               output_open(path) };
	bool good = svg.out != NULL;
	if (svg.out) {
		good = svg_print(&svg, options->title);
		if (!good)
			errno = ENOMEM;
		int reason = errno;
		bool closed = output_close(svg.out);
		errno = good ? errno : reason;
		good = good && closed;
	}
	if (!good)
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
	return good;
}
