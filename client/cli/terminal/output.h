/* output: files to write, told by path; "-" is stdout. Any thread. What is wrong goes to stderr as "collide run: ...". */
#ifndef COLLIDE_CLI_OUTPUT_H
#define COLLIDE_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

bool output_is_stdout(const char *path);
/* Whether `path` can be written, told before the work is done that is to fill it. Leaves what is there as it is, and nothing
 * where nothing was. NULL can. */
bool output_probe(const char *command, const char *path);
/* Opens it, empty; NULL with errno. Closes it; false with errno if not all of it was written. stdout stays open. */
FILE *output_open(const char *path);
bool output_close(FILE *file);

#endif
