/* sort: sorts an array in place. The C library's qsort may allocate, which a tick must not.
 *
 * Any thread. If it is stopped (base/pause.h) the elements are all there, in some order. */
#ifndef COLLIDED_MATH_SORT_H
#define COLLIDED_MATH_SORT_H

#include <stddef.h>

/* The largest size of an element, in bytes. */
#define SORT_ELEMENT_MAX 512

/* Ascending by `compare`, as qsort's. Not stable: elements that compare as equal must be equal in every bit that matters. */
void array_sort(void *array, size_t count, size_t size, int (*compare)(const void *left, const void *right));

/* The number that would be at `rank` if they were sorted; rank < count. Only changes their order. No NaN. O(count), by
 * quickselect (Hoare 1961), and count log count at worst. */
double double_select(double *values, size_t count, size_t rank);

#endif
