#include "client/cli/worlds/world_at.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a tick: so much before it a time still means it. Decimal fractions of seconds are rarely exact. */
static const double tick_tolerance = 1e-6;

static bool
refuse(char problem[static ARGUMENT_PROBLEM_BYTES])
{
	(void)snprintf(problem, ARGUMENT_PROBLEM_BYTES, "must be a tick, such as 600, or seconds, such as 12.5s");
	return false;
}

bool
world_at_parse(void *out, const char *text, char problem[static ARGUMENT_PROBLEM_BYTES])
{
	size_t length = strlen(text);
	struct world_at at = { .given = true, .in_seconds = length > 0 && text[length - 1] == 's' };
	char *end;
	if (!isdigit((unsigned char)text[0]))
		return refuse(problem);
	errno = 0;
	if (at.in_seconds)
		at.seconds = strtod(text, &end);
	else
		at.tick = strtoull(text, &end, 10);
	if (end != text + length - (at.in_seconds ? 1 : 0) || errno != 0 || !isfinite(at.seconds))
		return refuse(problem);
	*(struct world_at *)out = at;
	return true;
}

uint64_t
world_at_tick(const struct world_at *at, uint64_t begin, double dt)
{
	if (!at->given)
		return begin;
	if (!at->in_seconds)
		return at->tick;
	double ticks = floor(at->seconds / dt + tick_tolerance);
	return ticks < 0x1p62 ? begin + (uint64_t)ticks : UINT64_MAX;
}
