/* save: writes a snapshot's bytes into a file, completely or not at all. */
#ifndef COLLIDE_CLI_SAVE_H
#define COLLIDE_CLI_SAVE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes a second file and renames it, so that there always is a complete snapshot, the old or the new. stdout ("-"), a device
 * or a pipe is written directly. false with errno. */
bool snapshot_save(const char *path, const void *bytes, size_t count);

#endif
