/* array: arrays that grow. */
#ifndef COLLIDED_MATH_ARRAY_H
#define COLLIDED_MATH_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* array_reserve where there is not room enough. */
bool array_grow(void *array_pointer, size_t *capacity, size_t count, size_t size);

/* Grows *array (of *capacity elements of `size` bytes) to hold `count`; false without memory, leaving it as it was. */
static inline bool
array_reserve(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
	return count <= *capacity || array_grow(array_pointer, capacity, count, size);
}

#endif
