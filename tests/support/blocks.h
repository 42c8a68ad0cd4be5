/* blocks: malloc and its kin for a whole program. They put a frame around each block, count what is not freed, and refuse a
 * block when they are told to. A write beyond a block, or a free of what is no block, aborts.
 *
 * One thread. Not built with a sanitizer, which has them itself. */
#ifndef COLLIDED_TESTS_SUPPORT_BLOCKS_H
#define COLLIDED_TESTS_SUPPORT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is held now. */
extern size_t blocks_count, blocks_bytes;
/* So many more blocks there are, SIZE_MAX: no end. Then one is refused, and `blocks_refused` set; after it all others too, or,
 * if `blocks_refuse_once`, no more. */
extern size_t blocks_room;
extern bool blocks_refuse_once, blocks_refused;

#endif
