/* json_text: the one writer of JSON's numbers and strings, for messages and for what is no message.
 *
 * Any thread; owns nothing. Doubles have the fewest digits that read back to the same bits. */
#ifndef COLLIDE_CLI_JSON_TEXT_H
#define COLLIDE_CLI_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Bytes of a double with its end: sign, 17 digits, point, exponent; or a word in quotes. */
enum { JSON_DOUBLE_BYTES = 32 };

/* As protobuf's JSON form has it: what is no number is "NaN", "Infinity" or "-Infinity", in quotes. Returns `to`. */
const char *json_double(double value, char to[static JSON_DOUBLE_BYTES]);
/* In quotes, with escapes. Returns the number of characters between these, without escapes. */
int json_string_write(FILE *out, const char *string);
/* Prints what jansson holds on one line, and releases it. false: it is NULL, for want of memory, or the stream reports an
 * error; stderr says the former. */
bool json_tree_print(json_t *tree, FILE *out);

#endif
