/* path_names: velocities that commands have set lately, by which a later one of the same is named in a byte (Paths.codes, 5).
 * Players choose from few: keys, or the directions of a stick.
 *
 * Places are given in turn, as readers give them; so the table of an encoder and those of its readers are the same. The worker
 * that has the world. */
#ifndef COLLIDED_WORLDS_PATHS_PATH_NAMES_H
#define COLLIDED_WORLDS_PATHS_PATH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATH_NAMES 256u
/* Of numbers with the same hash the last four that came are found; an older one is told as if it were new. */
#define PATH_NAMES_HASH_BITS 7

struct path_names {
	uint64_t bits[PATH_NAMES];                 /* of the numbers; 0: none, which is told in no byte at all */
	uint32_t last[1u << PATH_NAMES_HASH_BITS]; /* places by hash, a byte each, the last one lowest */
};

/* False: it is not there, or not found. */
bool path_names_find(const struct path_names *names, uint64_t bits, uint8_t *place);
void path_names_put(struct path_names *names, uint8_t place, uint64_t bits);

#endif
