#include "client/cli/terminal/colour.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool
stream_has_colours(FILE *stream)
{
	const char *without = getenv("NO_COLOR"), *terminal = getenv("TERM");
	return (!without || without[0] == '\0') && terminal && terminal[0] != '\0' && strcmp(terminal, "dumb") != 0 &&
	       isatty(fileno(stream)) == 1;
}

const char *
colour(FILE *stream, enum colour which)
{
	static const char *const codes[] = {
		[COLOUR_END] = "\033[0m",        [COLOUR_HEADING] = "\033[1m", [COLOUR_ERROR] = "\033[1;31m",
		[COLOUR_WARNING] = "\033[1;35m", [COLOUR_MARK] = "\033[1;32m",
	};
	return stream_has_colours(stream) ? codes[which] : "";
}

void
problem_begin(const char *command)
{
	int reason = errno; /* of the problem, which the caller may tell */
	fprintf(stderr, "%scollide%s%s:%s ", colour(stderr, COLOUR_ERROR), command ? " " : "", command ? command : "",
	        colour(stderr, COLOUR_END));
	errno = reason;
}
