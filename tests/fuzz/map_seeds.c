/* Seeds of maps: a Doom map, and such as are refused, or read in other ways, for one reason each. */
#include "fuzz/fuzz_seeds.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The room's file, in bytes. Numbers have two, the lower one first. */
enum {
	CORNERS = 8,
	THINGS = 2,
	LUMPS = 4,
	THING_BYTES = 10,
	LINE_BYTES = 14,
	ENTRY_BYTES = 16,
	THINGS_AT = 12,
	LINES_AT = THINGS_AT + THING_BYTES * THINGS,
	CORNERS_AT = LINES_AT + LINE_BYTES * CORNERS,
	DIRECTORY_AT = CORNERS_AT + 4 * CORNERS,
	BYTES = DIRECTORY_AT + ENTRY_BYTES * LUMPS,
	/* The fuzzer's target names no map of a file that is a multiple of seven bytes long. */
	BYTES_OF_NO_MAP = BYTES / 7 * 7 + 7
};

#define THING(index, byte) (THINGS_AT + THING_BYTES * (index) + (byte))
#define LINE(index, byte) (LINES_AT + LINE_BYTES * (index) + (byte))
#define CORNER(index) (CORNERS_AT + 4 * (index))
#define ENTRY(index, byte) (DIRECTORY_AT + ENTRY_BYTES * (index) + (byte))

enum { THING_TYPE = 6, LINE_FLAGS = 4, LINE_ACTION = 6, LINE_SIDES = 10, ENTRY_PLACE = 0, ENTRY_SIZE = 4, ENTRY_NAME = 8 };

/* What is put where in the room. */
struct change {
	unsigned at, count;
	uint8_t bytes[10];
};

static const struct {
	const char *name;
	size_t count;
	struct change changes[4];
} rooms[] = {
	{ "room", BYTES, { { 0 } } },
	{ "unnamed", BYTES_OF_NO_MAP, { { 0 } } },
	{ "short", 11, { { 0 } } },
	{ "iwad", BYTES, { { 0, 1, "I" } } },
	{ "other_file", BYTES, { { 0, 1, "X" } } },
	{ "directory_beyond", BYTES, { { 8, 2, { 0xff, 0xff } } } },
	{ "lumps_beyond", BYTES, { { 4, 1, { 99 } } } },
	{ "next_map", BYTES, { { ENTRY(0, ENTRY_NAME), 4, "E1M2" } } },
	{ "other_map", BYTES, { { ENTRY(0, ENTRY_NAME), 6, "TITLE\n" } } },
	{ "no_map", BYTES_OF_NO_MAP, { { ENTRY(1, ENTRY_NAME), 1, "X" } } },
	{ "lower_case", BYTES, { { ENTRY(1, ENTRY_NAME), 6, "things" } } },
	{ "udmf", BYTES, { { ENTRY(1, ENTRY_NAME), 8, "TEXTMAP" } } },
	{ "hexen", BYTES, { { ENTRY(3, ENTRY_NAME), 8, "BEHAVIOR" } } },
	{ "no_lines", BYTES, { { ENTRY(2, ENTRY_NAME), 8, "SEGS" } } },
	{ "no_corners", BYTES, { { ENTRY(3, ENTRY_NAME), 8, "DEMO1" } } },
	{ "lump_beyond", BYTES, { { ENTRY(2, ENTRY_PLACE), 2, { 0xff, 0xff } } } },
	{ "lump_too_long", BYTES, { { ENTRY(2, ENTRY_SIZE), 2, { 0xfa, 0x0f } } } },
	{ "lump_uneven", BYTES, { { ENTRY(2, ENTRY_SIZE), 1, { LINE_BYTES + 1 } } } },
	{ "lines_none", BYTES, { { ENTRY(2, ENTRY_SIZE), 1, { 0 } } } },
	{ "line_from_nowhere", BYTES, { { LINE(0, 0), 1, { CORNERS } } } },
	{ "line_to_nowhere", BYTES, { { LINE(0, 2), 1, { CORNERS } } } },
	{ "line_of_no_length", BYTES, { { LINE(4, 2), 1, { 4 } } } },
	{ "line_twice", BYTES, { { LINE(5, 0), 4, { 4, 0, 5, 0 } }, { LINE(6, 0), 4, { 5, 0, 4, 0 } } } },
	{ "doors", BYTES, { { LINE(4, LINE_FLAGS), 10, { 0, 0, 1 } }, { LINE(5, LINE_FLAGS), 10, { 1, 0, 118 } } } },
	{ "door_of_no_length", BYTES, { { LINE(4, 2), 1, { 4 } }, { LINE(4, LINE_FLAGS), 10, { 0, 0, 26 } } } },
	{ "no_start", BYTES, { { THING(0, THING_TYPE), 1, { 2 } } } },
	{ "start_in_the_pillar", BYTES, { { THING(0, 0), 4, { 0x8a, 2, 0x8a, 2 } } } },
	{ "start_outside", BYTES, { { THING(0, 0), 4, { 0x9c, 0xff, 0x9c, 0xff } } } },
	{ "start_far_away", BYTES, { { THING(0, 0), 2, { 0, 0x70 } } } },
	{ "teleport_outside", BYTES, { { THING(1, 0), 4, { 0x9c, 0xff, 0x9c, 0xff } } } },
	{ "teleport_into_the_pillar", BYTES, { { THING(1, 0), 4, { 0x8a, 2, 0x8a, 2 } } } },
	{ "not_closed", BYTES, { { LINE(0, LINE_FLAGS), 10, { 0 } } } },
	{ "one_wall", BYTES, { { ENTRY(2, ENTRY_SIZE), 1, { LINE_BYTES } } } },
	{ "no_walls", BYTES, { { ENTRY(2, ENTRY_SIZE), 1, { LINE_BYTES } }, { LINE(0, LINE_FLAGS), 10, { 0 } } } },
	{ "full",
	  BYTES,
	  { { CORNER(1), 4, { 0, 0, 0x90, 1 } }, { CORNER(2), 4, { 0x90, 1, 0x90, 1 } }, { CORNER(3), 4, { 0x90, 1, 0, 0 } } } },
};

static void
room_make(uint8_t wad[static BYTES_OF_NO_MAP])
{
	static const int corners[CORNERS][2] = { { 0, 0 },     { 0, 1024 },  { 1024, 1024 }, { 1024, 0 },
		                                     { 600, 600 }, { 700, 600 }, { 700, 700 },   { 600, 700 } };
	static const struct {
		const char *name;
		unsigned at, bytes;
	} lumps[LUMPS] = { { "E1M1", 0, 0 },
		               { "THINGS", THINGS_AT, THING_BYTES * THINGS },
		               { "LINEDEFS", LINES_AT, LINE_BYTES * CORNERS },
		               { "VERTEXES", CORNERS_AT, 4 * CORNERS } };
	memcpy(wad, "PWAD", 4);
	wad[4] = LUMPS;
	wad[8] = DIRECTORY_AT & 0xff;
	wad[9] = DIRECTORY_AT >> 8;
	for (unsigned i = 0; i < THINGS; i++) {
		uint8_t *thing = wad + THING(i, 0);
		thing[1] = thing[3] = (uint8_t)(i + 1);
		thing[THING_TYPE] = i == 0 ? 1 : 14;
	}
	for (unsigned i = 0; i < CORNERS; i++) {
		uint8_t *line = wad + LINE(i, 0), *corner = wad + CORNER(i);
		line[0] = (uint8_t)i;
		line[2] = (uint8_t)(i / 4 * 4 + (i + 1) % 4);
		line[LINE_FLAGS] = 1;
		line[LINE_SIDES + 2] = line[LINE_SIDES + 3] = 0xff;
		for (unsigned k = 0; k < 2; k++) {
			corner[2 * k] = (uint8_t)(corners[i][k] & 0xff);
			corner[2 * k + 1] = (uint8_t)(corners[i][k] >> 8);
		}
	}
	for (unsigned i = 0; i < LUMPS; i++) {
		uint8_t *entry = wad + ENTRY(i, 0);
		entry[ENTRY_PLACE] = (uint8_t)lumps[i].at;
		entry[ENTRY_PLACE + 1] = (uint8_t)(lumps[i].at >> 8);
		entry[ENTRY_SIZE] = (uint8_t)lumps[i].bytes;
		memcpy(entry + ENTRY_NAME, lumps[i].name, strlen(lumps[i].name));
	}
}

/* Lumps that hold nothing, of such names: the first ones, and the last one as often as there is room. */
static void
lumps_seed(const char *name, unsigned count, const char *const first[static 3], const char *last)
{
	enum { HEADER = 12, LUMPS_MAX = 60 };
	uint8_t wad[HEADER + ENTRY_BYTES * LUMPS_MAX] = "PWAD";
	wad[4] = (uint8_t)count;
	wad[8] = HEADER;
	for (unsigned i = 0; i < count; i++) {
		const char *own = i < 3 ? first[i] : last;
		memcpy(wad + HEADER + ENTRY_BYTES * i + ENTRY_NAME, own, strlen(own));
	}
	seed_write("wad", name, wad, HEADER + ENTRY_BYTES * count);
}

/* A lump is a map if the next one is the first of a map's. */
static void
seeds_of_lumps(void)
{
	static const char *const things[] = { "THINGS", "THINGS", "THINGS" }, *const map[] = { "E1M1", "THINGS", "THINGS" },
							 *const twice[] = { "E1M2", "THINGS", "E1M2" }, *const near[] = { "E1M2", "THINGS", "E1M3" };
	lumps_seed("many_maps", 54, things, "THINGS"); /* more than an error lists */
	lumps_seed("many_maps_unnamed", 57, things, "THINGS");
	lumps_seed("many_lumps", 20, map, "THINGS");
	lumps_seed("next_map_twice", 4, twice, "THINGS");
	lumps_seed("next_maps", 4, near, "THINGS");
}

void
seeds_of_maps(void)
{
	for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
		uint8_t wad[BYTES_OF_NO_MAP] = { 0 };
		room_make(wad);
		for (const struct change *change = rooms[i].changes; change < rooms[i].changes + 4; change++)
			memcpy(wad + change->at, change->bytes, change->count);
		seed_write("wad", rooms[i].name, wad, rooms[i].count);
	}
	seeds_of_lumps();
}
