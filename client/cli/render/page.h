/* page: a run as one HTML file that plays its exact paths. It needs no server and no network, and can reach none.
 *
 * One thread at a time.
 *
 * The folder render/ is moving pictures as files: pages, animated SVG and GIF, from a motion. It may use motion/, picture/ and
 * terminal/, drawing/ and giflib. The command render calls it. */
#ifndef COLLIDE_CLI_RENDER_PAGE_H
#define COLLIDE_CLI_RENDER_PAGE_H

#include "client/cli/motion/motion.h"

struct render_options {
	const char *title;
	double speed;       /* seconds of the run per second */
	unsigned fps;       /* frames a second; of a GIF */
	unsigned width;     /* pixels; of a GIF and an SVG */
	double first, last; /* the part of the run that is shown; of a GIF and an SVG */
};

/* false: `error` says why the file was not written. */
bool page_write(const struct run_motion *motion, const struct render_options *options, const char *path, char *error,
                size_t error_size);

#endif
