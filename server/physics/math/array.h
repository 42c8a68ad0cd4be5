/* array: growable arrays. */
#ifndef COLLIDED_MATH_ARRAY_H
#define COLLIDED_MATH_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* The slow path of array_reserve: there is not enough room. */
bool array_grow(void *array_pointer, size_t *capacity, size_t count, size_t size);

/* Grows *array (*capacity elements of `size` bytes) to hold `count`. False without memory; the array is then unchanged. */
static inline bool
array_reserve(void *array_pointer, size_t *capacity, size_t count, size_t size)
{
	return count <= *capacity || array_grow(array_pointer, capacity, count, size);
}

#endif
