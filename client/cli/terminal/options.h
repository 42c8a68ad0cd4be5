/* options: numbers from the command line and, for gen and import, options that hold them.
 *
 * One thread at a time. What is wrong goes to stderr, as "collide gen: --count x: must be ...". */
#ifndef COLLIDE_CLI_OPTIONS_H
#define COLLIDE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* count_parse: a whole number in minimum..maximum in decimal digits. seconds_parse: a positive number or fraction ("1/60").
 * They print nothing. */
bool count_parse(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *out);
bool seconds_parse(const char *text, double *out);
/* A finite number, at least 0. */
bool amount_parse(const char *text, double *out);

/* A whole number in minimum..maximum. false: it is none; *out is unwritten, and stderr says so. */
bool option_integer(const char *command, const char *option, const char *text, uint64_t minimum, uint64_t maximum,
                    uint64_t *out);
/* A finite decimal number in minimum..maximum. */
bool option_number(const char *command, const char *option, const char *text, double minimum, double maximum, double *out);
/* The length of a tick within the protocol's bounds, also as a fraction. */
bool option_seconds(const char *command, const char *option, const char *text, double *out);

#endif
