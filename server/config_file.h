/* config_file: settings in a file, a line each: `name = value`. The names are those of the flags; # at the front of a line or
 * after a blank begins a comment. */
#ifndef COLLIDED_CONFIG_FILE_H
#define COLLIDED_CONFIG_FILE_H

#include "config.h"

/* All settings have less than a tenth of it. */
#define CONFIG_FILE_BYTES_MAX 65536

/* The text becomes the config's, which has none yet. false: `error` names the file, and the line if one is to blame. */
bool config_file_load(struct config *config, struct config_sources *sources, const char *path,
                      char error[static CONFIG_ERROR_BYTES]);

#endif
