/* memory: arrays that grow and are kept from tick to tick.
 *
 * One thread. */
#ifndef COLLIDED_CERTIFICATE_MEMORY_H
#define COLLIDED_CERTIFICATE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Room for at least `count` elements in the array at *array; contents are kept. False: no memory, nothing changed. */
#define CERT_RESERVE(array, capacity, count) cert_reserve((array), (capacity), (count), sizeof **(array))

/* `array` points to a pointer to an object type; use the macro. */
bool cert_reserve(void *array, size_t *capacity, size_t count, size_t element_bytes);

#endif
