#include "client/cli/maps/wad.h"

#include "base/suggest.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes of records in the file. */
enum { HEADER_BYTES = 12, ENTRY_BYTES = 16, NAME_BYTES = 8, THING_BYTES = 10, LINE_BYTES = 14, VERTEX_BYTES = 4 };
/* The most lumps that can follow a map's marker: THINGS to BLOCKMAP, and two of other formats. */
enum { MAP_LUMPS_MAX = 12 };

enum { THING_PLAYER_1 = 1, THING_TELEPORT_DESTINATION = 14, LINE_IMPASSABLE = 0x0001, SIDE_NONE = 0xffff };

struct wad {
	const char *name;
	const uint8_t *bytes;
	size_t count;
	const uint8_t *directory;
	size_t lump_count;
	char *error;
	size_t error_size;
};

struct lump {
	const uint8_t *bytes;
	size_t count;
};

static bool wad_fail(const struct wad *wad, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool
wad_fail(const struct wad *wad, const char *format, ...)
{
	int used = snprintf(wad->error, wad->error_size, "%s: ", wad->name);
	if (used >= 0 && (size_t)used < wad->error_size) {
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(wad->error + used, wad->error_size - (size_t)used, format, arguments);
		va_end(arguments);
	}
	return false;
}

static uint32_t
u16_at(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static uint32_t
u32_at(const uint8_t *bytes)
{
	return u16_at(bytes) | u16_at(bytes + 2) << 16;
}

static double
coordinate_at(const uint8_t *bytes)
{
	uint32_t value = u16_at(bytes);
	return value < 0x8000 ? (double)value : (double)value - 65536.0;
}

/* Names have at most eight bytes; a shorter one ends with NUL. They should be in capitals; lower case is accepted. */
static bool
name_is(const uint8_t *entry_name, const char *name)
{
	size_t length = strlen(name);
	if (length > NAME_BYTES || (length < NAME_BYTES && entry_name[length] != 0))
		return false;
	for (size_t i = 0; i < length; i++)
		if (toupper(entry_name[i]) != toupper((unsigned char)name[i]))
			return false;
	return true;
}

static const uint8_t *
entry_name(const struct wad *wad, size_t index)
{
	return wad->directory + index * ENTRY_BYTES + 8;
}

static bool
directory_find(struct wad *wad)
{
	if (wad->count < HEADER_BYTES || (memcmp(wad->bytes, "IWAD", 4) != 0 && memcmp(wad->bytes, "PWAD", 4) != 0))
		return wad_fail(wad, "not a WAD file");
	size_t lumps = u32_at(wad->bytes + 4), offset = u32_at(wad->bytes + 8);
	if (offset > wad->count || lumps > (wad->count - offset) / ENTRY_BYTES)
		return wad_fail(wad, "the directory (%zu lumps at %zu) does not fit the file (%zu bytes)", lumps, offset, wad->count);
	wad->directory = wad->bytes + offset;
	wad->lump_count = lumps;
	return true;
}

static bool
lump_belongs_to_map(const uint8_t *name)
{
	static const char *const names[] = { "THINGS", "LINEDEFS", "SIDEDEFS", "VERTEXES", "SEGS",     "SSECTORS",
		                                 "NODES",  "SECTORS",  "REJECT",   "BLOCKMAP", "BEHAVIOR", "SCRIPTS" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (name_is(name, names[i]))
			return true;
	return false;
}

/* A marker is a lump followed by the lumps of a map. */
static bool
marker_is_at(const struct wad *wad, size_t index)
{
	return index + 1 < wad->lump_count &&
	       (name_is(entry_name(wad, index + 1), "THINGS") || name_is(entry_name(wad, index + 1), "TEXTMAP"));
}

static bool
marker_refuse(const struct wad *wad, const char *map_name)
{
	char names[420] = "", told[SUGGEST_TEXT_BYTES] = "";
	struct suggest suggest;
	suggest_begin(&suggest, map_name ? map_name : "");
	size_t used = 0, maps = 0;
	for (size_t i = 0; i < wad->lump_count; i++) {
		if (!marker_is_at(wad, i))
			continue;
		maps++;
		char name[NAME_BYTES + 1] = "";
		for (int c = 0; c < NAME_BYTES && isgraph(entry_name(wad, i)[c]); c++)
			name[c] = (char)entry_name(wad, i)[c];
		suggest_add(&suggest, name);
		if (used + NAME_BYTES + 6 < sizeof names)
			used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used == 0 ? "" : ", ", name);
	}
	bool all = used + NAME_BYTES + 6 < sizeof names;
	if (!map_name)
		return wad_fail(wad, "--map is missing; there are %zu maps%s%s%s", maps, maps == 0 ? "" : ": ", names,
		                all ? "" : ", ...");
	if (suggest_nearest(&suggest))
		return wad_fail(wad, "has no map '%.8s'%s", map_name, suggest_text(&suggest, told));
	return wad_fail(wad, "has no map '%.8s'; it has %zu maps%s%s%s", map_name, maps, maps == 0 ? "" : ": ", names,
	                all ? "" : ", ...");
}

/* The last marker of that name counts, as in Doom: later lumps replace earlier ones. */
static bool
marker_find(const struct wad *wad, const char *map_name, size_t *marker)
{
	for (size_t i = map_name ? wad->lump_count : 0; i > 0; i--) {
		if (name_is(entry_name(wad, i - 1), map_name) && marker_is_at(wad, i - 1)) {
			*marker = i - 1;
			return true;
		}
	}
	return marker_refuse(wad, map_name);
}

/* One of the map's lumps, as whole records of `size` bytes. */
static bool
lump_find(const struct wad *wad, size_t marker, const char *name, size_t size, struct lump *lump)
{
	for (size_t i = marker + 1; i < wad->lump_count && i <= marker + MAP_LUMPS_MAX; i++) {
		if (!lump_belongs_to_map(entry_name(wad, i)))
			break;
		if (!name_is(entry_name(wad, i), name))
			continue;
		size_t offset = u32_at(wad->directory + i * ENTRY_BYTES), count = u32_at(wad->directory + i * ENTRY_BYTES + 4);
		if (offset > wad->count || count > wad->count - offset)
			return wad_fail(wad, "lump %s (%zu bytes at %zu) does not fit the file (%zu bytes)", name, count, offset,
			                wad->count);
		if (count % size != 0)
			return wad_fail(wad, "lump %s has %zu bytes, no multiple of %zu", name, count, size);
		*lump = (struct lump){ .bytes = wad->bytes + offset, .count = count / size };
		return true;
	}
	return wad_fail(wad, "the map has no lump %s", name);
}

static bool
format_check(const struct wad *wad, size_t marker)
{
	if (name_is(entry_name(wad, marker + 1), "TEXTMAP"))
		return wad_fail(wad, "the map is in the UDMF format; only Doom's binary format is supported");
	for (size_t i = marker + 1; i < wad->lump_count && i <= marker + MAP_LUMPS_MAX; i++) {
		if (!lump_belongs_to_map(entry_name(wad, i)))
			break;
		if (name_is(entry_name(wad, i), "BEHAVIOR"))
			return wad_fail(wad, "the map is in Hexen's format; only Doom's is supported");
	}
	return true;
}

/* Line actions that open the door behind the line when used (https://doomwiki.org/wiki/Linedef_type): plain, blue, yellow and
 * red; once or repeatedly; slow or fast. */
static bool
line_opens(uint32_t action)
{
	static const uint8_t doors[] = { 1, 26, 27, 28, 31, 32, 33, 34, 117, 118 };
	for (size_t i = 0; i < sizeof doors; i++)
		if (doors[i] == action)
			return true;
	return false;
}

static bool
lines_read(const struct wad *wad, struct lump lines, struct lump vertices, struct wad_map *map)
{
	if (lines.count == 0 || lines.count > WAD_LINES_MAX)
		return wad_fail(wad, "the map has %zu lines; 1 to %d are supported", lines.count, WAD_LINES_MAX);
	map->lines = calloc(lines.count, sizeof *map->lines);
	if (!map->lines)
		return wad_fail(wad, "no memory");
	map->line_count = lines.count;
	for (size_t i = 0; i < lines.count; i++) {
		const uint8_t *record = lines.bytes + i * LINE_BYTES;
		uint32_t from = u16_at(record), to = u16_at(record + 2);
		uint32_t missing = from >= vertices.count ? from : to;
		if (missing >= vertices.count)
			return wad_fail(wad, "line %zu ends at vertex %" PRIu32 ", but there are %zu", i, missing, vertices.count);
		const uint8_t *a = vertices.bytes + from * VERTEX_BYTES, *b = vertices.bytes + to * VERTEX_BYTES;
		bool one_sided = u16_at(record + 10) == SIDE_NONE || u16_at(record + 12) == SIDE_NONE;
		map->lines[i] = (struct wad_line){
			.x1 = coordinate_at(a),
			.y1 = coordinate_at(a + 2),
			.x2 = coordinate_at(b),
			.y2 = coordinate_at(b + 2),
			.solid = one_sided || (u16_at(record + 4) & LINE_IMPASSABLE) != 0,
			.door = !one_sided && line_opens(u16_at(record + 6)),
		};
	}
	return true;
}

static bool
things_read(const struct wad *wad, struct lump things, struct wad_map *map)
{
	map->destinations = calloc(things.count + 1, sizeof *map->destinations);
	if (!map->destinations)
		return wad_fail(wad, "no memory");
	for (size_t i = 0; i < things.count; i++) {
		const uint8_t *record = things.bytes + i * THING_BYTES;
		struct wad_point at = { .x = coordinate_at(record), .y = coordinate_at(record + 2) };
		uint32_t type = u16_at(record + 6);
		if (type == THING_PLAYER_1) {
			map->has_start = true;
			map->start_x = at.x;
			map->start_y = at.y;
		} else if (type == THING_TELEPORT_DESTINATION) {
			map->destinations[map->destination_count++] = at;
		}
	}
	return true;
}

bool
wad_map_parse(const char *name, const uint8_t *bytes, size_t count, const char *map_name, struct wad_map *map, char *error,
              size_t error_size)
{
	struct wad wad = { .name = name, .bytes = bytes, .count = count, .error = error, .error_size = error_size };
	size_t marker = 0;
	struct lump things = { 0 }, lines = { 0 }, vertices = { 0 };
	if (!directory_find(&wad) || !marker_find(&wad, map_name, &marker) || !format_check(&wad, marker) ||
	    !lump_find(&wad, marker, "THINGS", THING_BYTES, &things) || !lump_find(&wad, marker, "LINEDEFS", LINE_BYTES, &lines) ||
	    !lump_find(&wad, marker, "VERTEXES", VERTEX_BYTES, &vertices))
		return false;
	struct wad_map read = { 0 };
	if (!lines_read(&wad, lines, vertices, &read) || !things_read(&wad, things, &read)) {
		wad_map_finish(&read);
		return false;
	}
	*map = read;
	return true;
}

/* Reads the whole file piece by piece: the size of a pipe is not known beforehand. */
static uint8_t *
file_read(FILE *file, size_t *count)
{
	uint8_t *bytes = NULL;
	size_t used = 0, capacity = 0;
	for (;;) {
		if (used == capacity) {
			capacity = capacity == 0 ? 1 << 20 : 2 * capacity;
			uint8_t *grown = capacity > 2 * WAD_BYTES_MAX ? NULL : realloc(bytes, capacity);
			if (!grown) {
				free(bytes);
				errno = capacity > 2 * WAD_BYTES_MAX ? EFBIG : ENOMEM;
				return NULL;
			}
			bytes = grown;
		}
		size_t got = fread(bytes + used, 1, capacity - used, file);
		used += got;
		if (got == 0)
			break;
	}
	if (ferror(file) || used > WAD_BYTES_MAX) {
		errno = ferror(file) ? errno : EFBIG;
		free(bytes);
		return NULL;
	}
	*count = used;
	return bytes;
}

bool
wad_map_load(const char *path, const char *map_name, struct wad_map *map, char *error, size_t error_size)
{
	FILE *file = fopen(path, "rb");
	size_t count = 0;
	uint8_t *bytes = !file ? NULL : file_read(file, &count);
	if (!bytes)
		snprintf(error, error_size, "%s: %s", path, strerror(errno));
	bool good = bytes != NULL && wad_map_parse(path, bytes, count, map_name, map, error, error_size);
	free(bytes);
	if (file)
		fclose(file);
	return good;
}

void
wad_map_finish(struct wad_map *map)
{
	free(map->lines);
	free(map->destinations);
	*map = (struct wad_map){ 0 };
}
