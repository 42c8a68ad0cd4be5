/* Files: the same drawing on cairo's SVG surface and, scaled by 1.5, on its image surface. */
#include "client/cli/picture/picture.h"

#include "client/cli/picture/picture_draw.h"
#include "client/cli/terminal/output.h"

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
bytes_write(void *file, const unsigned char *bytes, unsigned int count)
{
	return fwrite(bytes, 1, count, file) == count ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
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
svg_write(const struct picture *picture, FILE *file)
{
	struct picture_view view = picture_view_fit(picture);
	cairo_surface_t *surface = cairo_svg_surface_create_for_stream(bytes_write, file, view.width, view.height);
	cairo_status_t status = surface_draw(picture, &view, surface, 1);
	cairo_surface_finish(surface);
	status = status != CAIRO_STATUS_SUCCESS ? status : cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	return status;
}

static cairo_status_t
png_write(const struct picture *picture, FILE *file)
{
	bool narrow = picture->png_width > 0;
	struct picture_view view = narrow ? picture_view_fit_width(picture, picture->png_width) : picture_view_fit(picture);
	double scale = narrow ? 1 : png_scale;
	int width = (int)ceil(view.width * scale), height = (int)ceil(view.height * scale);
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
	cairo_status_t status = surface_draw(picture, &view, surface, scale);
	if (status == CAIRO_STATUS_SUCCESS)
		status = cairo_surface_write_to_png_stream(surface, bytes_write, file);
	cairo_surface_destroy(surface);
	return status;
}

/* A stream of our own: the errors of cairo's say no more than "error writing". */
static bool
file_write(const struct picture *picture, const char *path, cairo_status_t (*write)(const struct picture *, FILE *),
           char *error, size_t error_size)
{
	FILE *file = output_open(path);
	if (!file) {
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
		return false;
	}
	cairo_status_t status = write(picture, file);
	if (!output_close(file)) {
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
		return false;
	}
	return status_report(status, path, error, error_size);
}

bool
picture_write_svg(const struct picture *picture, const char *path, char *error, size_t error_size)
{
	return file_write(picture, path, svg_write, error, error_size);
}

bool
picture_write_png(const struct picture *picture, const char *path, char *error, size_t error_size)
{
	return file_write(picture, path, png_write, error, error_size);
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
