/* options: numbers from the command line. Any thread. They print nothing, and write *out only if the text is one. */
#ifndef COLLIDE_CLI_OPTIONS_H
#define COLLIDE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* count_parse: a whole number in minimum..maximum in decimal digits. seconds_parse: a positive number or fraction ("1/60"). */
bool count_parse(const char *text, uint64_t minimum, uint64_t maximum, uint64_t *out);
bool seconds_parse(const char *text, double *out);
/* A finite number, at least 0. */
bool amount_parse(const char *text, double *out);
/* A finite decimal number in minimum..maximum. */
bool range_parse(const char *text, double minimum, double maximum, double *out);

#endif
