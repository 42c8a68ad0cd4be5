/* pause_none: pause.h for a program that has the engine alone (COLLIDED_ALONE): nothing is asked, so that nothing is kept
 * between calls. Included by pause.h, which has struct pause. Such a program stops a tick by world_stop_set. Any thread. */
#ifndef COLLIDED_BASE_PAUSE_NONE_H
#define COLLIDED_BASE_PAUSE_NONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void
pause_begin(struct pause *before, bool (*stop)(void *context), void *context)
{
	(void)stop;
	(void)context;
	before->stopped = false;
}

static inline void
pause_end(const struct pause *before)
{
	(void)before;
}

static inline struct pause
pause_of_thread(void)
{
	return (struct pause){ .stopped = false };
}

static inline void
pause_join(struct pause *before, const struct pause *asked)
{
	*before = *asked;
}

static inline bool
pause_after(uint32_t units)
{
	(void)units;
	return false;
}

static inline void
pause_stop(void)
{
}

static inline bool
pause_stopped(void)
{
	return false;
}

static inline void
pause_give_way(uint32_t units)
{
	(void)units;
}

static inline bool
pause_fill(void *memory, int value, size_t bytes)
{
	memset(memory, value, bytes);
	return true;
}

static inline bool
pause_copy(void *restrict to, const void *restrict from, size_t bytes)
{
	memcpy(to, from, bytes);
	return true;
}

static inline bool
pause_equal(const void *a, const void *b, size_t bytes)
{
	return memcmp(a, b, bytes) == 0;
}

#endif
