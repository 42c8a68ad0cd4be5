/* patience: time in which this process stood still (SIGSTOP, a machine that pauses) counts against no peer. A peer could do
 * nothing against it, and what it sent meanwhile has not been read yet.
 *
 * Any thread. Arithmetic only: the caller knows how long it stood. */
#ifndef COLLIDED_BASE_PATIENCE_H
#define COLLIDED_BASE_PATIENCE_H

#include <stdint.h>

/* What has waited since then: as if it had begun later by the time that the process stood, but not after now. */
static inline uint64_t
patience_shift(uint64_t since_ns, uint64_t stood_ns, uint64_t now_ns)
{
	uint64_t shifted_ns = since_ns + stood_ns;
	return shifted_ns < now_ns ? shifted_ns : now_ns;
}

#endif
