#include "client/content/wad_maker.h"

#include <string.h>

void
wad_maker_init(struct wad_maker *maker)
{
	memset(maker, 0, sizeof *maker);
	memcpy(maker->bytes, "PWAD", 4);
	maker->count = 12;
}

void
wad_maker_put(struct wad_maker *maker, size_t offset, uint32_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		maker->bytes[offset + i] = (uint8_t)(value >> (8 * i));
}

static size_t
vertex_add(struct wad_maker *maker, int x, int y)
{
	maker->vertices[maker->vertex_count][0] = (int16_t)x;
	maker->vertices[maker->vertex_count][1] = (int16_t)y;
	return maker->vertex_count++;
}

void
wad_maker_line(struct wad_maker *maker, int x1, int y1, int x2, int y2, unsigned flags, unsigned left_side)
{
	uint16_t *line = maker->lines[maker->line_count++];
	line[0] = (uint16_t)vertex_add(maker, x1, y1);
	line[1] = (uint16_t)vertex_add(maker, x2, y2);
	line[2] = (uint16_t)flags;
	line[3] = (uint16_t)left_side;
	line[4] = 0;
}

void
wad_maker_action(struct wad_maker *maker, unsigned action)
{
	maker->lines[maker->line_count - 1][4] = (uint16_t)action;
}

void
wad_maker_box(struct wad_maker *maker, int x1, int y1, int x2, int y2)
{
	wad_maker_line(maker, x1, y1, x1, y2, 1, WAD_ONE_SIDED);
	wad_maker_line(maker, x1, y2, x2, y2, 1, WAD_ONE_SIDED);
	wad_maker_line(maker, x2, y2, x2, y1, 1, WAD_ONE_SIDED);
	wad_maker_line(maker, x2, y1, x1, y1, 1, WAD_ONE_SIDED);
}

void
wad_maker_thing(struct wad_maker *maker, int x, int y, int type)
{
	int16_t *thing = maker->things[maker->thing_count++];
	thing[0] = (int16_t)x;
	thing[1] = (int16_t)y;
	thing[2] = (int16_t)type;
}

void
wad_maker_lump(struct wad_maker *maker, const char *name, const uint8_t *bytes, size_t count)
{
	maker->lumps[maker->lump_count].name = name;
	maker->lumps[maker->lump_count].offset = maker->count;
	maker->lumps[maker->lump_count].size = count;
	maker->lump_count++;
	if (count > 0)
		memcpy(maker->bytes + maker->count, bytes, count);
	maker->count += count;
}

void
wad_maker_map(struct wad_maker *maker, const char *name)
{
	static const uint8_t side[30];
	wad_maker_lump(maker, name, NULL, 0);
	wad_maker_lump(maker, "THINGS", NULL, 0);
	for (size_t i = 0; i < maker->thing_count; i++, maker->count += 10) {
		wad_maker_put(maker, maker->count, (uint16_t)maker->things[i][0], 2);
		wad_maker_put(maker, maker->count + 2, (uint16_t)maker->things[i][1], 2);
		wad_maker_put(maker, maker->count + 6, (uint16_t)maker->things[i][2], 2);
		maker->lumps[maker->lump_count - 1].size += 10;
	}
	wad_maker_lump(maker, "LINEDEFS", NULL, 0);
	for (size_t i = 0; i < maker->line_count; i++, maker->count += 14) {
		wad_maker_put(maker, maker->count, maker->lines[i][0], 2);
		wad_maker_put(maker, maker->count + 2, maker->lines[i][1], 2);
		wad_maker_put(maker, maker->count + 4, maker->lines[i][2], 2);
		wad_maker_put(maker, maker->count + 6, maker->lines[i][4], 2);
		wad_maker_put(maker, maker->count + 12, maker->lines[i][3], 2);
		maker->lumps[maker->lump_count - 1].size += 14;
	}
	wad_maker_lump(maker, "SIDEDEFS", side, sizeof side);
	wad_maker_lump(maker, "VERTEXES", NULL, 0);
	for (size_t i = 0; i < maker->vertex_count; i++, maker->count += 4) {
		wad_maker_put(maker, maker->count, (uint16_t)maker->vertices[i][0], 2);
		wad_maker_put(maker, maker->count + 2, (uint16_t)maker->vertices[i][1], 2);
		maker->lumps[maker->lump_count - 1].size += 4;
	}
	wad_maker_lump(maker, "SECTORS", NULL, 0);
}

void
wad_maker_end(struct wad_maker *maker)
{
	wad_maker_put(maker, 4, (uint32_t)maker->lump_count, 4);
	wad_maker_put(maker, 8, (uint32_t)maker->count, 4);
	for (size_t i = 0; i < maker->lump_count; i++, maker->count += 16) {
		wad_maker_put(maker, maker->count, (uint32_t)maker->lumps[i].offset, 4);
		wad_maker_put(maker, maker->count + 4, (uint32_t)maker->lumps[i].size, 4);
		memcpy(maker->bytes + maker->count + 8, maker->lumps[i].name, strnlen(maker->lumps[i].name, 8));
	}
}

size_t
wad_maker_entry(const struct wad_maker *maker, const char *name)
{
	for (size_t i = 0; i < maker->lump_count; i++)
		if (strcmp(maker->lumps[i].name, name) == 0)
			return maker->count - 16 * (maker->lump_count - i);
	return 0;
}
