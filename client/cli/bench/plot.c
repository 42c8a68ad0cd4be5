#include "client/cli/bench/plot.h"

#include <math.h>

/* The drawing, and the margins around its curves, in pixels. */
enum { WIDTH = 760, HEIGHT = 320, LEFT = 70, RIGHT = 40, TOP = 50, BOTTOM = 50 };
static const char *const COLOURS[PLOT_LINES_MAX] = { "#0b62a4", "#d1495b", "#3f7d20", "#7d5ba6" };

void
xml_print(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		switch (*text) {
		case '&': fputs("&amp;", out); break;
		case '<': fputs("&lt;", out); break;
		case '>': fputs("&gt;", out); break;
		case '"': fputs("&quot;", out); break;
		default: fputc((unsigned char)*text >= 0x20 && (unsigned char)*text < 0x7f ? *text : '?', out); break;
		}
	}
}

/* The smallest 1, 2 or 5 times a power of ten that is at least `value`. */
static double
round_step(double value)
{
	double power = pow(10, floor(log10(value))), lead = value / power;
	return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}

struct plot_axis
plot_axis_for(const char *title, enum plot_scale scale, double least, double most)
{
	struct plot_axis axis = { .title = title, .scale = scale, .least = 0, .most = most > 0 ? most : 1 };
	if (scale == PLOT_LINEAR) {
		double step = round_step(axis.most / 5);
		axis.most = ceil(axis.most / step) * step;
	} else if (scale == PLOT_LOG) {
		axis.least = pow(10, floor(log10(least > 0 && least < axis.most ? least : axis.most / 10)));
		axis.most = pow(10, ceil(log10(axis.most)));
		if (axis.most <= axis.least)
			axis.most = axis.least * 10;
	} else {
		/* A whole number of nines: at least two, and fewer than would round to 1. */
		axis.most = 1 - pow(10, -fmin(fmax(2, ceil(-log10(fmax(1 - most, 1e-9)))), 9));
	}
	return axis;
}

/* Where a value lies on its axis: 0 at its least, 1 at its most. */
static double
place(const struct plot_axis *axis, double value)
{
	switch (axis->scale) {
	case PLOT_LOG: return log10(value / axis->least) / log10(axis->most / axis->least);
	case PLOT_NINES: return log10(1 - value) / log10(1 - axis->most);
	case PLOT_LINEAR: break;
	}
	return (value - axis->least) / (axis->most - axis->least);
}

static double
x_of(const struct plot *plot, double value)
{
	return LEFT + place(&plot->x, value) * (WIDTH - LEFT - RIGHT);
}

static double
y_of(const struct plot *plot, double value)
{
	return HEIGHT - BOTTOM - place(&plot->y, value) * (HEIGHT - TOP - BOTTOM);
}

/* The mark of an axis after `mark`. The first mark is at the axis's least value. */
static double
mark_next(const struct plot_axis *axis, double mark)
{
	switch (axis->scale) {
	case PLOT_LOG: return mark * 10;
	case PLOT_NINES: return 1 - (1 - mark) / 10;
	case PLOT_LINEAR: break;
	}
	return mark + round_step(axis->most / 5);
}

static void
mark_print(FILE *out, const struct plot_axis *axis, double mark)
{
	if (axis->scale == PLOT_NINES)
		fprintf(out, "%.*f%%", (int)fmax(0, round(-log10(1 - mark)) - 2), mark * 100);
	else
		fprintf(out, "%.6g", fabs(mark) < 1e-12 ? 0 : mark);
}

static void
text_open(FILE *out, double x, double y, const char *anchor, const char *more)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\"%s>",
	        x, y, anchor, more);
}

static void
grid_line(FILE *out, double x1, double y1, double x2, double y2)
{
	fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", x1, y1, x2, y2);
}

static void
axes_draw(const struct plot *plot)
{
	FILE *out = plot->out;
	/* Slightly above the end, so that rounding does not lose the last mark. */
	for (double mark = plot->x.least; place(&plot->x, mark) <= 1 + 1e-9; mark = mark_next(&plot->x, mark)) {
		double x = x_of(plot, mark);
		grid_line(out, x, TOP, x, HEIGHT - BOTTOM);
		text_open(out, x, HEIGHT - BOTTOM + 17, "middle", "");
		mark_print(out, &plot->x, mark);
		fputs("</text>\n", out);
	}
	for (double mark = plot->y.least; place(&plot->y, mark) <= 1 + 1e-9; mark = mark_next(&plot->y, mark)) {
		double y = y_of(plot, mark);
		grid_line(out, LEFT, y, WIDTH - RIGHT, y);
		text_open(out, LEFT - 7, y + 4, "end", "");
		mark_print(out, &plot->y, mark);
		fputs("</text>\n", out);
	}
	text_open(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", "");
	xml_print(out, plot->x.title);
	fputs("</text>\n", out);
	fprintf(out, "<g transform=\"translate(16 %.1f) rotate(-90)\">", (TOP + HEIGHT - BOTTOM) / 2.0);
	text_open(out, 0, 0, "middle", "");
	xml_print(out, plot->y.title);
	fputs("</text></g>\n", out);
}

void
plot_begin(struct plot *plot, FILE *out, const char *title, struct plot_axis x, struct plot_axis y)
{
	*plot = (struct plot){ .out = out, .x = x, .y = y };
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
	        WIDTH, HEIGHT, WIDTH, HEIGHT);
	fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, HEIGHT);
	text_open(out, LEFT, 22, "start", " font-weight=\"bold\"");
	xml_print(out, title);
	fputs("</text>\n", out);
	axes_draw(plot);
}

static bool
is_inside(const struct plot *plot, double x, double y)
{
	if ((plot->x.scale == PLOT_LOG && x <= 0) || (plot->y.scale == PLOT_LOG && y <= 0) ||
	    (plot->x.scale == PLOT_NINES && x >= 1))
		return false;
	double right = place(&plot->x, x), up = place(&plot->y, y);
	return right >= -1e-9 && right <= 1 + 1e-9 && up >= -1e-9 && up <= 1 + 1e-9;
}

void
plot_line(struct plot *plot, const char *name, const double *xs, const double *ys, size_t count)
{
	const char *colour = COLOURS[plot->lines % PLOT_LINES_MAX];
	double legend = LEFT + 170.0 * (double)plot->lines++;
	size_t drawn = 0;
	fputs("<polyline fill=\"none\" stroke-width=\"1.8\" stroke-linejoin=\"round\" ", plot->out);
	fprintf(plot->out, "stroke=\"%s\" points=\"", colour);
	for (size_t i = 0; i < count; i++)
		if (is_inside(plot, xs[i], ys[i])) {
			fprintf(plot->out, "%s%.1f,%.1f", drawn > 0 ? " " : "", x_of(plot, xs[i]), y_of(plot, ys[i]));
			drawn++;
		}
	fputs("\"/>\n", plot->out);
	/* A line needs two points. A curve of few points has them marked, so that a single one is visible as well. */
	for (size_t i = 0; i < count && count <= 30; i++)
		if (is_inside(plot, xs[i], ys[i]))
			fprintf(plot->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", x_of(plot, xs[i]), y_of(plot, ys[i]),
			        colour);
	fprintf(plot->out, "<rect x=\"%.1f\" y=\"33\" width=\"14\" height=\"4\" fill=\"%s\"/>\n", legend, colour);
	text_open(plot->out, legend + 20, 39, "start", "");
	xml_print(plot->out, name);
	fputs("</text>\n", plot->out);
}

void
plot_end(struct plot *plot)
{
	fputs("</svg>\n", plot->out);
}
