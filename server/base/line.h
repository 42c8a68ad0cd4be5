/* line: asks for a line of memory before it is needed. A hint to the machine only. Any thread; owns nothing. */
#ifndef COLLIDED_BASE_LINE_H
#define COLLIDED_BASE_LINE_H

#include <stdint.h>

#define LINE_BYTES 64u

/* The line that holds `memory`, which may be anywhere: nothing is read. gcc (12) sees no effect in a function of the caller's
 * that does nothing but __builtin_prefetch, and drops the calls of it; so it must believe that something happens. */
static inline void
line_fetch(const void *memory)
{
	__builtin_prefetch(memory);
	__asm__ volatile("" : : "r"(memory));
}

/* The lines of a stretch of memory, so many stretches of its length ahead; there need be none, and `memory` may be NULL. For
 * code that writes one stretch after the other with much else between them, and asks some stretches ahead: no machine guesses
 * such a pattern by itself. */
static inline void
lines_fetch_ahead(const void *memory, unsigned long bytes, unsigned long stretches)
{
	uintptr_t first = (uintptr_t)memory + bytes * stretches;

	for (uintptr_t at = first; at < first + bytes + LINE_BYTES - 1; at += LINE_BYTES)
		line_fetch((const void *)at);
}

static inline void
lines_fetch(const void *memory, unsigned long bytes)
{
	lines_fetch_ahead(memory, bytes, 0);
}

#endif
