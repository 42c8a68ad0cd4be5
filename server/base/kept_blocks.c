/* A list for each size, four to a doubling; the block given last is taken first. A block that is too short for what is wanted
 * of its size, or stands wrongly, is freed: the list shall follow what is asked for. So does all that is kept once it is too
 * much. */
#include "base/kept_blocks.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

#define STEPS 4u
#define STEP_BITS 2
#define LOG2_MIN 9
#define LOG2_END 16
#define LISTS (STEPS * (LOG2_END - LOG2_MIN))

static_assert(KEPT_BLOCK_BYTES_MIN == 1u << LOG2_MIN && KEPT_BLOCK_BYTES_MAX == (1u << LOG2_END) - 1, "each size has a list");

/* In the block itself. */
struct kept_block {
	struct kept_block *next;
	size_t bytes;
};

struct kept_blocks {
	struct kept_block *lists[LISTS];
	size_t bytes, bytes_max;
};

static _Thread_local struct kept_blocks kept;

static bool
is_kept_size(size_t bytes)
{
	return bytes >= KEPT_BLOCK_BYTES_MIN && bytes <= KEPT_BLOCK_BYTES_MAX;
}

/* Of a size that is kept. */
static struct kept_block **
list_of(size_t bytes)
{
	unsigned log2 = (unsigned)(8 * sizeof(unsigned long) - 1) - (unsigned)__builtin_clzl(bytes);

	return &kept.lists[(log2 - LOG2_MIN) * STEPS + ((bytes >> (log2 - STEP_BITS)) & (STEPS - 1))];
}

static struct kept_block *
list_pop(struct kept_block **list)
{
	struct kept_block *block = *list;

	*list = block->next;
	kept.bytes -= block->bytes;
	return block;
}

static void
all_free(void)
{
	for (unsigned i = 0; i < LISTS; i++)
		while (kept.lists[i])
			free(list_pop(&kept.lists[i]));
}

void
kept_blocks_limit(size_t bytes_max)
{
#ifndef __SANITIZE_ADDRESS__ /* which is to see each use of a block that is freed */
	kept.bytes_max = bytes_max;
#endif
	if (kept.bytes > bytes_max)
		all_free();
}

void *
kept_blocks_take(size_t alignment, size_t bytes)
{
	if (kept.bytes == 0 || !is_kept_size(bytes))
		return NULL;
	struct kept_block **list = list_of(bytes);
	if (!*list)
		return NULL;
	struct kept_block *block = list_pop(list);
	if (block->bytes >= bytes && (uintptr_t)block % alignment == 0)
		return block;
	free(block);
	return NULL;
}

bool
kept_blocks_give(void *memory, size_t bytes)
{
	struct kept_block *block = memory;

	if (bytes > kept.bytes_max || !is_kept_size(bytes))
		return false;
	if (kept.bytes + bytes > kept.bytes_max)
		all_free();
	struct kept_block **list = list_of(bytes);
	block->next = *list;
	block->bytes = bytes;
	kept.bytes += bytes;
	*list = block;
	return true;
}
