/* save: a snapshot's bytes into a file, whole or not at all. */
#ifndef COLLIDE_CLI_SAVE_H
#define COLLIDE_CLI_SAVE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes beside the file and takes its place, so that there is always a whole snapshot, the old or the new. To stdout ("-"),
 * a device or a pipe it writes straight away. false with errno. */
bool snapshot_save(const char *path, const void *bytes, size_t count);

#endif
