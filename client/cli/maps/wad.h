/* wad: maps of Doom WAD files (https://doomwiki.org/wiki/WAD) in Doom's own binary format. UDMF and Hexen's format are refused.
 *
 * One thread at a time. Every number in the file is untrusted: all offsets, sizes and indices are checked before use. */
#ifndef COLLIDE_CLI_WAD_H
#define COLLIDE_CLI_WAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a WAD file; the largest commercial one has 28 MB. A larger file is refused before more of it is read. */
#define WAD_BYTES_MAX ((size_t)512 * 1024 * 1024)
/* Lines of one map; Doom itself counts them in signed 16 bits. More are refused. */
#define WAD_LINES_MAX 32767

struct wad_line {
	double x1, y1, x2, y2;
	bool solid; /* one-sided, or marked impassable */
	bool door;  /* a door's face: the player's use of it opens the door */
};

struct wad_point {
	double x, y;
};

struct wad_map {
	struct wad_line *lines;
	size_t line_count;
	bool has_start; /* of player 1 */
	double start_x, start_y;
	struct wad_point *destinations; /* of teleporters */
	size_t destination_count;
};

/* Reads one map. A name of NULL names none, and the error tells which there are. On failure `error` says why and *map is not
 * written. Free it with wad_map_finish. */
bool wad_map_load(const char *path, const char *map_name, struct wad_map *map, char *error, size_t error_size);
/* The same from memory; `name` stands for the path in errors. */
bool wad_map_parse(const char *name, const uint8_t *bytes, size_t count, const char *map_name, struct wad_map *map, char *error,
                   size_t error_size);
void wad_map_finish(struct wad_map *map);

#endif
