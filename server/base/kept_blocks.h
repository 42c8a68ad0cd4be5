/* kept_blocks: blocks of malloc's that a thread has freed and keeps for what it allocates next. malloc has such lists itself,
 * but of blocks up to a kilobyte only: all others cost it a lock, a search, and that neighbours are joined and cut again.
 *
 * Only memory.c uses it. Each thread has its own, from memory_keep on; what it keeps counts as freed. */
#ifndef COLLIDED_BASE_KEPT_BLOCKS_H
#define COLLIDED_BASE_KEPT_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/* Blocks of fewer bytes are malloc's, and so are longer ones. Its lists have none of those that are aligned. */
#define KEPT_BLOCK_BYTES_MIN 512
#define KEPT_BLOCK_BYTES_MAX 65535

/* From now on this thread keeps up to so many bytes. Less than it has: they are freed. */
void kept_blocks_limit(size_t bytes_max);
/* A block with so many bytes, at a multiple of the alignment, a power of two; NULL: none is kept. */
void *kept_blocks_take(size_t alignment, size_t bytes);
/* Keeps a block, which has so many bytes; false: it is the caller's still. */
bool kept_blocks_give(void *block, size_t bytes);

#endif
