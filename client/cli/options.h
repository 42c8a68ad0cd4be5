/* options: numbers from the command line, and files to write to, for gen and import.
 *
 * One thread at a time. Each prints what is wrong on stderr, as "collide gen: --count must be ...". */
#ifndef COLLIDE_CLI_OPTIONS_H
#define COLLIDE_CLI_OPTIONS_H

#include "client/cli/scene_build.h"

#include <stdbool.h>
#include <stdint.h>

/* A whole number in minimum..maximum. false, *out unwritten, and a message on stderr if it is none. */
bool option_integer(const char *command, const char *option, const char *text, uint64_t minimum, uint64_t maximum,
                    uint64_t *out);
/* A finite decimal number in minimum..maximum. */
bool option_number(const char *command, const char *option, const char *text, double minimum, double maximum, double *out);
/* Writes the scene as JSON to `path`, or to stdout if it is NULL or "-". */
bool option_scene_write(const char *command, const struct scene_build *build, const char *path);

#endif
