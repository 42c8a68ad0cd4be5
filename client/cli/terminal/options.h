/* options: numbers from the command line and, for gen and import, options that hold them.
 *
 * One thread at a time. What is wrong goes to stderr, as "collide gen: --count x: must be ...". */
#ifndef COLLIDE_CLI_OPTIONS_H
#define COLLIDE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number in minimum..maximum written in decimal digits; a positive number or fraction ("1/60"). These print nothing. */
bool count_parse(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *out);
bool seconds_parse(const char *text, double *out);
/* A finite number from 0 up. */
bool amount_parse(const char *text, double *out);

/* A whole number in minimum..maximum. false, *out unwritten, and a message on stderr if it is none. */
bool option_integer(const char *command, const char *option, const char *text, uint64_t minimum, uint64_t maximum,
                    uint64_t *out);
/* A finite decimal number in minimum..maximum. */
bool option_number(const char *command, const char *option, const char *text, double minimum, double maximum, double *out);
/* A tick's length, as the protocol allows it, also as a fraction. */
bool option_seconds(const char *command, const char *option, const char *text, double *out);

#endif
