#include "physics/math/array.h"

#include "base/memory.h"
#include "base/pages.h"

#include <stdint.h>
#include <string.h>

bool
array_grow(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = *capacity * 2 > count ? *capacity * 2 : count;
	void *old, *grown;

	if (wanted < 64)
		wanted = 64;
	memcpy(&old, array_pointer, sizeof old);
	if (wanted > SIZE_MAX / size || !(grown = memory_resize(old, wanted * size)))
		return false;
	pages_enlarge(grown, wanted * size);
	memcpy(array_pointer, &grown, sizeof grown);
	*capacity = wanted;
	return true;
}
