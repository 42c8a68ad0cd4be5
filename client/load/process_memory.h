/* process_memory: memory of a process of this machine. Any thread. */
#ifndef COLLIDE_LOAD_PROCESS_MEMORY_H
#define COLLIDE_LOAD_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes in memory. Of pages that several processes have, each has its part (Linux: Pss), so that sums over processes are right.
 * false: there is no such process, it is not ours to ask, or this system does not tell. */
bool process_memory_bytes(uint64_t pid, uint64_t *bytes);

#endif
