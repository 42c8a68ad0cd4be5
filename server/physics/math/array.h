/* array: growable arrays.
 *
 * The room math/: arrays that grow, sorting, two and eight doubles side by side, sums of two doubles, the complementarity
 * problem, the meter of counted work. It uses nothing. It is called by all. */
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
