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
	int32_t left;  /* units up to the next question */
	uint32_t owed; /* units since the last question after that: pause_give_way */
	bool stopped;  /* the answer was true */
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
#define PAUSE_BYTES_PER_UNIT 32

/* The model of a variable that is there when a program begins: to reach it takes one instruction. */
extern _Thread_local struct pause pause_here __attribute__((tls_model("initial-exec")));

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

/* Asks after so much work that must be done in any case, such as to free what was given up. Others get their turn. */
void pause_give_way(uint32_t units);

/* memset and memcpy in pieces. False: stopped, and some of it is not done. */
bool pause_fill(void *memory, int value, size_t bytes);
bool pause_copy(void *restrict to, const void *restrict from, size_t bytes);
/* memcmp in the same way. True: all bytes are equal, or the work is not wanted any more. */
bool pause_equal(const void *a, const void *b, size_t bytes);

#endif /* COLLIDED_ALONE */

/* A long loop in pieces with a question between them, so that the loop itself is as fast as without:
 *
 *     for (struct pause_piece p = { 0 }; pause_piece_next(&p, count, 2);)
 *         for (uint32_t i = p.first; i < p.end; i++)
 *
 * To begin elsewhere, both numbers are where. */
struct pause_piece {
	uint32_t first, end;
};

/* Steps in a piece. */
#define PAUSE_PIECE 512u

/* The next piece of a loop up to `end`; a step is so many units. False: it was the last one, or the work is not wanted any
 * more. */
static inline bool
pause_piece_next(struct pause_piece *piece, uint32_t end, uint32_t units)
{
	if (piece->end >= end)
		return false;
	piece->first = piece->end;
	piece->end = end - piece->first < PAUSE_PIECE ? end : piece->first + PAUSE_PIECE;
	return !pause_after((piece->end - piece->first) * units);
}

#endif
