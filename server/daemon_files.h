/* daemon_files: the files of recordings (--record-dir): the registry's struct worlds_files by a file_writer.
 *
 * Loop only. */
#ifndef COLLIDED_DAEMON_FILES_H
#define COLLIDED_DAEMON_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct worlds_files;

/* Before worlds. False: the folder cannot be written to, no memory or no thread, which is logged. */
bool daemon_start_files(struct daemon *daemon);
/* What worlds are lent; all NULL without a folder. */
struct worlds_files daemon_files(struct daemon *daemon);
/* When the loop was woken: what became of files. */
void daemon_take_files(struct daemon *daemon);
/* Ends all recordings, once nothing more is told of their worlds. Before the pool ends. */
void daemon_close_files(struct daemon *daemon);
/* Once the pool is gone, before worlds are: waits until all is written. False: the disk keeps it waiting for longer. */
bool daemon_finish_files(struct daemon *daemon, uint64_t patience_ms);

#endif
