/* pause: where long work asks whether it may go on. One for each thread, so that no function need hand it down.
 *
 * What runs long work for a request begins it with pause_begin, which names a question. Loops call pause_after with the
 * work that they have done. Each PAUSE_UNITS of it the question is asked. It may take its time: another's work goes on
 * meanwhile (jobs/pool.h). Or it answers that the work is not wanted any more. That answer holds until pause_end, so loops may
 * simply break off, and the function that began the phase looks at pause_stopped. Nothing half made may be kept then.
 *
 * Where and how often it is asked changes no bit of a result. No lock may be held at a question. */
#ifndef COLLIDED_BASE_PAUSE_H
#define COLLIDED_BASE_PAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pause {
	int32_t left; /* units up to the next question */
	bool stopped; /* the answer was true */
	bool (*stop)(void *context);
	void *context;
};

#ifdef COLLIDED_ALONE
#include "base/pause_none.h"
#else

/* A unit is a step of a loop with some arithmetic: 5 to 50 ns. So a question is asked every 20 to 200 us. A question costs up
 * to a microsecond, for two looks at a clock. */
#define PAUSE_UNITS 4096
/* Bytes that are cleared or copied for a unit; pages that are new among them cost most of it. */
#define PAUSE_BYTES_PER_UNIT 64

extern _Thread_local struct pause pause_here;

/* How many units from one question to the next; PAUSE_UNITS unless tests want more questions. While no thread has one. */
void pause_units_set(int32_t units);
/* From now on this thread asks stop(context); NULL: nothing. What held before is kept in *before, for pause_end. */
void pause_begin(struct pause *before, bool (*stop)(void *context), void *context);
void pause_end(const struct pause *before);

/* What this thread asks, for another that works for it; that one begins it, too, up to its pause_end. */
static inline struct pause
pause_of_thread(void)
{
	return pause_here;
}
static inline void
pause_join(struct pause *before, const struct pause *asked)
{
	pause_begin(before, asked->stop, asked->context);
}

/* Asks now. True: the work is not wanted any more. */
bool pause_ask(void);

/* To be called after so much work. True: the work is not wanted any more. */
static inline bool
pause_after(uint32_t units)
{
	pause_here.left -= (int32_t)units;
	return __builtin_expect(pause_here.left <= 0, 0) && pause_ask();
}

/* It is not wanted any more, as another thread was told that works for this one. */
void pause_stop(void);

/* Whether the work is known to be not wanted any more. Asks nothing. */
static inline bool
pause_stopped(void)
{
	return pause_here.stopped;
}

/* memset and memcpy in pieces. False: stopped, and some of it is not done. */
bool pause_fill(void *memory, int value, size_t bytes);
bool pause_copy(void *restrict to, const void *restrict from, size_t bytes);

#endif /* COLLIDED_ALONE */
#endif
