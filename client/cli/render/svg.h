/* svg: a run as an animated SVG (SMIL, no script): every path as it is, for any viewer of web pages.
 *
 * A parabola is a straight motion in x and a quadratic one in y; the latter is told as a spline of the time, which is exact.
 * One thread at a time. */
#ifndef COLLIDE_CLI_SVG_H
#define COLLIDE_CLI_SVG_H

#include "client/cli/render/page.h"

/* Places of all paths in a file. Each takes about 40 bytes. */
#define SVG_PLACES_MAX ((size_t)400000)
/* Contacts that flash; if there are more, none does. */
#define SVG_SPARKS_MAX ((size_t)2000)

/* false: `error` says why the file was not written. */
bool svg_write(const struct run_motion *motion, const struct render_options *options, const char *path, char *error,
               size_t error_size);

#endif
