#include "physics/math/array.h"

#include "base/memory.h"
#include "base/pages.h"
#include "base/pause.h"

#include <stdint.h>
#include <string.h>

/* From here on arrays are in large pages. The system would move these by splitting them, which takes longer than a copy, and
 * cannot be interrupted. */
#define LARGE_BYTES_MIN ((size_t)4 << 20)
/* Between these malloc would copy to new pages, which takes it milliseconds; from the second on it moves the old ones. */
#define COPIED_BYTES_MIN ((size_t)256 * 1024)
#define MOVED_BYTES_MIN ((size_t)1 << 20)

/* A block of so many bytes with the first `used` bytes of the old one, which is freed. NULL without memory. */
static void *
block_grow(void *old, size_t used, size_t bytes)
{
	if (bytes < COPIED_BYTES_MIN || (bytes < LARGE_BYTES_MIN && used >= MOVED_BYTES_MIN))
		return memory_resize(old, bytes);

	void *grown = pages_alloc(bytes);

	if (grown && used > 0 && !pause_copy(grown, old, used)) {
		memory_free(grown);
		return NULL;
	}
	if (grown)
		memory_free(old);
	return grown;
}

bool
array_grow(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = *capacity * 2 > count ? *capacity * 2 : count;
	void *old, *grown;

	if (wanted < 64)
		wanted = 64;
	memcpy(&old, array_pointer, sizeof old);
	if (wanted > SIZE_MAX / size || !(grown = block_grow(old, *capacity * size, wanted * size)))
		return false;
	memcpy(array_pointer, &grown, sizeof grown);
	*capacity = wanted;
	return true;
}
