/* world_at: the option that says at which tick of a recording to begin. Any thread. */
#ifndef COLLIDE_CLI_WORLDS_WORLD_AT_H
#define COLLIDE_CLI_WORLDS_WORLD_AT_H

#include "client/cli/terminal/arguments.h"

#include <stdbool.h>
#include <stdint.h>

struct world_at {
	bool given, in_seconds;
	uint64_t tick;  /* of the world */
	double seconds; /* after the recording's first state */
};

/* "600": a tick; "12.5s": seconds. For ARGUMENT_PARSED; `out` is a struct world_at. */
bool world_at_parse(void *out, const char *text, char problem[static ARGUMENT_PROBLEM_BYTES]);
/* The tick that it means in a recording that begins at that tick; far beyond its end it may be any. */
uint64_t world_at_tick(const struct world_at *at, uint64_t begin, double dt);

#define WORLD_AT_ARGUMENT(at)                                                                                    \
	{                                                                                                            \
		.name = "--at", .kind = ARGUMENT_PARSED, .out = (at), .parse = world_at_parse, .value = "TICK|SECONDSs", \
		.help = "begin after this tick of a recorded world, or so many seconds\n"                                \
				"after its first state: 600, 12.5s"                                                              \
	}

#endif
