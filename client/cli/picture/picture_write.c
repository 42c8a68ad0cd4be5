/* Files: the same drawing on cairo's SVG surface and, scaled by 1.5, on its image surface. */
#include "client/cli/picture/picture.h"

#include "client/cli/picture/picture_draw.h"
#include "client/cli/terminal/output.h"
#include "client/cli/terminal/text.h"

#include <cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pixels of a PNG per unit of the sheet. */
static const double png_scale = 1.5;

static bool
status_report(cairo_status_t status, const char *path, char *error, size_t error_size)
{
	if (status != CAIRO_STATUS_SUCCESS)
		snprintf(error, error_size, "%s: %s", path, cairo_status_to_string(status));
	return status == CAIRO_STATUS_SUCCESS;
}

static cairo_status_t
bytes_take(void *text, const unsigned char *bytes, unsigned int count)
{
	text_append_bytes(text, (const char *)bytes, count);
	return ((struct text *)text)->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

/* Draws on the surface and reports the first error. */
static cairo_status_t
surface_draw(const struct picture *picture, const struct picture_view *view, cairo_surface_t *surface, double scale)
{
	cairo_t *cairo = cairo_create(surface);
	cairo_scale(cairo, scale, scale);
	picture_draw(picture, view, cairo);
	cairo_status_t status = cairo_status(cairo);
	cairo_destroy(cairo);
	return status != CAIRO_STATUS_SUCCESS ? status : cairo_surface_status(surface);
}

static cairo_status_t
svg_make(const struct picture *picture, struct text *out)
{
	struct picture_view view = picture_view_fit(picture);
	cairo_surface_t *surface = cairo_svg_surface_create_for_stream(bytes_take, out, view.width, view.height);
	cairo_status_t status = surface_draw(picture, &view, surface, 1);
	cairo_surface_finish(surface);
	status = status != CAIRO_STATUS_SUCCESS ? status : cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	return status;
}

static cairo_status_t
png_make(const struct picture *picture, struct text *out)
{
	bool narrow = picture->png_width > 0;
	struct picture_view view = narrow ? picture_view_fit_width(picture, picture->png_width) : picture_view_fit(picture);
	double scale = narrow ? 1 : png_scale;
	int width = (int)ceil(view.width * scale), height = (int)ceil(view.height * scale);
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
	cairo_status_t status = surface_draw(picture, &view, surface, scale);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_write_to_png_stream(surface, bytes_take, out);
	cairo_surface_destroy(surface);
	return status;
}

/* The checksum of PNG's chunks (ISO 3309). */
static uint32_t
checksum(const char *bytes, size_t count)
{
	uint32_t sum = UINT32_MAX;
	for (size_t i = 0; i < count; i++) {
		sum ^= (uint8_t)bytes[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
	}
	return ~sum;
}

static void
number_append(struct text *out, uint32_t number)
{
	const char bytes[] = { (char)(number >> 24), (char)(number >> 16), (char)(number >> 8), (char)number };
	text_append_bytes(out, bytes, sizeof bytes);
}

/* A chunk of text before the last one, which has 12 bytes. */
static void
png_write_noted(const struct picture *picture, const struct text *png, FILE *file)
{
	struct text chunk = { 0 };
	size_t end = png->count - 12;
	number_append(&chunk, (uint32_t)(sizeof "Description" + strlen(picture->note)));
	text_append_bytes(&chunk, "tEXtDescription", sizeof "tEXtDescription");
	text_append(&chunk, picture->note);
	number_append(&chunk, checksum(chunk.characters + 4, chunk.count - 4));
	fwrite(png->characters, 1, end, file);
	if (!chunk.failed)
		fwrite(chunk.characters, 1, chunk.count, file);
	fwrite(png->characters + end, 1, png->count - end, file);
	text_finish(&chunk);
}

/* An element after the first tag. A note has no markup. */
static void
svg_write_noted(const struct picture *picture, const struct text *svg, FILE *file)
{
	static const char tag[] = "<svg ";
	size_t at = 0;
	while (at + sizeof tag <= svg->count && memcmp(svg->characters + at, tag, sizeof tag - 1) != 0)
		at++;
	while (at < svg->count && svg->characters[at++] != '>')
		continue;
	fwrite(svg->characters, 1, at, file);
	fprintf(file, "\n<desc>%s</desc>", picture->note);
	fwrite(svg->characters + at, 1, svg->count - at, file);
}

/* What goes into a file, made and written. */
struct format {
	cairo_status_t (*make)(const struct picture *picture, struct text *out);
	void (*write_noted)(const struct picture *picture, const struct text *made, FILE *file);
};

/* A stream of our own: the errors of cairo's say no more than "error writing". */
static bool
file_write(const struct picture *picture, const char *path, const struct format *format, char *error, size_t error_size)
{
	struct text made = { 0 };
	FILE *file = output_open(path);
	if (!file) {
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
		return false;
	}
	cairo_status_t status = format->make(picture, &made);
	if (picture->note[0] != '\0' && status == CAIRO_STATUS_SUCCESS)
		format->write_noted(picture, &made, file);
	else
		fwrite(made.characters, 1, made.count, file);
	text_finish(&made);
	if (!output_close(file)) {
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
		return false;
	}
	return status_report(status, path, error, error_size);
}

bool
picture_write_svg(const struct picture *picture, const char *path, char *error, size_t error_size)
{
	static const struct format svg = { svg_make, svg_write_noted };
	return file_write(picture, path, &svg, error, error_size);
}

bool
picture_write_png(const struct picture *picture, const char *path, char *error, size_t error_size)
{
	static const struct format png = { png_make, png_write_noted };
	return file_write(picture, path, &png, error, error_size);
}

/* Fontconfig, which cairo uses for the caption, never frees a few hundred bytes. A leak checker calls this function; the leak
 * is not ours to repair. */
#if defined(__SANITIZE_ADDRESS__)
const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
	return "leak:libfontconfig";
}
#endif
