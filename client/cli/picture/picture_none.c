/* In a build without pictures (COLLIDED_PICTURES=OFF) this replaces picture_write.c and the
 * drawing: writing fails and says so.
 */
#include "client/cli/picture/picture.h"

#include <stdio.h>

static bool
picture_refuse(const char *path, char *error, size_t error_size)
{
	snprintf(error, error_size, "%s: this build of collide has no pictures", path);
	return false;
}

bool
picture_write_svg(const struct picture *picture, const char *path, char *error, size_t error_size)
{
	(void)picture;
	return picture_refuse(path, error, error_size);
}

bool
picture_write_png(const struct picture *picture, const char *path, char *error, size_t error_size)
{
	(void)picture;
	return picture_refuse(path, error, error_size);
}
