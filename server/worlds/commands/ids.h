/* ids: sorted lists of ids.
 *
 * Any thread. */
#ifndef COLLIDED_WORLDS_COMMANDS_IDS_H
#define COLLIDED_WORLDS_COMMANDS_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void ids_sort(uint32_t *ids, size_t count);
/* Whether a sorted list has it. */
bool ids_have(const uint32_t *ids, size_t count, uint32_t id);

#endif
