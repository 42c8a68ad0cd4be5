/* json_places: where each value is in a JSON text. jansson reads the text but keeps no positions; this is one pass over the
 * same text that keeps nothing else.
 *
 * One thread at a time. Owns 16 bytes per value. Borrows the text, which jansson must have accepted: that is not checked again.
 * Places are numbered in the order of the text; 0 is the whole. */
#ifndef COLLIDE_CLI_JSON_PLACES_H
#define COLLIDE_CLI_JSON_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JSON_PLACE_NONE UINT32_MAX

struct json_places;

/* NULL without memory, or for a text of 4 GiB or more. */
struct json_places *json_places_create(const char *text, size_t count);
void json_places_destroy(struct json_places *places);

/* Members of an object, elements of an array; 0 for others. */
size_t json_place_count(const struct json_places *places, uint32_t place);
/* The member with this key, escapes resolved; of several the last, as in jansson. JSON_PLACE_NONE: there is none, or `place` is
 * no object. */
uint32_t json_place_member(const struct json_places *places, uint32_t place, const char *key);
/* JSON_PLACE_NONE: there is none, or `place` is no array. Fast in the order of the text. */
uint32_t json_place_element(struct json_places *places, uint32_t place, size_t index);
/* The first and next value in a container; JSON_PLACE_NONE at the end. */
uint32_t json_place_first(const struct json_places *places, uint32_t place);
uint32_t json_place_next(const struct json_places *places, uint32_t container, uint32_t place);

/* Whether two members have the same key. */
bool json_places_same_key(const struct json_places *places, uint32_t left, uint32_t right);
/* Whether this is the member's key. */
bool json_place_has_key(const struct json_places *places, uint32_t place, const char *key);

/* Bytes from the start of the text to the value, or to the key of a member. */
size_t json_place_offset(const struct json_places *places, uint32_t place);
size_t json_place_key_offset(const struct json_places *places, uint32_t place);

/* Line and column of an offset, both from 1. Columns count characters, as an editor does. A cursor moves forward only, so
 * ascending offsets cost one pass in all. */
struct json_cursor {
	size_t offset;
	unsigned line, column;
};

void json_cursor_move(struct json_cursor *cursor, const char *text, size_t offset);

#endif
