#include "base/arena.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes of an ordinary block. Small against any budget, large against the messages that most requests are. glibc tidies up all
 * of its memory when 64 KB or more are freed at once. */
#define ARENA_BLOCK_BYTES ((size_t)32 * 1024)
/* A piece over this gets a block of its own, so that at most this much of an ordinary block is left unused. */
#define ARENA_SHARED_PIECE_BYTES_MAX (ARENA_BLOCK_BYTES / 4)

/* A block of one piece is zero from calloc, which costs no memset where it is large: the system hands out zeroed pages. In a
 * shared block each piece is cleared when it is given out, so that a small message pays for what it takes only. */
struct arena_block {
	alignas(max_align_t) struct arena_block *next;
	size_t capacity_bytes;
	size_t used_bytes;
	bool shared; /* by many pieces */
	alignas(max_align_t) unsigned char bytes[];
};

static struct arena_block *
block_create(size_t capacity_bytes, bool shared)
{
	struct arena_block *block = shared ? memory_alloc(sizeof *block + capacity_bytes)
	                                   : memory_zeroed(1, sizeof *block + capacity_bytes);

	if (block) {
		block->next = NULL;
		block->capacity_bytes = capacity_bytes;
		block->used_bytes = 0;
		block->shared = shared;
	}
	return block;
}

static void *
block_take(struct arena_block *block, size_t size, bool cleared)
{
	void *piece = block->bytes + block->used_bytes;

	block->used_bytes += size;
	return block->shared && cleared ? memset(piece, 0, size) : piece;
}

void
arena_init(struct arena *arena, size_t budget_bytes)
{
	*arena = (struct arena){ .budget_bytes = budget_bytes };
}

void
arena_finish(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		memory_free(arena->blocks);
		arena->blocks = next;
	}
	arena->used_bytes = 0;
}

/* A block with room for `size` bytes, linked in; NULL without memory. */
static struct arena_block *
arena_block_for(struct arena *arena, size_t size)
{
	struct arena_block *head = arena->blocks;
	bool own = size > ARENA_SHARED_PIECE_BYTES_MAX;

	if (!own && head && head->capacity_bytes - head->used_bytes >= size)
		return head;
	struct arena_block *block = block_create(own ? size : ARENA_BLOCK_BYTES, !own);
	if (!block)
		return NULL;
	if (own && head) { /* behind the head: the room in that stays in use */
		block->next = head->next;
		head->next = block;
	} else {
		block->next = head;
		arena->blocks = block;
	}
	return block;
}

static void *
arena_take(struct arena *arena, size_t size, bool cleared)
{
	const size_t alignment = alignof(max_align_t);

	if (size > arena->budget_bytes || size > PTRDIFF_MAX / 2) /* the latter keeps sums from wrapping */
		return NULL;
	size = size == 0 ? alignment : (size + alignment - 1) / alignment * alignment;
	if (size > arena->budget_bytes - arena->used_bytes)
		return NULL;
	struct arena_block *block = arena_block_for(arena, size);
	if (!block)
		return NULL;
	arena->used_bytes += size;
	return block_take(block, size, cleared);
}

void *
arena_alloc(struct arena *arena, size_t size)
{
	return arena_take(arena, size, true);
}

void *
arena_array(struct arena *arena, size_t count, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? NULL : arena_take(arena, bytes, true);
}

void *
arena_room(struct arena *arena, size_t count, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? NULL : arena_take(arena, bytes, false);
}

void
arena_reset(struct arena *arena)
{
	struct arena_block *kept = NULL;

	while (arena->blocks) {
		struct arena_block *block = arena->blocks;

		arena->blocks = block->next;
		if (!kept && block->shared) {
			block->used_bytes = 0;
			block->next = NULL;
			kept = block;
		} else {
			memory_free(block);
		}
	}
	arena->blocks = kept;
	arena->used_bytes = 0;
}
