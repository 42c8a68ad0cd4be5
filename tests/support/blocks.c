#include "support/blocks.h"

#include <stdlib.h>
#include <string.h>

void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

enum { BEHIND = 64, BEHIND_BYTE = 0x5a };

static const uint64_t mark = 0x5eed0fb10c4e0001;

/* Right before each block. */
struct front {
	void *base;
	size_t size;
	uint64_t mark;
	uint64_t unused;
};

size_t blocks_count, blocks_bytes;
size_t blocks_room = SIZE_MAX;
bool blocks_refuse_once, blocks_refused;

static void *
block_make(size_t alignment, size_t size)
{
	if (blocks_room == 0) {
		blocks_refused = true;
		blocks_room = blocks_refuse_once ? SIZE_MAX : 0;
		return NULL;
	}
	blocks_room -= blocks_room != SIZE_MAX;
	const size_t before = alignment > sizeof(struct front) ? alignment : sizeof(struct front);
	unsigned char *base = size < (size_t)1 << 40 ? __libc_memalign(alignment < 16 ? 16 : alignment, before + size + BEHIND)
	                                             : NULL;
	if (!base)
		return NULL;
	unsigned char *block = base + before;
	((struct front *)(void *)block)[-1] = (struct front){ .base = base, .size = size, .mark = mark };
	memset(block + size, BEHIND_BYTE, BEHIND);
	blocks_count++;
	blocks_bytes += size;
	return block;
}

static struct front *
front_of(void *memory)
{
	struct front *front = (struct front *)memory - 1;
	const unsigned char *behind = (const unsigned char *)memory + front->size;
	bool whole = front->mark == mark;
	for (size_t i = 0; whole && i < BEHIND; i++)
		whole = behind[i] == BEHIND_BYTE;
	/* The heap is broken, so nothing that a failing assertion does is safe. */
	if (!whole)
		abort();
	return front;
}

void
free(void *memory)
{
	if (!memory)
		return;
	struct front *front = front_of(memory);
	blocks_count--;
	blocks_bytes -= front->size;
	front->mark = 0;
	__libc_free(front->base);
}

/* glibc's, which does not know these blocks. */
size_t malloc_usable_size(void *memory);

size_t
malloc_usable_size(void *memory)
{
	return memory ? front_of(memory)->size : 0;
}

void *
malloc(size_t size)
{
	unsigned char *block = block_make(16, size);
	/* What is read before it is written is then at least not zero. */
	if (block)
		memset(block, 0xa5, size);
	return block;
}

void *
calloc(size_t count, size_t size)
{
	size_t whole;
	if (__builtin_mul_overflow(count, size, &whole))
		return NULL;
	void *block = block_make(16, whole);
	return block ? memset(block, 0, whole) : NULL;
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	return block_make(alignment, size);
}

void *
realloc(void *memory, size_t size)
{
	void *block = malloc(size);
	if (block && memory) {
		const size_t old = front_of(memory)->size;
		memcpy(block, memory, old < size ? old : size);
		free(memory);
	}
	return block;
}
