#include "worlds/commands/room.h"

#include "base/memory.h"

#include <stdint.h>
#include <string.h>

/* What a small world has of most things. */
#define ROOM_MIN 8

bool
room_reserve(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
	void *array;
	size_t wanted = *capacity < ROOM_MIN ? ROOM_MIN : *capacity;

	if (count <= *capacity)
		return true;
	while (wanted < count)
		wanted = wanted > SIZE_MAX / 2 ? count : wanted * 2;
	if (wanted > SIZE_MAX / size)
		return false;
	memcpy(&array, array_pointer, sizeof array);
	void *grown = memory_resize(array, wanted * size);

	if (!grown)
		return false;
	memcpy(array_pointer, &grown, sizeof grown);
	*capacity = wanted;
	return true;
}
