/* process_cpu: CPU time of a process of this machine. Any thread. */
#ifndef COLLIDE_LOAD_PROCESS_CPU_H
#define COLLIDE_LOAD_PROCESS_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds that the process has computed so far, all its threads together. false: there is no such process, or it is not ours to
 * ask. */
bool process_cpu_seconds(uint64_t pid, double *seconds);

#endif
