/* colour: what stands out on a terminal, and only there.
 *
 * A stream has colours if it is a terminal, TERM is neither "dumb" nor unset, and NO_COLOR is unset or empty
 * (https://no-color.org). Any thread; owns nothing. */
#ifndef COLLIDE_CLI_COLOUR_H
#define COLLIDE_CLI_COLOUR_H

#include <stdio.h>

enum colour { COLOUR_END, COLOUR_HEADING, COLOUR_ERROR, COLOUR_WARNING, COLOUR_MARK };

/* What switches it on in this stream, or off (COLOUR_END); "" where there are no colours. */
const char *colour(FILE *stream, enum colour which);
/* Begins a message on stderr: "collide run: ", or "collide: " of no command (NULL). */
void problem_begin(const char *command);

#endif
