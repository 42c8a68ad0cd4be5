/* In a build without giflib or pictures this replaces gif.c and what draws its frames. */
#include "client/cli/render/gif.h"

#include <stdio.h>

bool
gif_write(const struct run_motion *motion, const struct render_options *options, const char *path, char *error,
          size_t error_size)
{
	(void)motion;
	(void)options;
	snprintf(error, error_size, "%s: this build of collide has no GIFs; it needs libgif-dev", path);
	return false;
}
