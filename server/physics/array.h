/* array: arrays that grow. */
#ifndef COLLIDED_PHYSICS_ARRAY_H
#define COLLIDED_PHYSICS_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Grows *array (of *capacity elements of `size` bytes) to hold `count`; false without memory, leaving it as it was. */
bool array_reserve(void *array_pointer, size_t *capacity, size_t count, size_t size);

#endif
