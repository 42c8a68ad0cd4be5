/* world_state: the bytes that collide world snapshot writes, a WorldState of the schema. Any thread. */
#ifndef COLLIDE_CLI_WORLD_STATE_H
#define COLLIDE_CLI_WORLD_STATE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the bytes begin as one. */
bool world_state_is_one(const void *bytes, size_t count);
/* Its dt; 0: the bytes are none, or are damaged. */
double world_state_dt(const void *bytes, size_t count);

#endif
