/* room: arrays of a live world that grow, charged to its ledger.
 *
 * The worker that has the world. */
#ifndef COLLIDED_WORLDS_COMMANDS_ROOM_H
#define COLLIDED_WORLDS_COMMANDS_ROOM_H

#include <stdbool.h>
#include <stddef.h>

/* Grows *array (*capacity elements of `size` bytes) to hold `count`. False without memory: the array is as it was. */
bool room_reserve(void *array_pointer, size_t *capacity, size_t count, size_t size);

#endif
