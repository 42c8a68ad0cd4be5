/* scene_json: scene files. A scene file is the JSON form of collide.v1.Scene by protobuf's own rules, so that any protobuf
 * library reads and writes the same files (https://protobuf.dev/programming-guides/json/).
 *
 * One thread at a time. Read: lowerCamelCase or original field names, enums by name or number, numbers also as strings, null
 * for "not given". Unknown keys, keys given twice and wrong types are refused. Written: lowerCamelCase, defaults left out.
 *
 * The folder scene/ is scene files: JSON read and written, with the place of every value, and scenes under construction. It may
 * use terminal/ and jansson. The generators, the importers, the pictures and all commands that read a scene call it. */
#ifndef COLLIDE_CLI_SCENE_JSON_H
#define COLLIDE_CLI_SCENE_JSON_H

#include "collide/v1/collide.pb-c.h"

#include "client/cli/scene/json_places.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Reads a scene from a file, or from stdin if the path is "-". On failure *scene is not written, and `error` says where and
 * why: "gas.json:3:7: '}' expected near ','" or "gas.json: scene.circles[3].radius: must be a number". The caller frees the
 * scene with scene_json_free. */
bool scene_json_load(const char *path, Collide__V1__Scene **scene, char *error, size_t error_size);
/* As scene_json_load, from memory; `name` stands for the path in errors. */
bool scene_json_parse(const char *name, const char *text, size_t count, Collide__V1__Scene **scene, char *error,
                      size_t error_size);

/* As scene_json_load, for any message of collide.v1 of this type. The file is an object with the message's members, such as
 * message_json_write makes. For a Detect or a Query it may also be a scene file: then it asks for all pairs of that scene, or
 * has no questions yet. *message is freed with protobuf_c_message_free_unpacked. */
bool query_json_load(const char *path, const ProtobufCMessageDescriptor *type, ProtobufCMessage **message, char *error,
                     size_t error_size);

/* Called for each problem, with an offset in the text (client/cli/scene/json_places.h) and a path as the text writes it. */
typedef void (*scene_json_problem_fn)(void *context, size_t offset, const char *path, const char *text);
/* Reads what jansson has read, and reports every problem rather than the first. A wrong value keeps its default. `places`
 * belongs to the same text. false: no memory, which has been reported. */
bool scene_json_read(const json_t *json, struct json_places *places, scene_json_problem_fn report, void *context,
                     Collide__V1__Scene **scene);

/* Frees a scene with parts that all came from malloc: a loaded, generated or imported one. NULL is fine. */
void scene_json_free(Collide__V1__Scene *scene);

/* Writes the scene as JSON, one circle or segment a line. Doubles are written so that reading gives the same bits. false if
 * the stream reports an error. */
bool scene_json_write(FILE *out, const Collide__V1__Scene *scene);

#endif
