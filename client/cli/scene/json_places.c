/* A flat list of nodes in the order of the text. The nodes of a container lie between it and its end, so no node needs a
 * pointer. */
#include "client/cli/scene/json_places.h"

#include <stdlib.h>
#include <string.h>

struct node {
	uint32_t key;   /* offset of a member's key, at its quote; NO_KEY for elements */
	uint32_t value; /* offset */
	uint32_t end;   /* the node after the last one inside this */
	uint32_t count; /* of members or elements */
};

#define NO_KEY UINT32_MAX

struct json_places {
	const char *text;
	size_t text_count;
	struct node *nodes;
	uint32_t count, capacity;
	uint32_t last_array, last_element; /* found by json_place_element */
	size_t last_index;
};

/* Skips whitespace and separators; NUL too, which jansson takes for one behind a number. */
static size_t
blank_skip(const struct json_places *places, size_t at)
{
	while (at < places->text_count && strchr(" \t\r\n,:", places->text[at]))
		at++;
	return at;
}

/* From a string's opening quote to behind its closing one. */
static size_t
string_skip(const struct json_places *places, size_t at)
{
	for (at++; at < places->text_count && places->text[at] != '"'; at++)
		at += places->text[at] == '\\';
	return at < places->text_count ? at + 1 : places->text_count;
}

/* Numbers, true, false, null. */
static size_t
word_skip(const struct json_places *places, size_t at)
{
	size_t start = at;
	while (at < places->text_count && !strchr(" \t\r\n,:]}", places->text[at]))
		at++;
	return at > start ? at : start + 1;
}

static bool
node_add(struct json_places *places, uint32_t key, size_t value)
{
	if (places->count == places->capacity) {
		uint32_t capacity = places->capacity == 0 ? 256 : 2 * places->capacity;
		struct node *nodes = capacity < places->capacity ? NULL : realloc(places->nodes, capacity * sizeof *nodes);
		if (!nodes)
			return false;
		places->nodes = nodes;
		places->capacity = capacity;
	}
	places->nodes[places->count] = (struct node){ key, (uint32_t)value, places->count + 1, 0 };
	places->count++;
	return true;
}

/* One value with all its contents. jansson bounds the nesting (2,048), so recursion is safe. */
static bool
value_take(struct json_places *places, uint32_t key, size_t *at)
{
	uint32_t self = places->count;
	if (!node_add(places, key, *at))
		return false;
	char first = *at < places->text_count ? places->text[*at] : '\0';
	if (first == '"') {
		*at = string_skip(places, *at);
	} else if (first != '{' && first != '[') {
		*at = word_skip(places, *at);
	} else {
		uint32_t count = 0;
		*at = blank_skip(places, *at + 1);
		while (*at < places->text_count && places->text[*at] != (first == '{' ? '}' : ']')) {
			uint32_t member = NO_KEY;
			if (first == '{') {
				member = (uint32_t)*at;
				*at = blank_skip(places, string_skip(places, *at));
			}
			if (!value_take(places, member, at))
				return false;
			*at = blank_skip(places, *at);
			count++;
		}
		*at += 1;
		places->nodes[self].count = count;
	}
	places->nodes[self].end = places->count;
	return true;
}

struct json_places *
json_places_create(const char *text, size_t count)
{
	struct json_places *places = count >= UINT32_MAX ? NULL : calloc(1, sizeof *places);
	if (!places)
		return NULL;
	*places = (struct json_places){ .text = text, .text_count = count, .last_array = JSON_PLACE_NONE };
	size_t at = blank_skip(places, 0);
	if (!value_take(places, NO_KEY, &at)) {
		json_places_destroy(places);
		return NULL;
	}
	return places;
}

void
json_places_destroy(struct json_places *places)
{
	if (places) {
		free(places->nodes);
		free(places);
	}
}

size_t
json_place_count(const struct json_places *places, uint32_t place)
{
	return places->nodes[place].count;
}

uint32_t
json_place_first(const struct json_places *places, uint32_t place)
{
	return places->nodes[place].count > 0 ? place + 1 : JSON_PLACE_NONE;
}

uint32_t
json_place_next(const struct json_places *places, uint32_t container, uint32_t place)
{
	uint32_t next = places->nodes[place].end;
	return next < places->nodes[container].end ? next : JSON_PLACE_NONE;
}

/* A key's next character as UTF-8, escapes resolved. Returns its bytes; 0 at the closing quote. */
static size_t
key_character(const struct json_places *places, size_t *at, unsigned char out[4])
{
	const char *text = places->text;
	if (*at >= places->text_count || text[*at] == '"')
		return 0;
	if (text[*at] != '\\') {
		out[0] = (unsigned char)text[(*at)++];
		return 1;
	}
	static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
	char letter = text[*at + 1];
	*at += 2;
	if (letter != 'u') {
		const char *found = strchr(letters, letter);
		out[0] = (unsigned char)(found ? meanings[found - letters] : letter);
		return 1;
	}
	unsigned long code = 0;
	char digits[5] = "";
	memcpy(digits, text + *at, 4);
	code = strtoul(digits, NULL, 16);
	*at += 4;
	if (code >= 0xd800 && code < 0xdc00) {
		/* A high surrogate is always followed by a low one. */
		memcpy(digits, text + *at + 2, 4);
		code = 0x10000 + ((code - 0xd800) << 10) + (strtoul(digits, NULL, 16) - 0xdc00);
		*at += 6;
	}
	if (code < 0x80) {
		out[0] = (unsigned char)code;
		return 1;
	}
	size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	for (size_t i = bytes - 1; i > 0; i--) {
		out[i] = (unsigned char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	out[0] = (unsigned char)(leads[bytes] | code);
	return bytes;
}

bool
json_place_has_key(const struct json_places *places, uint32_t place, const char *key)
{
	if (places->nodes[place].key == NO_KEY)
		return false;
	size_t at = (size_t)places->nodes[place].key + 1, bytes;
	unsigned char character[4];
	while ((bytes = key_character(places, &at, character)) > 0) {
		if (strncmp(key, (const char *)character, bytes) != 0)
			return false;
		key += bytes;
	}
	return *key == '\0';
}

bool
json_places_same_key(const struct json_places *places, uint32_t left, uint32_t right)
{
	/* Plain text yields one byte at a time and an escape several, so both sides are compared byte by byte. */
	size_t at[2] = { (size_t)places->nodes[left].key + 1, (size_t)places->nodes[right].key + 1 };
	unsigned char characters[2][4];
	size_t have[2] = { 0, 0 }, used[2] = { 0, 0 };
	for (;;) {
		for (int side = 0; side < 2; side++) {
			if (used[side] == have[side]) {
				have[side] = key_character(places, &at[side], characters[side]);
				used[side] = 0;
			}
		}
		if (have[0] == 0 || have[1] == 0)
			return have[0] == have[1];
		if (characters[0][used[0]++] != characters[1][used[1]++])
			return false;
	}
}

uint32_t
json_place_member(const struct json_places *places, uint32_t place, const char *key)
{
	uint32_t found = JSON_PLACE_NONE;
	if (places->text[places->nodes[place].value] != '{')
		return found;
	for (uint32_t at = json_place_first(places, place); at != JSON_PLACE_NONE; at = json_place_next(places, place, at))
		if (json_place_has_key(places, at, key))
			found = at;
	return found;
}

uint32_t
json_place_element(struct json_places *places, uint32_t place, size_t index)
{
	const struct node *array = &places->nodes[place];
	if (places->text[array->value] != '[' || index >= array->count)
		return JSON_PLACE_NONE;
	/* An array of scalars has exactly one node for each. */
	if (array->end - place - 1 == array->count)
		return place + 1 + (uint32_t)index;
	uint32_t at = place + 1;
	size_t i = 0;
	if (places->last_array == place && places->last_index <= index) {
		at = places->last_element;
		i = places->last_index;
	}
	for (; i < index; i++)
		at = places->nodes[at].end;
	places->last_array = place;
	places->last_element = at;
	places->last_index = index;
	return at;
}

size_t
json_place_offset(const struct json_places *places, uint32_t place)
{
	return places->nodes[place].value;
}

size_t
json_place_key_offset(const struct json_places *places, uint32_t place)
{
	const struct node *node = &places->nodes[place];
	return node->key == NO_KEY ? node->value : node->key;
}

void
json_cursor_move(struct json_cursor *cursor, const char *text, size_t offset)
{
	if (cursor->line == 0 || offset < cursor->offset)
		*cursor = (struct json_cursor){ .line = 1, .column = 1 };
	for (; cursor->offset < offset; cursor->offset++) {
		unsigned char byte = (unsigned char)text[cursor->offset];
		if (byte == '\n') {
			cursor->line++;
			cursor->column = 1;
		} else if ((byte & 0xc0) != 0x80) {
			cursor->column++;
		}
	}
}
