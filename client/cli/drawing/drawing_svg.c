#include "client/cli/drawing/drawing_svg.h"

#include "client/cli/drawing/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct drawing_svg {
	double width, height;
	FILE *body; /* elements so far */
	char *body_text;
	size_t body_bytes;
	FILE *path; /* of the element to come */
	char *path_text;
	size_t path_bytes;
	unsigned clips; /* so far, for their names */
	bool clipped;
};

struct drawing_svg *
drawing_svg_create(double width, double height)
{
	struct drawing_svg *svg = calloc(1, sizeof *svg);
	if (!svg)
		return NULL;
	*svg = (struct drawing_svg){ .width = width, .height = height };
	svg->body = open_memstream(&svg->body_text, &svg->body_bytes);
	svg->path = open_memstream(&svg->path_text, &svg->path_bytes);
	if (svg->body && svg->path)
		return svg;
	drawing_svg_destroy(svg);
	return NULL;
}

void
drawing_svg_destroy(struct drawing_svg *svg)
{
	if (!svg)
		return;
	if (svg->body)
		(void)fclose(svg->body);
	if (svg->path)
		(void)fclose(svg->path);
	free(svg->body_text);
	free(svg->path_text);
	free(svg);
}

/* In thousandths, as short as it can be written: "12.5", "-.25". */
static void
number_put(FILE *out, double value)
{
	char text[64];
	double rounded = floor(value * 1000 + 0.5) / 1000;
	int length = snprintf(text, sizeof text, "%.3f", rounded == 0 ? 0 : rounded);
	while (text[length - 1] == '0')
		length--;
	if (text[length - 1] == '.')
		length--;
	(void)fwrite(text, 1, (size_t)length, out);
}

static void
command_put(struct drawing_svg *svg, char letter, const double *numbers, int count)
{
	(void)fputc(letter, svg->path);
	for (int i = 0; i < count; i++) {
		if (i > 0)
			(void)fputc(' ', svg->path);
		number_put(svg->path, numbers[i]);
	}
}

void
drawing_svg_move(struct drawing_svg *svg, double x, double y)
{
	command_put(svg, 'M', (const double[]){ x, y }, 2);
}

void
drawing_svg_line(struct drawing_svg *svg, double x, double y)
{
	command_put(svg, 'L', (const double[]){ x, y }, 2);
}

void
drawing_svg_quad(struct drawing_svg *svg, double control_x, double control_y, double x, double y)
{
	command_put(svg, 'Q', (const double[]){ control_x, control_y, x, y }, 4);
}

/* Two half circles. */
void
drawing_svg_circle(struct drawing_svg *svg, double x, double y, double radius)
{
	drawing_svg_move(svg, x - radius, y);
	command_put(svg, 'a', (const double[]){ radius, radius, 0, 1, 0, 2 * radius, 0 }, 7);
	command_put(svg, 'a', (const double[]){ radius, radius, 0, 1, 0, -2 * radius, 0 }, 7);
	(void)fputc('z', svg->path);
}

void
drawing_svg_clear(struct drawing_svg *svg)
{
	rewind(svg->path);
}

/* Opens an element with the path; false if there is none. */
static bool
element_begin(struct drawing_svg *svg)
{
	long bytes = ftell(svg->path);
	if (bytes <= 0 || fflush(svg->path) != 0)
		return false;
	(void)fputs("<path d=\"", svg->body);
	(void)fwrite(svg->path_text, 1, (size_t)bytes, svg->body);
	(void)fputs("\"", svg->body);
	return true;
}

static void
attribute_put(struct drawing_svg *svg, const char *name, double value)
{
	(void)fprintf(svg->body, " %s=\"", name);
	number_put(svg->body, value);
	(void)fputs("\"", svg->body);
}

static void
ink_put(struct drawing_svg *svg, const char *name, const struct drawing_ink *ink)
{
	(void)fprintf(svg->body, " %s=\"#%02x%02x%02x\"", name, (unsigned)(ink->red * 255 + 0.5),
	              (unsigned)(ink->green * 255 + 0.5), (unsigned)(ink->blue * 255 + 0.5));
	if (ink->alpha < 1) {
		(void)fprintf(svg->body, " %s-opacity=\"", name);
		number_put(svg->body, ink->alpha);
		(void)fputs("\"", svg->body);
	}
}

void
drawing_svg_stroke(struct drawing_svg *svg, const struct drawing_ink *ink, const struct stroke_style *style)
{
	if (!element_begin(svg))
		return;
	(void)fputs(" fill=\"none\"", svg->body);
	ink_put(svg, "stroke", ink);
	attribute_put(svg, "stroke-width", style->width);
	if (style->cap == DRAWING_CAP_ROUND)
		(void)fputs(" stroke-linecap=\"round\"", svg->body);
	if (style->on > 0 && style->off > 0)
		(void)fprintf(svg->body, " stroke-dasharray=\"%g %g\"", style->on, style->off);
	(void)fputs("/>\n", svg->body);
}

void
drawing_svg_fill(struct drawing_svg *svg, const struct drawing_ink *ink)
{
	if (!element_begin(svg))
		return;
	ink_put(svg, "fill", ink);
	(void)fputs("/>\n", svg->body);
}

/* x, y, width and height of a rectangle, in an element that is open. */
static void
box_put(struct drawing_svg *svg, double x, double y, double width, double height)
{
	attribute_put(svg, "x", x);
	attribute_put(svg, "y", y);
	attribute_put(svg, "width", width);
	attribute_put(svg, "height", height);
}

void
drawing_svg_clip(struct drawing_svg *svg, double x, double y, double width, double height)
{
	drawing_svg_clip_end(svg);
	(void)fprintf(svg->body, "<clipPath id=\"clip%u\"><rect", svg->clips);
	box_put(svg, x, y, width, height);
	(void)fprintf(svg->body, "/></clipPath>\n<g clip-path=\"url(#clip%u)\">\n", svg->clips++);
	svg->clipped = true;
}

void
drawing_svg_clip_end(struct drawing_svg *svg)
{
	if (svg->clipped)
		(void)fputs("</g>\n", svg->body);
	svg->clipped = false;
}

void
drawing_svg_paint(struct drawing_svg *svg, const struct drawing_ink *ink)
{
	(void)fputs("<rect", svg->body);
	box_put(svg, 0, 0, svg->width, svg->height);
	ink_put(svg, "fill", ink);
	(void)fputs("/>\n", svg->body);
}

/* Without control characters, which XML has none of; bytes that are not UTF-8 become replacement characters, as in pixels. */
static void
text_put(FILE *out, const char *text)
{
	while (*text) {
		size_t bytes = utf8_character_bytes(text);
		switch (*text) {
		case '<': (void)fputs("&lt;", out); break;
		case '>': (void)fputs("&gt;", out); break;
		case '&': (void)fputs("&amp;", out); break;
		default:
			if (bytes == 0)
				(void)fputs("\xef\xbf\xbd", out);
			else if ((unsigned char)*text >= ' ')
				(void)fwrite(text, 1, bytes, out);
		}
		text += bytes > 0 ? bytes : 1;
	}
}

void
drawing_svg_text(struct drawing_svg *svg, double x, double y, double size, const char *text, const struct drawing_ink *ink)
{
	(void)fputs("<text xml:space=\"preserve\" font-family=\"DejaVu Sans, sans-serif\"", svg->body);
	attribute_put(svg, "x", x);
	attribute_put(svg, "y", y);
	attribute_put(svg, "font-size", size);
	ink_put(svg, "fill", ink);
	(void)fputs(">", svg->body);
	text_put(svg->body, text);
	(void)fputs("</text>\n", svg->body);
}

bool
drawing_svg_write(struct drawing_svg *svg, FILE *file)
{
	drawing_svg_clip_end(svg);
	if (fflush(svg->body) != 0 || ferror(svg->body) || ferror(svg->path)) {
		errno = ENOMEM;
		return false;
	}
	return fprintf(
			   file,
			   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
			   "stroke-linejoin=\"round\">\n",
			   svg->width, svg->height, svg->width, svg->height) > 0 &&
	       fwrite(svg->body_text, 1, svg->body_bytes, file) == svg->body_bytes && fputs("</svg>\n", file) >= 0;
}
