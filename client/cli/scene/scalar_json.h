/* scalar_json: the scalars of protobuf's JSON form that scene files do not have: signed and 64-bit integers, strings and bytes.
 *
 * Any thread; owns nothing. https://protobuf.dev/programming-guides/json/ */
#ifndef COLLIDE_CLI_SCALAR_JSON_H
#define COLLIDE_CLI_SCALAR_JSON_H

#include <jansson.h>
#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

/* Bytes of one value in a message; 0 for a type that is not read here. */
size_t scalar_json_size(ProtobufCType type);
/* Reads into a member of a type with a size other than 0. Strings and bytes come from malloc, as protobuf-c frees them. On
 * failure returns a static text that says what the value must be, and *member is unchanged. */
const char *scalar_json_read(const json_t *json, ProtobufCType type, void *member);

#endif
