/* pages: memory of large pages. A hint to the machine only: code that uses much memory misses in the TLB less often when
 * pages are large. Any thread; owns nothing. */
#ifndef COLLIDED_BASE_PAGES_H
#define COLLIDED_BASE_PAGES_H

#include <stddef.h>

/* A line of the cache. */
#define PAGES_LINE_BYTES 64u

/* Asks for large pages in as much of the memory as whole ones cover, if it is large. What is in it stays. Where there are none,
 * or the system does not want to, nothing happens. */
void pages_enlarge(void *memory, size_t bytes);
/* Like malloc, but begins at a large page if it is large, and at a line of the cache (64 bytes) in any case, and asks as above.
 * Freed by free(). */
void *pages_alloc(size_t bytes);
/* Makes AddressSanitizer, where it is, refuse every use of this part of a block, until the block is freed. */
void pages_guard(void *memory, size_t bytes);

#endif
