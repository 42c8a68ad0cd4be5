#include "client/lib/follow/follower.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_MIN 16

bool
follow_reserve(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
	size_t wanted = *capacity < ROOM_MIN ? ROOM_MIN : *capacity;
	void *array;
	if (count <= *capacity)
		return true;
	while (wanted < count)
		wanted = wanted > SIZE_MAX / 2 ? count : wanted * 2;
	memcpy(&array, array_pointer, sizeof array);
	void *grown = wanted > SIZE_MAX / size ? NULL : realloc(array, wanted * size);
	if (!grown)
		return false;
	memcpy(array_pointer, &grown, sizeof grown);
	*capacity = wanted;
	return true;
}
