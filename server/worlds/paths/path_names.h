/* path_names: velocities that commands have set lately, by which a later one of the same is named in a byte (Paths.codes, 5).
 * Players choose from few: keys, or the directions of a stick.
 *
 * Places are given in turn, as readers give them; so a place names the same number in the table of an encoder and in those of
 * its readers. Here is only the end of it, and more when numbers come again: those of a stick without notches never do. The
 * worker that has the world. */
#ifndef COLLIDED_WORLDS_PATHS_PATH_NAMES_H
#define COLLIDED_WORLDS_PATHS_PATH_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a reader; and how many of the last numbers are found to begin with. */
#define PATH_NAMES 256u
#define PATH_NAMES_FIRST 64u
/* A hash for so many numbers. Of those with the same one the last four that came are found; an older one is told as if it were
 * new. */
#define PATH_NAMES_OF_HASH 2u

struct path_names {
	uint32_t capacity; /* a power of two */
	bool found;        /* some number, since that was put which is the first in `bits` */
	uint64_t bits[];   /* of the last `capacity`, by place modulo that; 0: none */
					   /* Behind them: places by hash, a byte each, the last one lowest. */
};

/* False: it is not there, or not found. A number of bits 0 is told in no byte at all. */
bool path_names_find(struct path_names *names, uint64_t bits, uint8_t *place);
/* The number after `count` others, which gives its place. Makes the table (NULL: there is none so far), and widens it. Without
 * memory it stays as it was, or none. */
void path_names_put(struct path_names **names, uint32_t count, uint64_t bits);

#endif
