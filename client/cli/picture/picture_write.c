/* Files: the same drawing as vectors and, with one and a half pixels a unit, as pixels. */
#include "client/cli/picture/picture.h"

#include "client/cli/picture/picture_draw.h"
#include "client/cli/terminal/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Pixels of a PNG per unit of the sheet. */
static const double png_scale = 1.5;

static bool
path_refuse(const char *path, int problem, char *error, size_t error_size)
{
	snprintf(error, error_size, "%s: %s", path, strerror(problem));
	return false;
}

/* Draws and writes; destroys the drawing, which is NULL without memory. */
static bool
file_write(const struct picture *picture, const struct picture_view *view, struct drawing *drawing, const char *path,
           char *error, size_t error_size)
{
	FILE *file = drawing ? output_open(path) : NULL;
	if (!file) {
		int problem = drawing ? errno : ENOMEM;
		drawing_destroy(drawing);
		return path_refuse(path, problem, error, error_size);
	}
	picture_draw(picture, view, drawing);
	int problem = drawing_write(drawing, file) ? 0 : errno;
	drawing_destroy(drawing);
	if (!output_close(file))
		problem = errno;
	return problem == 0 || path_refuse(path, problem, error, error_size);
}

bool
picture_write_svg(const struct picture *picture, const char *path, char *error, size_t error_size)
{
	struct picture_view view = picture_view_fit(picture);
	return file_write(picture, &view, drawing_create_svg(view.width, view.height), path, error, error_size);
}

bool
picture_write_png(const struct picture *picture, const char *path, char *error, size_t error_size)
{
	bool narrow = picture->png_width > 0;
	struct picture_view view = narrow ? picture_view_fit_width(picture, picture->png_width) : picture_view_fit(picture);
	double scale = narrow ? 1 : png_scale;
	return file_write(picture, &view, drawing_create_pixels(view.width, view.height, scale), path, error, error_size);
}
