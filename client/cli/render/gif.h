/* gif: a run as an animated GIF. In a build without giflib or pictures, writing fails and says so. One thread at a time. */
#ifndef COLLIDE_CLI_GIF_H
#define COLLIDE_CLI_GIF_H

#include "client/cli/render/page.h"

/* false: `error` says why the file was not written. */
bool gif_write(const struct run_motion *motion, const struct render_options *options, const char *path, char *error,
               size_t error_size);

#endif
