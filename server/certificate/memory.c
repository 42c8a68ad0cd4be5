#include "certificate/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool
cert_reserve(void *array, size_t *capacity, size_t count, size_t element_bytes)
{
	size_t wanted = count + count / 2 + 16;
	void *old;

	/* Copied rather than read through a void **, which would not be its type. */
	memcpy(&old, array, sizeof old);
	if (count <= *capacity && old)
		return true;
	if (wanted < count || wanted > SIZE_MAX / element_bytes)
		return false;
	void *grown = realloc(old, wanted * element_bytes);
	if (!grown)
		return false;
	memcpy(array, &grown, sizeof grown);
	*capacity = wanted;
	return true;
}
