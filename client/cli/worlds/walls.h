/* walls: the walls of a scene file as the columns that a map takes, whichever way the file has them.
 *
 * One thread at a time. */
#ifndef COLLIDE_CLI_WALLS_H
#define COLLIDE_CLI_WALLS_H

#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A serialized SegmentColumns, which the caller frees. NULL: `problem` says why: no walls, walls both ways, or no memory. */
uint8_t *walls_pack(const Collide__V1__Scene *scene, size_t *count, const char **problem);

#endif
