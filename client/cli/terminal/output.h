/* output: files to write, named by path; "-" is stdout. Any thread. What is wrong goes to stderr as "collide run: ...". */
#ifndef COLLIDE_CLI_OUTPUT_H
#define COLLIDE_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

bool output_is_stdout(const char *path);
/* Whether `path` can be written, checked before the work that fills it. An existing file is left as it is, and no file is left
 * behind. NULL can. */
bool output_probe(const char *command, const char *path);
/* output_open: opens it, empty; NULL with errno. output_close: false with errno if not all of it was written. stdout stays
 * open. */
FILE *output_open(const char *path);
/* The same for secrets: of a regular file, also one that is there already, only its owner may read it. */
FILE *output_open_private(const char *path);
bool output_close(FILE *file);

#endif
