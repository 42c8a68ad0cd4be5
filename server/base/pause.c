#include "base/pause.h"

#include <string.h>

/* Of one piece; where its pages are new they take about 20 us each on a virtual machine, unless they are large ones. */
#define PIECE_BYTES ((size_t)64 * 1024)

_Thread_local struct pause pause_here;
static int32_t units_between = PAUSE_UNITS;

void
pause_units_set(int32_t units)
{
	units_between = units;
}

void
pause_begin(struct pause *before, bool (*stop)(void *context), void *context)
{
	*before = pause_here;
	pause_here = (struct pause){ .left = units_between, .stop = stop, .context = context };
}

void
pause_end(const struct pause *before)
{
	pause_here = *before;
}

void
pause_stop(void)
{
	pause_here.stopped = true;
	pause_here.left = 0;
}

bool
pause_ask(void)
{
	if (!pause_here.stop) {
		pause_here.left = INT32_MAX;
		return false;
	}
	if (pause_here.stopped || pause_here.stop(pause_here.context)) {
		pause_stop(); /* so that each call from now on says so */
		return true;
	}
	pause_here.left = units_between;
	return false;
}

void
pause_give_way(uint32_t units)
{
	if (!pause_here.stopped) {
		(void)pause_after(units);
		return;
	}
	pause_here.owed += units;
	if (pause_here.owed < (uint32_t)units_between)
		return;
	pause_here.owed = 0;
	if (pause_here.stop)
		(void)pause_here.stop(pause_here.context);
}

static bool
piece_done(size_t bytes)
{
	return pause_after((uint32_t)(bytes / PAUSE_BYTES_PER_UNIT));
}

bool
pause_fill(void *memory, int value, size_t bytes)
{
	unsigned char *at = memory;

	for (size_t piece; bytes > 0; at += piece, bytes -= piece) {
		piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
		memset(at, value, piece);
		if (piece_done(piece))
			return false;
	}
	return true;
}

bool
pause_equal(const void *a, const void *b, size_t bytes)
{
	const unsigned char *left = a, *right = b;

	for (size_t piece; bytes > 0; left += piece, right += piece, bytes -= piece) {
		piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
		if (memcmp(left, right, piece) != 0)
			return pause_stopped();
		if (piece_done(piece))
			return true;
	}
	return true;
}

bool
pause_copy(void *restrict to, const void *restrict from, size_t bytes)
{
	unsigned char *at = to;
	const unsigned char *source = from;

	for (size_t piece; bytes > 0; at += piece, source += piece, bytes -= piece) {
		piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
		memcpy(at, source, piece);
		if (piece_done(piece))
			return false;
	}
	return true;
}
