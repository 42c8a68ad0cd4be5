/* wad_maker: WAD files made in memory, right or wrong in any place, for the tests of the reader and the importer. */
#ifndef COLLIDE_TESTS_WAD_MAKER_H
#define COLLIDE_TESTS_WAD_MAKER_H

#include <stddef.h>
#include <stdint.h>

struct wad_maker {
	uint8_t bytes[1 << 16];
	size_t count;
	struct {
		const char *name;
		size_t offset, size;
	} lumps[64];
	size_t lump_count;
	int16_t vertices[400][2];
	size_t vertex_count;
	uint16_t lines[400][5]; /* from, to, flags, left side, action */
	size_t line_count;
	int16_t things[8][3]; /* x, y, type */
	size_t thing_count;
};

enum { WAD_ONE_SIDED = 0xffff };

void wad_maker_init(struct wad_maker *maker);
/* Adds a line; vertices are added as needed, without looking for equal ones. */
void wad_maker_line(struct wad_maker *maker, int x1, int y1, int x2, int y2, unsigned flags, unsigned left_side);
/* Gives the last line an action. */
void wad_maker_action(struct wad_maker *maker, unsigned action);
/* Four one-sided lines. */
void wad_maker_box(struct wad_maker *maker, int x1, int y1, int x2, int y2);
void wad_maker_thing(struct wad_maker *maker, int x, int y, int type);
/* Adds a lump with these bytes. */
void wad_maker_lump(struct wad_maker *maker, const char *name, const uint8_t *bytes, size_t count);
/* Adds marker and lumps of a map from the lines and things so far. */
void wad_maker_map(struct wad_maker *maker, const char *name);
/* Adds the directory and fills the header. */
void wad_maker_end(struct wad_maker *maker);
/* Little-endian numbers anywhere in the file. */
void wad_maker_put(struct wad_maker *maker, size_t offset, uint32_t value, size_t size);
/* Where the directory entry of a lump is. */
size_t wad_maker_entry(const struct wad_maker *maker, const char *name);

#endif
