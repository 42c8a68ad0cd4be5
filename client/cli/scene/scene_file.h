/* scene_file: writes the scene that a command has made to the file that was asked for. One thread at a time. */
#ifndef COLLIDE_CLI_SCENE_FILE_H
#define COLLIDE_CLI_SCENE_FILE_H

#include "client/cli/scene/scene_build.h"

#include <stdbool.h>

/* Writes the scene as JSON to `path`, or to stdout if it is NULL or "-". false: stderr says what is wrong. */
bool scene_file_write(const char *command, const struct scene_build *build, const char *path);

#endif
