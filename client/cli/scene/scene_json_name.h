/* scene_json_name: the two names of a field in protobuf's JSON. Any thread. */
#ifndef COLLIDE_CLI_SCENE_JSON_NAME_H
#define COLLIDE_CLI_SCENE_JSON_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of a field's name with its end; a test checks the schema against it. */
enum { SCENE_JSON_NAME_BYTES_MAX = 64 };

/* The lowerCamelCase form of a proto field name: underscores are dropped, and the letter after each becomes a capital. Cut to
 * `size`. */
void scene_json_name(const char *field, char *out, size_t size);
/* Whether `key` is the field's name in either form. */
bool scene_json_name_matches(const char *field, const char *key);

#endif
