/* map_walls: the segments of a map that a daemon told, as a scene file.
 *
 * One thread at a time. All 0 at the start; owns its rows. */
#ifndef COLLIDE_CLI_MAP_WALLS_H
#define COLLIDE_CLI_MAP_WALLS_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct map_walls {
	Collide__V1__Segment *rows;
	size_t count, capacity;
	bool failed; /* there was no memory */
};

/* A collide_map_segments_fn: adds a part to the struct map_walls that is its context. */
bool map_walls_take(void *walls, const struct collide_map_segments *part);
/* Writes a Scene of these segments, which `collide map create` takes. false: no memory, or the stream reports an error. */
bool map_walls_write(const struct map_walls *walls, FILE *out);
void map_walls_finish(struct map_walls *walls);

#endif
